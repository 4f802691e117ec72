"""Side tables in a schema file: ``[[table]]``, with a ``[[table.column]]`` for each column that is read of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.errors import SchemaError
from tacit.schema._checks import stated_fields
from tacit.schema.columns import Column
from tacit.schema.side_table import SideTable

if TYPE_CHECKING:
    from tomlkit import TOMLDocument
    from tomlkit.items import Table

    from tacit.schema.schema import Schema

_OF_TABLES = ("name", "file", "key", "main_key", "date", "as_of", "days")
"""In the order in which they are written."""


def add_tables(
    document: TOMLDocument,
    schema: Schema,
    as_table: Callable[[Mapping[str, Any]], Table],
    pairs_of: Callable[[Column, Schema], dict[str, Any]],
) -> None:
    """Append the [[table]] entries, where there are some, to the document.

    Parameters
    ----------
    as_table, pairs_of : callable
        Make a TOML table of lines, and the lines of a column.
    """
    import tomlkit

    if not schema.tables:
        return
    entries = tomlkit.aot()
    for table in schema.tables:
        stated = stated_fields(table)
        entry = as_table({name: stated[name] for name in _OF_TABLES if name in stated})
        if table.columns:
            columns = tomlkit.aot()
            for column in table.columns:
                # All of a side table is private, and guesses are of the schema's own columns.
                lines = {name: value for name, value in pairs_of(column, schema).items() if name not in _OF_SCHEMA}
                columns.append(as_table(lines))
            entry.add("column", columns)
        entries.append(entry)
    document.add("table", entries)


_OF_SCHEMA = ("private", "guessed", "learned")


def read_tables(
    entries: object, source: str | os.PathLike[str], read_columns: Callable[[dict[str, Any], int], list[Any]]
) -> list[SideTable]:
    """Return the side tables of a schema file; files of theirs are found from that file's folder.

    Parameters
    ----------
    entries : object
        What the file has under ``table``.
    source : path, or str
        Of the schema file, or its text.
    read_columns : callable
        Returns the columns of an entry of columns, each with whether it is guessed.

    Raises
    ------
    SchemaError
        If it is something else; the message names the entry.
    """
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise SchemaError(
            "Expected [[table]] entries for side tables in the schema file, got something else. Begin each with "
            "[[table]] in two brackets."
        )
    return [_read_table(entry, place, _folder(source), read_columns) for place, entry in enumerate(entries, start=1)]


def _read_table(entry: dict[str, Any], place: int, folder: Path, read_columns: Callable[..., list[Any]]) -> SideTable:
    where = f"[[table]] number {place}"
    known = {field.name for field in fields(SideTable)} - {"columns"} | {"column"}
    if unknown := [name for name in entry if name not in known]:
        raise SchemaError(
            f"Expected only known keys in {where}, got {unknown[0]!r}. Remove it; there are {', '.join(sorted(known))}."
        )
    for name in ("name", "key"):
        if name not in entry:
            raise SchemaError(f"Expected {name} in {where}, got none. Add the line {name} = ...")
    given = entry.get("column", [])
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise SchemaError(f"Expected [[table.column]] entries in {where}, got something else. Use two brackets.")
    if marked := [name for each in given for name in ("guessed", "learned") if name in each]:
        raise SchemaError(
            f"Expected no {marked[0]} in a column of {where}, got it. Check the column, and leave it out."
        )
    columns = [column for at, each in enumerate(given, start=1) for column, _ in read_columns(each, at)]
    stated = {name: value for name, value in entry.items() if name != "column"}
    if isinstance(stated.get("file"), str):
        stated["file"] = str(folder / stated["file"])
    return SideTable(columns=columns, **stated)


def _folder(source: str | os.PathLike[str]) -> Path:
    """Return the folder of a schema file; of text, the present one."""
    if isinstance(source, str) and ("\n" in source or "=" in source):
        return Path()
    return Path(source).parent
