"""Byte codes of bins, from the schema alone, and joint codes of several columns: what counting learners read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache, reduce
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.features.cut_grid import CutPoints, kind_of
from tacit.features.encoding import Encoding
from tacit.features.number_scale import stretch
from tacit.kept import kept
from tacit.privacy.parameters import Whole
from tacit.schema import Categorical, Column, Numeric
from tacit.schema.whole import settled
from tacit.table.rows import Rows

MAX_BINS = 255
"""Of a number: its bins are bytes."""

MAX_CATEGORIES = 2**16 - 1
"""Of a column: codes have two bytes at most, and one code is that of unlisted categories."""

N_BINS = Whole(2, MAX_BINS, "32 is the default.")
"""Bins of a number that names no cut points."""

MIN_AMOUNT = sys.float_info.min
"""A cut this far below zero separates the negative numbers from zero: the least normal float64."""

MAX_JOINT_CODES = 2_048
"""Of a group of columns: its counts or table of sums, 16 KiB, stay in the fastest cache."""


Codes = NDArray[np.uint8] | NDArray[np.uint16]
"""Of a ``BinEncoding``: bytes, but where a column has more categories than they hold."""


@dataclass(frozen=True)
class BinEncoding(Encoding):
    """The bin of a number, or the code of a category: a byte per row and column, or two where a column needs them.

    Bin i of a numeric column holds the values above cut i-1 and at most cut i. A category outside the schema's
    list, where none is declared for it, has a code of its own, after all others.
    """

    n_bins: int = 32
    """Number of equal parts of a numeric column that names no cut points, on the column's own scale."""
    long_tails: bool = False
    """Whether numbers are on the scales of ``long_tailed``."""

    def __post_init__(self) -> None:
        N_BINS.check("n_bins", self.n_bins)
        for column, bins in zip(self._columns, self.n_codes, strict=True):
            most = 1 + (MAX_BINS if isinstance(column, Numeric) else MAX_CATEGORIES)
            if bins > most:
                raise ParameterError(
                    f"Expected at most {MAX_BINS} bins of a number and {MAX_CATEGORIES:,} categories in column "
                    f"{column.name!r}. Name fewer cuts, or take buckets or prefixes for categories."
                )

    # Encodings are looked up several times a round, and the hash of a schema takes as long as counting some rows.
    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.schema, self.columns, self.n_bins, self.long_tails, self.released))

    def __getstate__(self) -> dict[str, object]:
        # Another process has other hashes of text.
        return {name: value for name, value in vars(self).items() if name != "_hash"}

    @cached_property
    def by_name(self) -> dict[str, Column]:
        """The columns, numbers with the cut points that were released for them."""
        found = super().by_name
        return {name: long_tailed(column) for name, column in found.items()} if self.long_tails else found

    @cached_property
    def n_codes(self) -> tuple[int, ...]:
        """Number of codes of each column."""
        return tuple(
            1 + (n_even_cuts(column, self.n_bins) if isinstance(column, Numeric) else column.n_codes)
            for column in self._columns
        )

    @cached_property
    def cuts(self) -> tuple[tuple[float, ...], ...]:
        """Cut points of each column, in its own units; none for categories."""
        return tuple(even_cuts(column, self.n_bins) if isinstance(column, Numeric) else () for column in self._columns)

    @cached_property
    def positions(self) -> dict[str, int]:
        """Where each column's codes are."""
        return {name: at for at, name in enumerate(self.columns)}

    @cached_property
    def bins_of(self) -> dict[str, int]:
        """Number of codes by column."""
        return dict(zip(self.columns, self.n_codes, strict=True))

    @cached_property
    def separable(self) -> dict[str, tuple[int, bool]]:
        """How many bins or categories of each column a test can separate, and whether they are categories.

        Unlisted categories fail every test.
        """
        bins = zip(self._columns, self.n_codes, strict=True)
        return {
            column.name: (column.n_codes, True) if isinstance(column, Categorical) else (n_bins, False)
            for column, n_bins in bins
        }

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Type of the codes: bytes, if they hold those of all columns."""
        return np.dtype(np.uint8 if max(self.n_codes, default=1) <= 2**8 else np.uint16)

    def codes_of(self, name: str) -> NDArray[Any]:
        """Return every code of a column, ascending."""
        return np.arange(self.bins_of[name]).astype(self.dtype)

    def transform(self, rows: Rows) -> Codes:
        """Return the codes, shape (n_rows, n_columns), column after column in memory."""
        codes = np.empty((rows.n_rows, len(self.columns)), dtype=self.dtype, order="F")
        for position, column in enumerate(self._columns):
            values = rows.held(column.name)
            if isinstance(column, Numeric):
                self._cut_points()(position, kind_of(values)).bins(values, out=codes[:, position])
            else:
                codes[:, position] = np.where(values < 0, column.n_codes, values)
        return codes

    @kept
    def _cut_points(self) -> Callable[[int, Any], CutPoints]:
        """Return a function from a column's position and the kind of its numbers to its cut points."""
        return cache(lambda position, kind: CutPoints(self.cuts[position], kind))


def long_tailed(column: Column) -> Column:
    """Return the column on a logarithmic scale if it is a number whose public center is one of its bounds.

    Such a center declares a long tail, of which equal parts would put nearly all rows into one bin. Columns with cut
    points, or on a logarithmic scale already, do not change.
    """
    if not isinstance(column, Numeric) or column.is_date or column.center is None or column.cuts is not None:
        return column
    return replace(column, scale="log") if column.middle in (column.lower, column.upper) else column


def even_cuts(column: Numeric, parts: int) -> tuple[float, ...]:
    """Return the column's declared cut points, or those of ``parts`` equal parts on its scale.

    Those of a whole column lie between whole numbers, and are fewer where there are fewer of these. A logarithmic
    scale that reaches zero is symmetric about it, and zero has a bin of its own.
    """
    if column.cut_points is not None:
        return column.cut_points
    found = _equal_parts(column, parts)
    return settled(found, column) if column.whole else found


def _equal_parts(column: Numeric, parts: int) -> tuple[float, ...]:
    low, high = stretch([column.lower, column.upper], column).tolist()
    if column.scale == "log" and low <= 0 <= high:
        return _symmetric_cuts(low, high, parts)
    inner = np.linspace(low, high, parts + 1)[1:-1]
    cuts = np.sign(inner) * np.expm1(np.abs(inner)) if column.scale == "log" else inner
    return tuple(float(cut) for cut in cuts)


def n_even_cuts(column: Numeric, parts: int) -> int:
    """Return how many ``even_cuts`` there are, without making most: checking a model file needs no more."""
    if column.cut_points is not None or column.whole:
        return len(even_cuts(column, parts))
    low, high = stretch([column.lower, column.upper], column).tolist()
    if column.scale == "log" and low <= 0 <= high:
        below, above = _steps_from_zero(low, high, parts)
        return below + above + int(low < 0) + int(high > 0)
    return parts - 1


def _steps_from_zero(low: float, high: float, parts: int) -> tuple[int, int]:
    """Return how many equal steps lead down and up from zero, with room for the last bin."""
    step = (high - low) / (parts - 1)
    near_end = step / 1024  # a last bin narrower than that would be one of rounding
    return max(0, int((-low - near_end) / step)), max(0, int((high - near_end) / step))


def _symmetric_cuts(low: float, high: float, parts: int) -> tuple[float, ...]:
    """Return cuts at equal steps of the logarithm from zero both ways, and next to zero itself."""
    step = (high - low) / (parts - 1)
    n_below, n_above = _steps_from_zero(low, high, parts)
    above = np.expm1(step * np.arange(1, n_above + 1))
    below = -np.expm1(step * np.arange(1, n_below + 1))[::-1]
    around = ([-MIN_AMOUNT] if low < 0 else []) + ([0.0] if high > 0 else [])
    return tuple(float(cut) for cut in (*below, *around, *above))


@lru_cache(maxsize=64)
def column_groups(sizes: tuple[int, ...], most: int = MAX_JOINT_CODES) -> tuple[tuple[int, ...], ...]:
    """Return groups of columns of at most so many combinations of codes; a larger column is a group by itself.

    The largest columns first, each into the first group that has room.
    """
    smallest = min(sizes, default=1)
    groups: list[list[int]] = []
    cells: list[int] = []
    spacious: list[int] = []  # groups in which the smallest column would fit, so that full ones are not asked again
    for column in sorted(range(len(sizes)), key=lambda at: -sizes[at]):
        at = next((at for at in spacious if cells[at] * sizes[column] <= most), None)
        if at is None:
            at = len(groups)
            groups.append([])
            cells.append(1)
            spacious.append(at)
        groups[at].append(column)
        cells[at] *= sizes[column]
        if cells[at] * smallest > most:
            spacious.remove(at)
    return tuple(tuple(group) for group in groups)


def joint_codes(
    codes: Sequence[NDArray[Any]], sizes: Sequence[int], first: NDArray[Any] | None = None, n_first: int = 1
) -> NDArray[Any]:
    """Return each row's combination of codes as one number, the last column varying fastest, shape (n_rows,).

    Parameters
    ----------
    codes : sequence of arrays of shape (n_rows,)
    first : array of shape (n_rows,), optional
        Codes below ``n_first``, which vary slowest.
    """
    cells = n_first * prod(sizes)
    # The narrowest type that holds every code: counting is bound by memory.
    kind: Any = np.uint16 if cells <= 2**16 else np.uint32 if cells <= 2**32 else np.intp
    joint = codes[0].astype(kind)
    if first is not None:
        joint += first.astype(kind) * kind(sizes[0])
    for column, size in zip(codes[1:], sizes[1:], strict=True):
        joint *= kind(size)
        joint += column.astype(kind, copy=False)
    return joint


def group_codes(codes: Codes, sizes: Sequence[int], groups: Sequence[Sequence[int]]) -> NDArray[np.uint16]:
    """Return the combination of codes in each group of columns, shape (n_rows, n_groups), group after group."""
    # Column after column in memory, as one group at a time is read.
    joint = np.empty((len(codes), len(groups)), dtype=np.uint16, order="F")
    for at, group in enumerate(groups):
        joint[:, at] = joint_codes([codes[:, column] for column in group], [sizes[column] for column in group])
    return joint


def joint_table(tables: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return the sums of one number of each table, for each combination, in the order of ``joint_codes``."""
    return np.asarray(reduce(np.add.outer, tables)).ravel()


def margin(counts: NDArray[Any], axis: int) -> NDArray[Any]:
    """Return the counts by the first axis and one other, from those of all combinations, shape (n_first, size)."""
    # A third of the time of a sum over axes, which adds up a few numbers at a time.
    return np.asarray(np.einsum(counts, list(range(counts.ndim)), [0, axis]))
