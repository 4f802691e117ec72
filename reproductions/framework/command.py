"""`python -m reproductions`: the papers' tables and figures, run and written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table as Grid

from tacit.cli.console import Debug, Json, Quiet, Terminal, checked_output, emit_json, quoted
from tacit.errors import ParameterError

if TYPE_CHECKING:
    from reproductions.framework import Artefact
    from reproductions.framework.page import Entry
    from tacit.study.run import Store

STORE = "results.sqlite"
"""Finished rows, in the folder that `--out` names."""


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(help="A table or figure (shen2022-figure2a), all of a figure or of a paper, or: all."),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List what there is.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="A stated fraction of the paper's repetitions.")] = False,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for results.")] = Path("tacit-reproduction"),
    page: Annotated[
        Path | None, typer.Option("--page", help="File for a page of all published numbers beside those in --out.")
    ] = None,
    fetch: Annotated[
        str | None, typer.Option("--fetch", help="Download a data set that is needed, however large, and stop.")
    ] = None,
    recompute: Annotated[
        bool, typer.Option("--recompute", help="Compute everything, and take none of the rows that are packaged.")
    ] = False,
    package: Annotated[
        bool, typer.Option("--package", help="Package what --out holds, in place of the rows that are packaged.")
    ] = False,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Processes; one a core by default.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Reproduce the papers' tables and figures: ours beside theirs."""
    terminal = Terminal(quiet)
    if listed:
        _list(name, terminal, as_json)
        return
    if fetch is not None:
        _fetch(fetch, terminal)
        return
    if name is None and page is None and not package:
        raise ParameterError(
            "Expected the name of a table or figure, got none. `python -m reproductions --list` lists them."
        )
    target = checked_output(page, force=True, option="--page") if page else None
    with terminal.busy("Starting"):
        from reproductions.framework import catalog
        from reproductions.framework.packaged import package_rows, take_packaged
        from tacit.study.run import Store

        chosen = catalog.find(name) if name else ()
    _make(out)
    store = Store(out / STORE)
    if not recompute:
        take_packaged(chosen or catalog.artefacts(), store)
    if chosen:
        again = f"{name}{' --quick' if quick else ''}{' --recompute' if recompute else ''} --out {quoted(out)}"
        _run(chosen, store, out, terminal, quick=quick, workers=workers, again=again)
        terminal.say(_summary([_write(one, store, out, terminal) for one in chosen], out))
    if package:
        for file in package_rows(chosen or catalog.artefacts(), store):
            terminal.note(f"Wrote {file}.")
    if target:
        _write_page(target, store)
        terminal.note(f"Wrote {page}.")


def _fetch(name: str, terminal: Terminal) -> None:
    from reproductions.framework import catalog
    from tacit.datasets import load

    catalog.artefacts()  # papers add data sets of their own
    with terminal.busy(f"Fetching {name}"):
        rows = load(name).frame.height
    terminal.say(f"{name}: {rows} rows.")


def _run(
    chosen: Sequence[Artefact],
    store: Store,
    out: Path,
    terminal: Terminal,
    *,
    quick: bool,
    workers: int | None,
    again: str,
) -> None:
    from reproductions.framework.reproduction import compute, missing_data

    for missing in missing_data(chosen, fetch=True):
        needing = ", ".join(one.name for one in chosen if missing in one.data)
        terminal.note(
            f"Without {missing}, which is not here: {needing}. "
            f"`python -m reproductions --fetch {missing}` downloads it, or says what to put where."
        )
    try:
        with terminal.following("Reproducing") as follow:
            compute(
                chosen,
                store,
                quick=quick,
                workers=workers,
                progress=follow,
            )
    except KeyboardInterrupt:
        terminal.note(
            f"What was finished is kept in {out / STORE}. To go on from there: python -m reproductions {again}"
        )
        raise


def _write(artefact: Artefact, store: Store, out: Path, terminal: Terminal) -> Entry:
    """Write table, page and, where matplotlib is there, picture and HTML page of an artefact."""
    from reproductions.framework.draw import draw
    from reproductions.framework.html_page import write_artefact_page
    from reproductions.framework.page import artefact_markdown, entry
    from tacit.errors import MissingExtra
    from tacit.saving import write_atomically

    found = entry(artefact, store)
    words = found.standing.in_words(artefact)
    picture = None
    try:
        # Drawn once for the file and the page: drawing takes longer than all else where rows are stored.
        if content := draw(artefact, found.comparison):
            picture = f"{artefact.name}.png"
            write_atomically(out / picture, content)
        page = out / f"{artefact.name}.html"
        write_artefact_page(artefact, found.comparison, page, extent=words, picture=content)
    except MissingExtra as error:
        terminal.note(f"No picture of {artefact.name}: {error}")
    write_atomically(out / f"{artefact.name}.csv", found.comparison.write_csv())
    write_atomically(out / f"{artefact.name}.md", artefact_markdown(found, picture=picture))
    return found


def _write_page(target: Path, store: Store) -> None:
    from datetime import date

    from reproductions.framework.catalog import artefacts
    from reproductions.framework.page import entry, published_numbers
    from tacit.saving import write_atomically

    entries = [entry(one, store) for one in artefacts()]
    write_atomically(target, published_numbers(entries, day=date.today()))


def _summary(entries: Sequence[Entry], out: Path) -> str:
    lines = []
    for each in entries:
        failed = each.comparison.filter(each.comparison["ours"].is_null() & (each.comparison["runs"] == 0)).height
        missing = f"; {failed} numbers are missing, the page says why" if failed else ""
        lines.append(f"{each.artefact.name}: {each.standing.in_words(each.artefact)}{missing}")
    lines.append(f"Pictures, tables and pages are in {out}. Noise was simulated: nothing there is a private release.")
    return "\n".join(lines)


def _make(out: Path) -> None:
    if not out.exists():
        checked_output(out, force=False)
        out.mkdir()
    elif not out.is_dir():
        raise ParameterError(f"Expected a folder for --out, got {str(out)!r}, which is none. Name a folder.")


def _list(name: str | None, terminal: Terminal, as_json: bool) -> None:
    from reproductions.framework.catalog import find

    found = [_described(one) for one in find(name or "all")]
    if as_json:
        emit_json(found)
        return
    grid = Grid("name", box=None, header_style="bold", padding=(0, 2, 0, 0))
    for column in ("what", "hours", "--quick", "data"):
        grid.add_column(column, overflow="fold")
    for each in found:
        missing = ", ".join(each["missing_data"])
        grid.add_row(
            each["name"],
            each["title"],
            f"{each['hours']:g}",
            each["quick"],
            f"not here: {missing}" if missing else "here",
        )
    terminal.say(grid, _ADVICE)


_ADVICE = """\
Hours are those of the paper's own repetitions on two cores. `python -m reproductions NAME --quick` runs the stated
fraction, and `python -m reproductions all --quick` of everything."""


def _described(artefact: Artefact) -> dict[str, Any]:
    from reproductions.framework.reproduction import missing_data

    return {
        "name": artefact.name,
        "title": artefact.title,
        "paper": artefact.paper.citation,
        "hours": artefact.hours,
        "quick": artefact.quick,
        "full": artefact.full,
        "data": list(artefact.data),
        "missing_data": list(missing_data([artefact])),
    }
