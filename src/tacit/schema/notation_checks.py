"""Checks of what a schema entry says about how numbers and dates are written: its parts must not contradict others."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any, get_args

from tacit.errors import SchemaError, shown
from tacit.schema._checks import as_tuple, kind_of
from tacit.schema.dates import check_format, check_part
from tacit.schema.notation import BLANKS, NO_HUNDREDTHS, DecimalMark, Negatives, ThousandsMark

if TYPE_CHECKING:
    from tacit.schema.columns import Numeric

MAX_SIGNS = 100
"""Texts that may be beside the numbers of one column."""

MAX_SIGN = 20
"""Characters of one of them, or of the mark of a limit."""

_MAX_CENTURY = 100
"""Years between bounds, beyond which two digits do not say which year is meant."""

# A sign holds something that is no part of a number, and begins with no digit. Or it stands for no hundredths, as in
# 5.- and 5,- €.
_SIGN = re.compile(
    r"(?![0-9])[^+\-\u2212()]*[^+\-\u2212()0-9.,'\u2019\s][^+\-\u2212()]*"
    rf"|[.,][{NO_HUNDREDTHS}](?:\s?[^+\-\u2212()0-9.,'\u2019\s]+)?"
)
_EXPONENT = re.compile(r"[eE][0-9]+")

_OF_NUMBERS = ("decimal", "thousands", "signs", "negatives", "below")
_UNSET: dict[str, Any] = {"decimal": ".", "below_counts": "limit"}


def checked_signs(values: object, where: str) -> tuple[str, ...] | None:
    """Return the texts that may be beside a number."""
    if values is None:
        return None
    listed = as_tuple((values,) if isinstance(values, str) else values, "signs", where)
    if not (0 < len(listed) <= MAX_SIGNS and all(map(_is_sign, listed)) and len(set(listed)) == len(listed)):
        raise SchemaError(
            f"Expected one to {MAX_SIGNS} different texts such as € or kg in signs of {where}, got something else. "
            "Write what is next to numbers: no blanks around it, no brackets, plus or minus, and no digit in front."
        )
    return listed  # type: ignore[return-value]


def check_notation(column: Numeric, where: str) -> None:
    """Refuse fields that contradict each other."""
    for field, marks in (("decimal", DecimalMark), ("thousands", ThousandsMark), ("negatives", Negatives)):
        value, allowed = getattr(column, field), get_args(marks)
        if value not in allowed and not (value is None and field != "decimal"):
            raise SchemaError(
                f"Expected {field} to be one of {', '.join(map(repr, allowed))} in {where}, got "
                f"{field}={shown(value)}. Write one of them, or leave it out."
            )
    if column.decimal == column.thousands:
        raise SchemaError(
            f"Expected different marks of decimals and of thousands in {where}, got {column.decimal!r} for both. "
            f"Write decimal = {'.' if column.decimal == ',' else ','!r}, or leave thousands out."
        )
    _check_below(column, where)
    _check_dates(column, where)


def _check_below(column: Numeric, where: str) -> None:
    if column.below is None:
        if column.below_counts != "limit":
            raise SchemaError(
                f"Expected below with below_counts in {where}, got none. Write the mark in front of a limit, as in "
                "below = '<'."
            )
        return
    if not _is_sign(column.below) or column.below in (column.signs or ()):
        raise SchemaError(
            f"Expected the mark in front of a limit, such as '<', for below of {where}, got "
            f"below={shown(column.below)}. It is no sign and no part of a number. Write it as cells have it."
        )
    counts = column.below_counts
    if counts in ("limit", "half"):
        return
    if kind_of(counts) != "number":
        raise SchemaError(
            f"Expected below_counts 'limit', 'half' or a number in {where}, got below_counts={shown(counts)}. Write "
            "what such a cell counts as."
        )


def _check_dates(column: Numeric, where: str) -> None:
    if column.date_part is not None:
        check_part(column.date_part, where)
    if column.dates is not None:
        check_format(column.dates, column.date_part, where)
    if column.date_part is not None and column.is_date:
        raise SchemaError(
            f"Expected numbers as bounds with date_part in {where}, got dates. Write what the {column.date_part} may "
            "be, as in low = 1."
        )
    if column.dates is not None and column.date_part is None and not column.is_date:
        raise SchemaError(
            f"Expected dates as bounds with dates in {where}, got numbers. Write low = 2020-01-31, or date_part for "
            "numbers."
        )
    for field in _OF_NUMBERS:
        if column.has_dates and getattr(column, field) != _UNSET.get(field):
            raise SchemaError(
                f"Expected {field} in columns of numbers only, got it in {where}, whose cells are dates. Leave it out."
            )
    _check_century(column, where)


def _check_century(column: Numeric, where: str) -> None:
    if column.is_open or column.dates is None or "%y" not in column.dates.replace("%%", ""):
        return
    if column.is_date or column.date_part == "year":
        ends = [end.year if isinstance(end, date) else end for end in (column.low, column.high) if end is not None]
        if ends[-1] - ends[0] >= _MAX_CENTURY:
            raise SchemaError(
                f"Expected bounds less than {_MAX_CENTURY} years apart in {where}, as %y does not say the century, got "
                "more. Take closer bounds: a year of two digits is the one nearest to their middle."
            )


def _is_sign(text: object) -> bool:
    return (
        isinstance(text, str)
        and len(text) <= MAX_SIGN
        and text == text.strip(BLANKS)
        and bool(_SIGN.fullmatch(text))
        and not _EXPONENT.fullmatch(text)
    )
