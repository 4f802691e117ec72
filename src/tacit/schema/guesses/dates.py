"""How the dates of a column of texts are written: the formats in which each cell is a day or a moment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Literal

from tacit.schema.dates import MAX_FORMATS, DateFormat
from tacit.schema.guesses import reasons
from tacit.schema.guesses.observed import ObservedColumn
from tacit.schema.notation import BLANKS

DIGITS = "%Y%m%d"
_MIN_DIGITS = 8
"""Of different numbers: one is a day by chance once in thirty times."""

_DAYS = (
    "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", DIGITS, "%d%b%Y",
    "%d-%b-%Y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%m-%y",
    "%m-%d-%y", "%d-%b-%y", "%d%b%y", "%m/%Y", "%m.%Y", "%m-%Y", "%Y/%m", "%Y-%m", "%b %Y", "%B %Y",
)  # fmt: skip
_ISO_DAYS = ("%Y-%m-%d",)
_TIMES = ("", " %H:%M", " %H:%M:%S", "T%H:%M", "T%H:%M:%S", " %H:%M:%S.%f", "T%H:%M:%S.%f", " %I:%M %p", ", %H:%M")

_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?)?")
_ZONED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.,]+ ?(Z|UTC|[+-][0-9:]+)?)?")
_TIME = r"([T ,]+[0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?( ?[AaPp][Mm])?( ?(Z|UTC|[+-][0-9:]{2,6}))?)?"
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATED = re.compile(
    rf"{_ZONED.pattern}|([0-9]{{1,2}}[/.-][0-9]{{1,2}}[/.-]([0-9]{{4}}|[0-9]{{2}})|[0-9]{{4}}[/.][0-9]{{1,2}}[/.][0-9]{{1,2}}|"
    rf"[0-9]{{1,2}}[ -]?{_MONTH}[ ,-]*[0-9]{{2,4}}|{_MONTH} [0-9]{{1,2}},? [0-9]{{4}}){_TIME}",
    re.IGNORECASE,
)

_DIGITS = re.compile("[0-9]{8}")
_CODED = re.compile(r"([0789])([./-]?\1)*|-([1-9])\3*|9999[./-]?12[./-]?31|31[./-]12[./-]9999|12[./-]31[./-]9999")
"""One digit again and again, be it with the marks of a date, a negative number, and the last of all days."""

Order = Literal["day first", "month first"]
"""Of days and months that are both numbers, with a year behind."""


def iso_days(texts: Sequence[str]) -> list[date]:
    """Return the days of texts such as 2020-12-31 or 2020-12-31T10:00; none if one of them is something else."""
    cells = [text.strip(BLANKS) for text in texts]
    try:
        return [datetime.fromisoformat(cell).date() for cell in cells] if _all(_ISO, cells) else []
    except ValueError:  # no such day
        return []


def reason_of(texts: Sequence[str]) -> str:
    """Return why texts that look like dates are left out, nothing where they look like something else."""
    if _all(_ZONED, texts):
        return reasons.TIME
    others = [text for text in texts if not _DIGITS.fullmatch(text.strip(BLANKS))]
    return reasons.OTHER_DATES if _all(_DATED, others) else ""


def codes_among(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts that stand for no day, were all others days: 00000000, 0000-00-00, 99999999, 9999-12-31, -1."""
    return tuple(text for text in texts if _CODED.fullmatch(text.strip(BLANKS)))


def formats_of(texts: Sequence[str], further: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the formats other than ISO, and of further ones, in which all texts are dates."""
    cells = [text.strip(BLANKS) for text in texts]
    if not cells:
        return ()
    likely = [
        day + time
        for day in (*_DAYS, *further)
        for time in _TIMES
        if DateFormat(day + time).moment(cells[0]) is not None
    ]
    return tuple(each for each in likely if all(map(DateFormat(each).moment, cells)))


def forms_of(texts: Sequence[str], order: Order | None) -> tuple[str, ...]:
    """Return the formats in which each text is a date, one for all texts of one look; none where one is not known."""
    looks: dict[str, list[str]] = {}
    for text in texts:
        looks.setdefault(_look(text.strip(BLANKS)), []).append(text)
    if not 1 < len(looks) <= MAX_FORMATS:
        return ()
    found = [written_so(formats_of(alike, _ISO_DAYS), order) for alike in looks.values()]
    known = tuple(sorted({each for each in found if each is not None}))
    return () if None in found else known


def _look(text: str) -> str:
    """Return a text in which all years are alike, all other numbers, all short names of months and all long ones."""
    text = re.sub(r"[^\W\d_]+", lambda word: "b" if len(word[0]) == len("Jan") else "B", text)
    return re.sub("[0-9]+", lambda number: "Y" if len(number[0]) == len("2020") else "d", text)


def order_in(columns: Iterable[Sequence[str]]) -> Order | None:
    """Return the order of days and months that some columns must have and none contradicts."""
    orders = [{_order(each) for each in formats_of(texts)} for texts in columns]
    found = {next(iter(order)) for order in orders if len(order) == 1} - {None}
    return found.pop() if len(found) == 1 else None


def written_so(formats: Sequence[str], order: Order | None) -> str | None:
    """Return the one format, or that in the order of the table; None if that does not say which."""
    likely = [each for each in formats if _order(each) == order] if len(formats) > 1 else formats
    return likely[0] if len(likely) == 1 else None


def days_of_digits(observed: ObservedColumn) -> tuple[list[date], tuple[str, ...]]:
    """Return the days of whole numbers such as 20201231, and codes for missing ones among them.

    There are none if one is something else, or if there are few.
    """
    if not observed.is_whole or observed.n_values < _MIN_DIGITS:
        return [], ()
    middle = str(int(observed.numbers[observed.n_values // 2]))
    if len(middle) != len("20201231"):
        return [], ()
    numbers = [str(int(number)) for number in observed.numbers.tolist()]
    codes = tuple(number for number in numbers if number in observed.codes or codes_among([number]))
    texts = [number for number in numbers if number not in codes]
    is_known = len(texts) >= _MIN_DIGITS and formats_of(texts) == (DIGITS,)
    return (days_in(texts, DIGITS), codes) if is_known else ([], ())


def days_in(texts: Sequence[str], written: str) -> list[date]:
    """Return the days of texts in a format."""
    moments = (DateFormat(written).moment(text.strip(BLANKS)) for text in texts)
    return [moment.date() for moment in moments if isinstance(moment, datetime)]


def _order(written: str) -> Order | None:
    if written[:5] in ("%d/%m", "%d-%m"):
        return "day first"
    return "month first" if written[:5] in ("%m/%d", "%m-%d") else None


def _all(pattern: re.Pattern[str], texts: Sequence[str]) -> bool:
    return bool(texts) and all(pattern.fullmatch(text.strip(BLANKS)) for text in texts)
