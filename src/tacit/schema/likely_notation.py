"""What an entry of the schema would have to say for a cell to be read: for errors, which never show the cell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tacit.schema.dates import DateFormat
from tacit.schema.notation import BLANKS, DecimalMark, Notation, ThousandsMark

_MARKS: tuple[tuple[DecimalMark, ThousandsMark | None], ...] = (
    (".", None), (",", None), (".", ","), (",", "."), (".", "'"), (",", "'"), (".", " "), (",", " "),
)  # fmt: skip
_DAYS = ("%d.%m.%Y", "%d.%m.%y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%Y%m%d", "%d%b%Y", "%d-%b-%Y")
_TIMES = ("", " %H:%M", " %H:%M:%S")
_BELOW = ("<", "\u2264")

_KNOWN_SIGNS = ("€", "$", "£", "%", "EUR", "USD", "CHF", "GBP", "kg")
"""Signs that a message may name, as nobody's cell is known by them."""


def likely_number(cell: str) -> str:
    """Return the lines of an entry that would read a cell as a number, or an empty text if none is known.

    Examples
    --------
    >>> likely_number("4,5"), likely_number("(1.234,50)"), likely_number("12 %"), likely_number("twelve")
    ('decimal = ","', 'decimal = ",", thousands = ".", negatives = "brackets"', 'signs = ["%"]', '')
    >>> likely_number("4,602")
    'decimal = "," or thousands = ","'
    """
    text = cell.strip(BLANKS)
    if Notation().number(text) is not None:
        return ""
    found = [fields for fields in _dressings(text) if Notation(**fields).number(text) is not None]
    plainest = [fields for fields in found if len(fields) == min(map(len, found))]
    return " or ".join(", ".join(_line(*field) for field in fields.items()) for fields in plainest)


def likely_date(cell: str) -> str:
    """Return the line of an entry that would read a cell as a date, or an empty text if none is known.

    Examples
    --------
    >>> likely_date("24.12.2020 18:00")
    'dates = "%d.%m.%Y %H:%M"'
    >>> likely_date("1/2/2020")
    'dates = "%d/%m/%Y" or dates = "%m/%d/%Y"'
    """
    text = cell.strip(BLANKS)
    known = [day + time for day in _DAYS for time in _TIMES if DateFormat(day + time).moment(text) is not None]
    return " or ".join(f'dates = "{each}"' for each in known)


def _dressings(text: str) -> Iterator[dict[str, Any]]:
    """Yield fields that may read a text, by what is around its digits."""
    fields: dict[str, Any] = {}
    below = next((mark for mark in _BELOW if text.startswith(mark)), None)
    if below:
        fields["below"] = below
        text = text.removeprefix(below).strip(BLANKS)
    if "(" in text and ")" in text:
        fields["negatives"] = "brackets"
        text = text.replace("(", "").replace(")", "").strip(BLANKS)
    elif re.search("[0-9].*[-\u2212]", text) and not re.search("[eE][-\u2212][0-9]", text):
        fields["negatives"] = "behind"
        text = re.sub("[-\u2212]", "", text).strip(BLANKS)
    number = re.search("[0-9.,'\u2019]([0-9.,'\u2019 \u00a0\u2007\u2009\u202f]*[0-9.,])?", text)
    if number is None:
        return
    beside = [part.strip(BLANKS + "+-\u2212") for part in (text[: number.start()], text[number.end() :])]
    signs = tuple(part for part in beside if part and not re.fullmatch("[eE][+-]?[0-9]+", part))
    if signs:
        fields["signs"] = signs
    for decimal, thousands in _MARKS:
        marks = ({"decimal": decimal} if decimal != "." else {}) | ({"thousands": thousands} if thousands else {})
        if marks or fields:
            yield marks | fields


def _line(name: str, value: Any) -> str:
    if name == "signs":
        return f"signs = [{', '.join(map(_quoted, value))}]" if set(value) <= set(_KNOWN_SIGNS) else "signs = [...]"
    return f"{name} = {_quoted(value)}"


def _quoted(text: str) -> str:
    return f'"{text}"'
