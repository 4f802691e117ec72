"""What a study protects: the schema as it stands, or more of it, by name."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from tacit.errors import ParameterError
from tacit.schema import Schema


def _as_declared(schema: Schema) -> Schema:
    return schema


def _all_private(schema: Schema) -> Schema:
    return schema.all_private()


def _public_label(schema: Schema) -> Schema:
    return schema.with_private(schema.names, label=False)


CASES: MappingProxyType[str, Callable[[Schema], Schema]] = MappingProxyType(
    {"as-declared": _as_declared, "all-private": _all_private, "public-label": _public_label}
)
"""``as-declared``: as the schema says. ``all-private``: every column and the label. ``public-label``: every column."""


def protected(schema: Schema, case: str) -> Schema:
    """Return the schema with what the case protects.

    Raises
    ------
    ParameterError
        If there is no such case.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric
    >>> schema = Schema([Numeric("age", 0, 90, private=False)], label=Label("income", ["low", "high"]))
    >>> protected(schema, "public-label").private_columns
    ('age',)
    """
    if case not in CASES:
        raise ParameterError(f"Expected privacy to be one of {', '.join(CASES)}, got privacy={case!r}. Choose one.")
    return CASES[case](schema)
