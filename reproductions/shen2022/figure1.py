"""Figure 1 of Shen and others (2022): the toy example of section 4."""

from __future__ import annotations

import polars as pl

from reproductions.framework.artefact import Artefact, Axis, Paper
from reproductions.framework.comparison import averaged, single
from reproductions.shen2022.measures import BUCKETS
from reproductions.shen2022.settings import TOY_ROWS
from tacit.study.run import Task

PAPER = Paper(
    "shen2022",
    "Z. Shen, A. Krishnaswamy, J. Kulkarni, K. Munagala: Classification with Partially Private Features. 2022.",
)

EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 10.0)
RUNS = 10
WITHOUT_NOISE = 100.0
"""Section 4: "assuming epsilon = 100"."""


def _task(epsilon: float, repeat: int, **labels: str | float) -> Task:
    return Task("shen2022-toy", {"epsilon": epsilon, "repeat": repeat}, labels)


def _accuracies(quick: bool) -> list[Task]:
    return [_task(epsilon, repeat, series="BRC", x=epsilon) for epsilon in EPSILONS for repeat in range(RUNS)]


def _by_bucket(value: str, series: str) -> list[Task]:
    width = TOY_ROWS // BUCKETS
    return [
        _task(WITHOUT_NOISE, repeat, series=series, x=float(width * bucket + width // 2), value=f"{value} {bucket}")
        for bucket in range(BUCKETS)
        for repeat in range(RUNS)
    ]


def _counts(quick: bool) -> list[Task]:
    return _by_bucket("count", "classifiers in one run of 50 rounds")


def _weights(quick: bool) -> list[Task]:
    return _by_bucket("weight", "weight of a classifier")


def _weight_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Average weights; a run without a classifier in a bucket has none there, and is not missing."""
    told = averaged(rows)
    return told.with_columns(note=pl.when(pl.col("runs") > 0).then(pl.lit("")).otherwise(pl.col("note")))


_SETTING = (
    "Section 4: 2,000 points on a line, the left half of one class; 50 rounds, c1 = c2 = 2; each round the best "
    "threshold for labels flipped with probability 0.49; ten runs."
)
_LABELS = "Its thresholds are computed from the labels, so it is no private fit, here as in the paper."

ARTEFACTS = (
    Artefact(
        name="shen2022-figure1a",
        title="The toy example: accuracy over epsilon",
        paper=PAPER,
        setting=_SETTING,
        differences=(
            _LABELS,
            "The paper's epsilons are not in its text, which says: good from roughly 0.1 on, erratic below.",
            "Noise is ours, at a sensitivity somewhat below the published one.",
        ),
        hours=0.01,
        quick="all of it: ten runs",
        full="ten runs",
        axis=Axis("epsilon", "accuracy on the training points", "box", log=True),
        tasks=_accuracies,
        compare=single,
    ),
    Artefact(
        name="shen2022-figure1b",
        title="The toy example: where the thresholds fall",
        paper=PAPER,
        setting=_SETTING + " Counted in 20 buckets of 100 points, at epsilon 100.",
        differences=(_LABELS, "The paper's buckets are not in its text; it calls the distribution close to uniform."),
        hours=0.01,
        quick="all of it: ten runs",
        full="ten runs",
        axis=Axis("place of the threshold", "classifiers", "histogram"),
        tasks=_counts,
        compare=averaged,
    ),
    Artefact(
        name="shen2022-figure1c",
        title="The toy example: which thresholds get weight",
        paper=PAPER,
        setting=_SETTING + " Mean weight in 20 buckets of 100 points, at epsilon 100.",
        differences=(
            _LABELS,
            "The paper draws each classifier; it says that weights concentrate at the middle, 1,000.",
        ),
        hours=0.01,
        quick="all of it: ten runs",
        full="ten runs",
        axis=Axis("place of the threshold", "weight alpha", "bars"),
        tasks=_weights,
        compare=_weight_rows,
    ),
)
