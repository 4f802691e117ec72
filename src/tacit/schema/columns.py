"""Columns of numbers and dates, with the bounds that everyone may know."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from datetime import date
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from tacit.errors import SchemaError, shown
from tacit.schema._checks import (
    Entry,
    as_call,
    as_number,
    as_tuple,
    checked_bound,
    checked_flag,
    checked_name,
    plain,
    written,
)
from tacit.schema.categorical import Categorical
from tacit.schema.dates import DatePart
from tacit.schema.feature import Feature, checked_source
from tacit.schema.missing_codes import checked_codes, spelled_codes
from tacit.schema.notation import BelowCounts, DecimalMark, Negatives, Notation, ThousandsMark
from tacit.schema.notation_checks import check_notation, checked_signs
from tacit.schema.replacing import Pairs, check_replaced_numbers, checked_pairs
from tacit.schema.whole import has_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, repr=False)
class Numeric(Entry):
    """A column of numbers, or of dates counted in days since 1970-01-01, between public bounds.

    Parameters
    ----------
    name : str
    low, high : float or datetime.date, optional
        Bounds that could have been written without seeing the table; ISO text ("2020-12-31") is a date. Without both
        they are open: such an entry can be written, reviewed and learned, and nothing is fitted by it.
    center : float or datetime.date, optional
        A public guess at a typical value, within the bounds; if not given, their midpoint on the scale.
    cuts : sequence of float or datetime.date, optional
        Public cut points, strictly increasing, strictly between the bounds.
    scale : {"linear", "log"}
        "log" is symmetric about zero: t(x) = sign(x) * log(1 + |x|). Dates are linear.
    whole : bool
        Whether the column counts something, so that its numbers are whole, as its bounds are then: cut points that are
        not declared lie at halves, and ranges read "1 to 4". A cell that is not whole is read as it is.
    missing : float, datetime.date or "indicator", optional
        What an empty cell counts as, within the bounds. ``"indicator"``: as the center, and a category of its own says
        that the cell was empty; the schema has a column for it after this one.
    missing_codes : sequence of str or float, optional
        Texts and numbers that stand for a missing one, such as ``["N", -99]``: they count as ``missing`` says.
    decimal : {".", ","}
        What is between ones and tenths where a cell is a text.
    thousands : {".", ",", "'", " "}, optional
        What may be before every three digits: with "." the text "1.250" is 1250, and "1.25" is refused. A blank is one
        at which no line breaks, too, and an apostrophe also a curved one.
    signs : sequence of str, optional
        Texts beside a number that do not change it, such as ``["€", "EUR", "%"]``: "12 %" is 12.
    negatives : {"brackets", "behind"}, optional
        Another way to write a negative number: "(5)", or "5-". A minus in front is always read.
    below : str, optional
        What is in front of a limit that a number is below, such as "<".
    below_counts : {"limit", "half"} or float
        What such a cell counts as: "<1" as 1, as 0.5, or as a number.
    dates : str, optional
        How dates are written, such as "%d.%m.%Y" or "%d.%m.%Y or %Y-%m-%d"; without it as ISO texts. A year of two
        digits, %y, is the one nearest to the middle of the bounds.
    date_part : {"year", "month", "day", "weekday", "hour"}, optional
        Cells are dates, and the number is a part of them, within bounds that are numbers. Monday is 1.
    replace : mapping of str to str, optional
        What texts of cells are read as, before all else: ``{"none": "0", "k.A.": ""}``.
    private : bool
        Whether the column is protected. Only what everybody may know of every single person is public.
    from_table : Feature, optional
        What the number is computed of, in a side table; it is then in no table itself. In a schema file, ``from``.

    Raises
    ------
    SchemaError
        If a field has the wrong type or contradicts another; the message names the column.

    Examples
    --------
    >>> age = Numeric("age", 17, 90, center=38)
    >>> age.lower, age.upper, age.middle
    (17.0, 90.0, 38.0)
    >>> Numeric("admitted", "1970-01-02", "1970-01-04").middle
    2.0
    """

    name: str
    low: float | date | None = None
    high: float | date | None = None
    _: KW_ONLY
    center: float | date | None = None
    cuts: tuple[float | date, ...] | None = None
    scale: Literal["linear", "log"] = "linear"
    whole: bool = False
    missing: float | date | Literal["indicator"] | None = None
    missing_codes: tuple[str | float, ...] | None = None
    decimal: DecimalMark = "."
    thousands: ThousandsMark | None = None
    signs: tuple[str, ...] | None = None
    negatives: Negatives | None = None
    below: str | None = None
    below_counts: BelowCounts = "limit"
    dates: str | None = None
    date_part: DatePart | None = None
    replace: Pairs | None = None
    private: bool = True
    from_table: Feature | None = None

    if TYPE_CHECKING:

        def __init__(  # what is accepted is wider than what is stored
            self,
            name: str,
            low: float | date | str | None = None,
            high: float | date | str | None = None,
            *,
            center: float | date | str | None = None,
            cuts: Sequence[float | date | str] | None = None,
            scale: Literal["linear", "log"] = "linear",
            whole: bool = False,
            missing: float | date | str | None = None,
            missing_codes: Sequence[str | float] | None = None,
            decimal: DecimalMark = ".",
            thousands: ThousandsMark | None = None,
            signs: Sequence[str] | None = None,
            negatives: Negatives | None = None,
            below: str | None = None,
            below_counts: BelowCounts = "limit",
            dates: str | None = None,
            date_part: DatePart | None = None,
            replace: Mapping[str, str] | Pairs | None = None,
            private: bool = True,
            from_table: Feature | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Normalize and check every field."""
        self._set("name", checked_name(self.name, "a column"))
        for field in ("low", "high"):
            if getattr(self, field) is not None:
                self._set(field, self._bound(getattr(self, field), field))
        if self.low is None or self.high is None:
            self._check_open()
        for field in ("center", "missing"):
            if getattr(self, field) is not None and not (field == "missing" and self.has_indicator):
                self._set(field, self._bound(getattr(self, field), field))
        if self.cuts is not None:
            cuts = as_tuple(self.cuts, "cuts", self._where)
            self._set("cuts", tuple(self._bound(cut, "cuts") for cut in cuts))
        if self.missing_codes is not None:
            self._set("missing_codes", checked_codes(self.missing_codes, self._where))
        self._set("private", checked_flag(self.private, "private", self._where))
        checked_source(self.from_table, self.private, self._where)
        if not self.is_open:
            self._check_order()
        self._check_scale()
        self._set("signs", checked_signs(self.signs, self._where))
        self._set("below_counts", plain(self.below_counts))
        check_notation(self, self._where)
        self._check_whole()
        self._set("replace", checked_pairs(self.replace, self._where))
        check_replaced_numbers(self.replace, Notation.of(self).value, self._where)

    def __repr__(self) -> str:
        return as_call(self, positional=3)

    @property
    def is_date(self) -> bool:
        """Whether the bounds are dates, and numbers are days; of open ones, whether cells are written as dates."""
        if self.low is None:
            return self.dates is not None and self.date_part is None
        return isinstance(self.low, date)

    @property
    def is_open(self) -> bool:
        """Whether there are no bounds yet."""
        return self.low is None

    @property
    def has_dates(self) -> bool:
        """Whether cells are dates, be it as days or as a part of each."""
        return self.is_date or self.date_part is not None

    @cached_property
    def notation(self) -> Notation | None:
        """How cells of text are written, where it is not as libraries write numbers, or dates in ISO form."""
        ways = (self.thousands, self.signs, self.negatives, self.below, self.dates, self.replace)
        return None if self.decimal == "." and not any(ways) else Notation.of(self)

    @property
    def lower(self) -> float:
        """The lower bound as a number, in days for dates.

        Raises
        ------
        SchemaError
            If bounds are open.
        """
        return as_number(self._stated(self.low))

    @property
    def upper(self) -> float:
        """The upper bound as a number, in days for dates; see ``lower``."""
        return as_number(self._stated(self.high))

    @property
    def middle(self) -> float:
        """The center, or else the midpoint of the bounds on the scale, in raw units (days for dates)."""
        if self.center is not None:
            return as_number(self.center)
        low, high = as_number(self._stated(self.low)), as_number(self._stated(self.high))
        if self.scale == "linear":
            return low + (high - low) / 2
        halfway = (_symmetric_log(low) + _symmetric_log(high)) / 2
        raw = math.copysign(math.expm1(abs(halfway)), halfway)
        return min(max(raw, low), high)  # rounding may have stepped over a bound

    @property
    def cut_points(self) -> tuple[float, ...] | None:
        """The cuts as numbers in raw units (days for dates), or None."""
        return None if self.cuts is None else tuple(as_number(cut) for cut in self.cuts)

    @property
    def missing_value(self) -> float | None:
        """What an empty cell counts as, as a number in raw units (days for dates), or None."""
        if self.missing == "indicator":
            return self.middle
        return None if self.missing is None else as_number(self.missing)

    @cached_property
    def numeric_codes(self) -> tuple[float, ...]:
        """The codes of missing cells that are numbers, or texts that spell one in this column; none of dates."""
        if self.has_dates:
            return ()
        codes = self.missing_codes or ()
        return spelled_codes(codes) if self.notation is None else self.notation.numbers_in(codes)

    @cached_property
    def text_codes(self) -> frozenset[str]:
        """The codes of missing cells that are texts; where cells are dates, also the digits of numbers."""
        codes = self.missing_codes or ()
        return frozenset(_digits(code).strip() for code in codes if isinstance(code, str) or self.has_dates)

    @property
    def has_indicator(self) -> bool:
        """Whether an empty cell is a category of its own."""
        return isinstance(self.missing, str) and self.missing == "indicator"

    def _stated(self, bound: float | date | None) -> float | date:
        if bound is None:
            raise SchemaError(open_bounds([self.name]))
        return bound

    def _check_open(self) -> None:
        if self.low is not None or self.high is not None:
            raise SchemaError(f"Expected low and high in {self._where}, got one of them. Write both, or neither.")
        missing = None if self.has_indicator else self.missing
        for field, value in (("center", self.center), ("cuts", self.cuts), ("missing", missing)):
            if value is not None:
                raise SchemaError(
                    f"Expected low and high with {field} in {self._where}, got none. Write both, or leave {field} "
                    'out until they are known; missing = "indicator" needs none.'
                )

    def _bound(self, value: object, field: str) -> float | date:
        bound = checked_bound(value, field, self._where)
        if field == "low" or isinstance(bound, date) == self.is_date:
            return bound
        raise SchemaError(
            f"Expected {field} of {self._where} to be {'a date' if self.is_date else 'a number'} like low, "
            f"got {field}={written(bound)}. Write both as numbers or both as dates."
        )

    def _check_order(self) -> None:
        if not (self.lower < self.upper and math.isfinite(self.upper - self.lower)):
            raise SchemaError(
                f"Expected low below high, a finite distance apart, in {self._where}, "
                f"got low={written(self.low)}, high={written(self.high)}. Write wider bounds, or swap them."
            )
        for field in ("center", "missing"):
            value = getattr(self, field)
            if isinstance(value, str):  # the indicator
                continue
            if value is not None and not self.lower <= as_number(value) <= self.upper:
                raise SchemaError(
                    f"Expected {field} between {written(self.low)} and {written(self.high)} "
                    f"in {self._where}, got {field}={written(value)}. Move it, or write wider bounds."
                )
        if self.missing_codes and self.missing is None:
            raise SchemaError(
                f"Expected missing with missing_codes in {self._where}, got none. Write what a missing cell counts as."
            )
        self._check_cuts()

    def _check_cuts(self) -> None:
        if self.cuts is None:
            return
        steps = (self.lower, *map(as_number, self.cuts), self.upper)
        if not self.cuts or any(left >= right for left, right in pairwise(steps)):
            raise SchemaError(
                f"Expected cuts that increase strictly between low={written(self.low)} and "
                f"high={written(self.high)} in {self._where}, got others. "
                "Sort them, drop repeated ones and those at or beyond a bound, or leave cuts out."
            )

    def _check_scale(self) -> None:
        if self.scale not in ("linear", "log"):
            raise SchemaError(
                f"Expected scale 'linear' or 'log' in {self._where}, got scale={shown(self.scale)}. Write one of them."
            )
        if self.is_date and self.scale == "log":
            raise SchemaError(
                f"Expected scale 'linear' in {self._where}, whose bounds are dates, got scale='log'. Leave scale out."
            )

    def _check_whole(self) -> None:
        self._set("whole", checked_flag(self.whole, "whole", self._where))
        if self.whole and self.is_date:
            raise SchemaError(
                f"Expected numbers as bounds of {self._where}, which is whole, got dates. Leave whole out: days are "
                "whole anyway."
            )
        if self.whole and not self.is_open and not (self.lower.is_integer() and self.upper.is_integer()):
            raise SchemaError(
                f"Expected whole bounds of {self._where}, which is whole, got low={written(self.low)}, "
                f"high={written(self.high)}. Round low down and high up, or leave whole out."
            )
        if self.whole and not has_numbers(self, self.cut_points or ()):
            raise SchemaError(
                f"Expected a whole number that is no missing code between any two cuts of {self._where}, which is "
                "whole, got cuts with none. Leave out one of the two."
            )


def open_bounds(names: Sequence[str]) -> str:
    """Return what is said of columns whose bounds are open."""
    return (
        f"Expected low and high of {', '.join(map(repr, names))}, got open bounds. Write what is known from what the "
        "columns mean, or release them from rows with noise: tacit schema learn --schema."
    )


def _digits(code: str | float) -> str:
    return str(int(code)) if isinstance(code, float) and code.is_integer() else str(code)


def _symmetric_log(value: float) -> float:
    return math.copysign(math.log1p(abs(value)), value)


Column = Numeric | Categorical
"""A column of the table, as far as everyone may know it."""


def is_indicator(column: Column) -> bool:
    """Return whether the column marks the empty cells of a number, and is in no table."""
    return indicated(column) is not None


def indicated(column: Column) -> str | None:
    """Return the number whose empty cells the column marks, if it does."""
    return column.indicates if isinstance(column, Categorical) else None


def with_indicators(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return the columns, and after each number whose empty cells are a category of their own the column of these.

    Privacy: an indicator is protected as its number is: both are functions of one cell. See
    ``proofs/queries/missing_indicators.md``.
    """
    owners = {column.name for column in columns if isinstance(column, Numeric) and column.has_indicator}
    found: list[Column] = []
    for column in columns:
        if isinstance(column, Categorical) and column.indicates is not None:
            if column.indicates not in owners:
                raise SchemaError(
                    f"Expected a number with missing='indicator' for column {column.name!r}, got none of the name that "
                    "it indicates. Leave it out: the schema makes such columns."
                )
            continue
        found.append(column)
        if isinstance(column, Numeric) and column.has_indicator:
            # The center makes its ordinal feature 0 where there is a number, and 1 where there is none.
            name, values = f"{column.name} is missing", (False, True)
            found.append(Categorical(name, values, center=False, private=column.private, indicates=column.name))
    return tuple(found)
