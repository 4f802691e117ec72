"""What texts look like that are no categories: dates, numbers, numbers with words for missing ones, free text."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import date

_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.,]+(Z|[+-][0-9:]+)?)?")
# Without a zero in front, as 007 is a code.
_NUMBER = re.compile(r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_GROUPED = re.compile(
    r"[+-]?[0-9]{1,3}([,' \u00a0\u202f][0-9]{3})+([.][0-9]+)?|[+-]?[0-9]{1,3}(\.[0-9]{3}){2,}(,[0-9]+)?"
)
_WITH_UNIT = re.compile(r"[$\u20ac\u00a3<>~]\s?[+-]?[0-9][0-9.,]*|[+-]?[0-9][0-9.,]*\s?(%|[$\u20ac\u00a3]|[a-z]{1,4})")
_TIME = r"([T ,]+[0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?( ?[AaPp][Mm])?( ?(Z|UTC|[+-][0-9:]{2,6}))?)?"
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_OTHER_DATE = re.compile(
    rf"([0-9]{{1,2}}[/.-][0-9]{{1,2}}[/.-]([0-9]{{4}}|[0-9]{{2}})|[0-9]{{4}}[/.][0-9]{{1,2}}[/.][0-9]{{1,2}}|"
    rf"[0-9]{{1,2}}[ -]?{_MONTH}[ ,-]*[0-9]{{2,4}}|{_MONTH} [0-9]{{1,2}},? [0-9]{{4}}){_TIME}",
    re.IGNORECASE,
)

_WORDS = "n na n/a #n/a none null nil nan ? ?? - -- . .. * x unk unknown missing void"
_MISSING_WORDS = frozenset(_WORDS.split(" ")) | {"not available", "not known", "no data", "not measured"}
_MOST_WORDS = 3


def days_of(texts: Sequence[str]) -> list[date]:
    """Return the days that texts such as 2020-12-31 name; none if one of them is something else."""
    try:
        return [date.fromisoformat(text) for text in texts] if _all(_DAY, texts) else []
    except ValueError:  # no such day
        return []


def are_dates(texts: Sequence[str]) -> bool:
    """Return whether all are dates as ISO 8601 writes them."""
    return _all(_ISO_DATE, texts)


def are_other_dates(texts: Sequence[str]) -> bool:
    """Return whether all are dates in another form, such as 31/12/2020 or 31 Dec 2020."""
    return _all(_OTHER_DATE, texts) and not _all(_NUMBER, texts)


def are_grouped_numbers(texts: Sequence[str]) -> bool:
    """Return whether all are numbers, some with marks of thousands, such as 16,020."""
    return _all(re.compile(f"({_NUMBER.pattern})|({_GROUPED.pattern})"), texts)


def are_numbers_with_units(texts: Sequence[str]) -> bool:
    """Return whether all are numbers with a unit or a sign beside them, such as 5 kg, 12% or <3."""
    return _all(re.compile(f"({_NUMBER.pattern})|({_WITH_UNIT.pattern})"), texts)


def numbers_in(texts: Sequence[str]) -> list[float]:
    """Return the numbers that some of the texts spell."""
    return [float(text) for text in texts if _NUMBER.fullmatch(text.strip())]


def words_for_missing(texts: Sequence[str], codes: Collection[str] = ()) -> tuple[str, ...]:
    """Return the few texts that say that nothing is known, such as N or ?; those of `codes` are of them, too."""
    known = {code.casefold() for code in codes} | _MISSING_WORDS
    found = tuple(text for text in texts if text.strip().casefold() in known)
    return found if len(found) <= _MOST_WORDS + len(codes) else ()


def _all(pattern: re.Pattern[str], texts: Sequence[str]) -> bool:
    return bool(texts) and all(pattern.fullmatch(text.strip()) for text in texts)
