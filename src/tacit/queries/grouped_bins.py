"""Several columns' bins as one code: margins and histograms of many columns from few look-ups."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from tacit.features import OneHotEncoding
from tacit.table import Block, Table

MAX_GROUP_CELLS = 4_096
"""Of a group: its table of sums stays in the fastest cache; larger groups are fewer, and slower."""


class GroupedBins:
    """Neighboring columns are read together, as long as all combinations of their bins are few.

    Adding up, for a row, the numbers that belong to its bins takes one look-up for a group instead of one for a
    column, and so does a histogram, from which the columns' own follow.

    Privacy: sums that are exact in float64 are the same however columns are grouped. That depends on whether any row
    holds an unlisted category, which then shows, if at all, in the running time. Sums of anything else need a bound on
    their rounding that holds for every grouping.
    """

    def __init__(self, table: Table, encoding: OneHotEncoding):
        self._encoding = encoding
        # One more code where some row holds an unlisted category, which has no feature.
        self._sizes = np.asarray(encoding.widths) + (table.sum(self._unlisted) > 0)
        self._codes = table.per_block(self._grouped)

    def codes(self, block: Block) -> NDArray[np.uint16]:
        """Return each row's combination in each group, shape (n_rows, n_groups), column after column in memory."""
        return self._codes[block]

    def tables(self, weights: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Return, for each group, the sum of weights of each combination; a bin without a feature adds nothing."""
        own = [np.append(part, 0.0) for part in np.split(weights, self._encoding.starts[1:-1])]
        tables = []
        for columns in self._groups:
            total = np.zeros(1)
            for column in columns:
                total = np.add.outer(total, own[column][: self._sizes[column]]).ravel()
            tables.append(total)
        return tables

    def features(self, histograms: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return sums by feature, shape (n_features,), of sums by combination."""
        parts: list[NDArray[np.float64]] = []
        for columns, histogram in zip(self._groups, histograms, strict=True):
            cube = histogram.reshape([self._sizes[column] for column in columns])
            for axis, column in enumerate(columns):
                others = tuple(other for other in range(len(columns)) if other != axis)
                parts.append(cube.sum(axis=others)[: self._encoding.widths[column]])
        return np.concatenate(parts)

    def _grouped(self, block: Block) -> NDArray[np.uint16]:
        single = block.codes(self._encoding.bins)
        # Sixteen bits hold a code, as groups have 4,096 of them or are one column of at most 2^16.
        grouped = np.zeros((block.n_rows, len(self._groups)), dtype=np.uint16, order="F")
        for at, columns in enumerate(self._groups):
            for column in columns:
                grouped[:, at] *= np.uint16(self._sizes[column])
                grouped[:, at] += single[:, column]
        return grouped

    def _unlisted(self, block: Block) -> NDArray[np.int64]:
        codes, widths = block.codes(self._encoding.bins), self._encoding.widths
        return np.asarray([codes[:, column].max() >= width for column, width in enumerate(widths)], dtype=np.int64)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of combinations of each group."""
        return tuple(prod(self._sizes[columns.start : columns.stop].tolist()) for columns in self._groups)

    @cached_property
    def _groups(self) -> tuple[range, ...]:
        # Neighbors only, so that features of a group are neighbors too and sums need no reordering.
        starts = [0]
        for column in range(len(self._sizes)):
            if column > starts[-1] and prod(self._sizes[starts[-1] : column + 1].tolist()) > MAX_GROUP_CELLS:
                starts.append(column)
        return tuple(range(*ends) for ends in pairwise((*starts, len(self._sizes))))
