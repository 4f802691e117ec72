"""What `tacit compare` leaves in the study's folder, and what it says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from io import BytesIO
from math import exp
from textwrap import fill
from typing import TYPE_CHECKING, Any

import polars as pl
from rich.table import Table as Grid

from tacit.cli.compare_errors import error_cell, other_errors
from tacit.cli.console import quoted
from tacit.report.page.sections import NOTICES
from tacit.saving import write_atomically
from tacit.study.learners import unit_of
from tacit.study.summary import accuracies, leading_measure, majority_share
from tacit.study.summary.accuracies import SETTING
from tacit.study.summary.leading import NAMES, Leading, leading_reason

if TYPE_CHECKING:
    from tacit.cli.compare_study import Source
    from tacit.cli.study_folder import StudyFolder
    from tacit.study.study import Study


_WIDTH = 80  # of sentences; paths are not broken
_ACROSS = 5  # epsilons beside each other, so that lines fit a terminal

_MEASURES = {
    "accuracy": "accuracy",
    "auc": "AUC",
    "balanced_accuracy": "balanced",
    "log_loss": "log-loss",
    "brier": "Brier",
}
_OTHER_MEASURES = "Other measures, means: AUC and (balanced) accuracy in %, log-loss in nats"

_MAX_EXPONENT = 700.0  # exp of 710 is no float


def words(
    frame: pl.DataFrame, before: int, study: Study, source: Source, folder: StudyFolder, written: list[str]
) -> Iterator[Any]:
    """Return what goes to stdout, in order."""
    yield _filled(_notice(source)) + "\n"
    settings = accuracies(frame)
    for (data, privacy), own in settings.group_by("data", "privacy", maintain_order=True):
        rows = frame.filter(pl.col("data") == data, pl.col("privacy") == privacy)
        lead = leading_measure(rows)
        yield _title(rows, study, lead)
        yield from _grids(_in_measure(own, rows, lead), lead)
        yield from other_errors(own) if lead == "rmse" else _other_measures(own, lead)
        yield "\n".join([*map(_filled, [*_no_better(own), *_units(own), *_failures(own)]), ""])
    yield "\n".join(_closing(frame, before, folder, written))


def document(frame: pl.DataFrame, source: Source, folder: StudyFolder, written: list[str]) -> dict[str, Any]:
    """Return the same for a program."""
    return {
        "rows": source.kind,
        "notice": _notice(source),
        "fits": frame.height,
        "failed": int((frame["status"] == "failed").sum()),
        "settings": accuracies(frame).to_dicts(),
        "leading": _leading(frame),
        "files": [str(folder.file(name)) for name in written],
    }


def _leading(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the measure to read first of each table."""
    groups = frame.group_by("data", "privacy", maintain_order=True)
    return [
        {"data": data, "privacy": case, "measure": leading_measure(rows), "majority": majority_share(rows)}
        for (data, case), rows in groups
    ]


def _filled(text: str) -> str:
    return fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _notice(source: Source) -> str:
    return " ".join(NOTICES[source.told])


def _title(rows: pl.DataFrame, study: Study, lead: Leading) -> str:
    data, case = rows.select("data", "privacy").row(0)
    train, test, columns, private = rows.select(
        pl.col("n_train", "n_test", "n_columns", "n_private_columns").max()
    ).row(0)
    size = f": {train:,} training rows, {test:,} test rows; {private} of {columns} columns private" if train else ""
    splits = study.repeats * (study.cv or 1)
    deltas = {delta for delta in rows["delta"].drop_nulls() if delta}
    told = f"At delta {' and '.join(f'{delta:g}' for delta in sorted(deltas))}." if deltas else ""
    if not deltas and train and "auto" in rows["learner"]:
        from tacit.privacy.loss import usual_delta

        told = f"All at delta 0; `tacit fit` uses {usual_delta(train):g} by default. Pass --delta to compare at that."
    everything = ", and the label" if case == "all-private" else ""
    over = f"{splits} split" + ("" if splits == 1 else "s")
    what = "RMSE, in the target's unit" if lead == "rmse" else f"{NAMES[lead]} (%)"
    measured = f"{what}, mean ± standard deviation over {over}"
    return "\n".join(map(_filled, filter(None, [f"{data}{size}{everything}", measured, told, leading_reason(rows)])))


def _in_measure(settings: pl.DataFrame, rows: pl.DataFrame, lead: Leading) -> pl.DataFrame:
    """Return the settings with the mean and standard deviation of the measure that leads, labeled for a line each."""
    labels = [_label(row) for row in settings.select("name", "learner", "parameters").iter_rows(named=True)]
    labeled = settings.with_columns(pl.Series("name", labels, dtype=pl.String))
    if lead == "accuracy":
        return labeled
    value = pl.col(lead).filter(pl.col("status") == "done")
    found = rows.group_by(SETTING, maintain_order=True).agg(mean=value.mean(), deviation=value.std())
    # Both are grouped by the same columns in order of appearance.
    return labeled.with_columns(found["mean"], found["deviation"])


def _label(setting: dict[str, Any]) -> str:
    """Return a learner's name, followed by the unit of protection of one from another library."""
    unit = unit_of(setting["learner"], json.loads(setting["parameters"] or "{}"))
    return f"{setting['name']} ({unit})" if unit else str(setting["name"])


def _units(settings: pl.DataFrame) -> Iterator[str]:
    """Say whose unit of protection is which, where other libraries are compared."""
    if any(_label(row) != row["name"] for row in settings.iter_rows(named=True)):
        yield (
            "In brackets: what the epsilon of another library protects. Tacit's protects against replacing one row, or "
            "with an identifier all rows of one person. Add/remove at epsilon is replace at 2 x epsilon."
        )


def _grids(settings: pl.DataFrame, lead: Leading) -> Iterator[Grid]:
    """Return a grid for each few epsilons: a line for each learner, those without privacy last."""
    epsilons = settings["epsilon"].drop_nulls().unique().sort().to_list()
    for start in range(0, max(len(epsilons), 1), _ACROSS):
        yield accuracy_grid(settings, epsilons[start : start + _ACROSS], error_cell if lead == "rmse" else None)


def accuracy_grid(
    settings: pl.DataFrame, epsilons: list[float], cell: Callable[[dict[str, Any]], str] | None = None
) -> Grid:
    """Return a line for each learner, those without privacy last; ``cell`` makes the text of a setting."""
    cell = cell or _cell
    grid = Grid()
    grid.add_column("epsilon")
    for heading in [f"{epsilon:g}" for epsilon in epsilons] or [""]:
        grid.add_column(heading, justify="right")
    paying = settings.filter(pl.col("epsilon").is_not_null())
    several = paying["delta"].n_unique() > 1
    for (name, delta), own in paying.group_by("name", "delta", maintain_order=True):
        cells = {row["epsilon"]: cell(row) for row in own.iter_rows(named=True)}
        label = f"{name}, delta {delta:g}" if several else str(name)
        grid.add_row(label, *(cells.get(epsilon, "") for epsilon in epsilons))
    grid.add_section()
    for row in settings.filter(pl.col("epsilon").is_null()).iter_rows(named=True):
        grid.add_row(row["name"], *[cell(row)] * max(len(epsilons), 1), style="dim")
    grid.add_section()
    if epsilons:
        grid.add_row("maximum odds ratio at delta 0", *map(_odds, epsilons), style="dim")
    return grid


def _odds(epsilon: float) -> str:
    return f"x {exp(epsilon):.3g}" if epsilon < _MAX_EXPONENT else "any"


def _cell(setting: dict[str, Any]) -> str:
    if setting["mean"] is None:
        return "failed"
    spread = "" if setting["deviation"] is None else f" ± {100 * setting['deviation']:.1f}"
    return f"{100 * setting['mean']:.1f}{spread}" + ("*" if setting["failed"] else "")


def _other_measures(settings: pl.DataFrame, lead: Leading) -> Iterator[Grid]:
    """Return a line for each setting with its other measures, means over splits; those without privacy last."""
    known = settings.filter(pl.col("balanced_accuracy").is_not_null()).sort(
        pl.col("epsilon").is_null(), maintain_order=True
    )
    if known.is_empty():
        return
    columns = {name: heading for name, heading in _MEASURES.items() if name != lead}
    # Without a box all columns fit 80 characters.
    grid = Grid(title=_OTHER_MEASURES, title_justify="left", title_style="", box=None, padding=(0, 2, 0, 0))
    for heading in ("", "epsilon", *columns.values()):
        grid.add_column(heading, justify="right" if heading else "left")
    for row in known.with_columns(accuracy="mean").iter_rows(named=True):
        values = [_measured(name, row[name]) for name in columns]
        paid = row["epsilon"] is not None
        grid.add_row(row["name"], f"{row['epsilon']:g}" if paid else "none", *values, style=None if paid else "dim")
    yield grid


def _measured(name: str, value: float | None) -> str:
    if value is None:
        return ""
    return f"{100 * value:.1f}" if name in NAMES else f"{value:.3f}"


def _no_better(settings: pl.DataFrame) -> Iterator[str]:
    """Say which learners the majority class does as well as, in accuracy, or the mean of a number."""
    found = settings.filter(pl.col("no_better"), pl.col("epsilon").is_not_null())
    for (name, share), own in found.group_by("name", "majority", maintain_order=True):
        of_number = own["r2"].is_not_null().any()
        constant = "R2 than the mean alone" if of_number else f"accuracy than the majority class ({100 * share:.1f} %)"
        yield f"No higher {constant}: {name} at epsilon {', '.join(f'{epsilon:g}' for epsilon in own['epsilon'])}."


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
    yield _filled(
        "Splits of one table share rows, so learners that differ by less than the standard deviation may be equal."
    )
    yield _filled(f"Wrote {', '.join(written)}")
    yield f"in {folder.given} (mode 0700)."
    yield f"Next: open {quoted(folder.given / 'report.html')} in a browser."


def write_results(frame: pl.DataFrame, study: Study, source: Source, folder: StudyFolder) -> list[str]:
    """Return the names of the files, the page first."""
    # The page last: where it is, the tables that it was made of are, too.
    write_atomically(folder.file("results.csv"), frame.write_csv())
    parquet = BytesIO()
    frame.write_parquet(parquet)
    write_atomically(folder.file("results.parquet"), parquet.getvalue())
    _write_page(frame, study, source, folder)
    return ["report.html", "results.csv", "results.parquet", "store.sqlite", "spec.toml", *source.files]


def _write_page(frame: pl.DataFrame, study: Study, source: Source, folder: StudyFolder) -> None:
    from tacit.report.page.study_page import write_page

    names = ", ".join(frame["data"].unique(maintain_order=True))
    write_page(
        frame, folder.file("report.html"), title=f"Accuracy and privacy: {names}", spec=study, source=source.told
    )
