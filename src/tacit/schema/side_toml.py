"""Side tables in a schema file: ``[[table]]``, with a ``[[table.column]]`` for each column that is read of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.errors import SchemaError
from tacit.schema._checks import checked_flag, stated_fields
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
        entries.append(side_entry(side_pairs(table, schema, pairs_of), as_table))
    document.add("table", entries)


def side_pairs(
    table: SideTable, schema: Schema, pairs_of: Callable[[Column, Schema], dict[str, Any]]
) -> dict[str, Any]:
    """Return the lines of a side table, by name, `guessed` before its columns, each of which has lines of its own."""
    stated = stated_fields(table)
    found: dict[str, Any] = {name: stated[name] for name in _OF_TABLES if name in stated}
    found |= {"guessed": True} if table.entry in schema.guessed else {}
    # All of a side table is private; a guess is the whole of it.
    plain = replace(schema, guessed=(), learned=None)
    columns = [
        {name: value for name, value in pairs_of(column, plain).items() if name != "private"}
        for column in table.columns
    ]
    return found | ({"column": columns} if columns else {})


def side_entry(
    pairs: Mapping[str, Any],
    as_table: Callable[..., Table],
    advice: Mapping[str, str] | None = None,
    of_columns: Mapping[str, str] | None = None,
) -> Table:
    """Return the lines of a side table as a TOML table, with advice behind them and behind its columns' lines."""
    import tomlkit

    entry = as_table({name: value for name, value in pairs.items() if name != "column"}, advice)
    if "column" in pairs:
        columns = tomlkit.aot()
        for lines in pairs["column"]:
            columns.append(as_table(lines, of_columns))
        entry.add("column", columns)
    return entry


def with_files_from(schema: Schema, folder: Path) -> Schema:
    """Return the schema as its file in a folder has it: with files of side tables relative to there, as they are read.

    Those that were given whole, from the root, stay.
    """
    tables = tuple(
        each if each.file is None or Path(each.file).is_absolute() else replace(each, file=relpath(each.file, folder))
        for each in schema.tables
    )
    return replace(schema, tables=tables) if tables else schema


def read_tables(
    entries: object, source: str | os.PathLike[str], read_columns: Callable[[dict[str, Any], int], list[Any]]
) -> list[tuple[SideTable, bool]]:
    """Return the side tables of a schema file, and whether each is guessed; files are found from that file's folder.

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


def _read_table(
    entry: dict[str, Any], place: int, folder: Path, read_columns: Callable[..., list[Any]]
) -> tuple[SideTable, bool]:
    where = f"[[table]] number {place}"
    known = {field.name for field in fields(SideTable)} - {"columns"} | {"column", "guessed"}
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
            f"Expected no {marked[0]} in a column of {where}, got it. Leave it out: a guess is the whole table."
        )
    columns = [column for at, each in enumerate(given, start=1) for column, _ in read_columns(each, at)]
    guessed = checked_flag(entry.get("guessed", False), "guessed", where)
    stated = {name: value for name, value in entry.items() if name not in ("column", "guessed")}
    if isinstance(stated.get("file"), str):
        stated["file"] = str(folder / stated["file"])
    return SideTable(columns=columns, **stated), guessed


def _folder(source: str | os.PathLike[str]) -> Path:
    """Return the folder of a schema file; of text, the present one."""
    if isinstance(source, str) and ("\n" in source or "=" in source):
        return Path()
    return Path(source).parent
