"""`tacit schema kinds` and `tacit schema learn`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tacit.cli.charges import writing_paid
from tacit.cli.console import Debug, Force, Quiet, TablePath, Terminal, emit, file_or_stdout, quoted
from tacit.cli.file_options import EncodingOption, SheetOption, written_as
from tacit.cli.ledger_commands import LedgerOption
from tacit.cli.progress_line import measuring
from tacit.schema import Kinds, Schema

LabelName = Annotated[str, typer.Option("--label", "-l", help="The column to predict.", show_default=False)]
SchemaOut = Annotated[Path | None, typer.Option("--out", "-o", help="File to write; stdout for - or none.")]


def kinds(
    table: TablePath,
    label: LabelName,
    out: SchemaOut = None,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    force: Force = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Draft the kinds of a table's columns, for you to check: what `tacit schema learn` takes for public."""
    from tacit.schema.draft import draft_of
    from tacit.table.files import kinds_of_types, read_for_draft
    from tacit.table.files.several import Files

    terminal = Terminal(quiet)
    target = file_or_stdout(out, table, force=force)
    with terminal.busy("Reading the table"):
        files = Files.of(table, written_as(encoding, sheet)).in_found_encoding()
        found = kinds_of_types(files) or Kinds.of_schema(
            draft_of(read_for_draft(files, label), label, file=files.written).schema
        )
    _write(found.to_toml(), target)
    terminal.note(
        "Kinds are public: check that each follows from what its column means, and write ignored for identifiers and "
        "free text."
        + (" These were read off the rows: then delete the line `guessed = true`." if found.guessed else "")
    )


def learn(
    table: TablePath,
    label: LabelName,
    epsilon: Annotated[float, typer.Option("--epsilon", "-e", help="Privacy to spend; above 0.", show_default=False)],
    delta: Annotated[float, typer.Option("--delta", help="Above 0, and far below 1/rows.", show_default=False)],
    kinds_file: Annotated[
        Path | None,
        typer.Option("--kinds", "-k", help="Kinds of the columns, TOML; by default a Parquet file's types."),
    ] = None,
    rows_per_person: Annotated[int, typer.Option("--rows-per-person", min=1, help="The most that one person has.")] = 1,
    ledger: LedgerOption = None,
    out: SchemaOut = None,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    force: Force = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Learn a schema from rows that nobody has described, with noise; it spends privacy that each fit's adds to."""
    from tacit.estimators import learn_schema
    from tacit.models.released_schema import schema_guarantee

    terminal = Terminal(quiet)
    target = file_or_stdout(out, table, *([kinds_file] if kinds_file else []), force=force)
    given = Kinds.from_toml(kinds_file) if kinds_file else None
    if given:
        given = replace(given, file=written_as(encoding, sheet).over(given.file))
    budget = {"epsilon": epsilon, "delta": delta}
    with terminal.noting(), measuring(terminal, "Learning the schema"):
        schema = learn_schema(table, given, label=label, **budget, rows_per_person=rows_per_person, ledger=ledger)
    learned = schema_guarantee(schema)
    with writing_paid(learned):
        _write(schema.to_toml(), target)
    terminal.note(_words(schema, out if target else None))
    terminal.note(str(learned))


def _words(schema: Schema, out: Path | None) -> str:
    lines = [f"Learned {len(schema.columns)} columns and the label {schema.label.name!r}; all are private."]
    lines += [f"Left out {name!r}: {reason}." for name, reason in schema.ignored]
    name = quoted(out) if out else "schema.toml"
    return "\n".join([*lines, f"The schema may be published with its certificate. Next: tacit schema check {name}"])


def _write(text: str, target: Path | None) -> None:
    from tacit.saving import write_atomically

    if target:
        write_atomically(target, text)
    else:
        emit(text)
