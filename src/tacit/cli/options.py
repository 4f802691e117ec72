"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DEBUG = "tacit.debug"


def _remember(ctx: typer.Context, value: bool) -> bool:
    if value:
        ctx.meta[DEBUG] = True
    return value


Debug = Annotated[
    bool,
    typer.Option("--debug", callback=_remember, help="Show where an error arose; never any values."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but results and errors.")]
Json = Annotated[bool, typer.Option("--json", help="Write the result as JSON, for programs.")]
TablePath = Annotated[Path, typer.Argument(help="CSV (comma, semicolon or tab) or Parquet.", show_default=False)]
ModelPath = Annotated[Path, typer.Argument(help="A file that `tacit fit` wrote.", show_default=False)]
