"""Rows counted by (bin of a released score, class): what a score's calibration is fitted to."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import NumericStatistic, Planned, PrivacyUnit
from tacit.queries.person_sums import row_sums
from tacit.table import Block, Table
from tacit.table.bin_encoding import joint_codes

L1, L2 = 2.0, sqrt(2.0)
"""A replaced row leaves one cell and enters another."""

_MOST_COMPARED_EDGES = 32
"""Up to so many edges, comparing all scores with each of them is faster than a search for each score."""


def score_bins(
    table: Table, score: Callable[[Block], NDArray[np.float64]], edges: NDArray[np.float64]
) -> NumericStatistic:
    """Return counts of rows by (class, bin), shape (n_classes, n_edges + 1).

    Privacy: a replaced row leaves one cell and enters another: L1 2, L2 sqrt 2, replace-one, whatever is
    protected. Proof: ``proofs/queries/score_bins.md``.

    Parameters
    ----------
    score : callable
        Gives each row of a block a number, from that row and released values alone.
    edges : array of shape (n_edges,)
        Ascending; public or released before. Bin i holds scores above edge i-1 and at most edge i.
    """
    n_classes, n_bins = table.n_classes, len(edges) + 1

    def count(block: Block) -> NDArray[Any]:
        cells = joint_codes([block.labels, _bins(score(block), edges)], [n_classes, n_bins])
        return block.counted(cells, n_classes * n_bins)

    counts = table.sum(count).astype(np.int64).reshape(n_classes, n_bins)
    return row_sums("rows by level of the score and class", table, counts, l1=L1, l2=L2)


def plan_score_bins(unit: PrivacyUnit, weight: float) -> list[Planned]:
    """Return the release to announce."""
    return [] if unit.protects_nothing else [Planned("noise", weight=weight, l1=L1, l2=L2)]


def _bins(scores: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[Any]:
    """Return how many edges each score is above."""
    if len(edges) > _MOST_COMPARED_EDGES:
        return np.searchsorted(edges, scores, side="left").astype(np.uint32)
    bins, above = np.zeros(len(scores), dtype=np.uint8), np.empty(len(scores), dtype=bool)
    for edge in edges:
        bins += np.greater(scores, edge, out=above).view(np.uint8)
    return bins
