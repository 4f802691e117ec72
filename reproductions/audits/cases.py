"""What is audited: a library's model, its claim, two neighbors, and what in its source they were made for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tacit.audit import Claim

Rows = list[tuple[Any, int]]
"""A cell and a label each."""


@dataclass(frozen=True)
class Case:
    """One audit.

    Parameters
    ----------
    name : str
    environment : str
        Of ``reproductions.external``.
    model : str
        Of ``serve_runs.py``.
    settings : dict
        Without epsilon.
    claim : Claim
    first, second : list
        Neighbors.
    why : str
        What the source does.
    refuted : bool
        What is expected.
    """

    name: str
    environment: str
    model: str
    settings: Mapping[str, Any]
    claim: Claim
    first: Rows
    second: Rows
    why: str
    refuted: bool = True
    probes: list[Any] = field(default_factory=lambda: [0.5])


_REPLACE, _ADD = Claim(1.0), Claim(1.0, relation="add-remove")
_TREE = {"max_depth": 1, "bounds": [0.0, 1.0], "classes": [0, 1]}
_EBM = {"delta": 1e-5, "max_rounds": 2, "max_leaves": 2, "max_bins": 3, "bin_budget_frac": 0.5}
_NORM_100 = {"data_norm": 100.0, "fit_intercept": False}
_NUMBERS = {**_EBM, "feature_types": ["continuous"], "privacy_bounds": [[0.0, 1.0]]}
_NOMINAL = {**_EBM, "feature_types": ["nominal"], "shown": ["bins_", "term_scores_"]}
_COUNTED = {**_NUMBERS, "shown": ["bag_weights_", "term_scores_"]}
_SCORES = {**_NUMBERS, "shown": ["term_scores_"]}
_EBM_ADD = Claim(1.0, 1e-5, "add-remove")
# One tree has as many rows of either label; the other is sure of its own, so that it hides nothing.
_TIED, _SURE = [(0.5, 1)] * 5 + [(0.5, 0)] * 5, [(0.5, 0)] * 10
# A row less at the front, and every tree loses its first row to the one before it: those that are tied, a 1 for a 0.
_TURNS: Rows = (_TIED + _SURE) * 3
_SPREAD: Rows = [(0.1, 0), (0.1, 1)] * 10 + [(0.9, 0), (0.9, 1)] * 10
_LETTERS: Rows = [("a", 0), ("a", 1)] * 10 + [("b", 0), ("b", 1)] * 10

CASES = (
    Case(
        "naive Bayes, bounds far from zero", "diffprivlib", "naive-bayes", {"bounds": [1990.0, 2000.0]}, _REPLACE,
        [(1995.0, 0)] * 50 + [(1995.0, 1)] * 50, [(1995.0, 0)] * 49 + [(1995.0, 1)] * 51,
        "A class's sum gets noise for the width of the bounds; a row that comes moves it by its whole value.",
    ),
    Case(
        "naive Bayes, one row less", "diffprivlib", "naive-bayes", {"bounds": [-50.0, 50.0]}, _ADD,
        [(0.0, 0)] * 6 + [(0.0, 1)] * 6, [(0.0, 0)] * 5 + [(0.0, 1)] * 6,
        "The noisy counts are made to add up to the number of rows.",
    ),
    Case(
        "tree, one label replaced", "diffprivlib", "tree", _TREE, _REPLACE, [(0.5, 0), (0.5, 1)], [(0.5, 0), (0.5, 0)],
        "A leaf's label is selected with noise for one count that grows by one; a replaced label moves two.",
    ),
    Case(
        "tree, one row less", "diffprivlib", "tree", _TREE, _ADD, [(0.5, 0), (0.5, 1)], [(0.5, 0)],
        "One count of one leaf moves by one: the noise is for that.", refuted=False,
    ),
    Case(
        "forest, one label replaced", "diffprivlib", "forest", {**_TREE, "n_estimators": 2}, _REPLACE,
        _TIED + _SURE, [(0.5, 0), *_TIED[1:], *_SURE],
        "As the tree: the row is in one of them.",
    ),
    Case(
        "forest, one row less", "diffprivlib", "forest", {**_TREE, "n_estimators": 6}, _ADD, _TURNS, _TURNS[1:],
        "Each tree has the whole epsilon for rows of its own; without one row the others' trees change as well.",
    ),
    Case(
        "logistic regression, norm 100", "diffprivlib", "logistic", _NORM_100, _REPLACE,
        [(0.0, 0), (0.0, 1), (0.0, 1)], [(0.0, 0), (0.0, 1), (100.0, 1)],
        "The curvature of a row's loss is bounded by a quarter of its norm, where the square of the norm is needed.",
    ),
    Case(
        "DP-EBM, one row less", "interpret", "dp-ebm", _COUNTED, _EBM_ADD,
        _SPREAD, _SPREAD[:-1], "The number of rows is a public attribute (bag_weights_), and the bins' target weight.",
    ),
    Case(
        "DP-EBM, a category of one row", "interpret", "dp-ebm",
        _NOMINAL, _EBM_ADD, _LETTERS, [*_LETTERS, ("c", 1)],
        "Categories are those of the rows; one of a single row is kept where its noisy count is large enough.",
    ),
    Case(
        "DP-EBM, scores alone", "interpret", "dp-ebm", _SCORES, _EBM_ADD, _SPREAD, _SPREAD[:-1],
        "Gaussian noise on bin weights and on sums of residuals, which one row less moves by one.", refuted=False,
    ),
)  # fmt: skip
"""All of them, in the order of the page."""
