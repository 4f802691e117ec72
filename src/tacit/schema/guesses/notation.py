"""How the numbers of a column of texts are written: the plainest notation in which each cell is a number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tacit.schema.notation import BLANKS, NO_HUNDREDTHS, DecimalMark, Notation, ThousandsMark, is_of_no_hundredths

_MARKS: tuple[tuple[DecimalMark, ThousandsMark | None], ...] = (
    (".", None), (",", None), (".", ","), (",", "."), (".", "'"), (",", "'"), (".", " "), (",", " "),
)  # fmt: skip
_CORE = re.compile("(?:[0-9]|[.,](?=[0-9]))([0-9.,'\u2019 \u00a0\u2007\u2009\u202f]*[0-9.,])?([eE][+-]?[0-9]+)?")
_BELOW = re.compile("[<\u2264]")
# Without a zero in front, as 007 is a code.
_CODE = re.compile("0[0-9]+")
_WITH_UNIT = re.compile(
    r"[$\u20ac\u00a3<>~\u2264\u2265]{0,2}\s?[+-]?(0|[1-9][0-9.,' ]*|0[.,][0-9]*)\s?(%|\+|[$\u20ac\u00a3]|[^\W\d]{1,4})?"
)
_MAX_SIGN = 10
"""Characters of a unit behind a number: more are words."""
_CURRENCIES = (
    {"\u20ac", "EUR", "Euro"}, {"$", "USD", "US$"}, {"\u00a3", "GBP"}, {"CHF", "Fr."}, {"\u00a5", "JPY"}, {"kr", "SEK"},
    {"PLN", "z\u0142"}, {"\u20b9", "INR", "Rs."}, {"\u20bd", "RUB"}, {"R$", "BRL"}, {"K\u010d", "CZK"},
)  # fmt: skip
"""Different ways to write one currency, which may be in front of a number, and on some of a column's."""


@dataclass(frozen=True)
class Way:
    """How numbers are written, and the number that each text is.

    Parameters
    ----------
    fields : mapping of str to Any
        Of ``Numeric``; none where numbers are written as libraries write them.
    numbers : tuple of float
        One for each text.
    """

    fields: dict[str, Any]
    numbers: tuple[float, ...]

    @property
    def decimal(self) -> DecimalMark:
        """The mark of decimals."""
        found: DecimalMark = self.fields.get("decimal", ".")
        return found


def ways_to_read(texts: Sequence[str]) -> tuple[Way, ...]:
    """Return the ways in which all texts are numbers, the plainest of those that say the same.

    None if there is no such way; several where marks may be of decimals or of thousands, as in 1.250.
    """
    dressed = _dress(texts)
    if dressed is None or any(_CODE.fullmatch(text) for text in texts):
        return ()
    cores, fields = dressed
    found: dict[tuple[float, ...], Way] = {}
    for marks in _possible_marks(cores):
        notation = replace(Notation(), **marks | fields)
        numbers = tuple(map(notation.number, texts))
        if None not in numbers:
            found.setdefault(numbers, Way(marks | fields, numbers))  # type: ignore[arg-type]
    # 1.250,- has a comma of decimals.
    marks_at_end = {sign[0] for sign in fields.get("signs", ()) if is_of_no_hundredths(sign)}
    ways = tuple(found.values())
    return tuple(way for way in ways if way.decimal in marks_at_end) or ways


def decimal_mark(columns: Iterable[Sequence[str]], *, has_points: bool) -> DecimalMark | None:
    """Return the mark of decimals that some columns must have and none contradicts, for the others of their table.

    ``has_points``: whether further columns were read as numbers with points.
    """
    found: set[DecimalMark] = {"."} if has_points else set()
    found |= {ways[0].decimal for ways in map(ways_to_read, columns) if len(ways) == 1 and _has_marks(ways[0])}
    return found.pop() if len(found) == 1 else None


def written_so(ways: Sequence[Way], mark: DecimalMark | None) -> Way | None:
    """Return the one way, or that with the mark of decimals of the table; None if that does not say which."""
    likely = [way for way in ways if way.decimal == mark] if len(ways) > 1 else ways
    return likely[0] if len(likely) == 1 else None


def look_like_numbers(texts: Sequence[str]) -> bool:
    """Return whether all texts are numbers with marks, units or signs beside them, be they alike or not."""
    return bool(texts) and all(_WITH_UNIT.fullmatch(text.strip(BLANKS)) for text in texts)


def _has_marks(way: Way) -> bool:
    """Return whether a mark of decimals or thousands is in the way that numbers are written."""
    return bool({"decimal", "thousands"} & set(way.fields)) or any(number % 1 for number in way.numbers)


def _possible_marks(cores: set[str]) -> Iterator[dict[str, Any]]:
    signs = set("".join(cores).replace("\u2019", "'"))
    blanks = signs & set("\u00a0\u2007\u2009\u202f")
    signs |= {" "} if blanks else set()
    for decimal, thousands in _MARKS:
        # A comma is declared where one is there, be it as the mark of decimals or because points are of thousands.
        if (thousands and thousands not in signs) or (decimal == "," and "," not in signs and thousands != "."):
            continue
        yield ({"decimal": decimal} if decimal != "." else {}) | ({"thousands": thousands} if thousands else {})


def _dress(texts: Sequence[str]) -> tuple[set[str], dict[str, Any]] | None:
    """Return the digits of numbers with the marks among them, and what is around them; None if it is not alike."""
    cores: set[str] = set()
    signs: dict[str, bool] = {}
    limit_marks: set[str] = set()
    negatives: set[str] = set()
    dashes: set[str] = set()
    n_plain = 0
    for text in texts:
        rest = text.strip(BLANKS)
        if _BELOW.match(rest):
            limit_marks.add(rest[0])
            rest = rest[1:].strip(BLANKS)
        if rest.endswith(")") and "(" in rest:
            negatives.add("brackets")
            rest = rest.replace("(", "").replace(")", "").strip(BLANKS)
        core = _CORE.search(rest)
        if core is None:
            return None
        before, after = rest[: core.start()].strip(f"{BLANKS}+-\u2212"), rest[core.end() :].strip(BLANKS)
        digits = core[0]
        if digits[-1] in ".," and after and after[0] in NO_HUNDREDTHS:  # 5.- and 5,- are prices of five
            dashes.add(digits[-1] + after)
            digits, after = digits[:-1], ""
        if after[:1] in ("-", "\u2212") or after[-1:] in ("-", "\u2212"):
            negatives.add("behind")
            after = after.strip(f"{BLANKS}-\u2212")
        cores.add(digits)
        signs |= {sign: sign == before for sign in (before, after) if sign}
        n_plain += not (before or after) and digits.strip("0.,") != ""
    if len(limit_marks) > 1 or len(negatives) > 1 or not _are_alike(signs, some_without=n_plain > 0):
        return None
    fields: dict[str, Any] = {"signs": (*sorted(signs), *sorted(dashes))} if signs or dashes else {}
    fields |= {"negatives": negatives.pop()} if negatives else {}
    return cores, fields | ({"below": limit_marks.pop()} if limit_marks else {})


def _are_alike(signs: dict[str, bool], *, some_without: bool) -> bool:
    """Return whether signs are one unit, so that numbers beside them compare; in front are currencies only."""
    if any(set(signs) <= same for same in _CURRENCIES):
        return True
    fits = len(signs) == 1 and not some_without and not any(signs.values())
    return fits and all(len(sign) <= _MAX_SIGN and not any(mark in "0123456789.,()" for mark in sign) for sign in signs)
