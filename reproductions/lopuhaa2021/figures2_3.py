"""Figures 2 and 3 of Lopuhaä-Zwakenberg and others (2021): accuracy over privacy levels, by table and on average."""

from __future__ import annotations

import polars as pl

from reproductions.framework.apart import all_again
from reproductions.framework.artefact import Artefact, Axis, compared
from reproductions.framework.comparison import averaged
from reproductions.lopuhaa2021.folds import (
    CODINGS,
    FULL,
    LEARNERS,
    PAPER,
    QUICK,
    fits_of,
    fold_tasks,
    named,
    second_runs,
)
from reproductions.lopuhaa2021.settings import NAMES, TABLE_2, published
from tacit.study.summary import accuracies

LETTERS = {
    "adult": "a",
    "mushroom": "b",
    "nursery": "c",
    "house-votes-84": "d",
    "spect": "e",
    "skin-segmentation": "f",
}
"""Section 5 lists the tables in this order."""

HOURS = {
    "adult": 0.25,
    "mushroom": 0.06,
    "nursery": 0.16,
    "house-votes-84": 0.02,
    "spect": 0.03,
    "skin-segmentation": 0.5,
}

AXIS = Axis("epsilon", "accuracy", "curve")
"""Levels are side by side, as names: on a scale, eight of eleven decades would be empty."""


def compare_levels(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a curve for each learner and cost, and lines across for accuracies without privacy, of one table."""
    fits = fits_of(rows)
    fits = fits.with_columns(series=pl.col("name"), x=pl.Series(map(_level, fits["epsilon"]), dtype=pl.String))
    lines = {
        ("", named(learner, None), None): theirs
        for learner in LEARNERS
        for data in fits["data"].unique()
        if (theirs := published(data, learner, "accuracy")) is not None
    }
    return averaged(fits, published=lines)


def compare_averages(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the curves averaged over tables; the deviation is that of tables. Only whole averages are shown."""
    tables = accuracies(fits_of(rows)).filter(pl.col("mean").is_not_null())
    mean, count = pl.col("mean"), pl.col("data").n_unique()
    averages = tables.group_by("name", "epsilon").agg(mean.mean(), mean.std().alias("deviation"), count, "runs")
    found = {(name, epsilon): rest for name, epsilon, *rest in averages.iter_rows() if rest[2] == len(NAMES)}
    lines = {named(learner, None): TABLE_2["accuracy"][learner][-1] for learner in LEARNERS}
    wanted = fits_of(rows).select("name", "epsilon").unique(maintain_order=True)
    return compared(
        {
            "series": name,
            "x": _level(epsilon),
            "ours": found[name, epsilon][0] if (name, epsilon) in found else None,
            "deviation": found[name, epsilon][1] if (name, epsilon) in found else None,
            "runs": sum(found[name, epsilon][3]) if (name, epsilon) in found else 0,
            "published": lines.get(name),
            "note": "" if (name, epsilon) in found else "some tables are missing",
        }
        for name, epsilon in wanted.iter_rows()
    )


def _level(epsilon: float | None) -> str | None:
    return None if epsilon is None else f"{epsilon:g}"


def _figure2(data: str) -> Artefact:
    return Artefact(
        name=f"lopuhaa2021-figure2{LETTERS[data]}",
        title=f"Three classifiers over privacy levels on {data}",
        paper=PAPER,
        setting=(
            "Shuffled ten-fold cross-validation, everything private; accuracies without privacy as lines across. "
            "A run is one fit; deviations are those of folds."
        ),
        differences=(
            *CODINGS,
            "The paper prints no number of this figure but the accuracies without privacy, in its table 2.",
        ),
        hours=HOURS[data],
        quick=QUICK,
        full=FULL,
        axis=AXIS,
        tasks=lambda quick: [*fold_tasks((data,), quick=quick), *second_runs((data,), quick=quick)],
        compare=compare_levels,
        data=(data,),
        apart=all_again,
    )


ARTEFACTS = (
    *map(_figure2, LETTERS),
    Artefact(
        name="lopuhaa2021-figure3",
        title="Three classifiers over privacy levels, on average over six tables",
        paper=PAPER,
        setting="The mean of figure 2's six curves; deviations are those of tables.",
        differences=(
            *CODINGS,
            "The paper prints no number of this figure. Its text speaks of epsilon above 3, its figures end at 1.",
        ),
        hours=1.0,
        quick=QUICK,
        full=FULL,
        axis=AXIS,
        tasks=lambda quick: [*fold_tasks(quick=quick), *second_runs(quick=quick)],
        compare=compare_averages,
        data=NAMES,
        apart=all_again,
    ),
)
