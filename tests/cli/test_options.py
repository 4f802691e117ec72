"""Commands whose options are a dataclass: typer reads names, defaults and nested annotations as of a function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from tacit.cli.options import command_of

Level = Annotated[int, typer.Option("--level", min=1)]


@dataclass(frozen=True)
class GreetOptions:
    name: Annotated[str, typer.Argument()]
    level: Level | None = None
    loud: Annotated[bool, typer.Option("--loud")] = False


@command_of(GreetOptions)
def greet(options: GreetOptions) -> None:
    """Say hello."""
    typer.echo(f"{options.name} {options.level} {options.loud}")


def test_options_are_the_fields_of_the_class():
    app = typer.Typer()
    app.command()(greet)
    run = CliRunner().invoke
    assert run(app, ["Ada"]).output == "Ada None False\n"
    assert run(app, ["Ada", "--level", "3", "--loud"]).output == "Ada 3 True\n"
    assert run(app, []).exit_code == 2
    assert "Say hello." in run(app, ["--help"]).output
