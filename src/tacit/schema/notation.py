"""How people write the cells of a column of numbers or dates, as its schema entry says, and what such a cell is."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from tacit.schema.dates import EPOCH, DateFormat, days_of
from tacit.schema.missing_codes import by_number

if TYPE_CHECKING:
    from tacit.schema.columns import Numeric

FIELDS = (
    "decimal", "thousands", "signs", "negatives", "below", "below_counts", "dates", "date_part", "replace"
)  # fmt: skip
"""What a schema entry says of how its cells are written; categories and the label have the last."""

DecimalMark = Literal[".", ","]
ThousandsMark = Literal[".", ",", "'", " "]
Negatives = Literal["brackets", "behind"]
BelowCounts = Literal["limit", "half"] | float

MISSING = ("", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "?")
"""Cells that count as missing where numbers, dates or truth values belong; in text only an empty cell does."""

BLANKS = " \t\n\r\f\v\u00a0\u2007\u2009\u202f"
"""What may be around a cell and between a number and its sign: also blanks at which no line breaks, and narrow ones."""

_BEYOND_DATES = 1e14
"""Whole numbers of more digits than a date and a time."""
_MINUS = "-\u2212"
NO_HUNDREDTHS = "-\u2212\u2013\u2014"
"""Dashes behind a mark of decimals, in the place of digits."""
_THOUSANDS = {".": ".", ",": ",", "'": "'\u2019", " ": " \u00a0\u2007\u2009\u202f"}
_BLANK = f"[{BLANKS}]*"


@dataclass(frozen=True)
class Shape:
    """One of the ways in which a column's numbers are written.

    Parameters
    ----------
    pattern : str
        Of a whole cell, as Python and polars both read it; its first group is the number without its minus.
    factor : float
        What the number is multiplied by.
    constant : float, optional
        What the cell counts as, whatever its number.
    """

    pattern: str
    factor: float = 1.0
    constant: float | None = None

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, for Python."""
        return re.compile(self.pattern)


@dataclass(frozen=True)
class Notation:
    """How the numbers or dates of a column are written; see ``Numeric`` for its fields.

    A cell is read by itself, whole, without the blanks around it: first by ``replace``, then as a missing one, then as
    a number or a date. Between digits only the declared marks may be, those of thousands before every three digits.
    """

    decimal: DecimalMark = "."
    thousands: ThousandsMark | None = None
    signs: tuple[str, ...] = ()
    negatives: Negatives | None = None
    below: str | None = None
    below_counts: BelowCounts = "limit"
    dates: DateFormat | None = None
    replaced: Mapping[str, str] = field(default_factory=dict)
    codes: frozenset[str] = frozenset()
    """Texts that stand for a missing number."""

    @classmethod
    def of(cls, column: Numeric) -> Notation:
        """Return what a schema entry says."""
        middle = None
        if not column.is_open and (column.is_date or column.date_part == "year"):
            ends = [end.year if isinstance(end, date) else end for end in (column.low, column.high) if end is not None]
            middle = round(sum(ends) / 2)
        return cls(
            column.decimal,
            column.thousands,
            column.signs or (),
            column.negatives,
            column.below,
            column.below_counts,
            None if column.dates is None else DateFormat(column.dates, middle),
            dict(column.replace or ()),
            column.text_codes,
        )

    def read(self, cell: str) -> float | None:
        """Return the number, or the days since 1970-01-01, that a text is: NaN for a missing one, None for no number.

        Examples
        --------
        >>> german = Notation(decimal=",", thousands=".", signs=("€",))
        >>> german.read("1.234,50 €"), german.read("-1.250"), german.read("1.25"), german.read("NA")
        (1234.5, -1250.0, None, nan)
        """
        text = cell.strip(BLANKS)
        return self.value(self.replaced.get(text, text))

    def read_number(self, number: float) -> float | None:
        """Return what a number is in a column of dates: what its digits are as a text, or a text of the same number.

        Digits are a number to some libraries, where all cells are digits, or in a text's own column. A code of a
        missing one and a text that is replaced go by their value, as such libraries leave out zeros in front.
        """
        assert self.dates is not None
        if number in self.texts_of_numbers:
            return self.read(self.texts_of_numbers[number])
        is_whole = abs(number) < _BEYOND_DATES and number == int(number)
        return self.read(str(int(number))) if is_whole and self.dates.is_number else None

    @cached_property
    def texts_of_numbers(self) -> dict[float, str]:
        """Texts that are codes of missing cells or replaced, by the number that they spell."""
        return by_number((*self.replaced, *self.codes))

    def value(self, text: str) -> float | None:
        """Return what a text is that is not replaced and has no blanks around it; see ``read``."""
        if text in self.codes or text in MISSING:
            return math.nan
        return self.day(text) if self.dates else self.number(text)

    def number(self, text: str) -> float | None:
        """Return the number that a text without blanks around it spells, or None."""
        for shape in self.shapes:
            found = shape.compiled.fullmatch(text)
            if found is not None:
                return shape.factor * float(self.canonical(found[1])) if shape.constant is None else shape.constant
        return None

    def numbers_in(self, codes: Iterable[str | float]) -> tuple[float, ...]:
        """Return the codes that are numbers, or texts that spell one; a limit that a number is below is none."""
        exact = replace(self, below=None)
        found = (exact.number(code.strip(BLANKS)) if isinstance(code, str) else float(code) for code in codes)
        return tuple(number for number in found if number is not None)

    def canonical(self, digits: str) -> str:
        """Return the digits of a number as Python writes them."""
        for mark in self.marks_of_thousands:
            digits = digits.replace(mark, "")
        return digits.replace(self.decimal, ".")

    def day(self, text: str) -> float | None:
        """Return the days since 1970-01-01 of a date without blanks around it, or None."""
        assert self.dates is not None
        moment = self.dates.moment(text)
        return None if moment is None else days_of(moment - EPOCH)

    def written(self, value: float) -> str:
        """Return a number, or days since 1970-01-01, as a cell has it; a cell of NaN is empty."""
        if not math.isfinite(value):
            return ""
        if self.dates:
            return self.dates.written(EPOCH + timedelta(days=value))
        return repr(float(value)).replace(".", self.decimal)

    @cached_property
    def marks_of_thousands(self) -> str:
        """The characters that may be between thousands."""
        return "" if self.thousands is None else _THOUSANDS[self.thousands]

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """The ways in which numbers are written, of which at most one fits a cell."""
        number = f"({self._digits_of('*')})"
        before, after = self._signs_before, self._signs_after
        minus, plus = f"[{_MINUS}]", r"\+"
        found = [
            Shape(f"(?:{plus}?{before}|{before}{plus}){number}{after}"),
            Shape(f"(?:{minus}{before}|{before}{minus}){number}{after}", -1.0),
        ]
        if self.negatives == "brackets":
            inside = rf"\({_BLANK}{before}{number}{after}{_BLANK}\)"
            outside = rf"{before}\({_BLANK}{number}{_BLANK}\){after}"
            found += [Shape(inside, -1.0), Shape(outside, -1.0)]
        if self.negatives == "behind":
            # Not behind a mark without digits: 5.- and 5,- are prices of five.
            ended = f"({self._digits_of('+')})"
            found.append(Shape(f"{before}{ended}(?:{minus}{after}|{after}{minus})", -1.0))
        if self.below is not None:
            mark, counts = _escaped(self.below) + _BLANK, self.below_counts
            constant = None if isinstance(counts, str) else float(counts)
            found.append(Shape(f"{mark}{before}{number}{after}", 0.5 if counts == "half" else 1.0, constant))
            if counts != "half":  # half of a limit below zero would be above it
                found.append(Shape(f"{mark}{minus}{before}{number}{after}", -1.0, constant))
        return tuple(found)

    def _digits_of(self, how_many: str) -> str:
        """Return the pattern of a number with so many digits behind a mark of decimals."""
        whole, point = "[0-9]+", f"[{self.decimal}]"
        if self.thousands is not None:
            whole = f"(?:[1-9][0-9]{{0,2}}(?:[{self.marks_of_thousands}][0-9]{{3}})+|[0-9]+)"
        return f"(?:{whole}(?:{point}[0-9]{how_many})?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"

    @property
    def _signs_before(self) -> str:
        # One that ends in a digit would run together with the number, and one for no hundredths is behind it.
        fits = [sign for sign in self.signs if sign[-1] not in "0123456789" and not is_of_no_hundredths(sign)]
        return _either(fits, lambda signs: f"(?:{signs}{_BLANK})?")

    @property
    def _signs_after(self) -> str:
        return _either(self.signs, lambda signs: f"(?:{_BLANK}{signs})?")


def is_of_no_hundredths(sign: str) -> bool:
    """Tell whether a sign begins with a mark of decimals and a dash, as in 5.- and 5,- €."""
    return len(sign) > 1 and sign[0] in ".," and sign[1] in NO_HUNDREDTHS


def _either(texts: list[str] | tuple[str, ...], within: Callable[[str], str]) -> str:
    """Return a pattern of one of the texts, the longest that fits, within another; nothing for none."""
    longest_first = sorted(texts, key=lambda text: (-len(text), text))
    return within(f"(?:{'|'.join(map(_escaped, longest_first))})") if texts else ""


def _escaped(text: str) -> str:
    """Return a pattern of a text that Python and polars read alike."""
    return re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", text)
