"""The peers: which models of which libraries a study can compare with."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from tacit.errors import ParameterError
from tacit.study.peers.environment import ENVIRONMENTS
from tacit.study.peers.peer import Peer

_PAPER = "stated nowhere; as the paper that it implements has it (Chaudhuri, Monteleoni and Sarwate 2011)"
_NOISE = "stated nowhere; as its noise is for counts that one row changes by one"

_DIFFPRIVLIB = (
    Peer("logistic", ENVIRONMENTS["diffprivlib"], "linear", {"C": 1.0, "max_iter": 1000}, "replace-one", _PAPER),
    Peer("naive-bayes", ENVIRONMENTS["diffprivlib"], "ordinal", {}, "add-remove", _NOISE),
    Peer("tree", ENVIRONMENTS["diffprivlib"], "ordinal", {"max_depth": 5}, "add-remove", _NOISE),
    Peer(
        "forest",
        ENVIRONMENTS["diffprivlib"],
        "ordinal",
        {"n_estimators": 10, "max_depth": 5},
        "add-remove",
        _NOISE,
    ),
)
_INTERPRET = (
    Peer(
        "dp-ebm",
        ENVIRONMENTS["interpret"],
        "codes",
        {"learning_rate": 0.01, "max_rounds": 300, "max_bins": 32, "max_leaves": 3},
        "add-remove",
        "as its noise has it: for histograms and sums that one row changes by one",
        needs_delta=True,
        two_classes=True,
    ),
)
_OPACUS = (
    Peer(
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
    Peer("logistic", ENVIRONMENTS["scikit-learn"], "linear", {"C": 1.0, "max_iter": 1000}),
    Peer("naive-bayes", ENVIRONMENTS["scikit-learn"], "ordinal"),
    Peer("tree", ENVIRONMENTS["scikit-learn"], "ordinal", {"max_depth": 10}),
    Peer("forest", ENVIRONMENTS["scikit-learn"], "ordinal", {"n_estimators": 100}),
    Peer("boosting", ENVIRONMENTS["scikit-learn"], "codes", {"max_iter": 100, "learning_rate": 0.1}),
)

PEERS = {each.name: each for each in (*_DIFFPRIVLIB, *_INTERPRET, *_OPACUS, *_SCIKIT_LEARN)}
"""The peers by name."""


def find_peer(name: str) -> Peer:
    """Return the peer of this name.

    Raises
    ------
    ParameterError
        If there is none.

    Examples
    --------
    >>> find_peer("opacus-1.6.0-logistic").neighbors
    'add-remove'
    """
    if name in PEERS:
        return PEERS[name]
    near = get_close_matches(name, PEERS, n=1)
    remedy = f"Did you mean 'peer:{near[0]}'?" if near else f"Choose one of {', '.join(PEERS)}."
    raise ParameterError(f"Expected a peer, got learner='peer:{name}'. {remedy}")


def check_peer(name: str, parameters: Mapping[str, Any]) -> None:
    """Refuse a name that no peer has, or a parameter that it does not take.

    Raises
    ------
    ParameterError
        If there is one.
    """
    find_peer(name).complete(parameters)
