"""`python -m reproductions NAME`, `--list`, `all --quick`; other libraries: `external`, and `audits` of them."""

from __future__ import annotations

import sys

import typer

from reproductions.audits.command import audits
from reproductions.external.command import external_app
from reproductions.framework.command import reproduce
from tacit.cli.failures import OneLineErrors
from tacit.cli.ledger_commands import without_ledger

app = typer.Typer(
    cls=OneLineErrors,
    add_completion=False,
    pretty_exceptions_enable=False,
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(reproduce)
app.command()(audits)
app.add_typer(external_app, name="external")


def main() -> None:
    """Run `reproduce`, unless the first argument names another command."""
    without_ledger()
    arguments = sys.argv[1:]
    named = arguments[:1] in (["reproduce"], ["external"], ["audits"])
    app(arguments if named else ["reproduce", *arguments], prog_name="python -m reproductions")


if __name__ == "__main__":
    main()
