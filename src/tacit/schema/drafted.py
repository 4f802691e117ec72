"""What a draft of a schema says of each entry: the guess, why, what to do about it, what it would publish."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tacit.schema.columns import Column, Numeric
from tacit.schema.entry_fields import EntryKind
from tacit.schema.entry_words import ALIKE, SPLIT, form_of, is_accepted_alone, lacks, published
from tacit.schema.file_format import PLAIN, as_pairs
from tacit.schema.groups import grouped
from tacit.schema.identifier import Identifier
from tacit.schema.label import Label
from tacit.schema.side_table import SideTable
from tacit.schema.side_toml import side_entry, side_pairs
from tacit.schema.target import Target
from tacit.schema.toml import as_table, entry_pairs, identifier_pairs

if TYPE_CHECKING:
    from tacit.schema.schema import Schema

Section = Literal["identifier", "label", "private", "public", "side table", "left out", "table"]


@dataclass(frozen=True, repr=False)
class DraftEntry:
    """One entry of a draft, which is one thing for a person to decide, unless it is left out.

    What a draft reads off the rows is in its lines, and is repeated in what they publish: bounds rounded outward,
    categories, classes. The other texts are fixed, without a cell or a count.

    Parameters
    ----------
    section : {"identifier", "label", "private", "public", "side table", "left out", "table"}
        Where a review shows it. A draft has no public entry; a schema that was reviewed may.
    kind : {"identifier", "label", "target", "numeric", "categorical", "side table", "left out", "table"}
        What the entry is.
    names : tuple of str
        The columns that it describes: one, or several that share one entry; none of what is said of the whole table.
    pairs : dict of str to value
        Its lines, as a schema file has them.
    reason : str
        Why it was guessed so, or why it is left out.
    way : str
        What to check, and what to write where the guess is wrong.
    guessed : bool
        Whether it was read off rows and nobody has checked it yet, or its bounds are open: a decision to make.
    """

    section: Section
    kind: EntryKind
    names: tuple[str, ...]
    pairs: dict[str, Any]
    reason: str
    way: str
    guessed: bool

    @property
    def name(self) -> str:
        """The first of its columns."""
        return self.names[0]

    @property
    def publishes(self) -> str:
        """What publishing the entry tells everybody."""
        return published(self.kind, self.names, self.pairs)

    @property
    def is_accepted_alone(self) -> bool:
        """Whether it is no part of accepting many at once, as a text of its cells may name somebody."""
        return is_accepted_alone(self.kind, self.pairs)

    @property
    def lacks(self) -> list[str]:
        """What it lacks, and every entry of its kind has: bounds that no dictionary of a file tells."""
        return [field.name for field in lacks(self.kind, self.pairs)]

    @property
    def toml(self) -> str:
        """The entry as a schema file has it, header and all, without comments.

        With the format and the other entries it reads as the schema.
        """
        import tomlkit

        document = tomlkit.document()
        if self.kind == "table":
            for name, value in self.pairs.items():
                document.append(tomlkit.key(name.split(".")), tomlkit.item(value))
        elif self.kind == "side table":
            document.add("table", tomlkit.item([side_entry(self.pairs, as_table)]))
        elif self.kind in ("numeric", "categorical"):
            document.add("column", tomlkit.item([as_table(self.pairs)]))
        else:
            document.add("ignored" if self.kind == "left out" else self.kind, as_table(self.pairs))
        return tomlkit.dumps(document)


def entries_of(schema: Schema, reasons: Mapping[str, str] | None = None) -> tuple[DraftEntry, ...]:
    """Return the entries of any schema: identifier, label, columns in order, side tables, then what is left out.

    Parameters
    ----------
    schema : Schema
        A draft, or a schema that people have changed.
    reasons : mapping of str to str, optional
        Why an entry was guessed as it is, by name; else a text that goes with its kind.
    """
    reasons = reasons or {}
    used: list[tuple[Identifier | Label | Target | Column, ...]] = [(schema.identifier,)] if schema.identifier else []
    used += [(schema.label,), *grouped(schema)]
    found = [_entry(alike[0], schema, reasons, tuple(name for each in alike for name in each.names)) for alike in used]
    found += [_side_table(table, schema, reasons) for table in schema.tables]
    return (*found, *(_left_out(name, reason) for name, reason in schema.ignored))


def n_undecided(schema: Schema) -> int:
    """Return how many entries are still guesses, or have open bounds; columns that share an entry are one."""
    entries = (schema.identifier, schema.label, *(alike[0] for alike in grouped(schema)))
    tables = sum(table.entry in schema.guessed for table in schema.tables)
    return tables + sum(entry is not None and _is_undecided(entry, schema) for entry in entries)


def _is_undecided(entry: Identifier | Label | Target | Column, schema: Schema) -> bool:
    return entry.names[0] in schema.guessed or (isinstance(entry, Numeric) and entry.is_open)


def way_of(reason: str) -> str:
    """Return what to do about a draft's reason, as a sentence; nothing where its kind says all."""
    from tacit.schema.guesses.reasons import WAYS

    return WAYS.get(reason, "")


def table_entry(schema: Schema) -> DraftEntry:
    """Return what a schema says of its table as a whole."""
    pairs: dict[str, Any] = {"rows_per_person": schema.rows_per_person} if schema.rows_per_person != 1 else {}
    pairs |= {f"file.{name}": value for name, value in as_pairs(schema.file or PLAIN).items()}
    pairs |= {"privacy.delta": schema.delta} if schema.delta is not None else {}
    return _made("table", "table", (), pairs, "", guessed=False)


def _entry(
    entry: Identifier | Label | Target | Column, schema: Schema, reasons: Mapping[str, str], names: tuple[str, ...]
) -> DraftEntry:
    reason, guessed = reasons.get(names[0], ""), _is_undecided(entry, schema)
    if isinstance(entry, Identifier):
        pairs = identifier_pairs(entry, schema)
        return _made("identifier", "identifier", names, pairs, reason, guessed=guessed)
    if isinstance(entry, Label | Target):
        kind: EntryKind = "target" if isinstance(entry, Target) else "label"
        return _made("label", kind, names, entry_pairs(entry, schema), reason, guessed=guessed)
    pairs = entry_pairs(entry, schema, names)
    kind = "numeric" if isinstance(entry, Numeric) else "categorical"
    return _made("private" if entry.private else "public", kind, names, pairs, reason, guessed=guessed)


def _made(
    section: Section, kind: EntryKind, names: tuple[str, ...], pairs: dict[str, Any], reason: str, *, guessed: bool
) -> DraftEntry:
    """Return the entry with what its form says where its reason does not say more."""
    form = form_of(kind, pairs)
    reason, way = reason or form.reason, way_of(reason) or form.way
    if len(names) > 1 and kind != "identifier":
        reason, way = reason + ALIKE, f"{way} {SPLIT}"
    return DraftEntry(section, kind, names, pairs, reason, way, guessed)


def _side_table(table: SideTable, schema: Schema, reasons: Mapping[str, str]) -> DraftEntry:
    name, guessed = table.entry, table.entry in schema.guessed
    pairs = side_pairs(table, schema, entry_pairs)
    return _made("side table", "side table", (name,), pairs, reasons.get(name, ""), guessed=guessed)


def _left_out(name: str, reason: str) -> DraftEntry:
    return _made("left out", "left out", (name,), {name: reason}, reason, guessed=False)
