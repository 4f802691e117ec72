"""`python -m reproductions external`: list, install and remove other libraries, and compare learners with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table as Grid

from tacit.cli.compare_command import compare
from tacit.cli.console import Debug, Json, Quiet, Terminal, emit_json, quoted

if TYPE_CHECKING:
    from reproductions.external import Environment

external_app = typer.Typer(help="Other libraries to compare with, in environments of their own.")
external_app.command()(compare)

Name = Annotated[str | None, typer.Argument(help="One of them; all if not given.", show_default=False)]
Folder = Annotated[
    Path | None,
    typer.Option("--folder", help="Where the environments are; TACIT_EXTERNAL, or the cache, if not given."),
]


@external_app.callback(invoke_without_command=True)
def start(ctx: typer.Context) -> None:
    """Other libraries to compare with, in environments of their own."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
        raise typer.Exit


@external_app.command("list")
def list_(folder: Folder = None, as_json: Json = False, quiet: Quiet = False, debug: Debug = False) -> None:
    """List the libraries, whether they are installed, and the learners that they are."""
    from reproductions.external import ENVIRONMENTS

    described = [_described(each, _resolved(folder)) for each in ENVIRONMENTS.values()]
    if as_json:
        emit_json(described)
        return
    grid = Grid("library", "installed", "disk", "learners", box=None, header_style="bold", padding=(0, 2, 0, 0))
    for each in described:
        learners = "\n".join(learner["learner"] for learner in each["learners"])
        grid.add_row(
            f"{each['package']} {each['version']}", "yes" if each["installed"] else "no", each["size"], learners
        )
    Terminal(quiet).say(grid, _ADVICE)


@external_app.command()
def install(name: Name = None, folder: Folder = None, quiet: Quiet = False, debug: Debug = False) -> None:
    """Make the environment of a library, with pinned versions from where pip looks, and try it out."""
    from reproductions.external import install as make
    from reproductions.external import try_out

    terminal, where = Terminal(quiet), _resolved(folder)
    for wanted in _chosen(name):
        if wanted.installed(where):
            terminal.note(f"{wanted.package} {wanted.version} is there already: {wanted.place(where)}.")
            continue
        with terminal.busy(f"Installing {wanted.package} {wanted.version} ({wanted.size})"):
            place = make(wanted, where)
        with terminal.busy(f"Trying {wanted.package} {wanted.version}"):
            try_out(wanted, where)
        terminal.note(f"Installed {wanted.package} {wanted.version}: {place}.")
    if where:
        terminal.note(f"For studies to find it: export TACIT_EXTERNAL={quoted(where)}")


@external_app.command()
def remove(name: Name = None, folder: Folder = None, quiet: Quiet = False, debug: Debug = False) -> None:
    """Remove the environment of a library."""
    from reproductions.external import remove as take_away

    terminal, where = Terminal(quiet), _resolved(folder)
    for unwanted in _chosen(name):
        gone = take_away(unwanted, where)
        terminal.note(f"{unwanted.package} {unwanted.version} {'is removed' if gone else 'was not there'}.")


_ADVICE = """\
`python -m reproductions external install NAME` makes an environment for one, without NAME for all.
Then `python -m reproductions external compare` is `tacit compare` that also takes its learners.
What they promise is theirs, not ours: docs/external.md."""


def _chosen(name: str | None) -> list[Environment]:
    from reproductions.external import ENVIRONMENTS, environment

    return list(ENVIRONMENTS.values()) if name is None else [environment(name)]


def _resolved(folder: Path | None) -> Path | None:
    return folder.expanduser().resolve() if folder else None


def _described(each: Environment, folder: Path | None) -> dict[str, Any]:
    from reproductions.external import EXTERNAL

    return {
        "name": each.name,
        "package": each.package,
        "version": each.version,
        "installed": each.installed(folder),
        "place": str(each.place(folder)),
        "size": each.size,
        "learners": [
            {
                "learner": f"external:{learner.name}",
                "private": learner.private,
                "neighbors": learner.neighbors,
                "basis": learner.basis or None,
                "parameters": dict(learner.defaults),
            }
            for learner in EXTERNAL.values()
            if learner.environment is each
        ],
    }
