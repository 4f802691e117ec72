"""Commands whose options are a dataclass: typer reads names, defaults and nested annotations as of a function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from tacit.cli.app import app
from tacit.cli.deferred import DeferredCommand
from tacit.cli.options import Commands, GivenOnce, command_of
from tacit.study.learners import private_learners


def commands(group: typer.core.TyperGroup, above: str = "") -> dict[str, typer.core.TyperCommand]:
    """Return all commands by how they are called."""
    found = {}
    for name, command in group.commands.items():
        path = f"{above} {name}".strip()
        command = command.loaded() if isinstance(command, DeferredCommand) else command
        found |= commands(command, path) if hasattr(command, "commands") else {path: command}
    return found


COMMANDS = commands(typer.main.get_command(app))

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


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--level", "3", "--level", "3"], "Expected --level once, got it 2 times. Leave all but one out."),
        (["-e", "1", "--epsilons", "2", "-e3"], "--epsilons once, got it 3 times. Write all values into one, as E,E,."),
        (["--loud", "--loud", "--set", "a", "--set", "b"], "['a', 'b'] True"),
    ],
)
def test_an_option_with_one_value_is_given_once(given, said):
    app = Commands()

    @app.command()
    def shout(
        level: Level | None = None,
        epsilons: Annotated[str, typer.Option("--epsilons", "-e", metavar="E,E,..")] = "",
        names: Annotated[list[str] | None, typer.Option("--set")] = None,
        loud: Annotated[bool, typer.Option("--loud")] = False,
    ) -> None:
        typer.echo(f"{names} {loud}")

    done = CliRunner().invoke(app, given)
    assert said in (done.output if "--loud" in given else str(done.exception))
    assert (done.exception is None) == ("--loud" in given)


@pytest.mark.parametrize("path", sorted(COMMANDS))
def test_every_command_is_one_of_these(path):
    assert isinstance(COMMANDS[path], GivenOnce)


@pytest.mark.parametrize("path", sorted(COMMANDS))
def test_every_option_says_what_it_is(path):
    options = [one for one in COMMANDS[path].params if one.param_type_name == "option"]
    assert options and [one.name for one in options if not one.help] == []


@pytest.mark.parametrize("path", ["fit", "audit"])
def test_help_lists_every_learner(path):
    [said] = [one.help for one in COMMANDS[path].params if one.name == "learner"]
    named = said.removesuffix(".").replace(" or ", ", ").split(", ")
    assert sorted(each.removesuffix(" (by rule)") for each in named) == sorted(
        # Linear regression is of a number to predict.
        name
        for name in (*private_learners(), "linear")
        if path == "fit" or name not in ("auto", "linear")
    )
