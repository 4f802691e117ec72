"""`tacit sample`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.cli.console import Debug, Force, Quiet, Terminal, emit, file_or_stdout
from tacit.privacy.parameters import MAX_SEED


def sample(
    schema: Annotated[Path, typer.Argument(help="The schema of the table, TOML.", show_default=False)],
    n_rows: Annotated[int, typer.Option("--rows", "-n", min=1, metavar="N", help="How many rows to make up.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="CSV file to write, or Parquet if its name ends so; stdout for - or none."),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model", help="A model of this schema: labels by its probabilities, numbers by its predictions."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, max=MAX_SEED, help="Decides every cell.")] = 0,
    force: Force = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Write made-up rows that fit a schema, for trying scripts where the table may not be."""
    from tacit.models import read_model
    from tacit.saving import replacing
    from tacit.schema import Schema
    from tacit.study.made_up import as_csv, made_up_rows, mark_of, write_sample

    terminal = Terminal(quiet)
    target = file_or_stdout(out, schema, *([model] if model else []), force=force)
    public = Schema.from_toml(schema)
    by: Any = read_model(model) if model else None
    with terminal.busy("Drawing rows"):
        rows = made_up_rows(public, n_rows, seed=seed, model=by)
    source = "the schema and the model" if model else "the schema"
    terminal.note(
        f"These {n_rows:,} rows are made up from {source} alone, and cost no privacy (epsilon 0). Each says so in the "
        f"column {mark_of(public)!r}."
    )
    if target is None:
        emit(as_csv(rows, public))
        return
    with replacing(target) as scratch:
        write_sample(rows, public, scratch, parquet=target.suffix == ".parquet")
    terminal.note(f"Wrote {out}.")
