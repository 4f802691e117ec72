"""Columns that share one entry of a schema file: ``columns = ["a", "b"]`` in place of a name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from tacit.errors import SchemaError
from tacit.schema._checks import as_tuple
from tacit.schema.categorical import Categorical
from tacit.schema.columns import Column, Numeric

if TYPE_CHECKING:
    from tacit.schema.schema import Schema

# Two columns of yes and no may be alike by chance; a list of as many values that covers another's is not.
_MIN_COVERING = 3


def grouped(schema: Schema) -> list[tuple[Column, ...]]:
    """Return the columns in order, neighbors of one entry together.

    Numbers that are guessed, or have open bounds, are each alone: that two have the same bounds says little before
    anybody has checked them.
    """

    def mark(column: Column) -> object:
        is_guessed = column.name in schema.guessed
        alone = column.name if isinstance(column, Numeric) and (is_guessed or column.is_open) else ""
        is_learned = schema.learned is not None and column.name in schema.learned.entries
        return replace(column, name="x"), type(_first_value(column)), is_guessed, is_learned, alone

    return [tuple(members) for _, members in groupby((*schema.inputs, *schema.group_columns), key=mark)]


def gathered(columns: Sequence[Column]) -> list[Column]:
    """Return columns in an order where those of the same categories are neighbors, of one list of categories.

    A text whose categories are all among those of another of three or more gets that list: which of them no row has
    stays unsaid.
    """
    widest_first = sorted(columns, key=lambda column: -len(_listed(column)))
    leaders: list[Categorical] = []
    led: dict[str, Categorical] = {}
    for column in widest_first:
        leader = next((each for each in leaders if _covers(each, column)), None)
        if isinstance(column, Categorical):
            led[column.name] = leader or column
            leaders += [] if leader else [column]
    place = {column.name: at for at, column in enumerate(columns)}
    first: dict[str, int] = {}
    for column in columns:
        if column.name in led:
            first.setdefault(led[column.name].name, place[column.name])
    joined = [replace(led[each.name], name=each.name) if each.name in led else each for each in columns]
    return sorted(joined, key=lambda each: first[led[each.name].name] if each.name in led else place[each.name])


def names_of(values: object, where: str) -> tuple[str, ...]:
    """Return the names under ``columns`` of an entry; each is checked where its column is made."""
    names = as_tuple(values, "columns", where)
    if not names:
        raise SchemaError(f"Expected names in columns of {where}, got none. Name the columns that share the entry.")
    return names  # type: ignore[return-value]


def _covers(leader: Categorical, column: Column) -> bool:
    if not isinstance(column, Categorical) or (leader.missing, leader.other, leader.replace) != (
        column.missing,
        column.other,
        column.replace,
    ):
        return False
    if {leader.match, column.match} != {"value"} or not (leader.categories and column.categories):
        return False
    if leader.categories == column.categories:
        return type(leader.categories[0]) is type(column.categories[0])
    is_text = isinstance(leader.categories[0], str) and len(leader.categories) >= _MIN_COVERING
    return is_text and len(column.categories) > 1 and set(column.categories) <= set(leader.categories)


def _listed(column: Column) -> tuple[object, ...]:
    return column.categories if isinstance(column, Categorical) else ()


def _first_value(column: Column) -> object:
    return next(iter(column.categories), None) if isinstance(column, Categorical) else column.low
