"""Formats of dates and times, as ``strptime`` has them, one of which whole cells must have; and the parts of a date."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import permutations
from typing import Literal, get_args

from tacit.errors import SchemaError, shown

DatePart = Literal["year", "month", "day", "weekday", "hour"]
"""What a column of dates may be read as: the day is that of the month, Monday is 1 and Sunday 7, hours are 0 to 23."""

MAX_FORMAT = 50
"""Characters of a format."""
MAX_FORMATS = 5
"""In which the dates of one column may be written."""
OR = " or "
"""Between them."""

EPOCH = datetime(1970, 1, 1)

_MICROSECONDS = 86_400_000_000

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip

# The most digits of each directive; a year has no fewer.
_DIGITS = {"Y": 4, "y": 2, "m": 2, "d": 2, "H": 2, "I": 2, "M": 2, "S": 2, "f": 6}
_WORDS = {"b": tuple(name[:3] for name in _MONTHS), "B": _MONTHS, "p": ("AM", "PM")}

# Directives of which a format has one at most.
_ALIKE = ("Yy", "mbB", "d", "HI", "p", "M", "S", "f")
# One of each of these texts is needed for a part, or for days.
_NEEDED: dict[DatePart | None, tuple[str, ...]] = {
    None: ("Yy",),
    "year": ("Yy",),
    "month": ("mbB",),
    "day": ("d",),
    "weekday": ("Yy", "mbB", "d"),
    "hour": ("HI",),
}

_FIRST_OF_TWO_DIGITS = 1969
"""The first of the hundred years that two digits mean where no bounds tell the century, as POSIX has it."""

_LEAP_YEAR = 1972
"""The year of a format that has none: February has all its days."""

_SAMPLES = (datetime(2003, 2, 1, 4, 5, 6, 7), datetime(2011, 10, 12, 8, 9, 7, 100_000))
"""Moments whose parts are all different and may change places."""


@dataclass(frozen=True)
class DateFormat:
    """A format such as ``%d.%m.%Y``, or several with "or" between them, no two of which read one text differently.

    Parameters
    ----------
    text : str
        Its directives are ``%d %m %Y %y %H %M %S %f``, ``%I`` with ``%p``, and ``%b`` and ``%B`` for English names of
        months. A number of two digits may have one, unless the next one follows it at once.
    middle_year : int, optional
        A year of two digits is the one nearest to it; without it, 1969 to 2068.

    Examples
    --------
    >>> DateFormat("%d.%m.%Y").moment("24.12.2020")
    datetime.datetime(2020, 12, 24, 0, 0)
    >>> DateFormat("%d.%m.%y", middle_year=1950).moment("1.2.45")
    datetime.datetime(1945, 2, 1, 0, 0)
    >>> DateFormat("%d.%m.%Y").moment("2020-12-24") is None
    True
    >>> DateFormat("%d.%m.%Y or %Y-%m-%d").moment("2020-12-24")
    datetime.datetime(2020, 12, 24, 0, 0)
    """

    text: str
    middle_year: int | None = None

    def moment(self, cell: str) -> datetime | None:
        """Return the moment that a whole cell spells, or None."""
        found = (form.moment(cell) for form in self._forms)
        return next((moment for moment in found if moment is not None), None)

    def written(self, moment: datetime) -> str:
        """Return a moment in the first of the formats, as far as it says it."""
        return self._forms[0].written(moment)

    @property
    def is_number(self) -> bool:
        """Whether one is of digits alone, the year first, so that a whole number spells it: 20201224 by %Y%m%d."""
        return any(form.is_number for form in self._forms)

    @cached_property
    def _forms(self) -> tuple[_Form, ...]:
        return tuple(_Form(text, self.middle_year) for text in self.text.split(OR))


@dataclass(frozen=True)
class _Form:
    """One format."""

    text: str
    middle_year: int | None = None

    def moment(self, cell: str) -> datetime | None:
        """Return the moment that a whole cell spells, or None."""
        found = self._pattern.fullmatch(cell)
        return None if found is None else self._moment_of(found.groupdict())

    def written(self, moment: datetime) -> str:
        """Return a moment in this format, as far as it says it."""
        texts = {
            "Y": f"{moment.year:04}", "y": f"{moment.year % 100:02}", "m": f"{moment.month:02}",
            "b": _MONTHS[moment.month - 1][:3], "B": _MONTHS[moment.month - 1], "d": f"{moment.day:02}",
            "H": f"{moment.hour:02}", "I": f"{(moment.hour + 11) % 12 + 1:02}", "p": _WORDS["p"][moment.hour // 12],
            "M": f"{moment.minute:02}", "S": f"{moment.second:02}", "f": f"{moment.microsecond:06}", "%": "%",
        }  # fmt: skip
        return re.sub("%(.)", lambda found: texts[found[1]], self.text)

    @property
    def names(self) -> tuple[str, ...]:
        """The directives in order, without their percent signs."""
        return _names_in(self.text)

    @property
    def is_number(self) -> bool:
        """Whether cells are digits alone, the year first, so that a whole number spells one: 20201224 by %Y%m%d."""
        return set(self.names) <= set(_DIGITS) and self.text == "%Y" + "".join(f"%{name}" for name in self.names[1:])

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        parts = _parts(self.text)
        return re.compile("".join(_group(parts, at) for at in range(len(parts))))

    def _moment_of(self, texts: dict[str, str]) -> datetime | None:
        numbers = {name: int(text) for name, text in texts.items() if name in _DIGITS and name != "f"}
        month = next(
            (_place(_WORDS[name], texts[name]) + 1 for name in ("b", "B") if name in texts), numbers.get("m", 1)
        )
        hour = numbers.get("H", 0)
        if "I" in numbers:
            if not 1 <= numbers["I"] <= 12:
                return None
            hour = numbers["I"] % 12 + 12 * _place(_WORDS["p"], texts["p"])
        rest = (hour, numbers.get("M", 0), numbers.get("S", 0), int(texts.get("f", "0").ljust(6, "0")))
        try:
            return datetime(self._year_of(numbers), month, numbers.get("d", 1), *rest)
        except ValueError:  # such as a 30th of February
            return None

    def _year_of(self, numbers: dict[str, int]) -> int:
        if "y" not in numbers:
            return numbers.get("Y", _LEAP_YEAR)
        first = _FIRST_OF_TWO_DIGITS if self.middle_year is None else self.middle_year - 49
        return first + (numbers["y"] - first) % 100


def days_of(since: timedelta) -> float:
    """Return the days of a span of time, the whole ones and the rest apart, as moments of every unit are counted."""
    return since.days + (since.seconds * 1_000_000 + since.microseconds) / _MICROSECONDS


def check_format(text: object, part: DatePart | None, where: str) -> None:
    """Refuse what is no format of dates, or lacks what is read of them, and formats that contradict each other."""
    forms = text.split(OR) if isinstance(text, str) else [text]
    for form in forms:
        _check_form(form, part, where)
    if len(forms) > MAX_FORMATS:
        raise SchemaError(
            f"Expected at most {MAX_FORMATS} formats in dates of {where}, got more. Write those that cells have."
        )
    if any(_contradict(form, other) for form, other in permutations(map(str, forms), 2)):
        raise SchemaError(
            f"Expected formats of which no two read a text as different dates in dates of {where}, got "
            f"dates={shown(text)}. Leave out one of them."
        )


def _contradict(form: str, other: str) -> bool:
    """Return whether a text of one format is another date in the other."""
    for moment in _SAMPLES:
        text = _Form(form).written(moment)
        if _Form(other).moment(text) not in (None, _Form(form).moment(text)):
            return True
    return False


def _check_form(text: object, part: DatePart | None, where: str) -> None:
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_FORMAT or text != text.strip():
        raise SchemaError(
            f"Expected a format such as %d.%m.%Y for dates of {where}, got dates={shown(text)}. Write how cells are "
            "written."
        )
    known, names = "".join(_ALIKE), _names_in(text)
    if text.count("%") != len(names) + 2 * text.count("%%") or not set(names) <= set(known):
        raise SchemaError(
            f"Expected directives among {' '.join(f'%{name}' for name in known)} in dates of {where}, "
            f"got dates={shown(text)}. Write how cells are written."
        )
    twice = any(sum(name in alike for name in names) > 1 for alike in _ALIKE)
    if twice or ("I" in names) != ("p" in names):
        raise SchemaError(
            f"Expected a part of a date once, and %I with %p only, in dates of {where}, got dates={shown(text)}. "
            "Write how cells are written."
        )
    if not all(set(alike) & set(names) for alike in _NEEDED[part]):
        what = "the year" if part is None else f"the {part}"
        raise SchemaError(
            f"Expected {what} in dates of {where}, got dates={shown(text)}. Add its directive, or write another "
            f"date_part than {shown(part)}."
        )


def check_part(part: object, where: str) -> None:
    """Refuse what is no part of a date."""
    if part not in get_args(DatePart):
        raise SchemaError(
            f"Expected date_part to be one of {', '.join(get_args(DatePart))} in {where}, got "
            f"date_part={shown(part)}. Write one of them."
        )


def _parts(text: str) -> list[str]:
    return re.findall("%.|[^%]+", text)


def _names_in(text: str) -> tuple[str, ...]:
    return tuple(part[1] for part in _parts(text) if part[0] == "%" and part != "%%")


def _group(parts: list[str], at: int) -> str:
    """Return the pattern of a part of a format."""
    part = parts[at]
    name = part[1] if part[0] == "%" else ""
    if name in _WORDS:
        return f"(?P<{name}>(?i:{'|'.join(_WORDS[name])}))"
    if name not in _DIGITS:
        return re.escape("%" if part == "%%" else part)
    beside = [other[1] for other in (*parts[at - 1 : at], *parts[at + 1 : at + 2]) if other[0] == "%"]
    most = _DIGITS[name]
    fewest = most if name in "Yy" or (name != "f" and set(beside) & set(_DIGITS)) else 1
    return f"(?P<{name}>[0-9]{{{fewest},{most}}})"


def _place(words: tuple[str, ...], text: str) -> int:
    return [word.casefold() for word in words].index(text.casefold())
