"""`tacit schema kinds` and `tacit schema learn`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.cli.charges import writing_paid
from tacit.cli.console import OutputOptions, Terminal, emit, file_or_stdout, quoted
from tacit.cli.file_options import TableOptions
from tacit.cli.ledger_commands import LedgerOption
from tacit.cli.options import command_of
from tacit.cli.progress_line import measuring
from tacit.errors import ParameterError
from tacit.schema import Kinds, Schema

LabelName = Annotated[str, typer.Option("--label", "-l", help="The column to predict.", show_default=False)]
SchemaOut = Annotated[Path | None, typer.Option("--out", "-o", help="File to write; stdout for - or none.")]


@dataclass(frozen=True)
class KindsOptions(TableOptions, OutputOptions):
    """The options of `tacit schema kinds`."""

    label: LabelName
    out: SchemaOut = None


@command_of(KindsOptions)
def kinds(options: KindsOptions) -> None:
    """Draft the kinds of a table's columns, for you to check: what `tacit schema learn` takes for public."""
    from tacit.schema.draft import draft_of
    from tacit.table.files import kinds_of_types, read_for_draft

    terminal = Terminal(options.quiet)
    target = file_or_stdout(options.out, options.table, force=options.force)
    with terminal.busy("Reading the table"):
        files = options.files().in_found_encoding()
        found = kinds_of_types(files) or Kinds.of_schema(
            draft_of(read_for_draft(files, options.label), options.label, file=files.written).schema
        )
    _write(found.to_toml(), target)
    terminal.note(
        "Kinds are public: check that each follows from what its column means, and write ignored for identifiers and "
        "free text."
        + (" These were read off the rows: then delete the line `guessed = true`." if found.guessed else "")
    )


@dataclass(frozen=True)
class LearnOptions(TableOptions, OutputOptions):
    """The options of `tacit schema learn`."""

    epsilon: Annotated[float, typer.Option("--epsilon", "-e", help="Privacy to spend; above 0.", show_default=False)]
    delta: Annotated[float, typer.Option("--delta", help="Above 0, and far below 1/rows; 0 for bounds.")] = 0.0
    label: Annotated[str | None, typer.Option("--label", "-l", help="The column to predict.")] = None
    schema: Annotated[
        Path | None, typer.Option("--schema", "-s", help="A schema with open bounds: those alone are learned.")
    ] = None
    kinds_file: Annotated[
        Path | None,
        typer.Option("--kinds", "-k", help="Kinds of the columns, TOML; by default a Parquet file's types."),
    ] = None
    rows_per_person: Annotated[
        int | None, typer.Option("--rows-per-person", min=1, help="The most that one person has; 1 if not given.")
    ] = None
    ledger: LedgerOption = None
    out: SchemaOut = None

    def check(self) -> None:
        """Refuse options that do not go together."""
        others = {"--label": self.label, "--kinds": self.kinds_file, "--rows-per-person": self.rows_per_person}
        if self.schema is not None and (given := [name for name, value in others.items() if value is not None]):
            raise ParameterError(
                f"Expected --schema without {given[0]}, which the schema says, got both. Leave {given[0]} out."
            )
        if self.schema is None and self.label is None:
            raise ParameterError(
                "Expected --label, or --schema with open bounds, got neither. Name the label's column."
            )


@command_of(LearnOptions)
def learn(options: LearnOptions) -> None:
    """Learn a schema, or its open bounds, from rows, with noise; it spends privacy that each fit's adds to."""
    from tacit.models.released_schema import schema_guarantee

    terminal = Terminal(options.quiet)
    options.check()
    inputs = [path for path in (options.table, options.schema, options.kinds_file) if path]
    target = file_or_stdout(options.out, *inputs, force=options.force)
    with terminal.noting(), measuring(terminal, "Learning the schema"):
        schema = _learned(options)
    learned = schema_guarantee(schema)
    with writing_paid(learned):
        _write(schema.to_toml(), target)
    terminal.note(_words(schema, options.out if target else None, only_bounds=options.schema is not None))
    terminal.note(str(learned))


def _learned(options: LearnOptions) -> Schema:
    from tacit.estimators import learn_bounds, learn_schema
    from tacit.table.files.several import Files

    budget: dict[str, Any] = {"epsilon": options.epsilon, "delta": options.delta, "ledger": options.ledger}
    written = options.written()
    if options.schema is not None:
        described = Schema.from_toml(options.schema)
        return learn_bounds(Files.of(options.table, written.over(described.file)), described, **budget)
    given = Kinds.from_toml(options.kinds_file) if options.kinds_file else None
    if given:
        given = replace(given, file=written.over(given.file))
    persons, label = options.rows_per_person or 1, str(options.label)
    return learn_schema(options.table, given, label=label, rows_per_person=persons, **budget)


def _words(schema: Schema, out: Path | None, *, only_bounds: bool) -> str:
    if only_bounds:
        found = schema.learned.entries if schema.learned else ()
        lines = [f"Learned bounds of {', '.join(map(repr, found)) or 'no column'}; all else is as it was declared."]
        if schema.open:
            still = ", ".join(map(repr, schema.open))
            lines.append(
                f"Bounds of {still} are still open: too few rows show at this budget. Write them, or learn from the "
                "same draft at a higher epsilon, which is paid for as well."
            )
    else:
        what = "target" if schema.target else "label"
        lines = [f"Learned {len(schema.columns)} columns and the {what} {schema.label.name!r}; all are private."]
        lines += [f"Left out {name!r}: {reason}." for name, reason in schema.ignored]
    name = quoted(out) if out else "schema.toml"
    return "\n".join([*lines, f"The schema may be published with its certificate. Next: tacit schema check {name}"])


def _write(text: str, target: Path | None) -> None:
    from tacit.saving import write_atomically

    if target:
        write_atomically(target, text)
    else:
        emit(text)
