"""A draft of a schema for people to check: TOML, guessed from rows, with plain words on what to look at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tacit.schema.categorical import Categorical
from tacit.schema.columns import Column
from tacit.schema.drafted import DraftEntry, entries_of, way_of
from tacit.schema.groups import gathered, grouped
from tacit.schema.schema import Schema
from tacit.schema.side_table import SideTable
from tacit.schema.side_toml import side_entry, side_pairs
from tacit.schema.toml import FORMAT, add_columns, add_format, as_table, entry_pairs, entry_table, identifier_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tomlkit.items import Table

    from tacit.schema.arguments import SchemaParts
    from tacit.schema.file_format import FileFormat
    from tacit.schema.guesses.side_tables import GuessedTable
    from tacit.schema.missing_codes import StatedCodes

_INTRODUCTION = """\
A draft of a schema. A schema says what anybody may know about a table before anything is learned from it:
which columns there are, and which values are possible. It is published together with what is learned.

WARNING: every entry below was read off your data. NOTHING HERE IS PRIVATE YET: do not pass this file on.
Bounds were rounded to wider ones, and columns that name people left out. That is no protection.

For each entry:
 1. Check it line by line, as the comments say. Write what somebody who never saw the table could write.
 2. Then delete its line `guessed = true`. As long as one is left, no model is called private.
`tacit schema review` does both, in the terminal or on a page.

A list of categories or classes is published: it tells everybody that somebody in the table has each of them.
List what is possible, whether or not it occurs, and strike what only a look at the table reveals.

A column is private, which means protected, unless it says `private = false`. Write that only where everybody
may know the column's value for every single person in the table; if in doubt, leave it."""

_OF_DICTIONARY = """\
A draft of a schema, from the dictionary of a file: no row was read. A schema says what anybody may know about a
table before anything is learned from it, and is published together with what is learned.

Each entry says what is from the dictionary. Its lists were declared by people, so nothing below is a guess.
But look for lists that a program made of the rows, and strike what only a look at the table reveals.
Bounds are in no dictionary. They are open, and nothing is fitted until each column of numbers or dates has low and
high: write what is known from what the column means, or release them with noise (`tacit schema learn --schema`).

A column is private, which means protected, unless it says `private = false`. Write that only where everybody
may know the column's value for every single person in the table; if in doubt, leave it."""

_IGNORED = """\
Columns left out, with the reason. To use one, delete its line here and write a [[column]] for it above.
To hide that the table has it, delete its line."""

_PERSONS = """\
Is each value of {name} one person, who may have several rows? Its values come back in several rows.
If so, take away the marks of the next three lines, and delete its line under [ignored]:
the certificate then protects each person with all rows, at no more noise than one row needs.
[identifier]
name = {name}
rows = "mean"
If persons have several rows and no column names them, write rows_per_person = ... above [label]."""

_COMMON = {
    "private": "false only if everybody may know this of every person",
    "guessed": "read off your data, not private: delete this line when you have checked the entry",
}
_FILE = {
    "encoding": "check a name with an accent: the text is not in UTF-8, and nothing else says in which encoding it is",
    "sheet": "the one that was read; columns and people of other sheets are not in the draft",
}
_LABEL = {
    "classes": "check: published; list every class that is possible",
    "missing": '"drop": rows without a label are left out, which declares that everybody may know which rows have one; '
    "or write a class of its own for them, and list it under classes",
    "replace": "check: what counts as no label",
} | _COMMON
_TARGET = {
    "low": "check: known without the table, from what the number means? published; smaller ones count as this",
    "high": "check: likewise; larger ones count as this, and no prediction leaves the bounds",
    "whole": "it counts something; predictions are means, and need not be whole",
    "missing": '"drop": rows without a number are left out, which declares that everybody may know which rows have one',
    "missing_codes": "check: cells that stand for a missing number",
} | _COMMON
_IDENTIFIER = {
    "name": "check: is each value one person? the certificate then protects each person with all rows, at no more "
    "noise than one row needs; if not, delete these lines, and name it under [ignored]",
    "rows": '"mean": each person has weight one; a number: at most so many rows of each are read',
    "guessed": _COMMON["guessed"],
}
_NUMERIC = {
    "low": "check: known without the table, from what the column means? smaller cells count as this",
    "high": "check: likewise; larger cells count as this",
    "missing": '"indicator": an empty cell is a category of its own; a number: an empty cell counts as this',
    "missing_codes": "check: cells that stand for a missing number, and count as the line above says",
} | _COMMON
_CATEGORICAL = {
    "columns": "check: columns of the same categories; write a [[column]] of its own for one that differs",
    "categories": "check: published; list what is possible, strike what is rare or telling",
    "buckets": "check: are these codes, and not people? a public hash puts each into one of so many; where their "
    'beginnings mean something, write categories = [...] of those and match = "prefix" in place of this line',
    "other": "whatever the list lacks counts as one more category",
    "missing": "an empty cell counts as this category, or as other if it is not in the list",
} | _COMMON


_SIDE_TABLE = {
    "file": "from this file's folder",
    "key": "check: is each value one person, the same as in the main table?",
    "main_key": "check: the main table's column of the same values",
    "date": "check: when a row was; write as_of = ... too, the main table's date (or one for all) before which rows "
    "count, so that the label cannot leak back",
    "guessed": "read off your data, not private: delete this line when you have checked the table and its columns",
}

_PASSED_OVER = "an empty cell counts as this; leave it out, and it is passed over"


class SideFrame(NamedTuple):
    """A side table's rows, and its file as the draft names it."""

    frame: Any
    file: str | None = None


@dataclass(frozen=True, repr=False)
class Draft:
    """A schema guessed from rows, with what people need to review it.

    Parameters
    ----------
    schema : Schema
        What was guessed, each entry marked as guessed.
    entries : tuple of DraftEntry
        The same entry by entry: identifier, label, columns in order, then what is left out. Each with ``guessed`` is
        one decision.
    """

    schema: Schema
    entries: tuple[DraftEntry, ...]
    from_dictionary: bool = False
    """Whether no row was read."""
    unused: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of each side table, the columns that are in no list or bounds."""

    def to_toml(self) -> str:
        """Return the draft as commented TOML, from which `Schema.from_toml` makes its schema."""
        return _draft_toml(self)


def draft_of(
    frame: Any,
    label_name: str,
    missing: Sequence[str] | StatedCodes = (),
    file: FileFormat | None = None,
    tables: Mapping[str, SideFrame] | None = None,
) -> Draft:
    """Return a draft of a frame's schema; see `draft_toml` for its parameters and errors.

    Notes
    -----
    Privacy: **this reads the rows and adds no noise**, as `Schema.from_data` does.

    Examples
    --------
    >>> import polars as pl
    >>> draft = draft_of(pl.DataFrame({"age": [17, 64, 30], "income": ["low", "high", "low"]}), "income")
    >>> [(entry.section, entry.name) for entry in draft.entries]
    [('label', 'income'), ('private', 'age')]
    """
    from tacit.schema.infer import guess_schema

    guessed = guess_schema(frame, None, label_name, missing, alone=not tables)
    parts: SchemaParts = guessed.parts | {"columns": gathered(guessed.parts["columns"]), "file": file}
    if not tables:
        schema = Schema(**parts)
        return Draft(schema, entries_of(schema, guessed.reasons))
    from tacit.schema.guesses.side_tables import guess_side_table

    found = [guess_side_table(name, each.frame, frame, label_name, each.file) for name, each in tables.items()]
    schema = Schema(**_with_tables(parts, found))
    return Draft(schema, entries_of(schema, guessed.reasons), unused={one.table.name: one.left_out for one in found})


def _with_tables(parts: SchemaParts, found: Sequence[GuessedTable]) -> SchemaParts:
    """Return the parts of a schema with side tables, whose keys are no columns, and what is computed of them."""
    from tacit.schema.guesses.reasons import IDENTIFIER

    keys = {each.table.main for each in found}
    persons = parts.get("identifier")
    others = {name: IDENTIFIER for name in (persons.names if persons else ()) if name not in keys}
    columns = [column for column in parts["columns"] if column.name not in keys]
    made = [column for each in found for column in each.features]
    entries = [*(column.name for column in made), *(each.table.entry for each in found)]
    return parts | {
        "columns": [*columns, *made],
        "identifier": None,
        "ignored": {name: why for name, why in parts["ignored"].items() if name not in keys} | others,
        "guessed": [name for name in parts["guessed"] if name not in {*keys, *others}] + entries,
        "tables": [each.table for each in found],
    }


def draft_toml(
    frame: Any,
    label_name: str,
    missing: Sequence[str] | StatedCodes = (),
    file: FileFormat | None = None,
    tables: Mapping[str, SideFrame] | None = None,
) -> str:
    """Return a commented TOML draft of a frame's schema, every entry marked as guessed.

    Raises SchemaError if no schema can be guessed; the message names the column, and never a cell.

    Parameters
    ----------
    frame : data frame
        Any frame that narwhals knows.
    label_name : str
        The column to predict: a few values make it a label with classes, numbers of many values a target with bounds.
    missing : sequence of str or StatedCodes
        Texts and numbers that stand for a missing cell, such as ``["N", "-99"]``, in every column where they occur, or
        in single ones: ``StatedCodes(of_columns={"trust": ("77",)})``.
    file : FileFormat, optional
        How the frame's file is written, which the draft says, too.
    tables : mapping of str to SideFrame, optional
        Side tables by name: the draft proposes whose their rows are, and features to begin with.

    Returns
    -------
    str
        TOML from which `Schema.from_toml` makes what `Schema.from_data` guesses, but that columns of the same
        categories are neighbors, and share one entry and the longest of their lists, and that numbers to predict are
        a target.

    Notes
    -----
    Privacy: **this reads the rows and adds no noise**, as `Schema.from_data` does, and the draft says so.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [17, 64, 30], "sex": ["F", "M", "F"], "income": ["low", "high", "low"]})
    >>> Schema.from_toml(draft_toml(frame, "income")).guessed
    ('age', 'sex', 'income')
    """
    return draft_of(frame, label_name, missing, file, tables).to_toml()


def _draft_toml(draft: Draft) -> str:
    import tomlkit

    from tacit.schema.guesses.reasons import CLASSES, CODES_OR_PERSONS, FROM_LABELS, PERSONS

    schema, reasons = draft.schema, {entry.name: entry.reason for entry in draft.entries}

    document = tomlkit.document()
    _comment(document, _OF_DICTIONARY if draft.from_dictionary else _INTRODUCTION)
    document.add(tomlkit.nl())
    document.add("format", tomlkit.item(FORMAT))
    add_format(document, schema.file, _FILE)
    kind, lines = ("target", _TARGET) if schema.target else ("label", _LABEL)
    why = reasons[schema.label.name]
    said = {} if why in (CLASSES, FROM_LABELS) else {"name": _with_way(why).removesuffix(";")}
    document.add(kind, entry_table(schema.label, schema, said | lines))
    if schema.identifier:
        document.add("identifier", identifier_table(schema.identifier, schema, _IDENTIFIER))
    for name in [name for name, reason in schema.ignored if reason in (PERSONS, CODES_OR_PERSONS)]:
        document.add(tomlkit.nl())
        _comment(document, _PERSONS.format(name=tomlkit.string(name).as_string()))
    add_columns(document, [_commented(alike, schema, reasons[alike[0].name]) for alike in grouped(schema)])
    if schema.tables:
        tables = tomlkit.aot()
        for table in schema.tables:
            tables.append(_commented_table(table, draft))
        document.add("table", tables)
    if schema.ignored:
        ignored = tomlkit.table()
        _comment(ignored, _IGNORED)
        for name, reason in schema.ignored:
            item = tomlkit.item(reason)
            ignored.add(name, item.comment(way) if (way := way_of(reason)) else item)
        document.add("ignored", ignored)
    return tomlkit.dumps(document)


def _commented(alike: tuple[Column, ...], schema: Schema, reason: str) -> Table:
    entry, names = alike[0], tuple(column.name for column in alike)
    advice = _CATEGORICAL if isinstance(entry, Categorical) else _NUMERIC
    return entry_table(entry, schema, {"kind": f"{_with_way(reason)} {_other_kind(entry)}"} | advice, names)


def _commented_table(table: SideTable, draft: Draft) -> Table:
    advice = _SIDE_TABLE
    if unused := draft.unused.get(table.name):
        advice = advice | {"name": f"not read: {', '.join(map(repr, unused))}; to use one, write a [[table.column]]"}
    pairs = side_pairs(table, draft.schema, entry_pairs)
    of_columns = {**_NUMERIC, **_CATEGORICAL, "missing": _PASSED_OVER}
    return side_entry(pairs, as_table, advice, of_columns)


def _with_way(reason: str) -> str:
    return f"{reason}. {way}" if (way := way_of(reason)) else f"{reason};"


def _other_kind(entry: Column) -> str:
    if entry.from_table is not None:
        return "to compute something else, change its line from; or delete the entry"
    if not isinstance(entry, Categorical):
        return 'mere codes? write "categorical", and categories = [...] for low and high'
    first = next(iter(entry.categories), None)
    if isinstance(first, int | float) and not isinstance(first, bool):
        return 'quantities? write "numeric", and low and high for categories'
    return "free text? delete the entry: the column is left out"


def _comment(container: Any, text: str) -> None:
    import tomlkit

    for line in text.splitlines():
        container.add(tomlkit.comment(line))
