"""The page on which people review a draft of a schema: what is guessed, why, and what it would publish."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tacit.report.page.document import document, escaped, filled, resource
from tacit.saving import write_atomically
from tacit.schema import Schema
from tacit.schema.drafted import DraftEntry

_SCRIPTS = ("text.js", "review_state.js", "review_form.js", "review.js")

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

    body = filled(
        "review.html",
        title="Review of a schema",
        facts=escaped(f"{file}: {len(schema.inputs)} columns, the label {schema.label.name}."),
        made=escaped(f"Made by tacit {__version__}. It makes no request."),
    )
    data = {"file": file, "top": _top(schema), "entries": [_contents(entry) for entry in entries]}
    scripts = ["\n".join(resource(name) for name in _SCRIPTS)]
    return document(title="Review of a schema", body=body, scripts=scripts, data=data, style=resource("review.css"))


def _top(schema: Schema) -> list[tuple[str, str]]:
    """Return the lines of the file that belong to no entry, values as TOML has them."""
    written = tomllib.loads(schema.to_toml())
    return [(key, _literal(value)) for key, value in written.items() if not isinstance(value, dict | list)]


def _contents(entry: DraftEntry) -> dict[str, Any]:
    """Return an entry with its values as TOML has them and as people read them, which a browser need not parse."""
    said = {name: getattr(entry, name) for name in ("kind", "names", "reason", "publishes", "guessed")}
    if entry.kind == "left out":
        return said | {"fields": []}
    (table,) = tomllib.loads(entry.toml).values()
    pairs = (table[0] if isinstance(table, list) else table).items()
    return said | {"fields": [(key, _value(value)) for key, value in pairs if key not in _APART]}


def _value(value: Any) -> Any:
    if isinstance(value, list):
        return {"list": [_value(each) for each in value]}
    return (_literal(value), value if isinstance(value, str) else _literal(value))


def _literal(value: Any) -> str:
    """Return a value as TOML on one line."""
    import tomlkit

    if isinstance(value, dict):
        pairs = (f"{tomlkit.item(key).as_string()} = {_literal(each)}" for key, each in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    text: str = tomlkit.item(value).as_string()
    return text
