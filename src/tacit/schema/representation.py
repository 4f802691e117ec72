"""How a part of a schema is written down: what differs from its defaults, as the call that makes it again."""

from __future__ import annotations

from dataclasses import fields
from datetime import date
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def stated_fields(record: DataclassInstance) -> dict[str, Any]:
    """Return the fields, in order, whose value is not the default."""
    pairs = ((field, getattr(record, field.name)) for field in fields(record))
    return {field.name: value for field, value in pairs if value != field.default}


def as_call(record: DataclassInstance, *, positional: int) -> str:
    """Return the call that makes this record, the first `positional` fields without their names."""
    stated = stated_fields(record)
    unnamed = [_literal(stated.pop(field.name)) for field in fields(record)[:positional]]
    named = [f"{name}={_literal(value)}" for name, value in stated.items()]
    return f"{type(record).__name__}({', '.join(unnamed + named)})"


def _literal(value: object) -> str:
    if isinstance(value, date):
        return repr(value.isoformat())
    if isinstance(value, tuple):
        return f"[{', '.join(_literal(item) for item in value)}]"
    return repr(value)
