"""What texts spell: numbers and days, or numbers and dates as people write them otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from tacit.schema.guesses import reasons

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
_MIN_SPELLED = 8


def days_of(texts: Sequence[str]) -> list[date]:
    """Return the days that texts such as 2020-12-31 name; none if one of them is something else."""
    try:
        return [date.fromisoformat(text) for text in texts] if _all(_DAY, texts) else []
    except ValueError:  # no such day
        return []


def numbers_in(texts: Sequence[str]) -> list[float]:
    """Return the numbers that some of the texts spell."""
    return [float(text) for text in texts if _NUMBER.fullmatch(text.strip())]


def written_otherwise(cells: Sequence[str], *, has_words: bool) -> str:
    """Return the reason to leave out texts that are numbers or dates in a form that no column reads."""
    if _all(_ISO_DATE, cells):
        return reasons.TIME
    if _all(_OTHER_DATE, cells) and not _all(_NUMBER, cells):
        return reasons.OTHER_DATES
    if _all(_NUMBER, cells):
        return "" if has_words or len(cells) < _MIN_SPELLED else reasons.SPELLED
    if _all(re.compile(f"({_NUMBER.pattern})|({_GROUPED.pattern})"), cells):
        return reasons.GROUPED
    return reasons.UNITS if _all(re.compile(f"({_NUMBER.pattern})|({_WITH_UNIT.pattern})"), cells) else ""


def _all(pattern: re.Pattern[str], texts: Sequence[str]) -> bool:
    return bool(texts) and all(pattern.fullmatch(text.strip()) for text in texts)
