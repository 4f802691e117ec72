"""What the terminal asks to change an entry of a schema."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import typer

from tacit.cli.console import shown
from tacit.errors import SchemaError
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema
from tacit.schema.columns import Column
from tacit.schema.decisions import with_entry
from tacit.schema.drafted import DraftEntry

Value = str | int | float | bool


def changed(schema: Schema, entry: DraftEntry) -> Schema:
    """Return the schema with what is answered in the place of an entry's fields.

    Raises
    ------
    SchemaError
        If an answer makes no entry; the message says why.
    """
    if entry.kind == "identifier":
        rows = _number(_asked("Rows of a person: mean, or at most", "mean"))
        return with_entry(schema, Identifier(entry.names, rows=rows))  # type: ignore[arg-type]
    if entry.kind == "label":
        return with_entry(schema, _label(schema.label.as_written()))
    kind = _asked("numeric or categorical", entry.kind)
    if kind not in ("numeric", "categorical"):
        raise SchemaError(f"Expected numeric or categorical, got kind={kind!r}. Type one of the two.")
    first, *rest = [schema.column(name) for name in entry.names]
    made = _numeric(first) if kind == "numeric" else _categorical(first)
    for name in (first.name, *(each.name for each in rest)):
        schema = with_entry(schema, replace(made, name=name))
    return schema


def _label(label: Label) -> Label:
    classes = _listed(label.classes)
    if len(classes) == 2 and not label.positive:
        return replace(label, classes=classes)
    known = ", ".join(map(_written, label.positive or ())) or "none"
    said = _words(_asked("one class made of several (with commas between; none)", known))
    positive = None if said == ["none"] else tuple(_as_listed(word, classes) for word in said)
    return replace(label, classes=classes, positive=positive)


def _numeric(column: Column) -> Numeric:
    old = column if isinstance(column, Numeric) else None
    low: Any = _number(_asked("low", old.low if old else None))
    high: Any = _number(_asked("high", old.high if old else None))
    said = _asked(
        "an empty cell counts as (none: refused; indicator: a category of its own)",
        "none" if old is None or old.missing is None else old.missing,
    )
    missing: Any = None if said == "none" else _number(said)
    if old:
        return replace(old, low=low, high=high, missing=missing)
    return Numeric(column.name, low, high, missing=missing, private=column.private)


def _categorical(column: Column) -> Categorical:
    old = column if isinstance(column, Categorical) else None
    if not (old and old.categories):
        known = old.buckets if old else None
        if buckets := _asked("buckets in place of a list (Enter for a list)", known or ""):
            number: Any = _number(buckets)
            return Categorical(column.name, buckets=number, salt=old.salt if old else "", private=column.private)
    values = _listed(old.categories if old else (), as_numbers=old is None)
    other = typer.confirm("Count what is not listed as other?", default=bool(old and old.other), err=True)
    said = _asked("an empty cell counts as (none: refused)", _missing_before(old, values))
    missing = None if said == "none" else _as_listed(said, values)
    if old:
        return replace(old, categories=values, other=other, missing=missing, buckets=None, salt="")
    return Categorical(column.name, values, other=other, missing=missing, private=column.private)


def _missing_before(old: Categorical | None, values: Sequence[Value]) -> object:
    """Return what an empty cell counted as, but no category that was struck: it is not to be published."""
    if old is None or old.missing is None:
        return "none"
    return "missing" if old.missing in old.categories and old.missing not in values else old.missing


def _asked(words: str, default: object) -> str:
    if default is None:
        return str(typer.prompt(words, err=True)).strip()
    known = f" [{shown(str(default))}]" if default != "" else ""  # shown here: a category may hold control characters
    return str(typer.prompt(words + known, default=str(default), show_default=False, err=True)).strip()


def _listed(values: Sequence[Value], *, as_numbers: bool = False) -> tuple[Value, ...]:
    """Return the values less those struck and with those added, which get the type of the others."""
    kept = values
    if values:
        struck = _words(_asked("Strike (with commas between, Enter for none)", ""))
        if unknown := [word for word in struck if word not in map(_written, values)]:
            raise SchemaError(f"Expected values of the list, got {unknown[0]!r}. Type them as they are shown.")
        kept = [value for value in values if _written(value) not in struck]
    added = _words(_asked("Add (with commas between, Enter for none)" if values else "Values, with commas between", ""))
    sort = type(values[0]) if values else None
    return (*kept, *(_typed(word, sort, as_numbers) for word in added))


def _words(line: str) -> list[str]:
    """Return the words of a line, of which some may be in quotes for their commas."""
    found = next(csv.reader([line], skipinitialspace=True), [])
    return [word.strip() for word in found if word.strip()]


def _written(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _typed(word: str, sort: type | None, as_numbers: bool) -> Value:
    if sort is bool and word in ("true", "false"):
        return word == "true"
    return _number(word) if sort in (int, float) or (sort is None and as_numbers) else word


def _as_listed(said: str, values: Sequence[Value]) -> Value:
    return next((value for value in values if _written(value) == said), said)


def _number(text: str) -> int | float | str:
    """Return a number if the text is one; a text else, which may be a date, or is refused by the entry."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
