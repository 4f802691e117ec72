"""What the terminal asks to change an entry of a schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.cli.review_answers import answered, asked, chosen_names
from tacit.errors import SchemaError
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema, Target
from tacit.schema.decisions import with_entry, with_table
from tacit.schema.drafted import DraftEntry
from tacit.schema.entry_fields import FIELDS, EntryKind, Field
from tacit.schema.feature import read_feature

_CLASSES: dict[EntryKind, type[Any]] = {
    "numeric": Numeric,
    "categorical": Categorical,
    "label": Label,
    "target": Target,
    "identifier": Identifier,
}

# What a column may be called; two of them are categories, too.
_LIST_FIELDS = ("categories", "other", "missing", "center", "match")
_BUCKET_FIELDS = ("buckets", "salt")


def changed(schema: Schema, entry: DraftEntry) -> Schema:
    """Return the schema with what is answered in the place of an entry's main fields.

    Raises
    ------
    SchemaError
        If an answer makes no entry; the message says why.
    """
    if entry.kind in ("identifier", "label", "target", "table"):
        return _with(schema, entry, entry.kind, _answered(_fields(entry.kind), entry.pairs))
    form = asked(f"One of {', '.join(_FORMS)}", _form(entry) if entry.kind != "left out" else None)
    if form not in _FORMS:
        raise SchemaError(f"Expected one of {', '.join(_FORMS)}, got kind={form!r}. Type one of them.")
    kind, pairs = _FORMS[form], dict(entry.pairs if entry.kind != "left out" else {})
    if kind != entry.kind:
        pairs = {name: pairs[name] for name in ("private", "from") if name in pairs} if kind != "identifier" else {}
    return _with(schema, entry, kind, _of_form(form, pairs, was=entry.kind))


def with_fields(schema: Schema, entry: DraftEntry) -> Schema:
    """Return the schema with answers in the place of the fields of an entry that are named.

    Raises
    ------
    SchemaError
        If a name is no field, or an answer makes no entry.
    """
    known = {field.name: field for field in FIELDS[entry.kind] if field.editor != "kept"}
    pairs = entry.pairs | ({"columns": entry.names} if entry.kind == "identifier" else {})
    names = chosen_names(asked(f"Fields, with commas between ({', '.join(known)})", ""), known)
    return _with(schema, entry, entry.kind, _answered([known[name] for name in names], pairs, is_named=True))


_FORMS: dict[str, EntryKind] = {
    "numeric": "numeric",
    "categorical": "categorical",
    "prefix": "categorical",
    "buckets": "categorical",
    "identifier": "identifier",
}


def _form(entry: DraftEntry) -> str:
    if entry.kind == "categorical" and entry.pairs.get("match") == "prefix":
        return "prefix"
    return entry.kind


def _of_form(form: str, pairs: dict[str, Any], *, was: str) -> dict[str, Any]:
    """Return an entry's lines with answers to what its form is asked for."""
    kind = _FORMS[form]
    if kind != "categorical":
        return _answered(_fields(kind), pairs)
    buckets = _buckets(pairs.get("buckets"), form) if form == "buckets" or "categories" not in pairs else None
    if buckets is not None:
        return {name: value for name, value in pairs.items() if name not in _LIST_FIELDS} | {"buckets": buckets}
    pairs = {name: value for name, value in pairs.items() if name not in _BUCKET_FIELDS}
    if form == "prefix":
        pairs["match"] = "prefix"
    elif was == "categorical":
        pairs.pop("match", None)
    return _answered(_fields(kind), pairs, as_numbers=was == "numeric")


def _buckets(known: object, form: str) -> object:
    """Return how many buckets are to take the place of a list; None for a list."""
    [field] = [field for field in FIELDS["categorical"] if field.name == "buckets"]
    if form == "buckets":
        return answered(field, known, {})
    said = asked("buckets in place of a list (list: a list of values)", known or "list")
    return None if said in ("", "list") else answered(field, known, {}, line=said)


def _fields(kind: EntryKind) -> list[Field]:
    return [field for field in FIELDS[kind] if field.main]


def _answered(
    fields: Sequence[Field], pairs: Mapping[str, Any], *, as_numbers: bool = False, is_named: bool = False
) -> dict[str, Any]:
    """Return an entry's lines with an answer for each field; none for those that are left out."""
    given = dict(pairs)
    for field in fields:
        known = given.get(field.name)
        if field.editor == "some" and not is_named and known is None and len(given["classes"]) == 2:
            continue  # there is nothing to bring together
        value = answered(field, known, given, was=pairs, as_numbers=as_numbers)
        if value is None:
            given.pop(field.name, None)
        else:
            given[field.name] = value
    return given


def _with(schema: Schema, entry: DraftEntry, kind: EntryKind, pairs: Mapping[str, Any]) -> Schema:
    """Return the schema with these lines in the place of an entry's."""
    if kind == "table":
        return with_table(schema, pairs)
    own = {name: value for name, value in pairs.items() if name in {field.name for field in FIELDS[kind]} - {"learned"}}
    if kind == "identifier":
        return with_entry(schema, Identifier(own.pop("columns", entry.names), **own))
    computed = {"from_table": read_feature(own.pop("from"), "an entry")} if "from" in own else {}
    for name in entry.names:
        schema = with_entry(schema, _CLASSES[kind](name, **own | computed))
    return schema
