"""What commands share about a schema's file: the argument that names it, and what they say of guesses in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacit.errors import SchemaError

if TYPE_CHECKING:
    from tacit.schema import Schema

SchemaPath = Annotated[Path, typer.Argument(help="A schema in TOML.", show_default=False)]


def guesses_left(schema: Schema) -> str:
    """Name the entries of a schema that are guesses, and what to do about them."""
    names = ", ".join(map(repr, schema.guessed))
    return (
        f"these entries were read off data and not checked yet: {names}. Check each with "
        "`tacit schema review`, or in the schema file, where you delete its line `guessed = true`."
    )


def refuse_guesses(schema: Schema, path: Path) -> None:
    """Refuse a schema with entries that were read off rows: they void a certificate."""
    if schema.guessed:
        raise SchemaError(f"Expected a schema without guesses, got {path.name}: {guesses_left(schema)}")
