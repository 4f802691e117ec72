"""The commands, and what they share."""

from __future__ import annotations

from typing import Annotated

import typer

from tacit.cli.advise_command import advise
from tacit.cli.audit_command import audit
from tacit.cli.compare_command import compare
from tacit.cli.console import Debug
from tacit.cli.data_command import data
from tacit.cli.demo_command import demo
from tacit.cli.evaluate_command import evaluate
from tacit.cli.failures import OneLineErrors
from tacit.cli.fit_command import fit
from tacit.cli.learn_commands import kinds, learn
from tacit.cli.ledger_commands import ledger_app
from tacit.cli.model_commands import inspect
from tacit.cli.options import Commands
from tacit.cli.predict_command import predict
from tacit.cli.rados import rados_app
from tacit.cli.review_command import review
from tacit.cli.schema_commands import check, draft
from tacit.study.run.shared_folder import remove_left_overs

# Typer's own tracebacks would show local variables, which hold rows.
app = Commands(
    cls=OneLineErrors,
    add_completion=False,
    pretty_exceptions_enable=False,
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
schema_app = Commands(help="Draft a schema from a table, review it, learn one with noise, or check one.")


@app.callback(invoke_without_command=True)
def start(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
    debug: Debug = False,
) -> None:
    """Train classifiers that learn from people's data and cannot tell on them."""
    if version:
        from tacit import __version__

        typer.echo(f"tacit {__version__}")
        raise typer.Exit
    remove_left_overs()  # rows in the cache, of a study that was killed
    _help_unless_invoked(ctx)


@schema_app.callback(invoke_without_command=True)
def start_schema(ctx: typer.Context) -> None:
    """Draft a schema from a table, review it, learn one with noise, or check one."""
    _help_unless_invoked(ctx)


def _help_unless_invoked(ctx: typer.Context) -> None:
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
        raise typer.Exit


schema_app.command()(draft)
schema_app.command()(review)
schema_app.command()(check)
schema_app.command()(kinds)
schema_app.command()(learn)
app.command()(demo)
app.add_typer(schema_app, name="schema")
app.command()(fit)
app.command()(inspect)
app.command()(predict)
app.command()(evaluate)
app.command()(compare)
app.command()(data)
app.command()(advise)
app.command()(audit)
app.add_typer(ledger_app, name="ledger")
app.add_typer(rados_app, name="rados")
