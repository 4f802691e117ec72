"""Checks of a schema's side tables, and of the columns that are computed of them, against each other."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tacit.errors import SchemaError, shown
from tacit.schema._checks import as_tuple, kind_of, unknown_name
from tacit.schema.categorical import Categorical
from tacit.schema.columns import Column, Numeric
from tacit.schema.feature import OF_ROWS, Feature
from tacit.schema.identifier import Identifier
from tacit.schema.side_table import SideTable

if TYPE_CHECKING:
    from tacit.schema.schema import Schema

MAX_TABLES = 100
"""Each is read by itself."""

_NUMBERS = frozenset(("mean", "min", "max", "sum", "span"))
_AT_A_TIME = frozenset(("latest", "first"))
_MAY_BE_DATES = frozenset(("min", "max", "latest", "first"))


def checked_tables(tables: object) -> tuple[SideTable, ...]:
    """Return side tables of different names."""
    listed = as_tuple(tables, "tables", "the schema")
    seen: set[str] = set()
    for table in listed:
        if not isinstance(table, SideTable):
            raise SchemaError(f"Expected every side table to be a SideTable, got {shown(table)}. Write SideTable(...).")
        if table.name in seen:
            raise SchemaError(f"Expected side tables of different names, got {table.name!r} twice. Rename one of them.")
        seen.add(table.name)
    if len(listed) > MAX_TABLES:
        raise SchemaError(f"Expected at most {MAX_TABLES} side tables, got more. Leave out those that say least.")
    return listed  # type: ignore[return-value]


def features(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return the columns that are computed of side tables."""
    return tuple(column for column in columns if column.from_table is not None)


def features_of(table: SideTable, columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return the columns that are computed of one side table."""
    return tuple(each for each in features(columns) if each.from_table and each.from_table.table == table.name)


def main_columns(schema: Schema) -> tuple[Column, ...]:
    """Return the columns that the main table has, in order."""
    return tuple(column for column in schema.inputs if column.from_table is None)


def without_tables(schema: Schema) -> Schema:
    """Return the same schema whose features are columns as any other: of a table that has them already."""
    columns = tuple(replace(each, from_table=None) if each.from_table else each for each in schema.columns)
    guessed = tuple(name for name in schema.guessed if name not in {table.entry for table in schema.tables})
    return replace(schema, columns=columns, tables=(), guessed=guessed)


def bare(schema: Schema) -> Schema:
    """Return the same columns and label with nothing private, without persons, side tables and weights."""
    return replace(without_tables(schema.without_persons()), weight=None).with_private((), label=False)


def check_features(
    columns: Sequence[Column],
    tables: Sequence[SideTable],
    taken: Collection[str],
    identifier: Identifier | None,
    rows_per_person: int,
) -> None:
    """Refuse features that do not fit their table, and side tables where a person may have several main rows.

    Parameters
    ----------
    taken : collection of str
        Names of columns and of the label, none of which may be a key.

    Raises
    ------
    SchemaError
        The message names the column or the table.
    """
    if tables and (identifier is not None or rows_per_person > 1):
        raise SchemaError(
            "Expected one row of each person in the main table of a schema with side tables, got an identifier or "
            "rows_per_person. Leave both out: key of a side table names the column of persons."
        )
    named = {table.name: table for table in tables}
    for table in tables:
        if table.main in taken:
            raise SchemaError(
                f"Expected a key of side table {table.name!r} in the main table that is neither a column nor the "
                f"label, got {table.main!r}. Leave it out of the columns: a model of keys would give people away."
            )
        _check_until(table, columns)
    for column in features(columns):
        assert column.from_table is not None
        if column.from_table.table not in named:
            raise SchemaError(
                f"Expected a side table for column {column.name!r}: {unknown_name(column.from_table.table, [*named])}"
            )
        _check_feature(column, column.from_table, named[column.from_table.table])


def _check_until(table: SideTable, columns: Sequence[Column]) -> None:
    name = table.until_column
    if name is None:
        return
    found = next((column for column in columns if column.name == name), None)
    if not isinstance(found, Numeric) or not found.is_date or found.is_open or found.from_table is not None:
        raise SchemaError(
            f"Expected as_of of side table {table.name!r} to be a date, or a column of the main table with dates as "
            f"bounds, got as_of={shown(name)}. Describe that column."
        )


def _check_feature(column: Column, feature: Feature, table: SideTable) -> None:
    where = f"column {column.name!r}, take={feature.take!r} of side table {table.name!r}"
    of = None if feature.of is None else table.column(feature.of)
    if feature.take == "span" and of is None:
        of = table.day
        if of is None:
            raise SchemaError(f"Expected of for {where}, or a date of the table, got neither. Name a column.")
    if feature.take in _AT_A_TIME and table.day is None:
        raise SchemaError(f"Expected a date of the side table for {where}, got none. Name its column of dates.")
    if feature.take in _NUMBERS and not isinstance(of, Numeric):
        raise SchemaError(f"Expected numbers or dates for {where}, got column {feature.of!r}. Take another feature.")
    if feature.value is not None:
        _check_value(feature, of, where)
    if isinstance(of, Categorical) and feature.take in _AT_A_TIME:
        _check_category(column, of, where)
    elif isinstance(column, Categorical):
        if feature.take != "any" or set(map(kind_of, column.categories)) != {"boolean"}:
            raise SchemaError(
                f"Expected a numeric column for {where}, got categories. Only the latest and the first category, and "
                "any with categories false and true, are categories."
            )
    else:
        _check_numeric(column, feature, of, where)
    if feature.take not in OF_ROWS and column.missing is None:
        raise SchemaError(
            f"Expected missing for {where}, as a person may have no row, got none. Say what counts then; of numbers "
            'missing = "indicator" makes it a category of its own.'
        )


def _check_value(feature: Feature, of: Column | None, where: str) -> None:
    listed = of.categories if isinstance(of, Categorical) else ()
    if not any(value == feature.value and kind_of(value) == kind_of(feature.value) for value in listed):
        raise SchemaError(
            f"Expected value to be among the categories of {feature.of!r} for {where}, got value="
            f"{shown(feature.value)}. List it there, or correct it."
        )


def _check_category(column: Column, of: Categorical, where: str) -> None:
    if not isinstance(column, Categorical) or of.buckets is not None:
        raise SchemaError(
            f"Expected listed categories for {where}, on both sides, got something else. Write kind = 'categorical'."
        )
    kinds = {kind_of(value) for value in (*column.categories, *of.categories)}
    if len(kinds) > 1 or column.match != "value" or not (column.other or set(of.categories) <= set(column.categories)):
        raise SchemaError(
            f"Expected the categories of {of.name!r} among those of {where}, got others. List them, or write "
            "other = true."
        )


def _check_numeric(column: Numeric, feature: Feature, of: Column | None, where: str) -> None:
    are_dates = feature.take in _MAY_BE_DATES and isinstance(of, Numeric) and of.is_date
    if are_dates != column.has_dates:
        found = ("dates", "numbers") if are_dates else ("numbers", "dates")
        raise SchemaError(
            f"Expected {found[0]} as bounds for {where}, got {found[1]}. Write low and high as {found[0]}."
        )
    if column.notation is not None or column.missing_codes is not None:
        raise SchemaError(
            f"Expected no fields about how cells are written for {where}, got some. Write them at the side table's "
            "column."
        )
    if feature.take == "sum" and isinstance(of, Numeric) and of.is_date:
        raise SchemaError(f"Expected numbers for {where}, got dates, of which there is no sum. Take another feature.")
    if isinstance(of, Numeric) and not math.isfinite(abs(of.lower) + abs(of.upper)):
        raise SchemaError(f"Expected smaller bounds of column {of.name!r} for {where}, got too large ones.")
