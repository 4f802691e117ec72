"""What a draft of a schema says of each entry: the guess, why, what to do about it, what it would publish."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tacit.schema.categorical import Categorical
from tacit.schema.columns import Column, Numeric
from tacit.schema.groups import grouped
from tacit.schema.identifier import Identifier
from tacit.schema.label import Label
from tacit.schema.toml import entry_table, identifier_table

if TYPE_CHECKING:
    from tacit.schema.schema import Schema

Section = Literal["identifier", "label", "private", "public", "left out"]
EntryKind = Literal["identifier", "label", "numeric", "categorical", "left out"]

_WAYS: dict[EntryKind, str] = {
    "identifier": "If each value is not one person, delete [identifier] and name the column under [ignored].",
    "label": "List every class that is possible, whether or not a row has it.",
    "numeric": "Write bounds that are known without the table, from what the column means.",
    "categorical": "List what is possible; strike what is rare or telling, and write other = true for the rest.",
    "left out": "To use it, delete its line under [ignored] and write a [[column]] for it.",
}
_PUBLISHED: dict[EntryKind, str] = {
    "identifier": "the column's name, and that its values say which rows are of one person; no value of it",
    "label": "the label's name and each class listed",
    "numeric": "the column's name, its bounds, and what a missing cell counts as",
    "categorical": "the column's name and each category listed",
    "left out": "the column's name and this reason; nothing if its line is deleted",
}
_REASONS: dict[EntryKind, str] = {
    "identifier": "it says which rows are of one person",
    "label": "the column to predict",
    "numeric": "a column of numbers",
    "categorical": "a column of few different values",
    "left out": "left out",
}
_BUCKETS_WAY = (
    "Check that its values are codes and not people. Where their beginnings mean something, list those with "
    'match = "prefix" in place of buckets.'
)
_BUCKETS_PUBLISHED = "the column's name and the number of buckets; no value of it"
_DROPPED_WAY = (
    " Check that everybody may know which rows have a label, of whom they are; else list a class of its own for rows "
    "without, and write its name for missing."
)
_DROPPED_PUBLISHED = ", and that which rows have one is public, as rows without are left out"
_ALIKE = ", the same in all of these columns"
_SPLIT = " Write a [[column]] of its own for one that differs."


@dataclass(frozen=True, repr=False)
class DraftEntry:
    """One entry of a draft, which is one thing for a person to decide, unless it is left out.

    Nothing of it is private beyond what its TOML shows: the other fields are fixed texts, without a cell or a count.

    Parameters
    ----------
    section : {"identifier", "label", "private", "public", "left out"}
        Where a review shows it. A draft has no public entry; a schema that was reviewed may.
    kind : {"identifier", "label", "numeric", "categorical", "left out"}
        What the entry is.
    names : tuple of str
        The columns that it describes: one, or several that share one entry.
    toml : str
        The entry as a schema file has it, header and all, without comments: with the format and the other entries it
        reads as the schema. A draft shows what is read off the rows here, and nowhere else: bounds rounded outward,
        categories, classes.
    reason : str
        Why it was guessed so, or why it is left out.
    way : str
        What to check, and what to write where the guess is wrong.
    publishes : str
        What publishing the entry tells everybody.
    guessed : bool
        Whether it was read off rows and nobody has checked it yet, or its bounds are open: a decision to make.
    """

    section: Section
    kind: EntryKind
    names: tuple[str, ...]
    toml: str
    reason: str
    way: str
    publishes: str
    guessed: bool

    @property
    def name(self) -> str:
        """The first of its columns."""
        return self.names[0]


def entries_of(schema: Schema, reasons: Mapping[str, str] | None = None) -> tuple[DraftEntry, ...]:
    """Return the entries of any schema: identifier, label, columns in order, then what is left out.

    Parameters
    ----------
    schema : Schema
        A draft, or a schema that people have changed.
    reasons : mapping of str to str, optional
        Why an entry was guessed as it is, by name; else a text that goes with its kind.
    """
    reasons = reasons or {}
    used: list[tuple[Identifier | Label | Column, ...]] = [(schema.identifier,)] if schema.identifier else []
    used += [(schema.label,), *grouped(schema)]
    found = [_entry(alike[0], schema, reasons, tuple(name for each in alike for name in each.names)) for alike in used]
    return (*found, *(_left_out(name, reason) for name, reason in schema.ignored))


def n_undecided(schema: Schema) -> int:
    """Return how many entries are still guesses, or have open bounds; columns that share an entry are one."""
    entries = (schema.identifier, schema.label, *(alike[0] for alike in grouped(schema)))
    return sum(entry is not None and _is_undecided(entry, schema) for entry in entries)


def _is_undecided(entry: Identifier | Label | Column, schema: Schema) -> bool:
    return entry.names[0] in schema.guessed or (isinstance(entry, Numeric) and entry.is_open)


def way_of(reason: str) -> str:
    """Return what to do about a draft's reason, as a sentence; nothing where its kind says all."""
    from tacit.schema.guesses.reasons import WAYS

    return WAYS.get(reason, "")


def _entry(
    entry: Identifier | Label | Column, schema: Schema, reasons: Mapping[str, str], names: tuple[str, ...]
) -> DraftEntry:
    kind = _kind(entry)
    section: Section
    if isinstance(entry, Identifier):
        section, toml = "identifier", _written("identifier", identifier_table(entry, schema))
    elif isinstance(entry, Label):
        section, toml = "label", _written("label", entry_table(entry, schema))
    else:
        section = "private" if entry.private else "public"
        toml = _written("column", [entry_table(entry, schema, names=names)])
    guessed = _is_undecided(entry, schema)
    reason = reasons.get(names[0]) or _REASONS[kind]
    way, published = _WAYS[kind], _PUBLISHED[kind]
    if isinstance(entry, Label) and entry.drops_missing:
        way, published = way + _DROPPED_WAY, published + _DROPPED_PUBLISHED
    if isinstance(entry, Categorical) and entry.buckets is not None:
        way, published = _BUCKETS_WAY, _BUCKETS_PUBLISHED
    way = way_of(reason) or way
    if len(names) > 1 and not isinstance(entry, Identifier):
        reason, way = reason + _ALIKE, way + _SPLIT
    return DraftEntry(section, kind, names, toml, reason, way, published, guessed)


def _kind(entry: Identifier | Label | Column) -> EntryKind:
    if isinstance(entry, Identifier):
        return "identifier"
    if isinstance(entry, Label):
        return "label"
    return "numeric" if isinstance(entry, Numeric) else "categorical"


def _left_out(name: str, reason: str) -> DraftEntry:
    toml = _written("ignored", {name: reason})
    way = way_of(reason) or _WAYS["left out"]
    return DraftEntry("left out", "left out", (name,), toml, reason, way, _PUBLISHED["left out"], False)


def _written(header: str, content: Any) -> str:
    import tomlkit

    document = tomlkit.document()
    document.add(header, tomlkit.item(content))
    return tomlkit.dumps(document)
