"""What a column's name says of its values: single people, codes, counts."""

from __future__ import annotations

import re

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
