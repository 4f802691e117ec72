"""Commands whose options are the fields of a dataclass: written once, where they are checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from inspect import Parameter, Signature
from typing import Any, TypeVar, get_type_hints

Options = TypeVar("Options")


def command_of(options: type[Options]) -> Callable[[Callable[[Options], None]], Callable[..., None]]:
    """Return a decorator that makes a command of a function of the options.

    Parameters
    ----------
    options : type
        A dataclass whose fields are annotated as a command's parameters are: ``Annotated[type, typer.Option(...)]``.
    """
    hints = get_type_hints(options, include_extras=True)
    parameters = [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(options)  # type: ignore[arg-type]
    ]

    def decorated(run: Callable[[Options], None]) -> Callable[..., None]:
        def command(**given: Any) -> None:
            run(options(**given))

        # Typer reads the signature, and names a command after its function.
        command.__name__, command.__doc__ = run.__name__, run.__doc__
        command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        return command

    return decorated
