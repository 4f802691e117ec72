"""What `tacit compare` says: on top what a comparison is not, then a table, then where the rest lies."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp
from typing import TYPE_CHECKING, Any

import polars as pl
from rich.table import Table as Grid

from tacit.cli.console import quoted
from tacit.study.summary import accuracies

if TYPE_CHECKING:
    from tacit.cli.compare_folder import StudyFolder
    from tacit.cli.compare_source import Source
    from tacit.study.study import Study

_ACROSS = 5
"""Epsilons beside each other, so that lines fit a terminal."""

_LARGEST_EXPONENT = 700.0

NOTICES = {
    "private": (
        "NOT PRIVATE. This study shows, without noise, how learners do on the rows. Keep it as you keep the table.",
        "Choosing a learner or an epsilon by it is not covered by the certificate of a later fit on the same rows.",
        "Covered are choices by `tacit advise`, which reads no row, by a comparison on public rows (--data),",
        "and by one on rows made from the schema (--simulate).",
    ),
    "public": (
        "This study is not itself private: it shows, without noise, how learners do on the rows of a public table.",
        "Choosing by it is covered by the certificate of a later fit on other people's rows, but not on these.",
    ),
    "guessed": (
        "These rows were made from a schema with guesses, which were read off rows, so choosing by this study is not",
        "covered either: check each entry of the schema against what everybody may know, and compare again.",
    ),
    "simulated": (
        "These rows were made from the schema alone. Nobody's row was read: choosing by this study costs no privacy.",
        "Their labels follow a law drawn at random: what carries over to yours is what privacy costs at such a size.",
    ),
}
"""What stands on top, by where the rows come from."""


def words(
    frame: pl.DataFrame, before: int, study: Study, source: Source, folder: StudyFolder, written: list[str]
) -> Iterator[Any]:
    """Return what goes to stdout, in order."""
    yield "\n".join(_notice(source)) + "\n"
    settings = accuracies(frame)
    for (data, privacy), own in settings.group_by("data", "privacy", maintain_order=True):
        rows = frame.filter(pl.col("data") == data, pl.col("privacy") == privacy)
        yield _title(rows, study)
        yield from _grids(own)
        yield "\n".join([*_failures(own), ""])
    yield "\n".join(_closing(frame, before, folder, written))


def document(frame: pl.DataFrame, source: Source, folder: StudyFolder, written: list[str]) -> dict[str, Any]:
    """Return the same for a program."""
    return {
        "rows": source.kind,
        "notice": " ".join(_notice(source)),
        "fits": frame.height,
        "failed": int((frame["status"] == "failed").sum()),
        "settings": accuracies(frame).to_dicts(),
        "files": [str(folder.file(name)) for name in written],
    }


def _notice(source: Source) -> tuple[str, ...]:
    return NOTICES[source.told]


def _title(rows: pl.DataFrame, study: Study) -> str:
    data, case = rows.select("data", "privacy").row(0)
    train, test, columns, private = rows.select(
        pl.col("n_train", "n_test", "n_columns", "n_private_columns").max()
    ).row(0)
    size = (
        f": {train:,} rows to learn from, {test:,} to test on; {private} of {columns} columns private" if train else ""
    )
    splits = study.repeats * (study.cv or 1)
    deltas = {delta for delta in rows["delta"].drop_nulls() if delta}
    told = f"\nAt delta {' and '.join(f'{delta:g}' for delta in sorted(deltas))}." if deltas else ""
    everything = ", and the label" if case == "all-private" else ""
    return f"{data}{size}{everything}\nRight predictions in %, mean ± deviation of {splits} splits{told}"


def _grids(settings: pl.DataFrame) -> Iterator[Grid]:
    """Return a grid for each few epsilons: a line for each learner, those without privacy last."""
    epsilons = settings["epsilon"].drop_nulls().unique().sort().to_list()
    for start in range(0, max(len(epsilons), 1), _ACROSS):
        yield _grid(settings, epsilons[start : start + _ACROSS])


def _grid(settings: pl.DataFrame, epsilons: list[float]) -> Grid:
    grid = Grid()
    grid.add_column("epsilon")
    for heading in [f"{epsilon:g}" for epsilon in epsilons] or [""]:
        grid.add_column(heading, justify="right")
    paying = settings.filter(pl.col("epsilon").is_not_null())
    several = paying["delta"].n_unique() > 1
    for (name, delta), own in paying.group_by("name", "delta", maintain_order=True):
        cells = {row["epsilon"]: _cell(row) for row in own.iter_rows(named=True)}
        label = f"{name}, delta {delta:g}" if several else str(name)
        grid.add_row(label, *(cells.get(epsilon, "") for epsilon in epsilons))
    grid.add_section()
    for row in settings.filter(pl.col("epsilon").is_null()).iter_rows(named=True):
        grid.add_row(row["name"], *[_cell(row)] * max(len(epsilons), 1), style="dim")
    grid.add_section()
    if epsilons:
        grid.add_row("odds of a guess rise at most by", *map(_odds, epsilons), style="dim")
    return grid


def _odds(epsilon: float) -> str:
    return f"x {exp(epsilon):.3g}" if epsilon < _LARGEST_EXPONENT else "any"


def _cell(setting: dict[str, Any]) -> str:
    if setting["mean"] is None:
        return "failed"
    spread = "" if setting["deviation"] is None else f" ± {100 * setting['deviation']:.1f}"
    return f"{100 * setting['mean']:.1f}{spread}" + ("*" if setting["failed"] else "")


def _failures(settings: pl.DataFrame) -> Iterator[str]:
    """Return a line for each learner and reason."""
    failed = settings.filter(pl.col("failed") > 0)
    for (name, reason), own in failed.group_by("name", "reason", maintain_order=True):
        at = ", ".join(f"{epsilon:g}" for epsilon in own["epsilon"].drop_nulls())
        some = " some fits" if own["runs"].sum() else ""
        yield f"{'*' if some else 'failed:'} {name}{f' at epsilon {at}' if at else ''}{some}: {reason}"


def _closing(frame: pl.DataFrame, before: int, folder: StudyFolder, written: list[str]) -> Iterator[str]:
    failed = int((frame["status"] == "failed").sum())
    yield (
        f"{frame.height:,} fits"
        + (f", {failed:,} of them failed" if failed else "")
        + (f"; {before:,} were there from an earlier run" if before else "")
        + "."
    )
    yield "Splits of one table share rows, so learners that differ by less than the deviation may be equal."
    yield f"Wrote {', '.join(written)}"
    yield f"into {folder.given}, which only you can enter."
    yield f"Next: open {quoted(folder.given / 'report.html')} in a browser."
