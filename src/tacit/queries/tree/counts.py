"""Counts, or weights, by class at the nodes of a growing tree: histograms of a depth, and leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import NumericStatistic, PlanEntry, PrivacyUnit
from tacit.queries.person_sums import row_sums
from tacit.queries.tree.rows import TreeRows
from tacit.sensitivities.counts import DepthHistogramBasis, LeafCountsBasis
from tacit.sensitivities.masses import LeafLeadsBasis


def depth_histogram(rows: TreeRows, histogram: NDArray[np.int64], asked: NDArray[np.bool_]) -> NumericStatistic:
    """Return the bins of the columns that are asked at each leaf, as one vector.

    Privacy: a row counts once in each column that is asked at its leaf. A replaced row leaves at most a of these
    cells and enters at most a others, a being the most columns asked at a leaf: L1 2 a, squared L2 2 a. The
    paper charges a in place of 2 a, and counts every category of a column as an attribute that is paid for by itself.
    Proof: ``proofs/queries/tree/depth_histograms.md``.

    Parameters
    ----------
    rows : TreeRows
        By class, every row counting one.
    histogram : array of shape (n_leaves, n_classes, n_bins)
    asked : array of bool, shape (n_leaves, n_columns)
        Which columns still have an admissible split at each leaf; public.
    """
    basis = DepthHistogramBasis(int(asked.sum(axis=1).max()))
    cells = histogram[cells_asked(rows, histogram.shape, asked)]
    return row_sums(basis, rows.table, cells, unit=rows.unit)


def plan_depth_histogram(unit: PrivacyUnit, most_asked: float, weight: float) -> list[PlanEntry]:
    """Return the release to announce for at most so many columns asked at a leaf."""
    l1, l2 = DepthHistogramBasis(most_asked).of_row(unit)
    return [] if unit.protects_nothing else [PlanEntry("noise", weight=weight, l1=l1, l2=l2)]


def cells_asked(rows: TreeRows, shape: tuple[int, ...], asked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which cells of a histogram are released, in its shape."""
    by_bin = np.repeat(asked, rows.encoding.n_codes, axis=1)
    return np.broadcast_to(by_bin[:, None, :], shape)


def leaf_counts(rows: TreeRows, leaves: Sequence[int], columns: Sequence[str | None]) -> NumericStatistic:
    """Return how many rows of each class lie at each leaf, or in each bin of one column there, as one vector.

    Privacy: a row counts in one cell, that of its leaf, class and bin there. A replaced row leaves one and enters
    another: L1 2, L2 sqrt 2, whichever of its cells are protected. Proof: ``proofs/queries/tree/leaf_counts.md``.

    Parameters
    ----------
    rows : TreeRows
        By class, every row counting one.
    leaves : sequence of int
        All leaves of the tree.
    columns : sequence of str or None
        For each leaf the column that is counted by bin, if any; public.
    """
    cells = _all_cells(rows, leaves, columns)
    return row_sums(LeafCountsBasis(), rows.table, cells, unit=rows.unit)


def plan_leaf_counts(unit: PrivacyUnit, weight: float) -> list[PlanEntry]:
    """Return the release of leaf counts to announce."""
    l1, l2 = LeafCountsBasis().of_row(unit)
    return [] if unit.protects_nothing else [PlanEntry("noise", weight=weight, l1=l1, l2=l2)]


def leaf_leads(rows: TreeRows, leaves: Sequence[int], columns: Sequence[str | None]) -> NumericStatistic:
    """Return by how much the second class outweighs the first at each leaf, or in each bin of one column there.

    Privacy: what leaves and what enters moves leads by at most the influence each: L1 and L2 2 * influence, and the
    rounding of four masses and two differences in each lead. Proof: ``proofs/queries/tree/leaf_counts.md``.

    Parameters
    ----------
    rows : TreeRows
        Of two classes; rows may have weights.
    leaves : sequence of int
        All leaves of the tree.
    columns : sequence of str or None
        For each leaf the column that is counted by bin, if any; public.
    """
    groups = rows.groups
    masses = _all_cells(rows, leaves, columns).reshape(-1, groups.mass.shape[1]) @ groups.mass.T
    basis = LeafLeadsBasis(**vars(groups.bounds), leads=len(masses))
    leads = np.asarray(masses[:, 1] - masses[:, 0])
    moved = basis.sensitivity(rows.table.unit, rows.table.n_persons)["l1"]
    return NumericStatistic(basis.query, rows.unit, leads, l1=moved, l2=moved, basis=basis)


def plan_leaf_leads(unit: PrivacyUnit, weight: float) -> list[PlanEntry]:
    """Return the release of leads to announce, whose L1 and L2 sensitivities are the same."""
    return [] if unit.protects_nothing else [PlanEntry("noise", weight=weight)]


def read_leaf_leads(rows: TreeRows, released: NDArray[Any], columns: Sequence[str | None]) -> list[NDArray[np.float64]]:
    """Return released leads leaf by leaf as two columns whose difference they are, each (n_bins or 1, 2)."""
    # A lead fixes two masses only up to their sum, which nothing released says; zero is as good as any.
    halves = np.asarray(released, dtype=np.float64) / 2
    return _by_leaf(rows, np.column_stack([-halves, halves]), columns)


def read_leaf_counts(
    rows: TreeRows, released: NDArray[Any], columns: Sequence[str | None]
) -> list[NDArray[np.float64]]:
    """Return a released vector leaf by leaf, each of shape (n_bins or 1, n_classes)."""
    return _by_leaf(rows, np.asarray(released, dtype=np.float64).reshape(-1, len(rows.groups.mass)), columns)


def _by_leaf(rows: TreeRows, cells: NDArray[np.float64], columns: Sequence[str | None]) -> list[NDArray[np.float64]]:
    encoding = rows.encoding
    bins = [1 if name is None else encoding.n_codes[encoding.columns.index(name)] for name in columns]
    return np.split(cells, np.cumsum(bins)[:-1])


def _all_cells(rows: TreeRows, leaves: Sequence[int], columns: Sequence[str | None]) -> NDArray[np.int64]:
    # Without columns the class totals of the leaves are enough, which needs no pass over the codes.
    if not any(columns):
        return rows.totals(leaves).ravel()
    histogram = rows.histogram(leaves)
    parts = [_cells(rows, at, name) for at, name in zip(histogram, columns, strict=True)]
    return np.concatenate([part.ravel() for part in parts])


def _cells(rows: TreeRows, histogram: NDArray[np.int64], column: str | None) -> NDArray[np.int64]:
    """Return one leaf's counts by (bin, class) from its (n_classes, n_bins) histogram of all columns."""
    if column is None:
        return np.asarray(histogram[:, : rows.encoding.n_codes[0]].sum(axis=1))
    first = sum(rows.encoding.n_codes[: rows.encoding.columns.index(column)])
    bins = rows.encoding.n_codes[rows.encoding.columns.index(column)]
    return histogram[:, first : first + bins].T
