"""The commands, and what they share."""

from __future__ import annotations

from typing import Annotated

import typer

from tacit.cli.console import Debug
from tacit.cli.deferred import defer
from tacit.cli.failures import OneLineErrors
from tacit.cli.options import Commands
from tacit.version import __version__

COMMANDS = {
    "demo": (
        "demo_command:demo",
        "Show what privacy costs on a real table: a comparison, a picture, and a private model with its card.",
    ),
    "fit": (
        "fit_command:fit",
        "Train a private model, and write it with its certificate. Each fit spends privacy of its own.",
    ),
    "inspect": ("model_commands:inspect", "Show a model's certificate, and what the model says."),
    "predict": (
        "predict_command:predict",
        "Predict the class or number of each row of a table, in the order of the rows.",
    ),
    "merge": (
        "merge_command:merge",
        "Make one model of several sites' models of different people, at no further cost.",
    ),
    "features": (
        "features_command:features",
        "Show what features of side tables are, on made-up persons, or write a table with them.",
    ),
    "evaluate": (
        "evaluate_command:evaluate",
        "Measure a model privately on rows taken to be other people than the model's, with a certificate.",
    ),
    "compare": (
        "compare_command:compare",
        "Compare learners over epsilons on repeated splits. The study is not private; the same command continues it.",
    ),
    "data": ("data_command:data", "List the known data sets, or write one as CSV with its schema."),
    "sample": (
        "sample_command:sample",
        "Write made-up rows that fit a schema, for trying scripts where the table may not be.",
    ),
    "advise": (
        "advise_command:advise",
        "Recommend a learner and predict its loss of accuracy or R2, without reading a row.",
    ),
    "audit": (
        "audit_command:audit",
        "Try to refute a guarantee, and say what would have been seen. Exit code 1 if it is refuted.",
    ),
    "verify": (
        "verify_command:verify",
        "Recompute what a certificate claims from its file alone. Exit code 1 if the claim does not follow.",
    ),
    "sign": ("sign_command:sign", "Sign a model, so that others can verify who made it."),
    "evidence": (
        "evidence_command:evidence",
        "Write evidence for the person who approves a release, once the model's claim is verified.",
    ),
    "schema": (
        "schema_group:schema_app",
        "Draft a schema from a table, review it, learn one with noise, or check one.",
    ),
    "ledger": ("ledger_commands:ledger_app", "Keep what fits spend in an account on disk, within a limit."),
    "rados": ("rados:rados_app", "Make Rademacher observations of a table, or learn from them."),
}
"""Where each command is, and the line that help has of it."""

# Typer's own tracebacks would show local variables, which hold rows.
app = Commands(
    cls=OneLineErrors,
    add_completion=False,
    pretty_exceptions_enable=False,
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def start(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
    debug: Debug = False,
) -> None:
    """Train classifiers that learn from people's data and cannot tell on them."""
    if version:
        typer.echo(f"tacit {__version__}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
        raise typer.Exit
    from tacit.study.run.shared_folder import remove_left_overs

    remove_left_overs()  # rows in the cache, of a study that was killed


for name, (place, says) in COMMANDS.items():
    defer(app, name, f"tacit.cli.{place}", says)
