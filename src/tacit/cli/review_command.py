"""`tacit schema review`: decide what a draft guessed, on a page or in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tacit.cli.console import OutputOptions, TablePath, Terminal, checked_output, quoted
from tacit.cli.file_options import FileOptions
from tacit.cli.options import command_of
from tacit.cli.schema_files import SchemaPath
from tacit.errors import SchemaError
from tacit.schema import FileFormat, Schema
from tacit.schema.drafted import DraftEntry, entries_of, n_undecided
from tacit.schema.entry_words import ALIKE
from tacit.schema.side_toml import with_files_from


@dataclass(frozen=True)
class ReviewOptions(FileOptions, OutputOptions):
    """The options of `tacit schema review`."""

    table: TablePath
    schema: SchemaPath
    html: Annotated[
        Path | None, typer.Option("--html", help="HTML page to write, on which to decide; else the terminal asks.")
    ] = None


@command_of(ReviewOptions)
def review(options: ReviewOptions) -> None:
    """Decide entry by entry what a draft guessed: on a page that opens without a network, or in the terminal."""
    from tacit.report import write_schema_review

    terminal, schema, html = Terminal(options.quiet), options.schema, options.html
    target = checked_output(html, options.table, schema, force=options.force, option="--html") if html else None
    found = Schema.from_toml(schema)
    with terminal.busy("Reading the table"):
        reasons = _reasons(options.table, options.written(found), found)
    if target:
        shown = with_files_from(found, schema.parent)
        write_schema_review(entries_of(shown, reasons), target, schema=shown, file=schema.name)
        terminal.note(_advice(found, schema, target))
        return
    from tacit.cli.review_file import ReviewFile
    from tacit.cli.review_prompts import ask_all, left_words

    file = ReviewFile(checked_output(schema, options.table, force=True, option="SCHEMA"))
    if file.has_comments:
        terminal.note(
            f"Comments in {schema.name} are not kept: with the first answer the file goes to {file.kept.name}."
        )
    terminal.note(left_words(ask_all(found, file, reasons, terminal), schema))


def _reasons(table: Path, written: FileFormat, schema: Schema) -> Mapping[str, str]:
    """Return why the table's draft guesses what it guesses, for entries that are still as it has them."""
    from tacit.schema.draft import draft_of
    from tacit.table.files import read_for_draft
    from tacit.table.files.several import Files

    frame = read_for_draft(Files.of(table, written).in_found_encoding(), schema.label.name)
    try:
        drafted = draft_of(frame, schema.label.name)
    except SchemaError:  # nothing to guess from; a schema may have been written all the same
        return {}
    as_drafted = {_said(entry): entry.reason.removesuffix(ALIKE) for entry in drafted.entries}
    same = ((entry.name, as_drafted.get(_said(entry))) for entry in entries_of(schema))
    return {name: reason for name, reason in same if reason}


def _said(entry: DraftEntry) -> str:
    """Return what an entry says of values, whatever is decided of it."""
    said = {name: value for name, value in entry.pairs.items() if name not in ("private", "guessed", "learned")}
    return repr((entry.kind, entry.names, said))


def _advice(schema: Schema, path: Path, page: Path) -> str:
    left = f"{n_undecided(schema)} to decide" if schema.guessed else "nothing left to decide"
    return (
        f"Wrote {page}: {left}. Open it in a browser, decide, and save the file as {quoted(path)}. "
        "The page is as private as the draft: do not pass it on."
    )
