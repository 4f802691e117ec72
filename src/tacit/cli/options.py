"""Commands whose options are the fields of a dataclass, written once, where they are checked, and given once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import MISSING, fields
from inspect import Parameter, Signature, get_annotations
from typing import Any, TypeVar, get_type_hints

import typer
from typer.core import TyperCommand

from tacit.errors import ParameterError

Options = TypeVar("Options")


class Commands(typer.Typer):
    """A group of commands, which refuse an option with one value that is given twice.

    The parser would keep the last one without a word.
    """

    # Whatever else the base class takes.
    def command(  # type: ignore[override]
        self, *arguments: Any, **given: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return a decorator that adds a command, as in the base class."""
        return super().command(*arguments, **({"cls": GivenOnce} | given))


def group_of_commands(says: str) -> Commands:
    """Return a group without commands yet, which shows its help where none is named."""
    group = Commands(help=says)

    @group.callback(invoke_without_command=True, help=says)
    def start(ctx: typer.Context) -> None:
        if ctx.invoked_subcommand is None:
            typer.echo(ctx.get_help())
            raise typer.Exit

    return group


class GivenOnce(TyperCommand):
    """A command whose options have one value each, unless they are lists."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what was given, after a look at how often."""
        _, _, found = self.make_parser(ctx).parse_args(args=list(args))
        for name, times in Counter(each.name for each in found if each.param_type_name == "option").items():
            option = next(each for each in found if each.name == name)
            # A flag says the same as often as it is given.
            if times > 1 and not option.multiple and not getattr(option, "is_flag", False):
                given = f"{max(option.opts, key=len)} once, got it {times} times"
                raise ParameterError(f"Expected {given}. {_advice(option)}")
        return super().parse_args(ctx, args)


def _advice(option: Any) -> str:
    listed = "," in (option.metavar or "")
    return f"Write all values into one, as {option.metavar}." if listed else "Leave all but one out."


def command_of(options: type[Options]) -> Callable[[Callable[[Options], None]], Callable[..., None]]:
    """Return a decorator that makes a command of a function of the options.

    Parameters
    ----------
    options : type
        A dataclass whose fields are annotated as a command's parameters are: ``Annotated[type, typer.Option(...)]``.
        Help lists its own before those of its bases.
    """
    hints = get_type_hints(options, include_extras=True)
    defaults = {field.name: field.default for field in fields(options)}  # type: ignore[arg-type]
    names = {name: None for each in options.__mro__ for name in get_annotations(each) if name in defaults}
    parameters = [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if defaults[name] is MISSING else defaults[name],
            annotation=hints[name],
        )
        for name in names
    ]

    def decorated(run: Callable[[Options], None]) -> Callable[..., None]:
        def command(**given: Any) -> None:
            run(options(**given))

        # Typer reads the signature, and names a command after its function.
        command.__name__, command.__doc__ = run.__name__, run.__doc__
        command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        return command

    return decorated
