"""What a review of a draft may decide: each decision is a function from a schema to the next."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from tacit.errors import SchemaError
from tacit.schema.columns import Column, open_bounds
from tacit.schema.file_format import FileFormat
from tacit.schema.identifier import Identifier
from tacit.schema.label import Label
from tacit.schema.schema import Schema
from tacit.schema.target import Target

OUT_REASON = "left out in the review"


def accepted(schema: Schema, names: Collection[str]) -> Schema:
    """Return the schema with these entries no longer marked as guessed.

    Raises
    ------
    SchemaError
        If bounds of one of them are open: there is nothing to accept.
    """
    if unknown := [name for name in schema.open if name in names]:
        raise SchemaError(open_bounds(unknown))
    return replace(schema, guessed=_without(schema.guessed, names))


def _without(guessed: Collection[str], names: Collection[str]) -> tuple[str, ...]:
    return tuple(name for name in guessed if name not in names)


def left_out(schema: Schema, names: Collection[str], *, reason: str | None = OUT_REASON) -> Schema:
    """Return the schema without these columns, and without an identifier that has one of them.

    Parameters
    ----------
    schema : Schema
    names : collection of str
        Not the label, without which there is no schema.
    reason : str or None
        Listed with the names; with None they are not named at all.

    Raises
    ------
    SchemaError
        If no column would be left.
    """
    persons = schema.identifier.names if schema.identifier else ()
    if tables := [table.name for table in schema.tables if table.entry in names]:
        return _without_tables(schema, names, tables, reason)
    if set(persons) & set(names):
        names = tuple(dict.fromkeys((*names, *persons)))  # what is left of them says nothing of persons
    kept = _rewritten(replace(schema, guessed=_without(schema.guessed, names)), names)
    listed = tuple(pair for pair in schema.ignored if pair[0] not in names)
    return replace(
        kept,
        columns=tuple(column for column in _columns(schema) if column.name not in names),
        group_columns=(),
        identifier=None if set(persons) & set(names) else schema.identifier,
        ignored=listed if reason is None else (*listed, *((name, reason) for name in names)),
    )


def _without_tables(schema: Schema, names: Collection[str], tables: Collection[str], reason: str | None) -> Schema:
    """Return the schema without side tables and what is computed of them, and without other entries of these names."""
    of_them = {column.name for column in schema.inputs if column.from_table and column.from_table.table in tables}
    entries = [table.entry for table in schema.tables if table.name in tables]
    rest = [name for name in names if name not in entries]
    schema = left_out(schema, of_them, reason=None)
    guessed = _without(schema.guessed, entries)
    others = tuple(each for each in schema.tables if each.name not in tables)
    kept = replace(schema, tables=others, guessed=guessed)
    return left_out(kept, rest, reason=reason) if rest else kept


def with_entry(schema: Schema, entry: Column | Label | Target | Identifier) -> Schema:
    """Return the schema with this entry, checked, in the place of the one of its name; a new column comes last.

    Another identifier is left out then; and one says more than a number of rows for each person, which goes.
    """
    schema = _rewritten(schema, entry.names)
    persons = schema.identifier.names if schema.identifier else ()
    if isinstance(entry, Label | Target):
        return replace(schema, guessed=_without(schema.guessed, [entry.name]), label=entry)
    if isinstance(entry, Identifier):
        schema = left_out(schema, [name for name in persons if name not in entry.names])
        return replace(left_out(schema, entry.names, reason=None), identifier=entry, rows_per_person=1)
    described = _columns(schema)
    places = {column.name: place for place, column in enumerate(described)}
    place = places.get(entry.name, len(places))
    columns = (*described[:place], entry, *described[place + 1 :])
    ignored = tuple(pair for pair in schema.ignored if pair[0] != entry.name)
    rest = tuple(name for name in persons if name != entry.name)
    identifier = replace(schema.identifier, name=rest) if schema.identifier and rest else None
    guessed = _without(schema.guessed, [entry.name])
    return replace(schema, columns=columns, group_columns=(), ignored=ignored, identifier=identifier, guessed=guessed)


def with_privacy_turned(schema: Schema, names: Collection[str]) -> Schema:
    """Return the schema with these columns, or the label, public if they were private, and the other way round."""
    described = _columns(schema)
    columns = tuple(replace(each, private=not each.private) if each.name in names else each for each in described)
    label = schema.label
    turned = replace(label, private=not label.private) if label.name in names else label
    return replace(schema, columns=columns, group_columns=(), label=turned)


def with_reason(schema: Schema, name: str, reason: str | None) -> Schema:
    """Return the schema with this reason for leaving a column out, or without naming it at all."""
    listed = tuple(pair for pair in schema.ignored if pair[0] != name)
    return replace(schema, ignored=listed if reason is None else (*listed, (name, reason)))


def with_table(schema: Schema, pairs: Mapping[str, Any]) -> Schema:
    """Return the schema with what is said of the table as a whole, by the names of ``table_entry``."""
    file = {name.partition(".")[2]: value for name, value in pairs.items() if name.startswith("file.")}
    rows = pairs.get("rows_per_person", 1)
    written = FileFormat(**file) if file else None
    return replace(schema, rows_per_person=rows, file=written, delta=pairs.get("privacy.delta"))


def _columns(schema: Schema) -> tuple[Column, ...]:
    """Return the columns that a table has, those that rows are counted by among them."""
    return (*schema.inputs, *schema.group_columns)


def _rewritten(schema: Schema, names: Collection[str]) -> Schema:
    """Return the schema in which these entries count as people's own; what learning them cost stays."""
    if schema.learned is None:
        return schema
    entries = tuple(name for name in schema.learned.entries if name not in names)
    return replace(schema, learned=replace(schema.learned, entries=entries))


def reviewed_toml(schema: Schema) -> str:
    """Return the schema as TOML, below a line on what is left to decide."""
    left = len(schema.guessed)
    said = f"NOT PRIVATE YET: {left} entries below were read off rows and are not checked." if left else "Reviewed."
    return f"# {said}\n\n{schema.to_toml()}"
