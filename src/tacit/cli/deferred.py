"""Commands whose modules are imported when they are run, so that help which only lists them imports none."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand

from tacit.cli.options import Commands


class DeferredCommand(TyperCommand):
    """Takes the place of a command, or of a group of commands, until it is called."""

    place: ClassVar[str]
    """Where the function, or the group, is: ``module:name``."""

    def loaded(self) -> Any:
        """Import the module and return the command or group itself."""
        module, _, name = self.place.partition(":")
        found = getattr(import_module(module), name)
        if not isinstance(found, typer.Typer):
            alone = Commands()
            alone.command(self.name)(found)
            found = alone
        return typer.main.get_command(found)

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Return the context of the command itself, which is what then runs."""
        return self.loaded().make_context(info_name, args, parent=parent, **extra)


def defer(group: typer.Typer, name: str, place: str, says: str) -> None:
    """Add a command to a group.

    Parameters
    ----------
    group : Typer
    name : str
    place : str
        Where it is: ``module:name`` of a function, or of a ``Commands``.
    says : str
        What the group's help says of it: what its own help begins with.
    """
    group.command(name, cls=type("DeferredCommand", (DeferredCommand,), {"place": place}), help=says)(_nothing)


def _nothing() -> None:
    """Be the function that typer asks for; it never runs."""
