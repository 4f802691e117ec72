"""The external learners: which models of which libraries a study can compare with."""

from __future__ import annotations

from difflib import get_close_matches

from reproductions.external.environment import ENVIRONMENTS
from reproductions.external.learner import ExternalLearner
from tacit.errors import ParameterError

_PAPER = "stated nowhere; as the paper that it implements has it (Chaudhuri, Monteleoni and Sarwate 2011)"
_SUMS = "stated nowhere; as its noise is for products of cells that one row replaces"
_NOISE = "stated nowhere; as its noise is for counts that one row changes by one"

_DIFFPRIVLIB = (
    ExternalLearner(
        "logistic", ENVIRONMENTS["diffprivlib"], "linear", {"C": 1.0, "max_iter": 1000}, "replace-one", _PAPER
    ),
    ExternalLearner("naive-bayes", ENVIRONMENTS["diffprivlib"], "ordinal", {}, "add-remove", _NOISE),
    ExternalLearner("tree", ENVIRONMENTS["diffprivlib"], "ordinal", {"max_depth": 5}, "add-remove", _NOISE),
    ExternalLearner(
        "forest",
        ENVIRONMENTS["diffprivlib"],
        "ordinal",
        {"n_estimators": 10, "max_depth": 5},
        "add-remove",
        _NOISE,
    ),
    ExternalLearner("linear", ENVIRONMENTS["diffprivlib"], "linear", {}, "replace-one", _SUMS, of_numbers=True),
    ExternalLearner(
        "linear-centered", ENVIRONMENTS["diffprivlib"], "linear", {}, "replace-one", _SUMS, of_numbers=True
    ),
)
_INTERPRET = (
    ExternalLearner(
        "dp-ebm",
        ENVIRONMENTS["interpret"],
        "codes",
        {"learning_rate": 0.01, "max_rounds": 300, "max_bins": 32, "max_leaves": 3},
        "add-remove",
        "as its noise has it: for histograms and sums that one row changes by one",
        needs_delta=True,
        two_classes=True,
    ),
    ExternalLearner(
        "dp-ebm-regressor",
        ENVIRONMENTS["interpret"],
        "codes",
        {"learning_rate": 0.01, "max_rounds": 300, "max_bins": 32, "max_leaves": 3},
        "add-remove",
        "as its noise has it: for histograms, and for sums that one row changes by the width of the target's bounds",
        needs_delta=True,
        of_numbers=True,
    ),
)
_OPENDP = (
    ExternalLearner(
        "line",
        ENVIRONMENTS["opendp"],
        "ordinal",
        {"feature": 0},
        "add-remove",
        "as its map has it, for rows added or removed",
        of_numbers=True,
    ),
)
_OPACUS = (
    ExternalLearner(
        "logistic",
        ENVIRONMENTS["opacus"],
        "linear",
        {"steps": 100, "learning_rate": 2.0, "clip": 1.0, "sampling_rate": 1.0},
        "add-remove",
        "as its accountants have it",
        needs_delta=True,
    ),
)
_SCIKIT_LEARN = (
    ExternalLearner("logistic", ENVIRONMENTS["scikit-learn"], "linear", {"C": 1.0, "max_iter": 1000}),
    ExternalLearner("naive-bayes", ENVIRONMENTS["scikit-learn"], "ordinal"),
    ExternalLearner("tree", ENVIRONMENTS["scikit-learn"], "ordinal", {"max_depth": 10}),
    ExternalLearner("forest", ENVIRONMENTS["scikit-learn"], "ordinal", {"n_estimators": 100}),
    ExternalLearner("boosting", ENVIRONMENTS["scikit-learn"], "codes", {"max_iter": 100, "learning_rate": 0.1}),
    ExternalLearner("ridge", ENVIRONMENTS["scikit-learn"], "linear", {"alpha": 1.0}, of_numbers=True),
    ExternalLearner(
        "boosting-regressor",
        ENVIRONMENTS["scikit-learn"],
        "codes",
        {"max_iter": 100, "learning_rate": 0.1},
        of_numbers=True,
    ),
)

EXTERNAL = {each.name: each for each in (*_DIFFPRIVLIB, *_INTERPRET, *_OPACUS, *_OPENDP, *_SCIKIT_LEARN)}
"""The external learners by name."""


def find_external(name: str) -> ExternalLearner:
    """Return the learner of this name.

    Raises
    ------
    ParameterError
        If there is none.

    Examples
    --------
    >>> find_external("opacus-1.6.0-logistic").neighbors
    'add-remove'
    """
    if name in EXTERNAL:
        return EXTERNAL[name]
    near = get_close_matches(name, EXTERNAL, n=1)
    remedy = f"Did you mean 'external:{near[0]}'?" if near else f"Choose one of {', '.join(EXTERNAL)}."
    raise ParameterError(f"Expected an external learner, got learner='external:{name}'. {remedy}")
