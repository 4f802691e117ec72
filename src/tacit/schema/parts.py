"""Checks of what a schema is made of: its columns together, and what it leaves out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tacit.errors import SchemaError, shown
from tacit.schema._checks import as_tuple, checked_name
from tacit.schema.categorical import Categorical
from tacit.schema.columns import Column, Numeric
from tacit.schema.target import Target

MAX_COLUMNS = 10_000
"""Beyond, most learners take minutes for a few hundred rows."""

MAX_VALUES = 100_000
"""Categories, buckets and cut points of all columns together: no learner could distinguish so many with noise."""


def checked_columns(columns: object, further: object = ()) -> tuple[Column, ...]:
    """Return the columns, and further ones for groups, under different names, no more than learners end with."""
    of_groups = as_tuple(further, "group_columns", "the schema")
    if not all(isinstance(column, Categorical) for column in of_groups):
        raise SchemaError("Expected categories as group_columns of the schema, got others. Write Categorical(...).")
    listed = as_tuple(columns, "columns", "the schema")
    listed += tuple(replace(column, feature=False) for column in of_groups)  # type: ignore[type-var]
    if not listed:
        raise SchemaError("Expected at least one column in the schema, got none. Describe each column that is used.")
    seen: set[str] = set()
    for column in listed:
        if not isinstance(column, Numeric | Categorical) or isinstance(column, Target):
            raise SchemaError(
                f"Expected every column to be Numeric or Categorical, got {shown(column)}. "
                "Write Numeric(name, low, high), Categorical(name, categories) or Categorical(name, buckets=256)."
            )
        _check_new(column.name, seen)
    _check_extent(listed)  # type: ignore[arg-type]
    return listed  # type: ignore[return-value]


def divided(columns: tuple[Column, ...]) -> tuple[tuple[Column, ...], tuple[Categorical, ...]]:
    """Return the columns that are learned from, and those that rows are counted by alone."""
    of_groups = tuple(column for column in columns if isinstance(column, Categorical) and not column.feature)
    return tuple(column for column in columns if column not in of_groups), of_groups


def _check_extent(columns: tuple[Column, ...]) -> None:
    """Refuse what no learner would come to an end with."""
    n_values = sum(
        len(each.cuts or ()) if isinstance(each, Numeric) else each.buckets or len(each.categories) for each in columns
    )
    for found, most, what, remedy in (
        (len(columns), MAX_COLUMNS, "columns", "Leave out those that say least."),
        (
            n_values,
            MAX_VALUES,
            "categories, buckets and cut points together",
            "Gather rare categories as other = true.",
        ),
    ):
        if found > most:
            raise SchemaError(f"Expected at most {most:,} {what} in the schema, got {found:,}. {remedy}")


def _check_new(name: str, seen: set[str]) -> None:
    if name in seen:
        raise SchemaError(f"Expected different names, got column {name!r} twice. Describe each column once.")
    seen.add(name)


def checked_ignored(ignored: object, used: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return names that are left out, with the reasons, none of them used."""
    pairs = tuple(ignored.items()) if isinstance(ignored, Mapping) else as_tuple(ignored, "ignored", "the schema")
    checked: dict[str, str] = {}
    seen = set(used)
    for pair in pairs:
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[1], str)):
            raise SchemaError(
                "Expected a name and a reason for each ignored column, got something else. Write {name: reason}."
            )
        name = checked_name(pair[0], "an ignored column")
        _check_new(name, seen)
        checked[name] = pair[1]
    return tuple(checked.items())
