"""`tacit features`: what columns of side tables are, on made-up persons; and the main table with them, as a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table as Grid

from tacit.cli.console import OnInvalid, OutputAnswerOptions, SchemaFile, Terminal, checked_output, emit_json
from tacit.cli.file_options import JoinedOptions
from tacit.cli.options import command_of
from tacit.errors import ParameterError


@dataclass(frozen=True)
class FeaturesOptions(JoinedOptions, OutputAnswerOptions):
    """The options of `tacit features`."""

    schema: SchemaFile
    check: Annotated[
        bool,
        typer.Option("--check", help="Show on made-up persons what each feature is; of the tables, check the columns."),
    ] = False
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Parquet file to write: the main table with its features, as private as it."),
    ] = None
    on_invalid: OnInvalid = "raise"


@command_of(FeaturesOptions)
def features(options: FeaturesOptions) -> None:
    """Show what features of side tables are, on made-up persons, or write a table with them."""
    from tacit.schema import Schema

    if options.check == (options.out is not None):
        raise ParameterError("Expected --check or --out, got both or none. Choose one of the two.")
    terminal = Terminal(options.quiet)
    known = Schema.from_toml(options.schema)
    if not known.tables:
        raise ParameterError(
            f"Expected a schema with side tables, got {options.schema.name} without one. Describe each under [[table]]."
        )
    target = checked_output(options.out, options.table, options.schema, force=options.force) if options.out else None
    with terminal.busy("Reading keys"):
        source = options.source(known)
    if target is None:
        _show(known, terminal, as_json=options.as_json)
        terminal.note(
            "These persons are made up. Of the tables, columns and keys were checked, and no other cell read."
        )
        return
    from tacit.saving import replacing
    from tacit.table.batches import entries_of
    from tacit.table.files.writing import write_parquet

    with terminal.noting(), terminal.busy("Grouping rows"), replacing(target) as scratch:
        frames = source.frames(entries_of(known), options.on_invalid)
        write_parquet((frame for frame, _ in frames), scratch)
    terminal.note(f"Wrote {options.out}: one row of each person. It IS NOT PRIVATE.")


def _show(schema: Any, terminal: Terminal, *, as_json: bool) -> None:
    import polars as pl
    from polars import selectors

    from tacit.cli.made_up_rows import made_up_features

    shown = made_up_features(schema)
    if as_json:
        dates = selectors.temporal().cast(pl.String)
        emit_json({name: frame.with_columns(dates).to_dicts() for name, frame in shown.items()})
        return
    for name, frame in shown.items():
        grid = Grid(title=name, title_justify="left")
        for column in frame.columns:
            grid.add_column(column)
        for row in frame.iter_rows():
            grid.add_row(*("" if cell is None else _text(cell) for cell in row))
        terminal.say(grid)


def _text(cell: Any) -> str:
    return f"{cell:g}" if isinstance(cell, float) else str(cell)
