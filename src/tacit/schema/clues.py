"""What a column's name and cells suggest: people, codes, counts, dates, missing values, and bounds rounded outward."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Sequence
from datetime import date
from decimal import Context, Decimal

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


_IDENTIFIERS = _listed(
    "id ids uid guid uuid pk key idx index identifier ssn nhs mrn passport iban email mail phone telephone"
)
_PERSONAL = _listed("name names surname forename firstname lastname fullname nickname address street")
_PERSONS = _listed(
    "patient person people member customer client user subject student pupil employee respondent participant "
    "citizen tenant household mrn ssn nhs"
)
_CODES = _listed("id code type kind class category group grade status key nr nbr no region zip")
_CODED = _listed("code codes zip zipcode postcode postal icd atc nace diagnosis diag procedure sku")
_COUNTS = _listed(
    "number num n count counts times time visits days weeks months years hours minutes age size amount total"
)


def words(name: str) -> list[str]:
    """Return the words of a name in lower case: of ``patientNbr`` and ``patient_nbr``, the same two."""
    return [word.lower() for word in _WORDS.findall(name)]


def names_identifier(name: str) -> bool:
    """Return whether a word of the name is one of identifiers."""
    return not _IDENTIFIERS.isdisjoint(words(name))


def names_personal(name: str) -> bool:
    """Return whether the values are names or addresses, which two people may share."""
    return not _PERSONAL.isdisjoint(words(name))


def names_person(name: str) -> bool:
    """Return whether a word of the name is one for people."""
    return not _PERSONS.isdisjoint(words(name))


def ends_as_identifier(name: str) -> bool:
    """Return whether the last word is one of identifiers or numbers of things."""
    return bool(words(name)) and words(name)[-1] in _IDENTIFIERS | {"nbr", "nr", "no", "number", "code"}


def ends_as_code(name: str) -> bool:
    """Return whether the last word is one of codes, as in ``admission_type_id``."""
    return bool(words(name)) and words(name)[-1] in _CODES and not is_count(name)


def ends_as_long_code(name: str) -> bool:
    """Return whether the last word is one of codes of which there may be thousands, and none is one for people."""
    return bool(words(name)) and words(name)[-1] in _CODED and not names_person(name)


def is_count(name: str) -> bool:
    """Return whether a word of the name is one of counts and sizes, whose numbers are no codes."""
    return not _COUNTS.isdisjoint(words(name))


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

_MISSING_WORDS = _listed("n na n/a #n/a none null nil nan ? ?? - -- . .. * x unk unknown missing void") | {
    "not available",
    "not known",
    "no data",
    "not measured",
}
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


# Contexts of our own: the caller's may round to fewer digits than a bound has, or trap.
_WIDE = Context(prec=60, Emin=-99999, Emax=99999, traps=[])
_THREE_DIGITS = Context(prec=3, Emin=-99999, Emax=99999, traps=[])
_LARGEST = Decimal(repr(sys.float_info.max))
_LARGEST_WRITTEN_OUT = 10**15


def outward_bounds(smallest: float, largest: float) -> tuple[float, float]:
    """Return the nearest 1-2-5 steps that hold both numbers between them; a number that is a step stays.

    The steps are zero and ..., 0.1, 0.2, 0.5, 1, 2, 5, 10, ... of either sign. A constant that is a step gets
    the steps on both sides of it, and zero alone gets 0 and 1.

    Parameters
    ----------
    smallest, largest : float
        Finite; smallest <= largest.

    Returns
    -------
    low, high : float
        low <= smallest, largest <= high and low < high.
    """
    low, high = _step_below(_exact(smallest)), _step_above(_exact(largest))
    if low == high == 0:
        return 0, 1
    if low == high:
        low, high = _step_below(low, beyond=True), _step_above(high, beyond=True)
    return _number(low), _number(high)


def rounded_midpoint(low: float, high: float) -> float:
    """Return the midpoint of the bounds, rounded to three digits, within them."""
    middle = _WIDE.divide(_WIDE.add(_exact(low), _exact(high)), Decimal(2))
    return min(max(_number(_THREE_DIGITS.plus(middle)), low), high)


def _exact(value: float) -> Decimal:
    # The shortest decimal that reads as the double, not the double's own expansion: so 0.05 is a step.
    return Decimal(value) if isinstance(value, int) else Decimal(repr(value))


def _step_above(value: Decimal, *, beyond: bool = False) -> Decimal:
    """Return the least step at or above the value; `beyond` it, strictly above."""
    if value == 0:
        return value
    steps = (step.copy_sign(value) for step in _steps_near(value))
    return min(step for step in steps if step > value or (step == value and not beyond))


def _step_below(value: Decimal, *, beyond: bool = False) -> Decimal:
    return _step_above(value.copy_negate(), beyond=beyond).copy_negate()


def _steps_near(value: Decimal) -> list[Decimal]:
    ten = value.adjusted()
    return [
        Decimal((0, (digit,), power)) for digit, power in ((5, ten - 1), (1, ten), (2, ten), (5, ten), (1, ten + 1))
    ]


def _number(value: Decimal) -> float:
    if value.copy_abs() < _LARGEST_WRITTEN_OUT and value == value.to_integral_value():
        return int(value)
    clamped = max(_LARGEST.copy_negate(), min(value, _LARGEST))
    return float(clamped) + 0.0  # no negative zero, where a tiny step underflows
