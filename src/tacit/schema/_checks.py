"""Checks that every part of a schema shares, and how its parts are written down."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import fields
from datetime import date, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from tacit.errors import SchemaError, shown

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


Value = str | int | float | bool
"""A category or a class: text, a number or a boolean."""

Kind = Literal["text", "number", "boolean"]

_LONGEST_COMPARED = 100
_MAX_COMPARED = 5_000
_MAX_LISTED = 30


class Entry:
    """What columns and the label share: messages that name them, and a frozen dataclass that checks its fields."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    _kind: ClassVar[str] = "column"

    @property
    def names(self) -> tuple[str, ...]:
        """The one column of a table that the entry describes, as an identifier has ``names``."""
        return (self.name,)

    @property
    def _where(self) -> str:
        return f"{self._kind} {self.name!r}"

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone: what else was computed of them tells which way some table's cells were read."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def _set(self, field: str, value: object) -> None:
        object.__setattr__(self, field, value)


def plain(value: object) -> object:
    """Return the Python value inside a NumPy scalar, and anything else unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def checked_name(name: object, what: str) -> str:
    """Return the name, which is a text with something in it."""
    if isinstance(name, str) and name.strip():
        return str(name)
    raise SchemaError(
        f"Expected the name of {what} to be a text that is not empty, got name={shown(name)}. "
        "Give it the name it has in the table."
    )


def checked_flag(value: object, field: str, where: str) -> bool:
    """Return a real boolean; "no" and 0 are refused, as both could be misread."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise SchemaError(
        f"Expected true or false for {field} of {where}, got {field}={shown(value)}. Write one of the two."
    )


def as_tuple(values: object, field: str, where: str) -> tuple[object, ...]:
    """Return an ordered collection as a tuple; a text is refused, and a set, whose order nobody chose."""
    listed = isinstance(values, Collection) and not isinstance(values, str | bytes | Mapping | Set)
    if listed and getattr(values, "ndim", 1) == 1:
        return tuple(plain(value) for value in values)  # type: ignore[attr-defined]
    raise SchemaError(
        f"Expected a list for {field} of {where}, got {field}={shown(values)}. Write its values in square brackets."
    )


def kind_of(value: object) -> Kind | None:
    """Text, number or boolean; None for anything that cannot be a category."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "text"
    if isinstance(value, int):
        # The widest integers that tables and TOML hold.
        return "number" if -(2**63) <= value < 2**64 else None
    return "number" if isinstance(value, float) and math.isfinite(value) else None


def checked_values(values: object, field: str, where: str) -> tuple[Value, ...]:
    """Return different values of one kind; no message repeats one, as they may have come from a table."""
    listed = as_tuple(values, field, where)
    if not listed:
        raise SchemaError(f"Expected at least one value in {field} of {where}, got none. List what can occur.")
    kinds = {kind_of(value) for value in listed}
    if None in kinds:
        raise SchemaError(
            f"Expected texts, finite numbers or booleans in {field} of {where}, "
            "got something else among them. "
            "Write missing cells as missing=, and everything that is not listed as other."
        )
    if len(kinds) > 1:
        raise SchemaError(
            f"Expected one kind of value in {field} of {where}, "
            f"got {' and '.join(sorted(map(str, kinds)))} together. "
            "Make all of them texts, all numbers or all booleans."
        )
    return _all_different(_same_numbers(listed), field, where)


def _same_numbers(values: tuple[object, ...]) -> tuple[Value, ...]:
    if any(isinstance(value, float) for value in values):
        return tuple(float(value) for value in values)  # type: ignore[arg-type]
    return values  # type: ignore[return-value]


def _all_different(values: tuple[Value, ...], field: str, where: str) -> tuple[Value, ...]:
    if len(set(values)) == len(values):
        return values
    raise SchemaError(f"Expected different values in {field} of {where}, got one of them twice. List each once.")


def unknown_name(name: object, known: Sequence[str]) -> str:
    """Say that a name is not in the schema, and which one may have been meant."""
    # Comparing two texts takes the product of their lengths.
    short = [each for each in known if len(each) <= _LONGEST_COMPARED][:_MAX_COMPARED]
    near = get_close_matches(name, short, n=1) if isinstance(name, str) and len(name) <= _LONGEST_COMPARED else []
    listed = ", ".join(map(shown, known[:_MAX_LISTED])) + (", ..." if len(known) > _MAX_LISTED else "")
    remedy = f"Did you mean {near[0]!r}?" if near else f"Use one of {listed}."
    return f"Expected the name of a column, got name={shown(name)}. {remedy}"


_EPOCH = date(1970, 1, 1).toordinal()
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def checked_bound(value: object, field: str, where: str) -> float | date:
    """Return a finite number or a date, which may have been written as ISO text."""
    value = plain(value)
    if isinstance(value, str) and _ISO_DATE.fullmatch(value):
        value = _parsed_date(value)
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and _is_finite(value):
        # An integer that no double holds would not come back from JSON as it went.
        return value if float(value) == value else float(value)
    raise SchemaError(
        f"Expected a finite number, or a date without a time, for {field} of {where}, "
        f"got {field}={shown(value)}. Write a number, or a date as YYYY-MM-DD."
    )


def checked_delta(value: object) -> int | None:
    """Return 0 where fits are pure if they leave delta to a rule, or None."""
    given = plain(value)
    if given is None or (given == 0 and isinstance(given, int | float) and not isinstance(given, bool)):
        return None if given is None else 0
    raise SchemaError(
        f"Expected delta=0, for pure epsilon, or none in the schema, got delta={shown(value)}. Pass others to fits."
    )


def as_number(bound: float | date) -> float:
    """Return the bound as a float; a date counts the days since 1970-01-01."""
    return float(bound.toordinal() - _EPOCH) if isinstance(bound, date) else float(bound)


def written(bound: float | date | None) -> str:
    """Return the bound as people write it."""
    return bound.isoformat() if isinstance(bound, date) else shown(bound)


def _parsed_date(text: str) -> date | str:
    try:
        return date.fromisoformat(text)
    except ValueError:  # such as a 30th of February: the caller's message speaks of the column
        return text


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the doubles
        return False


def stated_fields(record: DataclassInstance) -> dict[str, Any]:
    """Return the fields, in order, whose value is not the default; what is replaced by what as a mapping."""
    pairs = ((field, getattr(record, field.name)) for field in fields(record))
    stated = {field.name: value for field, value in pairs if value != field.default}
    return stated | ({"replace": dict(stated["replace"])} if stated.get("replace") else {})


def as_call(record: DataclassInstance, *, positional: int) -> str:
    """Return the call that makes this record, the first `positional` fields without their names."""
    stated = stated_fields(record)
    first = [field.name for field in fields(record)[:positional] if field.name in stated]  # bounds may be open
    unnamed = [_literal(stated.pop(name)) for name in first]
    named = [f"{name}={_literal(value)}" for name, value in stated.items()]
    return f"{type(record).__name__}({', '.join(unnamed + named)})"


def _literal(value: object) -> str:
    if isinstance(value, date):
        return repr(value.isoformat())
    if isinstance(value, tuple):
        return f"[{', '.join(_literal(item) for item in value)}]"
    return repr(value)
