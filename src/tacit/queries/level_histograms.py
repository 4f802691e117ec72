"""Counts of rows by (leaf, class, bin) of the columns that a level of a tree may ask."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import NumericStatistic, Planned, PrivacyUnit
from tacit.queries.tree_rows import TreeRows


def level_histogram(rows: TreeRows, histogram: NDArray[np.int64], asked: NDArray[np.bool_]) -> NumericStatistic:
    """Return the bins of the columns that are asked at each leaf, as one vector.

    Parameters
    ----------
    rows : TreeRows
        By class, every row counting one.
    histogram : array of shape (n_leaves, n_classes, n_bins)
    asked : array of bool, shape (n_leaves, n_columns)
        Which columns can still tell rows apart at each leaf; public.

    Notes
    -----
    Privacy: a row counts once in each column that is asked at its leaf. A replaced row leaves at most a of these
    cells and enters at most a others, a being the most columns asked at a leaf: L1 2 a, squared L2 2 a. The
    paper charges a in place of 2 a, and counts every category of a column as an attribute that is paid for by itself.
    Proof: ``proofs/queries/level_histograms.md``.
    """
    l1, l2 = _sensitivity(float(asked.sum(axis=1).max()))
    return NumericStatistic(
        query="rows by leaf, class and bin of each column",
        unit=rows.unit,
        unreleased_value=histogram[cells_asked(rows, histogram.shape, asked)],
        l1=l1,
        l2=l2,
    )


def plan_level_histogram(unit: PrivacyUnit, most_asked: float, weight: float) -> list[Planned]:
    """Return the release to announce for at most so many columns asked at a leaf."""
    l1, l2 = _sensitivity(most_asked)
    return [] if unit.protects_nothing else [Planned("noise", weight=weight, l1=l1, l2=l2)]


def _sensitivity(most_asked: float) -> tuple[float, float]:
    return 2.0 * most_asked, sqrt(2.0 * most_asked) * (1 + 2.0**-50)


def cells_asked(rows: TreeRows, shape: tuple[int, ...], asked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which cells of a histogram are released, in its shape."""
    by_bin = np.repeat(asked, rows.encoding.n_bins, axis=1)
    return np.broadcast_to(by_bin[:, None, :], shape)
