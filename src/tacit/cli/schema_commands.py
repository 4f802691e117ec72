"""`tacit schema draft` and `tacit schema check`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table as Grid

from tacit.cli.console import (
    AnswerOptions,
    OutputOptions,
    Terminal,
    emit,
    emit_json,
    file_or_stdout,
    quoted,
    shown,
)
from tacit.cli.file_options import FileOptions, TableOptions, side_tables
from tacit.cli.options import command_of
from tacit.cli.schema_files import SchemaPath, guesses_left
from tacit.errors import ParameterError
from tacit.schema import Categorical, FileFormat, Label, Numeric, Schema, Target, Value
from tacit.schema._checks import stated_fields
from tacit.schema.columns import open_bounds
from tacit.schema.drafted import n_undecided
from tacit.schema.guesses.reasons import CLASSES
from tacit.schema.notation import FIELDS

if TYPE_CHECKING:
    from tacit.schema.draft import Draft, SideFrame
    from tacit.schema.drafted import DraftEntry

FOUND = 1
"""Exit code of cells that do not fit."""


@dataclass(frozen=True)
class DraftOptions(TableOptions, OutputOptions):
    """The options of `tacit schema draft`."""

    label: Annotated[str, typer.Option("--label", "-l", help="The column to predict.", show_default=False)]
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write; stdout for - or none.")] = None
    missing: Annotated[
        list[str] | None,
        typer.Option(
            help="Cells that stand for a missing one, divided by commas, as in N,?,-99; of one column as trust=77,88.",
            show_default=False,
        ),
    ] = None
    dictionary: Annotated[
        bool, typer.Option("--dictionary", help="From what a file of SPSS, Stata or SAS declares alone: reads no row.")
    ] = False
    side: Annotated[
        list[str] | None,
        typer.Option("--table", metavar="NAME=PATH", help="A table with several rows of a person; may be repeated."),
    ] = None


@command_of(DraftOptions)
def draft(options: DraftOptions) -> None:
    """Draft a schema from a table, for you to check and correct. The draft is not private."""
    from tacit.saving import write_atomically

    terminal, out = Terminal(options.quiet), options.out
    target = file_or_stdout(out, options.table, force=options.force)
    if options.dictionary and (options.missing or options.side):
        named = "--missing" if options.missing else "--table"
        raise ParameterError(f"Expected {named} without --dictionary, got both. Leave one out: no row is read.")
    tables = _SideFiles.of(options.side, target.parent if target else Path())
    with terminal.busy("Reading the table"):
        drafted = _drafted(options, tables)
    if target:
        write_atomically(target, drafted.to_toml())
    else:
        emit(drafted.to_toml())
    place = out if target else None
    terminal.note(
        _of_dictionary(drafted.schema, place) if options.dictionary else _advice(drafted, options.table, place)
    )


@dataclass(frozen=True)
class _SideFiles:
    """Files of side tables by name, and the folder of the schema's file."""

    paths: Mapping[str, str]
    folder: Path

    @classmethod
    def of(cls, given: list[str] | None, folder: Path) -> _SideFiles:
        return cls(side_tables(given), folder)

    def frames(self, written: FileFormat) -> dict[str, SideFrame]:
        """Return their rows, and their paths as a schema in that folder names them."""
        from tacit.schema.draft import SideFrame
        from tacit.table.files import read_for_draft
        from tacit.table.files.several import Files

        found = {}
        for name, path in self.paths.items():
            named = path if Path(path).is_absolute() else os.path.relpath(path, self.folder)
            found[name] = SideFrame(read_for_draft(Files.of(path, written).in_found_encoding(), None), named)
        return found


def _drafted(options: DraftOptions, tables: _SideFiles) -> Draft:
    """Return a draft, of the rows or of what the file's dictionary says."""
    from tacit.schema.dictionary import draft_of_dictionary
    from tacit.schema.draft import draft_of
    from tacit.schema.missing_codes import StatedCodes
    from tacit.table.files import read_for_draft

    label = options.label
    if options.dictionary:
        return draft_of_dictionary(options.files().dictionary(), label, options.written())
    files = options.files().in_found_encoding()
    side = tables.frames(files.written)
    return draft_of(read_for_draft(files, label), label, StatedCodes.of(options.missing or ()), files.written, side)


@dataclass(frozen=True)
class CheckOptions(FileOptions, AnswerOptions):
    """The options of `tacit schema check`."""

    schema: SchemaPath
    table: Annotated[
        Path | None,
        typer.Option("--table", help="Rows to read as `tacit fit` would, before anything is paid; not private."),
    ] = None


@command_of(CheckOptions)
def check(options: CheckOptions) -> None:
    """Check a schema, and show what it says: what is protected, public, still a guess, and which learners refuse it.

    With --table, also whether the table's cells fit it; exit code 1 if they do not.
    """
    from tacit.study.refusals import refusals

    checked, table = Schema.from_toml(options.schema), options.table
    terminal = Terminal(options.quiet)
    refused = {} if checked.open else refusals(checked)
    faults = None if table is None else _faults_of(table, options.written(checked), checked, terminal)
    if options.as_json:
        emit_json(_summary(checked) | {"refused_by": refused} | ({} if faults is None else {"table_faults": faults}))
    else:
        _say_checked(checked, refused, terminal)
        terminal.say(*([] if faults is None else faults or ["Every row of the table fits the schema."]))
    if faults is not None:
        terminal.note("This answer was read off the rows and IS NOT PRIVATE.")
    if faults:
        raise typer.Exit(FOUND)


def _faults_of(table: Path, written: Any, schema: Schema, terminal: Terminal) -> list[str]:
    """Return what `tacit fit` would refuse of a table, as the command line calls it."""
    from tacit.cli.spellings import as_options
    from tacit.table import table_faults
    from tacit.table.files.several import Files
    from tacit.table.side_tables import joined_source

    with terminal.busy("Reading the table"):
        return [
            as_options(fault) for fault in table_faults(joined_source(Files.of(table, written), schema, None), schema)
        ]


def _say_checked(checked: Schema, refused: dict[str, str], terminal: Terminal) -> None:
    terminal.say(_grid(checked))
    if checked.label.drops_missing:
        hides_rows = checked.identifier is not None and checked.label.private and not checked.full.public_columns
        which = "which persons have rows with one" if hides_rows else "which rows have one"
        terminal.say(f"Rows without a label are left out: {which} is public, as certificates and accounts say.")
    for message, learners in _by_message(refused).items():
        terminal.say(f"Refused by {', '.join(learners)}: {shown(message)}")
    if checked.open:
        terminal.say(f"Not ready: {shown(open_bounds(checked.open))}")
    if checked.guessed:
        terminal.say(f"Not ready: {guesses_left(checked)}")
    if not checked.open and not checked.guessed:
        terminal.say("Ready for `tacit fit`. The schema is published with the model: it must not tell on anyone.")


def _by_message(refused: dict[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for learner, message in refused.items():
        found.setdefault(message, []).append(learner)
    return found


def _of_dictionary(schema: Schema, out: Path | None) -> str:
    lines = [f"Drafted {len(schema.inputs)} columns and the {_outcome(schema)} from the dictionary alone."]
    lines += [f"Left out {name!r}: {reason}." for name, reason in schema.ignored]
    lines.append(f"No row was read. {open_bounds(schema.open)}" if schema.open else "No row was read.")
    return "\n".join([*lines, f"Next: tacit schema check {quoted(out) if out else 'schema.toml'}"])


def _outcome(schema: Schema) -> str:
    return f"{'target' if schema.target else 'label'} {schema.label.name!r}"


def _advice(draft: Draft, table: Path, out: Path | None) -> str:
    schema = draft.schema
    lines = [f"Drafted {len(schema.inputs)} columns and the {_outcome(schema)}."]
    lines += [_why_predicted(entry) for entry in draft.entries if entry.section == "label" and entry.reason != CLASSES]
    lines += [
        f"Left out {entry.name!r}: {entry.reason}. {entry.way}" for entry in draft.entries if entry.kind == "left out"
    ]
    if schema.label.drops_missing:
        lines.append(
            'Left out rows without a label: missing = "drop" tells everybody which rows have one, and costs no budget'
            + ("." if schema.target else "; or name a class of its own for them there.")
        )
    name = quoted(out) if out else "schema.toml"
    lines += [
        f"The draft was read off the rows and IS NOT PRIVATE. It has {n_undecided(schema)} guesses to check:",
        f"  tacit schema review {quoted(table)} {name}                      # the terminal asks",
        f"  tacit schema review {quoted(table)} {name} --html review.html   # or a page, offline",
    ]
    return "\n".join(lines)


def _why_predicted(entry: DraftEntry) -> str:
    return f"{entry.name!r}: {entry.reason}. {entry.way}"


def _summary(schema: Schema) -> dict[str, Any]:
    return {
        "ready": not schema.guessed and not schema.open,
        "guessed": list(schema.guessed),
        "open": list(schema.open),
        "private_columns": list(schema.full.private_columns),
        "public_columns": list(schema.full.public_columns),
        "label": schema.label.name,
        "label_private": schema.label.private,
        **_label_summary(schema.label),
        "label_missing": schema.label.missing,
        "ignored": dict(schema.ignored),
        "identifier": schema.identifier.name if schema.identifier else None,
        "weight": schema.weight.name if schema.weight else None,
        "rows_of_person": schema.identifier.rows if schema.identifier else schema.rows_per_person,
    }


def _label_summary(label: Label | Target) -> dict[str, Any]:
    if isinstance(label, Target):
        return {"low": label.low, "high": label.high}
    return {"classes": list(label.cells), "positive": list(label.positive) if label.positive else None}


def _grid(schema: Schema) -> Grid:
    grid = Grid("column", "what it may hold", "", "", box=None, header_style="bold", padding=(0, 2, 0, 0))
    for entry in (*schema.full.inputs, schema.label):
        what = " (label)" if isinstance(entry, Label) else " (target)" if isinstance(entry, Target) else ""
        name = f"{entry.name}{what}"
        privacy = "private" if entry.private else "public"
        grid.add_row(shown(name), shown(_admits(entry)), privacy, "guessed" if entry.name in schema.guessed else "")
    if schema.identifier:
        rows = schema.identifier.rows
        counted = "each person has weight one" if rows == "mean" else f"at most {rows} rows of each person"
        grid.add_row(
            shown(f"{', '.join(schema.identifier.names)} (identifier)"),
            counted,
            "in no model",
            "guessed" if schema.identifier.names[0] in schema.guessed else "",
        )
    for table in schema.tables:
        guess = "guessed" if table.entry in schema.guessed else ""
        read = _few([column.name for column in table.columns]) if table.columns else "number of rows alone"
        grid.add_row(shown(f"{table.name} (side table)"), shown(f"of {table.key}: {read}"), "private", guess)
    if schema.weight:
        counted = f"each row counts its weight over {schema.weight.cap}, at most one"
        grid.add_row(
            shown(f"{schema.weight.name} (weight)"), counted, "private" if schema.weight.private else "public", ""
        )
    return grid


def _admits(entry: Numeric | Categorical | Label) -> str:
    stated = {field: value for field, value in stated_fields(entry).items() if field in FIELDS}
    replaced = stated.pop("replace", {})
    words = [f"{field} {' '.join(value) if isinstance(value, tuple) else value}" for field, value in stated.items()]
    words += [f"{len(replaced)} texts replaced"] if replaced else []
    return "; ".join([_holds(entry), *words])


def _holds(entry: Numeric | Categorical | Label) -> str:
    if isinstance(entry, Target):
        ends = "open bounds" if entry.is_open else f"{entry.low} to {entry.high}"
        return ends + (", missing left out" if entry.drops_missing else "")
    if isinstance(entry, Numeric):
        counted = "is a category of its own" if entry.has_indicator else f"counts as {entry.missing}"
        ends = "open bounds" if entry.is_open else f"{entry.low} to {entry.high}"
        return ends + ("" if entry.missing is None else f", missing {counted}")
    if isinstance(entry, Categorical) and entry.buckets is not None:
        return entry.extent
    if isinstance(entry, Label):
        found = f"positive: {_few(entry.positive)}; of {_few(entry.cells)}" if entry.positive else _few(entry.classes)
        missing = "left out" if entry.drops_missing else f"counts as {entry.missing}"
        return found if entry.missing is None else f"{found}, missing {missing}"
    return _few(entry.words[: len(entry.categories)]) + (", or other" if entry.other else "")


def _few(listed: Sequence[Value]) -> str:
    # Six: more would break the line, and `schema check` is read, not searched.
    return ", ".join(map(str, listed[:6])) + (f" and {len(listed) - 6} more" if len(listed) > 6 else "")
