"""Schemas as TOML: a file that people read and edit, and that makes the equal schema again."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import MISSING, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.errors import SchemaError, shown
from tacit.schema._checks import checked_flag, stated_fields
from tacit.schema.arguments import SchemaParts
from tacit.schema.categorical import Categorical
from tacit.schema.columns import Column, Numeric
from tacit.schema.feature import read_feature
from tacit.schema.file_format import as_pairs, read_format
from tacit.schema.groups import grouped, names_of
from tacit.schema.identifier import Identifier
from tacit.schema.label import Label
from tacit.schema.learned import LearnedEntries
from tacit.schema.side_toml import add_tables, read_tables
from tacit.schema.target import Target
from tacit.schema.weight import Weight

if TYPE_CHECKING:
    from tomlkit import TOMLDocument
    from tomlkit.items import Table

    from tacit.schema.file_format import FileFormat
    from tacit.schema.schema import Schema

FORMAT = 1
"""The version of the layout; a file of another version is refused."""

_SHORTEN = "Gather rare categories under `other`, or check that this is a schema."

_KNOWN = frozenset(
    ("format", "label", "target", "column", "ignored", "identifier", "rows_per_person", "learned", "file", "privacy")
) | {"table", "weight"}

_KINDS: dict[str, type[Column]] = {"numeric": Numeric, "categorical": Categorical}
_WIDEST_LINE = 100

MAX_BYTES = 2**22
"""Of a file or text: four times what ten thousand columns take to write down."""


def write_schema(schema: Schema) -> str:
    """Return the schema as TOML text: defaults are left out, but `private` is always said."""
    import tomlkit

    document = tomlkit.document()
    document.add("format", tomlkit.item(FORMAT))
    if schema.rows_per_person != 1:
        document.add("rows_per_person", tomlkit.item(schema.rows_per_person))
    add_format(document, schema.file)
    if schema.delta is not None:
        document.add("privacy", as_table({"delta": schema.delta}))
    document.add("target" if schema.target else "label", entry_table(schema.label, schema))
    if schema.identifier:
        document.add("identifier", identifier_table(schema.identifier, schema))
    if schema.weight:
        marked = {"guessed": True} if schema.weight.name in schema.guessed else {}
        document.add("weight", as_table(stated_fields(schema.weight) | {"private": schema.weight.private} | marked))
    add_columns(document, [entry_table(alike[0], schema, names=_names(alike)) for alike in grouped(schema)])
    add_tables(document, schema, as_table, entry_pairs)
    if schema.ignored:
        document.add("ignored", tomlkit.item(dict(schema.ignored)))
    if schema.learned:
        document.add("learned", tomlkit.item({"certificate": schema.learned.certificate}))
    return tomlkit.dumps(document)


def add_format(document: TOMLDocument, written: FileFormat | None, advice: Mapping[str, str] | None = None) -> None:
    """Append [file], where there is something to say, to the document."""
    if written is not None:
        document.add("file", as_table(as_pairs(written), advice))


def identifier_table(identifier: Identifier, schema: Schema, advice: Mapping[str, str] | None = None) -> Table:
    """Return the identifier as a TOML table, with advice behind its lines."""
    return as_table(identifier_pairs(identifier, schema), advice)


def identifier_pairs(identifier: Identifier, schema: Schema) -> dict[str, Any]:
    """Return the lines of the identifier, by name."""
    guessed = {"guessed": True} if identifier.names[0] in schema.guessed else {}
    named = {"name": identifier.name} if len(identifier.names) == 1 else {"columns": identifier.names}
    return named | {"rows": identifier.rows} | guessed


def add_columns(document: TOMLDocument, tables: list[Table]) -> None:
    """Append the [[column]] entries to the document."""
    import tomlkit

    entries = tomlkit.aot()
    for table in tables:
        entries.append(table)
    document.add("column", entries)


def entry_table(
    entry: Column | Label | Target, schema: Schema, advice: Mapping[str, str] | None = None, names: tuple[str, ...] = ()
) -> Table:
    """Return one entry as a TOML table, with advice behind its lines; see ``entry_pairs``."""
    return as_table(entry_pairs(entry, schema, names), advice)


def entry_pairs(entry: Column | Label | Target, schema: Schema, names: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the lines of one entry, by name, `private` and `guessed` last.

    Of several `names`, the entry is that of all these columns.
    """
    stated = stated_fields(entry.as_written() if isinstance(entry, Label) else entry)
    name = stated.pop("name")
    pairs: dict[str, Any] = {"columns": names} if len(names) > 1 else {"name": name}
    if not isinstance(entry, Label | Target):
        pairs["kind"] = "numeric" if isinstance(entry, Numeric) else "categorical"
    feature = stated.pop("from_table", None)
    pairs |= {name: value for name, value in stated.items() if name != "private"}
    pairs |= ({"from": feature.pairs()} if feature else {}) | {"private": entry.private}
    if entry.name in schema.guessed:
        pairs["guessed"] = True
    if schema.learned and entry.name in schema.learned.entries:
        pairs["learned"] = True
    return pairs


def as_table(pairs: Mapping[str, Any], advice: Mapping[str, str] | None = None) -> Table:
    """Return lines as a TOML table, with advice behind them; one value or list a line."""
    import tomlkit

    table = tomlkit.table()
    for name, value in pairs.items():
        item = item_of(value)
        if advice and name in advice:
            item.comment(advice[name])
        table.add(name, item)
    return table


def _names(alike: tuple[Column, ...]) -> tuple[str, ...]:
    return tuple(column.name for column in alike)


def item_of(value: Any) -> Any:
    """Return a field's value as TOML has it on one line, or a list that is too long for one on several."""
    import tomlkit

    if isinstance(value, dict):  # a table of its own would end the entry
        table = tomlkit.inline_table()
        table.update(value)
        return table
    if not isinstance(value, tuple | list):
        return tomlkit.item(value)
    array = tomlkit.item(list(value))
    return array.multiline(len(array.as_string()) > _WIDEST_LINE)


def read_schema(source: str | os.PathLike[str]) -> SchemaParts:
    """Return the parts of a schema in a file, or in text with a line break in it."""
    document = parsed_toml(source)
    check_keys(document, _KNOWN, "the schema file")
    version = document.get("format")
    if type(version) is not int or version != FORMAT:
        raise SchemaError(
            f"Expected format = {FORMAT} in the schema file, got format={shown(version)}. "
            f"Write format = {FORMAT} in its first line, or use the version of this package that wrote it."
        )
    label, label_guessed = _read_label(document.get("label"), document.get("target"))
    entries = _entries(document.get("column"))
    read = [column for place, entry in enumerate(entries, start=1) for column in _read_columns(entry, place)]
    guessed = [column.name for column, is_guessed in read if is_guessed] + [label.name] * label_guessed
    identifier, identifier_guessed = _read_identifier(document.get("identifier"))
    guessed += identifier.names if identifier and identifier_guessed else []
    weight, weight_guessed = _read_weight(document.get("weight"))
    guessed += [weight.name] if weight and weight_guessed else []
    ignored = _read_ignored(document.get("ignored", {}))
    tables = read_tables(document.get("table", []), source, _read_columns)
    guessed += [table.entry for table, is_guessed in tables if is_guessed]
    return {
        "columns": [column for column, _ in read],
        "label": label,
        "ignored": ignored,
        "guessed": guessed,
        "identifier": identifier,
        "rows_per_person": document.get("rows_per_person", 1),
        "learned": _read_learned(document.get("learned"), [*entries, document.get("label", document.get("target"))]),
        "file": read_format(document.get("file"), "the schema file"),
        "delta": _read_delta(document.get("privacy", {})),
        "tables": [table for table, _ in tables],
        "weight": weight,
    }


def _read_delta(table: object) -> Any:
    if not isinstance(table, dict) or not set(table) <= {"delta"}:
        raise SchemaError("Expected delta under [privacy] in the schema file, got something else. Correct it.")
    return table.get("delta")


def parsed_toml(source: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a TOML file says, or TOML text with a line break or an equals sign in it."""
    text, where = _text_of(source)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = f"Expected TOML in {where}, got something else: {error}. Correct it there."
    except (RecursionError, ValueError):  # brackets in brackets without end, or a number of thousands of digits
        message = f"Expected a schema in {where}, got what no schema holds. Write it again, or draft one."
    raise SchemaError(message) from None


def _text_of(source: object) -> tuple[str, str]:
    if isinstance(source, str) and ("\n" in source or ("=" in source and not _is_file(source))):
        if len(source) > MAX_BYTES:
            raise SchemaError(f"Expected a schema of at most {MAX_BYTES:,} characters, got more. {_SHORTEN}")
        return source, "the schema text"
    if not isinstance(source, str | os.PathLike):
        raise SchemaError(f"Expected a path or TOML text, got source={shown(source)}. Give one of the two.")
    try:
        content = read_at_most(Path(source), MAX_BYTES)
        if content is not None:
            # Editors on Windows put a mark in front of UTF-8, which TOML does not know.
            return content.decode("utf-8-sig"), f"the schema file {str(source)!r}"
        message = f"Expected a schema file of at most {MAX_BYTES:,} bytes, got path={str(source)!r}. {_SHORTEN}"
    except (OSError, ValueError):
        message = f"Expected a readable UTF-8 schema file, got path={str(source)!r}. Check the path and the file."
    raise SchemaError(message) from None


def read_at_most(path: Path, most: int) -> bytes | None:
    """Return the content of a file, or None if it holds more bytes; a device or pipe tells no size beforehand."""
    with path.open("rb") as stream:
        content = stream.read(most + 1)
    return content if len(content) <= most else None


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except OSError:  # too long for a file's name
        return False


def check_keys(table: Mapping[str, object], known: Collection[str], where: str) -> None:
    """Refuse names that the table has no place for."""
    for key in table:
        if key not in known:
            near = get_close_matches(key, sorted(known), n=1)
            remedy = f"Did you mean {near[0]!r}?" if near else f"Remove it; there are {', '.join(sorted(known))}."
            raise SchemaError(f"Expected only known keys in {where}, got {key!r}. {remedy}")


def _read_label(entry: object, target: object) -> tuple[Label | Target, bool]:
    if isinstance(target, dict):
        if entry is not None:
            raise SchemaError(
                "Expected [label] or [target] in the schema file, got both. Keep the one that is to be predicted."
            )
        where = f"target {target['name']!r}" if isinstance(target.get("name"), str) else "[target]"
        return _made(Target, target, where)
    if not isinstance(entry, dict):
        raise SchemaError(
            "Expected one [label] in the schema file, got none. Write [label] with name and classes, "
            "or of a number [target] with name, low and high."
        )
    where = f"label {entry['name']!r}" if isinstance(entry.get("name"), str) else "[label]"
    return _made(Label, entry, where)


def _read_identifier(entry: object) -> tuple[Identifier | None, bool]:
    if entry is None:
        return None, False
    where = "[identifier]"
    if not isinstance(entry, dict) or ("name" in entry) == ("columns" in entry):
        raise SchemaError(
            f"Expected name or columns under {where}, got none or both. Write name = ... of the column of persons, or "
            "columns = [...] of those that name one together."
        )
    if "columns" in entry:
        shared = {key: value for key, value in entry.items() if key != "columns"}
        entry = {"name": names_of(entry["columns"], where)} | shared
    elif not isinstance(entry["name"], str):
        raise SchemaError(
            f"Expected the name of one column for name under {where}, got name={shown(entry['name'])}. Of several "
            "write columns = [...]."
        )
    return _made(Identifier, entry, where)


def _read_weight(entry: object) -> tuple[Weight | None, bool]:
    if entry is None:
        return None, False
    if not isinstance(entry, dict):
        raise SchemaError("Expected [weight] with name and cap in the schema file, got something else. Correct it.")
    return _made(Weight, entry, "[weight]")


def _read_learned(table: object, entries: list[Any]) -> LearnedEntries | None:
    marked = [entry for entry in entries if checked_flag(entry.get("learned", False), "learned", "an entry")]
    names = [name for entry in marked for name in entry.get("columns", [entry.get("name")])]
    if table is None:
        if names:
            raise SchemaError(
                f"Expected [learned] with the certificate of what learning {names[0]!r} cost, got none. Keep it: the "
                "certificate of a model adds that cost."
            )
        return None
    if not isinstance(table, dict) or set(table) != {"certificate"}:
        raise SchemaError("Expected a certificate under [learned], got something else. Learn the schema again.")
    return LearnedEntries(names, table["certificate"])


def _entries(entries: object) -> list[dict[str, Any]]:
    if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries):
        return entries
    raise SchemaError(
        "Expected [[column]] entries in the schema file, got none. Begin each column with [[column]] in two brackets."
    )


def _read_columns(entry: dict[str, Any], place: int) -> list[tuple[Column, bool]]:
    """Return the columns of an entry: one, or those that it names under `columns`."""
    if "columns" not in entry:
        return [_read_column(entry, place)]
    where = f"[[column]] number {place}"
    if "name" in entry:
        raise SchemaError(f"Expected name or columns in {where}, got both. Write name for one column alone.")
    shared = {key: value for key, value in entry.items() if key != "columns"}
    return [_read_column({"name": name} | shared, place) for name in names_of(entry["columns"], where)]


def _read_column(entry: dict[str, Any], place: int) -> tuple[Column, bool]:
    where = f"column {entry['name']!r}" if isinstance(entry.get("name"), str) else f"[[column]] number {place}"
    kind = entry.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise SchemaError(
            f"Expected kind 'numeric' or 'categorical' in {where}, got kind={shown(kind)}. Write one of the two."
        )
    feature = read_feature(entry.get("from"), where)
    column, guessed = _made(
        _KINDS[kind], {key: value for key, value in entry.items() if key not in ("kind", "from")}, where
    )
    return replace(column, from_table=feature), guessed


def _made(cls: type[Any], entry: dict[str, Any], where: str) -> tuple[Any, bool]:
    unused = {"indicates", "listed", "from_table"} | ({"cuts", "dates", "date_part"} if cls is Target else set())
    names = [field.name for field in fields(cls) if field.name not in unused]
    check_keys(entry, {*names, "guessed", "learned"} | ({"kind", "from"} if cls in _KINDS.values() else set()), where)
    for field in fields(cls):
        if field.default is MISSING and field.name not in entry:
            raise SchemaError(f"Expected {field.name} in {where}, got none. Add the line {field.name} = ...")
    guessed = checked_flag(entry.get("guessed", False), "guessed", where)
    return cls(**{name: entry[name] for name in names if name in entry}), guessed


def _read_ignored(table: object) -> dict[str, str]:
    if isinstance(table, dict) and all(isinstance(reason, str) for reason in table.values()):
        return table
    raise SchemaError(
        'Expected name = "reason" lines under [ignored], got something else. Write each reason in quotes.'
    )
