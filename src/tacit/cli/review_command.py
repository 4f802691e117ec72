"""`tacit schema review`: decide what a draft guessed, on a page or in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from tacit.cli.console import Debug, Force, Quiet, TablePath, Terminal, checked_output, quoted
from tacit.cli.file_options import EncodingOption, SheetOption, written_as
from tacit.cli.schema_commands import SchemaPath
from tacit.errors import SchemaError
from tacit.schema import FileFormat, Schema
from tacit.schema.drafted import n_undecided


def review(
    table: TablePath,
    schema: SchemaPath,
    html: Annotated[
        Path | None, typer.Option("--html", help="HTML page to write, on which to decide; else the terminal asks.")
    ] = None,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    force: Force = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Decide entry by entry what a draft guessed: on a page that opens without a network, or in the terminal."""
    from tacit.report import write_schema_review
    from tacit.schema.drafted import entries_of

    terminal = Terminal(quiet)
    target = checked_output(html, table, schema, force=force, option="--html") if html else None
    found = Schema.from_toml(schema)
    if _has_comments(schema):
        terminal.note(f"Comments in {schema.name} are not kept. Copy the file first, if you wrote any.")
    with terminal.busy("Reading the table"):
        reasons = _reasons(table, written_as(encoding, sheet, found), found)
    if target:
        write_schema_review(entries_of(found, reasons), target, schema=found, file=schema.name)
        terminal.note(_advice(found, schema, target))
        return
    from tacit.cli.review_prompts import ask_all, left_words

    terminal.note(
        left_words(
            ask_all(found, checked_output(schema, table, force=True, option="SCHEMA"), reasons, terminal), schema
        )
    )


def _has_comments(path: Path) -> bool:
    lines = path.read_text(encoding="utf-8-sig").splitlines()[1:]  # the first may be what a review wrote
    return any(line.lstrip().startswith("#") for line in lines)


def _reasons(table: Path, written: FileFormat, schema: Schema) -> Mapping[str, str]:
    """Return why the table's draft guesses what it guesses, for entries that are still of the drafted kind."""
    from tacit.schema.infer import guess_schema
    from tacit.table.files import read_for_draft
    from tacit.table.files.several import Files

    frame = read_for_draft(Files.of(table, written).in_found_encoding(), schema.label.name)
    try:
        guessed = guess_schema(frame, None, schema.label.name)
    except SchemaError:  # nothing to guess from; a schema may have been written all the same
        return {}
    drafted, kinds = _kinds(Schema(**guessed.parts)), _kinds(schema)
    return {name: said for name, said in guessed.reasons.items() if name in kinds and kinds[name] is drafted.get(name)}


def _kinds(schema: Schema) -> dict[str, type]:
    persons = (schema.identifier,) if schema.identifier else ()
    return {name: type(each) for each in (*schema.columns, schema.label, *persons) for name in each.names}


def _advice(schema: Schema, path: Path, page: Path) -> str:
    left = f"{n_undecided(schema)} to decide" if schema.guessed else "nothing left to decide"
    return (
        f"Wrote {page}: {left}. Open it in a browser, decide, and save the file as {quoted(path)}. "
        "The page is as private as the draft: do not pass it on."
    )
