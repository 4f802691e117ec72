"""`tacit predict`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit.cli.console import Terminal, emit
from tacit.cli.options import Debug, ModelPath, Quiet, TablePath
from tacit.cli.outputs import checked_output


def predict(
    model: ModelPath,
    table: TablePath,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="CSV file to write; stdout if not given.")] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Predict the class of each row of a table: one column, in the order of the rows."""
    import polars as pl

    from tacit.models import read_model, write_atomically
    from tacit.table.files import read_features

    terminal = Terminal(quiet)
    target = checked_output(out, table, model) if out else None
    with terminal.busy("Predicting"):
        opened = read_model(model)
        frame = read_features(table, opened.schema, opened.on_invalid)
        text = pl.DataFrame({opened.schema.label.name: opened.predict(frame)}).write_csv()
    if target:
        write_atomically(target, text)
        terminal.note(f"Wrote {out}: one prediction for each row, in order.")
    else:
        emit(text)
