"""A linear learning problem, and sums over its rows: by matrices or, for one-hot features, by counting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.features import LinearEncoding, OneHotEncoding
from tacit.features.bin_encoding import Codes
from tacit.features.feature_encoding import FeatureEncoding
from tacit.queries.grouped_bins import GroupedBins
from tacit.table import Block, PerBlock, Table

Numbers = NDArray[np.float64]

STRIP_ROWS = 4_096
"""Rows that are worked on together, so that what is computed of them stays in the cache; bounds the rounding of sums,
too, as one strip is added up after the other."""


class Strip(Protocol):
    """Some consecutive rows: their features Z, never written out where that can be helped."""

    @property
    def rows(self) -> slice:
        """Where they are in their block."""

    def times(self, prepared: list[Numbers]) -> Numbers:
        """Return Z w, shape (n_strip,), of prepared weights."""

    def add(self, factors: Numbers, sums: list[Numbers]) -> None:
        """Add Z' r to the sums."""

    def add_squares(self, factors: Numbers, sums: list[Numbers]) -> None:
        """Add the diagonal of Z' diag(r) Z to the sums."""

    def moments(self, factors: Numbers) -> Numbers:
        """Return Z' diag(r) Z of non-negative r, shape (n_features, n_features)."""


class LinearRows(Protocol):
    """Rows of a table as features Z."""

    def prepared(self, weights: Numbers) -> list[Numbers]:
        """Return weights in the form that strips take, once for all of them."""

    def no_sums(self) -> list[Numbers]:
        """Return sums of no rows, in the form that strips add to."""

    def features(self, sums: list[Numbers]) -> Numbers:
        """Return sums by feature, shape (n_features,)."""

    def strips(self, block: Block) -> Iterator[Strip]:
        """Yield the block's rows, some thousand at a time; each must be done with before the next."""


def linear_rows(table: Table, encoding: LinearEncoding | OneHotEncoding, intercept: bool) -> LinearRows:
    """Return the table's rows under an encoding, with a constant feature last if there is an intercept."""
    if isinstance(encoding, OneHotEncoding) and encoding.columns:
        return CountedRows(encoding, intercept, GroupedBins(table, encoding))
    return DenseRows(encoding, intercept)


@dataclass(frozen=True)
class DenseRows:
    """Rows as matrices."""

    encoding: LinearEncoding | OneHotEncoding
    intercept: bool

    def prepared(self, weights: Numbers) -> list[Numbers]:
        """Return the weights."""
        return [weights]

    def no_sums(self) -> list[Numbers]:
        """Return zeros."""
        return [np.zeros(self.encoding.n_features + self.intercept)]

    def features(self, sums: list[Numbers]) -> Numbers:
        """Return the sums."""
        return sums[0]

    def strips(self, block: Block) -> Iterator[Strip]:
        """Yield strips that share a buffer."""
        encoded = block.features(self.encoding)
        buffer = np.ones((min(STRIP_ROWS, block.n_rows), encoded.shape[1] + self.intercept))
        for rows in _slices(block.n_rows):
            features = buffer[: rows.stop - rows.start]
            features[:, : encoded.shape[1]] = encoded[rows]
            yield DenseStrip(rows, features)


@dataclass(frozen=True, eq=False)
class DenseStrip:
    """Rows as a matrix; the constant feature, if any, is among its columns."""

    rows: slice
    matrix: Numbers

    def times(self, prepared: list[Numbers]) -> Numbers:
        """Return Z w."""
        return np.asarray(self.matrix @ prepared[0])

    def add(self, factors: Numbers, sums: list[Numbers]) -> None:
        """Add Z' r."""
        sums[0] += factors @ self.matrix

    def add_squares(self, factors: Numbers, sums: list[Numbers]) -> None:
        """Add the diagonal of Z' diag(r) Z."""
        sums[0] += factors @ self.matrix**2

    def moments(self, factors: Numbers) -> Numbers:
        """Return Z' diag(r) Z."""
        bent = np.flatnonzero(factors)
        # The product of a matrix by itself is symmetric: BLAS computes half of it.
        scaled = self.matrix[bent] * np.sqrt(factors[bent])[:, None]
        return np.asarray(scaled.T @ scaled)


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Rows as codes of several columns each; the intercept is a last group, of one code."""

    encoding: OneHotEncoding
    intercept: bool
    groups: GroupedBins

    def prepared(self, weights: Numbers) -> list[Numbers]:
        """Return, for each group, the sum of the weights of each code's features."""
        own = self.groups.tables(weights[: self.encoding.n_features])
        return [*own, weights[-1:]] if self.intercept else own

    def no_sums(self) -> list[Numbers]:
        """Return a histogram without rows for each group."""
        return [np.zeros(size) for size in (*self.groups.sizes, *[1] * self.intercept)]

    def features(self, sums: list[Numbers]) -> Numbers:
        """Return sums by feature from those by code."""
        if not self.intercept:
            return self.groups.features(sums)
        return np.append(self.groups.features(sums[:-1]), sums[-1])

    @cached_property
    def places(self) -> NDArray[np.intp]:
        """The feature of each code, code after code and column after column; one too far if it has none."""
        listed = zip(self.encoding.starts, self.encoding.widths, self.encoding.bins.n_codes, strict=False)
        none = self.encoding.n_features + self.intercept
        parts = [np.append(start + np.arange(width), [none] * (bins - width)) for start, width, bins in listed]
        return np.concatenate(parts).astype(np.intp)

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Where each column's codes begin among all."""
        return np.cumsum([0, *self.encoding.bins.n_codes[:-1]]).astype(np.intp)

    def strips(self, block: Block) -> Iterator[Strip]:
        """Yield strips of codes that share a buffer."""
        grouped, single = self.groups.codes(block), block.codes(self.encoding.bins)
        # Widened once for look-ups and for histograms, which otherwise do so each.
        buffer = np.empty((grouped.shape[1], min(STRIP_ROWS, block.n_rows)), dtype=np.intp)
        for rows in _slices(block.n_rows):
            places = buffer[:, : rows.stop - rows.start]
            np.copyto(places, grouped[rows].T)
            yield CountedStrip(rows, self, places, single[rows])


@dataclass(frozen=True, eq=False)
class CountedStrip:
    """Rows as codes of groups and of single columns."""

    rows: slice
    all_rows: CountedRows
    grouped: NDArray[np.intp]
    """Shape (n_groups, n_strip)."""
    single: Codes

    def times(self, prepared: list[Numbers]) -> Numbers:
        """Return Z w."""
        margins = np.full(self.grouped.shape[1], prepared[-1][0] if self.all_rows.intercept else 0.0)
        found = np.empty(len(margins))
        for table, codes in zip(prepared, self.grouped, strict=False):
            # Every code is a place in its table; "clip" spares a buffer and a check for each.
            margins += table.take(codes, out=found, mode="clip")
        return margins

    def add(self, factors: Numbers, sums: list[Numbers]) -> None:
        """Add Z' r."""
        for total, codes in zip(sums, self.grouped, strict=False):
            total += np.bincount(codes, weights=factors, minlength=len(total))
        if self.all_rows.intercept:
            sums[-1] += factors.sum()

    def add_squares(self, factors: Numbers, sums: list[Numbers]) -> None:
        """Add the diagonal of Z' diag(r) Z: features are 0 or 1, their own squares."""
        self.add(factors, sums)

    def moments(self, factors: Numbers) -> Numbers:
        """Return Z' diag(r) Z, of features written out; codes without one are put into a column that is left out."""
        bent = np.flatnonzero(factors)  # few rows, under a Huber loss
        weights, places = (
            np.sqrt(factors[bent])[:, None],
            self.all_rows.places[self.single[bent] + self.all_rows.starts],
        )
        written = np.zeros((len(bent), self.all_rows.encoding.n_features + self.all_rows.intercept + 1))
        written[:, -2:] = weights * self.all_rows.intercept
        np.put_along_axis(written, places, weights, axis=1)
        product = written.T @ written  # half of the work of other products, as above
        return np.asarray(product[:-1, :-1])


def _slices(n_rows: int) -> Iterator[slice]:
    for start in range(0, n_rows, STRIP_ROWS):
        yield slice(start, min(start + STRIP_ROWS, n_rows))


@dataclass(frozen=True)
class Design:
    """Features of the learned columns, then a constant one if there is an intercept; from the schema alone."""

    encoding: FeatureEncoding
    """Of the columns whose coefficients are learned from protected cells or under a protected label."""
    intercept: bool = True
    """Whether a constant feature follows, regularized and counted in every norm like the others."""

    @property
    def n_features(self) -> int:
        """Number of coefficients."""
        return self.encoding.n_features + self.intercept

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Number of features of each column, in order; the intercept counts as a column of one."""
        return (*self.encoding.widths, 1) if self.intercept else self.encoding.widths

    @property
    def squared_radius(self) -> float:
        """Largest squared L2 norm of a row: each column adds at most one."""
        return float(len(self.widths))


@dataclass(frozen=True, eq=False)
class Offset:
    """A fixed margin of public columns, to which the learned margin is added."""

    encoding: FeatureEncoding
    """Of public columns."""
    weights: NDArray[np.float64]
    """Shape (n_features,)."""
    intercept: float = 0.0

    def margins(self, block: Block) -> NDArray[np.float64]:
        """Return the public margin of each row towards the second class, shape (n_rows,)."""
        return np.asarray(block.features(self.encoding) @ self.weights + self.intercept, dtype=np.float64)

    @property
    def reach(self) -> float:
        """The largest absolute margin that the schema admits."""
        low, high = self.encoding.extent(self.weights)
        return max(abs(low + self.intercept), abs(high + self.intercept))


@dataclass(frozen=True, eq=False)
class LinearProblem:
    """A binary classification problem for a linear form of protected features."""

    table: Table
    """Labels 0 and 1."""
    design: Design
    offset: Offset | None = None
    """Fitted on public columns and a public label; none where either is missing."""
    _public_margins: PerBlock[NDArray[np.float64]] | None = field(init=False)

    def __post_init__(self) -> None:
        # Here and not when rows ask for it, as these may be on other machines.
        margins = None if self.offset is None else self.table.per_block(self.offset.margins)
        object.__setattr__(self, "_public_margins", margins)

    @cached_property
    def rows(self) -> LinearRows:
        """The table's rows under the design."""
        return linear_rows(self.table, self.design.encoding, self.design.intercept)

    def weights(self, block: Block, rows: slice) -> NDArray[np.float64]:
        """Return how much each of some rows counts, in persons; a power of two divides whole weights exactly."""
        if block.weights is None:
            return np.ones(len(block.labels[rows]))
        return np.asarray(block.weights[rows] / self.table.unit_weight)

    def signs(self, block: Block, rows: slice) -> NDArray[np.float64]:
        """Return 1 for rows of the second class, else -1."""
        return np.asarray(2.0 * (block.labels[rows] == 1) - 1.0)

    def offsets(self, block: Block, rows: slice) -> NDArray[np.float64]:
        """Return the public margin of each of some rows, zero without one; computed once for each block."""
        if self._public_margins is None:
            return np.zeros(len(block.labels[rows]))
        return self._public_margins[block][rows]
