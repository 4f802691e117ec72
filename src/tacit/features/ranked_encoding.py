"""Features clipped to an L2 norm: ranks of numbers, their quadratic terms, centered categories, a constant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import accumulate
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.features.encoding import Encoding
from tacit.features.linear_encoding import GRID_STEPS, check_features
from tacit.features.number_scale import rank_of
from tacit.features.ranked_rows import FEATURE_STEPS, CodedFeatures, RankedRows
from tacit.rules.priors import CENTERED, CONSTANT, QUADRATIC, SHORT
from tacit.schema import Column, Numeric
from tacit.schema.columns import indicated
from tacit.table.rows import Rows

MAX_SCORE = 2.0**19
"""Of a form of ranks, where whole steps are counted on from there."""

CURVE_POINTS = 17
"""Of a curve of ranks: twice as fine as what explanations draw of it."""

CURVE_RANKS = np.linspace(-1.0, 1.0, CURVE_POINTS)

_STRIP = 4_096
"""Rows that are encoded together: the temporaries of a column, and the numbers of all, stay in the second cache."""

SHORTENED = 1 - 2.0**-40
"""Keeps a row's length within the radius whatever the rounding of norm, quotient and product."""


@dataclass(frozen=True)
class RankedEncoding(Encoding):
    """A constant, one feature a number or two, one a category; each row clipped to a public L2 norm.

    A category's features are one for its own and zero for others, less ``CENTERED`` / K for each of the column's K. A
    number's empty cell has one feature, as long as the constant, and the number's own are zero then: together they are
    never longer than the number's, so that an indicator takes nothing of a row's length.

    Parameters
    ----------
    schema : Schema
    columns : tuple of str
        A number's feature runs from -1 to 1, linear on the column's scale between neighboring knots (the schema's cut
        points, and outside of them the bounds, or nearer where those are far), the same step from each knot to the
        next: its approximate rank, where cut points are quantiles.
    radius : float
        Largest L2 norm of a row's features; longer rows are scaled down to it. Infinite: features as they are,
        categories not centered.
    quadratic : bool
        Whether each number has a second feature, ``QUADRATIC`` times the second Legendre polynomial of its rank: the
        same for high and low ranks, so that what a number adds may rise and fall again.
    short : tuple of str
        Columns whose features are ``SHORT`` times as long as others', before rows are clipped.
    joined : bool
        Whether indicators of empty cells are such features. If not, as in models of before, they are categories, and an
        empty cell has the rank of the number's center.
    curved : tuple of (str, tuple of float)
        Numbers whose first feature is a curve of their rank, with its heights from -1 to 1 at ``CURVE_POINTS`` equally
        far ranks; linear between. One feature that never falls or never rises keeps the order of rows on its grid, too.

    Notes
    -----
    Privacy: costs nothing, as a row's features follow from the row and the schema. Their norm is at most ``radius``,
    rounding included. A category outside the schema's list has no feature, and does not center others.

    Examples
    --------
    >>> from tacit.schema import Label, Schema
    >>> schema = Schema([Numeric("age", 0, 100, cuts=[20, 50])], label=Label("income", ["low", "high"]))
    >>> encoding = RankedEncoding(schema, ("age",), radius=1.1)
    >>> encoding.transform(Rows({"age": np.asarray([0.0, 10.0, 20.0, 35.0, 50.0])}, 5))[:, 1].round(2).tolist()
    [-0.98, -0.67, -0.33, 0.0, 0.33]
    """

    radius: float
    quadratic: bool = False
    short: tuple[str, ...] = ()
    joined: bool = True
    curved: tuple[tuple[str, tuple[float, ...]], ...] = ()

    def __post_init__(self) -> None:
        check_features(self.n_features)
        # A row is never longer than this, so that a larger radius would say nothing.
        if not 0 < self.radius <= 2 * self.longest and self.radius != inf:
            raise ParameterError(f"Expected a radius above 0, at most a row's length, got radius={self.radius!r}.")
        if not all(len(heights) == CURVE_POINTS and max(map(abs, heights)) <= 1 for _, heights in self.curved):
            raise ParameterError(f"Expected {CURVE_POINTS} heights from -1 to 1 of a curve, got others. Take these.")

    @property
    def unclipped(self) -> float:
        """A radius that clips no row, whatever the rounding."""
        return 2 * self.longest

    @cached_property
    def longest(self) -> float:
        """Largest L2 norm of a row's features before rows are clipped."""
        own = [column for column in self._columns if not self._in_block(column)]
        return sqrt(CONSTANT**2 + sum(map(self.square_of, own)))

    @cached_property
    def usual_length(self) -> float:
        """L2 norm of a row of mean squared length before rows are clipped, ranks being uniform."""
        of_number = (1 + (QUADRATIC**2 * 3 / 5 if self.quadratic else 0.0)) / 3
        squares = (
            of_number * self.length_of(column.name) ** 2 if isinstance(column, Numeric) else self.square_of(column)
            for column in self._columns
            if not self._in_block(column)
        )
        return sqrt(CONSTANT**2 + sum(squares))

    @cached_property
    def n_features(self) -> int:
        """Number of features, the constant first."""
        return self.starts[-1]

    @cached_property
    def centers(self) -> NDArray[np.float64]:
        """What each feature but the constant is less by, before rows are clipped."""
        return np.repeat([self.center_of(column) for column in self._columns], np.diff(self.starts))

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """How long each feature but the constant is, those of columns that are not short being one."""
        return np.repeat([self.length_of(name) for name in self.columns], np.diff(self.starts))

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features."""
        return ("always", *(name for column in self._columns for name in self._names(column)))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Position of each column's first feature, and the number of features last."""
        return tuple(accumulate(map(self._width, self._columns), initial=1))

    @cached_property
    def ranks(self) -> NDArray[np.intp]:
        """Position of the rank of each number; its quadratic term, if there are any, is the next feature."""
        pairs = zip(self._columns, self.starts, strict=False)
        return np.asarray([start for column, start in pairs if isinstance(column, Numeric)], dtype=np.intp)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The numeric columns, in the order of ``ranks``."""
        return tuple(column.name for column in self._columns if isinstance(column, Numeric))

    @cached_property
    def places_of_categories(self) -> tuple[slice, ...]:
        """Positions of the features of each categorical column."""
        pairs = zip(self._columns, self.starts, strict=False)
        return tuple(
            slice(start, start + self._width(column)) for column, start in pairs if not isinstance(column, Numeric)
        )

    @cached_property
    def blocks(self) -> tuple[str, ...]:
        """The columns without the marks of their empty cells."""
        return tuple(column.name for column in self._columns if not self._in_block(column))

    @cached_property
    def marks(self) -> dict[str, NDArray[np.intp]]:
        """By number whose empty cells are a feature, the position of this and of the number's own."""
        places = dict(zip(self.columns, self.starts, strict=False))
        return {
            number: np.asarray(
                [places[mark], *range(places[number], places[number] + 1 + self.quadratic)], dtype=np.intp
            )
            for number, mark in self.mark_of.items()
        }

    def codes(self, rows: Rows) -> NDArray[np.int32]:
        """Return the codes of categorical columns, shape (n_columns, n_rows); -1 is a category that is not listed."""
        own = [self._codes_of(column, rows) for column in self._columns if not isinstance(column, Numeric)]
        return np.asarray(own, dtype=np.int32).reshape(len(own), rows.n_rows)

    def steps_of(self, name: str, rows: Rows) -> NDArray[np.float64]:
        """Return a number's rank and quadratic term, if any, before rows are clipped, in steps, (1 or 2, n_rows)."""
        column = self.by_name[name]
        assert isinstance(column, Numeric)
        # Toward zero: no longer than before.
        return np.trunc(np.asarray(self._of_number(rows, column)) * FEATURE_STEPS)

    def transform(self, rows: Rows) -> NDArray[np.float64]:
        """Return the features, shape (n_rows, n_features), multiples of 1 / ``FEATURE_STEPS``."""
        return self.of(rows).features() / FEATURE_STEPS

    def of(self, rows: Rows) -> RankedRows:
        """Return the rows in a few bytes each."""
        coded, shades = self._coded
        codes_type = np.uint8 if max((each.n_codes for each in coded), default=0) < 2**8 else np.uint16
        # Column after column in memory, as one at a time is read.
        steps, others, leads = (
            np.empty((rows.n_rows, width), dtype=np.int16, order="F")
            for width in (self.n_features - sum(each.n_codes for each in coded), len(shades), len(shades))
        )
        made = RankedRows(
            self._places, coded, steps, np.empty((rows.n_rows, len(coded)), codes_type, order="F"), others, leads
        )
        for start in range(0, rows.n_rows, _STRIP):
            strip = slice(start, min(start + _STRIP, rows.n_rows))
            self._write(rows.slice(strip.start, strip.stop), made[strip])
        return made

    def _write(self, rows: Rows, made: RankedRows) -> None:
        """Write rows into arrays for as many."""
        numbers, coded = [np.full(rows.n_rows, CONSTANT)], 0
        squares = np.full(rows.n_rows, CONSTANT**2)
        # Added up column after column: a row's norm depends neither on its place in memory nor on other rows.
        for column in self._columns:
            length = self.length_of(column.name)
            if isinstance(column, Numeric):
                own = self._of_number(rows, column)
                square = reduce(np.add, (each**2 for each in own))
                # Most are as long as that: a product less.
                numbers += own if length == 1 else [length * each for each in own]
                squares += square if length == 1 else length**2 * square
                continue
            codes = self._codes_of(column, rows)
            none = np.flatnonzero(codes < 0)
            squares += self.square_of(column) * (codes >= 0) if len(none) else self.square_of(column)
            if self.is_mark(column):
                numbers.append(length * (codes >= 0))
            else:
                made.codes[:, coded] = codes
                made.codes[none, coded] = column.n_codes
                coded += 1
        factor = (
            np.minimum(1.0, self.radius / np.sqrt(squares)) * SHORTENED if self.radius < inf else np.ones_like(squares)
        )
        factor *= FEATURE_STEPS
        for at, each in enumerate(numbers):
            _cut(each, factor, made.steps[:, at])
        for shade, (center, length) in enumerate(self._coded[1]):
            _cut(-center * length, factor, made.others[:, shade])
            _cut(-center * length + length, factor, made.leads[:, shade])
            made.leads[:, shade] -= made.others[:, shade]

    @cached_property
    def _coded(self) -> tuple[tuple[CodedFeatures, ...], tuple[tuple[float, float], ...]]:
        """Features of categories, and the different centers and lengths that they have."""
        shades: dict[tuple[float, float], int] = {}
        found = list[CodedFeatures]()
        for column, start in zip(self._columns, self.starts, strict=False):
            if not isinstance(column, Numeric) and not self.is_mark(column):
                center = self.center_of(column) if self.radius < inf else 0.0
                shade = shades.setdefault((center, self.length_of(column.name)), len(shades))
                found.append(CodedFeatures(start, column.n_codes, shade))
        return tuple(found), tuple(shades)

    @cached_property
    def _places(self) -> NDArray[np.intp]:
        """Positions of the features that are kept one by one: the constant's, numbers', and those of empty cells."""
        coded = {at for each in self._coded[0] for at in range(each.start, each.start + each.n_codes)}
        return np.asarray([at for at in range(self.n_features) if at not in coded], dtype=np.intp)

    def square_of(self, column: Column) -> float:
        """Return the largest sum of the squares of a column's features before rows are clipped."""
        square = self.length_of(column.name) ** 2
        if isinstance(column, Numeric):
            # Both are largest where the rank is 1 or -1.
            return square * (1 + QUADRATIC**2) if self.quadratic else square
        center = self.center_of(column)
        return square * (1 - 2 * center + column.n_codes * center**2)

    def center_of(self, column: Column) -> float:
        """Return what each of a column's features is less by."""
        return 0.0 if isinstance(column, Numeric) or self.is_mark(column) else CENTERED / column.n_codes

    def is_mark(self, column: Column) -> bool:
        """Return whether the column is one feature, which says that a number's cell is empty."""
        return self.joined and indicated(column) is not None

    def length_of(self, name: str) -> float:
        """Return how long a column's features are, those of columns that are not short being one."""
        length = SHORT if name in self._short else 1.0
        return CONSTANT * length if self.is_mark(self.schema.column(name)) else length

    @cached_property
    def _short(self) -> frozenset[str]:
        return frozenset(self.short)

    @cached_property
    def mark_of(self) -> dict[str, str]:
        """By number of these columns the one of them that says where its cells are empty."""
        names = frozenset(self.columns)
        owners = {column.name: indicated(column) for column in self._columns if self.joined}
        return {number: mark for mark, number in owners.items() if number in names}

    def _in_block(self, column: Column) -> bool:
        """Return whether a number's features are zero where this column has one, and no shorter."""
        return indicated(column) in self.mark_of

    def _of_number(self, rows: Rows, column: Numeric) -> tuple[NDArray[np.float64], ...]:
        rank = rank_of(rows.columns[column.name], column)
        first = self.curve_of(column.name, rank)
        own = (first, quadratic_of(rank**2)) if self.quadratic else (first,)
        if column.name not in self.mark_of:
            return own
        there = rows.columns[self.mark_of[column.name]] == 0
        return tuple(each * there for each in own)

    def curve_of(self, name: str, rank: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a number's first feature from its rank, which it is unless it is curved."""
        heights = self._heights.get(name)
        return rank if heights is None else np.interp(rank, CURVE_RANKS, heights)

    @cached_property
    def _heights(self) -> dict[str, tuple[float, ...]]:
        return dict(self.curved)

    def _codes_of(self, column: Column, rows: Rows) -> NDArray[np.int32]:
        """Return codes, of which -1 has no feature: that a cell is not empty has none."""
        codes = np.asarray(rows.columns[column.name], dtype=np.int32)
        return codes - 1 if self.is_mark(column) else codes

    def _width(self, column: Column) -> int:
        if isinstance(column, Numeric):
            return 1 + self.quadratic
        return 1 if self.is_mark(column) else column.n_codes

    def _names(self, column: Column) -> tuple[str, ...]:
        if self.is_mark(column):
            return (column.name,)
        if isinstance(column, Numeric):
            name = f"curve of {column.name}" if column.name in self._heights else column.name
            return (name, f"quadratic term of {column.name}") if self.quadratic else (name,)
        return column.feature_names


def _cut(values: float | NDArray[np.float64], factor: NDArray[np.float64], out: NDArray[np.int16]) -> None:
    """Write values times a factor as whole numbers, cut toward zero: no longer than before."""
    out[:] = values * factor


def quadratic_of(square: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the quadratic terms of numbers from squares of their ranks, or their mean from the mean of these.

    Around zero in the mean, and not correlated with the rank, where ranks are uniform; from ``-QUADRATIC / 2`` to
    ``QUADRATIC``.
    """
    return QUADRATIC * (1.5 * square - 0.5)


def score_steps(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return scores of a form of ranks, shape (n_rows, n_scores), in whole steps of the grid, (n_scores, n_rows).

    A row's own follow from its own alone.
    """
    steps = np.rint(np.clip(scores, -MAX_SCORE, MAX_SCORE) * GRID_STEPS)
    return np.ascontiguousarray(steps.astype(np.int64).T)
