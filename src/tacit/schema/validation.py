"""Checks that every part of a schema shares: a failure names the entry and what to write instead."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence, Set
from datetime import date
from difflib import get_close_matches
from typing import Literal

import numpy as np

from tacit.errors import SchemaError

Value = str | int | float | bool
"""A category or a class: text, a number or a boolean."""

Kind = Literal["text", "number", "boolean"]

_LONGEST_SHOWN = 60


def plain(value: object) -> object:
    """Return the Python value inside a NumPy scalar, and anything else unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def shown(value: object) -> str:
    """Return a scalar as it is written, and only the type of anything larger.

    A caller may have passed a column of a table by mistake, and no message repeats its cells.
    """
    if value is None or isinstance(value, str | int | float | date):
        text = repr(value)
        return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."
    return f"a {type(value).__name__}"


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
            "Write missing cells as missing=, and everything unlisted as other."
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
    near = get_close_matches(name, known, n=1) if isinstance(name, str) else []
    remedy = f"Did you mean {near[0]!r}?" if near else f"Use one of {', '.join(map(repr, known))}."
    return f"Expected the name of a column, got name={shown(name)}. {remedy}"
