"""The page on which people review a draft of a schema: what is guessed, why, and what it would publish."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from tacit.report.page.document import document, escaped, filled, resource
from tacit.saving import write_atomically
from tacit.schema import Schema, entry_fields, entry_words
from tacit.schema.drafted import DraftEntry, table_entry
from tacit.schema.entry_words import literal, said
from tacit.schema.toml import FORMAT

_SCRIPTS = (
    "text.js",
    "review_state.js",
    "review_words.js",
    "review_boxes.js",
    "review_checks.js",
    "review_form.js",
    "review.js",
)

# Of an entry these say what the page keeps apart from its values.
_APART = ("kind", "guessed")


def write_schema_review(
    entries: Iterable[DraftEntry], path: str | os.PathLike[str], *, schema: Schema, file: str = "schema.toml"
) -> None:
    """Write the page of a review: one file that opens without a network and requests nothing.

    Parameters
    ----------
    entries : iterable of DraftEntry
        As ``entries_of`` or a draft has them.
    path : str or path
        A page that is there is replaced, at once and whole.
    schema : Schema
        Whose entries they are.
    file : str
        What the browser calls the file that it saves.

    Notes
    -----
    Privacy: **the page of a draft is as private as the draft**: it holds the entries, which were read off the rows,
    and no other cell. It says so at the top.
    """
    write_atomically(Path(path), schema_review(entries, schema=schema, file=file))


def schema_review(entries: Iterable[DraftEntry], *, schema: Schema, file: str = "schema.toml") -> str:
    """Return the page of a review, as HTML; see `write_schema_review`."""
    from tacit import __version__

    what = "target" if schema.target else "label"
    body = filled(
        "review.html",
        title="Review of a schema",
        facts=escaped(f"{file}: {len(schema.inputs)} columns, the {what} {schema.label.name}."),
        made=escaped(f"Made by tacit {__version__}. It makes no request."),
    )
    contents = [_contents(entry) for entry in (*entries, table_entry(schema))]
    data = {"file": file, "top": _top(schema), "entries": contents, "words": _words()}
    scripts = ["\n".join(resource(name) for name in _SCRIPTS)]
    return document(title="Review of a schema", body=body, scripts=scripts, data=data, style=resource("review.css"))


def _top(schema: Schema) -> list[tuple[str, str]]:
    """Return the lines of the file that belong to no entry, values as TOML has them."""
    learned = [("learned", literal({"certificate": schema.learned.certificate}))] if schema.learned else []
    return [("format", literal(FORMAT)), *learned]


def _words() -> dict[str, Any]:
    """Return the fields that can be typed, and the sentences of which the page puts together what it says."""
    return {
        "fields": {kind: [asdict(field) for field in fields] for kind, fields in entry_fields.FIELDS.items()},
        "forms": [asdict(form) for form in entry_words.FORMS],
        "heads": entry_words.HEADS,
        "headsOfSeveral": entry_words.HEADS_OF_SEVERAL,
        "nothing": entry_words.NOTHING,
        "maxTold": entry_words.MAX_TOLD,
        "alike": entry_words.ALIKE,
        "split": entry_words.SPLIT,
        "alone": entry_words.ALONE,
    }


def _contents(entry: DraftEntry) -> dict[str, Any]:
    """Return an entry with its values as TOML has them and as people read them, which a browser need not parse."""
    pairs = {} if entry.kind in ("left out", "side table") else entry.pairs
    # Of a side table nothing is typed here: its lines are saved as they are.
    whole = replace(entry, pairs={name: value for name, value in entry.pairs.items() if name != "guessed"})
    return {
        "kind": entry.kind,
        "names": entry.names,
        "reason": entry.reason.removesuffix(entry_words.ALIKE),
        "way": entry.way.removesuffix(f" {entry_words.SPLIT}"),
        "guessed": entry.guessed,
        "fields": [(name, _value(value)) for name, value in pairs.items() if name not in _APART],
    } | ({"toml": whole.toml.strip()} if entry.kind == "side table" else {})


def _value(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return {"list": [_value(each) for each in value]}
    if isinstance(value, Mapping):
        return {"pairs": [(text, _value(by)) for text, by in value.items()]}
    return (literal(value), said(value))
