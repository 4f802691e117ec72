"""Counts and sums by class: what naive Bayes learns from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.features import GRID, GRID_STEPS, BinEncoding, LinearEncoding
from tacit.features.bin_encoding import MAX_JOINT_CODES, column_groups, joint_codes, margin
from tacit.privacy import NumericStatistic, PlanEntry, PrivacyUnit
from tacit.privacy.plan import Kind
from tacit.queries.person_sums import row_sums
from tacit.schema import Categorical, Schema
from tacit.sensitivities.class_sums import ClassSumsBasis
from tacit.table import Block, Table

PURE_OFFSET = 7 / 8
"""The m of sum(z^2 - m) with the smallest L1 sensitivity, 9/4."""

GAUSSIAN_OFFSET = 1.0
"""The m with the smallest L2 sensitivity where the label may change, sqrt 2."""

_STRIP_ROWS = 4_096
"""Rows whose features are made float64 together, so that a strip's working memory stays in the cache."""


@dataclass(frozen=True)
class Sums:
    """Counts and sums by class, exact or noisy, in units of rows."""

    classes: NDArray[np.float64] | None
    """Shape (n_classes,); None where the class counts were not asked for."""
    counts: tuple[NDArray[np.float64], ...]
    """Shape (n_classes, n_bins) for each counted column."""
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    """Shape (n_classes, n_summed). Sums of z and of z^2 - m."""


@dataclass(frozen=True)
class ClassSums:
    """One query for everything that naive Bayes needs of the named columns.

    Privacy: everything leaves in one release. When the label stays, a private counted column moves by 2 in L1 and
    in squared L2, a private summed one by 9/4 and 4. When the label may change, each counted column, public or
    not, and the classes move by 2 and 2, each summed one by 9/4 (m = 7/8) and 2 (m = 1). Rounding to the grid adds
    one step for each summed column. Proof: ``proofs/queries/class_sums.md``.
    """

    bins: BinEncoding
    features: LinearEncoding
    counted: tuple[str, ...]
    """Columns of ``bins`` that are counted by (class, bin or category)."""
    summed: tuple[str, ...]
    """Numeric columns of ``features`` that are summed by class: z and z^2 - m, z being the column in [-1, 1]."""
    with_classes: bool
    """Whether to count the classes too."""
    offset: float = PURE_OFFSET
    """The m above, a multiple of 1/GRID_STEPS."""
    unlisted: bool = False
    """Whether rows may hold a category that the schema does not list; they get a bin of their own."""

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Number of bins of each counted column."""
        return tuple(self._width(place) for place in self._places)

    @cached_property
    def _places(self) -> list[int]:
        """Which of the encoding's columns are counted."""
        places = {name: place for place, name in enumerate(self.bins.columns)}
        return [places[name] for name in self.counted]

    @property
    def steps(self) -> int:
        """Steps of the release's grid in one row."""
        return GRID_STEPS if self.summed else 1

    def statistic(self, table: Table) -> NumericStatistic:
        """Return all counts and sums as one vector of integers, in steps of the grid."""
        return row_sums(self._basis, table, self._total(table))

    def sensitivity(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return the L1 and L2 sensitivities in units of rows; zero where nothing that is read may change."""
        return self._basis.in_rows(unit)

    @property
    def _basis(self) -> ClassSumsBasis:
        return ClassSumsBasis(self.counted, self.summed, self.with_classes, self.offset)

    def planned(self, unit: PrivacyUnit, weight: float = 1.0, kind: Kind = "noise") -> list[PlanEntry]:
        """Return the release to announce, each composition with the offset that is best for it."""
        l1, _ = replace(self, offset=PURE_OFFSET).sensitivity(unit)
        _, l2 = replace(self, offset=GAUSSIAN_OFFSET).sensitivity(unit)
        return [PlanEntry(kind, weight=weight, l1=l1, l2=l2)] if l1 else []

    def read(self, released: NDArray[Any]) -> Sums:
        """Return a released vector part by part, in units of rows."""
        n_classes, n_summed = len(self.bins.schema.classes), len(self.summed)
        sizes = [int(self.with_classes), *self.widths, n_summed, n_summed]
        ends = np.cumsum([n_classes * size for size in sizes])
        parts = np.split(np.asarray(released, dtype=np.float64) / self.steps, ends[:-1])
        classes, *counts, first, second = [
            part.reshape(n_classes, size) for part, size in zip(parts, sizes, strict=True)
        ]
        return Sums(classes[:, 0] if self.with_classes else None, tuple(counts), first, second)

    def _total(self, table: Table) -> NDArray[np.int64]:
        return table.sum(self._of_block)

    def _of_block(self, block: Block) -> NDArray[np.int64]:
        n_classes = len(self.bins.schema.classes)
        parts = [block.counted(block.labels, n_classes)] if self.with_classes else []
        parts = [self.steps * part for part in (*parts, *self._counts(block, n_classes))]
        # Counts are multiplied by the steps too: one vector, one scale of noise, one grid.
        if self.summed:
            features = block.features(self.features)
            if self.summed != self.features.columns:
                features = features[:, self.features.positions(self.summed)]
            parts += _moments(features, block, n_classes, self.offset * GRID_STEPS)
        return np.concatenate([part.ravel() for part in parts]) if parts else np.empty(0, np.int64)

    def _counts(self, block: Block, n_classes: int) -> list[NDArray[np.int64]]:
        if not self.counted:
            return []
        codes, positions = block.codes(self.bins), self._places
        counts: dict[int, NDArray[np.int64]] = {}
        sizes = tuple(self.bins.n_codes[position] for position in positions)
        # The classes are the slowest axis of each group's cells, and take their part of the room.
        for group in column_groups(sizes, MAX_JOINT_CODES // n_classes):
            columns, shape = [codes[:, positions[at]] for at in group], tuple(sizes[at] for at in group)
            cells = joint_codes(columns, shape, block.labels, n_classes)
            found = block.counted(cells, n_classes * prod(shape)).reshape(n_classes, *shape)
            # A code beyond the width, of a category that cannot occur or is not counted, is dropped after counting.
            counts |= {at: margin(found, axis)[:, : self.widths[at]] for axis, at in enumerate(group, start=1)}
        return [counts[at] for at in range(len(positions))]

    def _width(self, position: int) -> int:
        column = self.bins.schema.column(self.bins.columns[position])
        spare = isinstance(column, Categorical) and (column.other or not self.unlisted)
        return self.bins.n_codes[position] - spare


def _moments(features: NDArray[np.float32], block: Block, n_classes: int, offset: float) -> list[NDArray[np.int64]]:
    """Return sums of z and of z^2 - m by class, in steps, (n_classes, n_columns) each.

    Whole numbers below 2**53 in all: exact, whatever order the products sum in.
    """
    first, second = np.zeros((2, n_classes, features.shape[1]))
    for start in range(0, block.n_rows, _STRIP_ROWS):
        rows = slice(start, start + _STRIP_ROWS)
        members = block.weighted((block.labels[rows] == np.arange(n_classes)[:, None]).astype(np.float64), rows)
        z = features[rows].astype(np.float64)
        z *= GRID_STEPS
        first += members @ z
        # In steps: (z / GRID)^2 GRID is z^2 / GRID. Multiplying by powers of two is exact, so that rint alone rounds.
        z *= z
        z *= GRID
        np.rint(z, out=z)
        z -= offset
        second += members @ z
    return [first.astype(np.int64), second.astype(np.int64)]


def class_counts(schema: Schema) -> ClassSums:
    """Return the query for how many rows each class has, and for nothing else."""
    return ClassSums(BinEncoding(schema, ()), LinearEncoding(schema, ()), (), (), with_classes=True)
