"""Different spellings of one number among texts: cells of categories go by value, so that a list has it once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal

from tacit.schema._checks import Value

# Digits after a zero are a code, as postal ones are: 01 and 1 may differ. Long exponents take long to compare.
_NUMBER = re.compile(r"[+-]?(0|[1-9][0-9]*|(?=\.[0-9]))(\.[0-9]*)?([eE][+-]?[0-9]{1,3})?")


def once_by_value(values: Iterable[Value]) -> tuple[Value, ...]:
    """Return the values in order, of several texts that spell one number the shortest alone.

    Codes with a zero in front are no numbers.

    Examples
    --------
    >>> once_by_value(["9", "9.0", "9e0", "09", "A"])
    ('9', '09', 'A')
    """
    kept: dict[object, Value] = {}
    for value in values:
        key = _number(value)
        if key not in kept or len(str(value)) < len(str(kept[key])):
            kept[key] = value
    return tuple(kept.values())


def same_value(value: Value, other: Value) -> bool:
    """Return whether two values are one category."""
    return _number(value) == _number(other)


def _number(value: Value) -> object:
    """Return the exact number that a text spells, or the value itself."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return Decimal(value.strip())
    return value
