"""Tables 5.2, 5.3 and A.1 to A.3 of Salamatian (2021): how few features a model uses, and one model in words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl

from reproductions.framework.apart import AGAIN, ONE_DRAW, SHARE, all_again
from reproductions.framework.artefact import Artefact, Axis, compared
from reproductions.framework.comparison import Place, averaged
from reproductions.framework.readings import beside
from reproductions.salamatian2021.fits import AS_RUN, BINS, RAN, RULES, tuned
from reproductions.salamatian2021.printed import (
    ACCURACIES,
    EPSILONS,
    FEATURES,
    NAMES,
    PAPER,
    SPARSITY,
    VOTES,
)
from tacit.study.run import Task

REPEATS = 5
SHOWN = (0.4, 0.5, 1.0, 3.0, 5.0)
"""Table 5.2, which is a part of table A.1."""

COUNTS, SHARES = "features used", "share of features, %"

MODEL_EPSILON = 0.4


def _sparsity_tasks(data: str, epsilons: Sequence[float]) -> Callable[[bool], list[Task]]:
    return lambda quick: [
        one.labeled(panel=panel, value=value)
        for panel, value in ((COUNTS, "features"), (SHARES, "share"))
        for series in (RULES[0], AS_RUN, RULES[1])
        for repeat in range(REPEATS)
        for epsilon in epsilons
        for one in [tuned(data, epsilon, series, repeat)]
    ]


def _sparsity(data: str, epsilons: Sequence[float], rows: pl.DataFrame) -> pl.DataFrame:
    published: dict[Place, float] = {}
    notes: dict[Place, str] = {}
    for epsilon in epsilons:
        mean, deviation, share = SPARSITY[data][EPSILONS.index(epsilon)]
        published[COUNTS, RULES[0].name, epsilon] = mean
        published[SHARES, RULES[0].name, epsilon] = share
        notes[COUNTS, RULES[0].name, epsilon] = f"published deviation {deviation:g}"
    return averaged(rows, "features", published=beside(published, [AS_RUN.name]), notes=notes)


def _as_share(row: Mapping[str, Any]) -> str:
    return SHARE if row["panel"] == SHARES else ""


def _votes_tasks(quick: bool) -> list[Task]:
    return [tuned("adult", MODEL_EPSILON, series, 0, "salamatian2021-words") for series in RULES]


def compare_votes(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the votes of each rule, and the accuracy."""
    kept = {row["series"]: row for row in rows.iter_rows(named=True)}
    return compared(line for series in RULES for line in _votes(series.name, kept.get(series.name, {})))


def _votes(series: str, row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    published = series == RULES[0].name
    ours: dict[str, int] = json.loads(row.get("votes") or "{}")
    theirs: dict[str, int] = VOTES if published else {}
    done = row.get("status") == "done"
    for words in dict.fromkeys((*theirs, *ours)):
        yield {
            "panel": "votes",
            "series": series,
            "x": words,
            "ours": float(ours.get(words, 0)) if done else None,
            "runs": int(done),
            "published": float(theirs[words]) if words in theirs else None,
        }
    yield {
        "panel": "accuracy",
        "series": series,
        "x": "accuracy",
        "ours": row.get("accuracy"),
        "runs": int(done),
        "published": ACCURACIES["adult", MODEL_EPSILON] if published else None,
    }


def _table_of_sparsity(name: str, data: str, epsilons: Sequence[float]) -> Artefact:
    return Artefact(
        name=f"salamatian2021-{name}",
        title=f"How many features boosted one-rules use on {data}",
        paper=PAPER,
        setting=(
            "Settings of tables B.1 to B.3, five fits: five seeds on Adult's training rows, five of ten folds "
            "elsewhere, as in figure 5.2. A feature is a category or a part of a number, whether asked for or denied."
        ),
        differences=(BINS, f"The thesis has {FEATURES[data]} features.", RAN),
        hours=0.01,
        quick="all of it: 5 fits",
        full="5 fits",
        axis=Axis("epsilon", "features used", "table", log=True),
        tasks=_sparsity_tasks(data, epsilons),
        compare=partial(_sparsity, data, epsilons),
        data=(data,),
        apart=all_again if name == "table5.2" else _as_share,
        tried=(
            "Half of the stated noise alone, and with half of lambda and ten uniform bins. Counts are means "
            "of five fits, the thesis's and ours, with deviations printed up to 3 of them: below six features a tenth "
            "is less than the deviation of such a mean."
        ),
    )


ARTEFACTS = (
    _table_of_sparsity("table5.2", "adult", SHOWN),
    Artefact(
        name="salamatian2021-table5.3",
        title="A model of boosted one-rules in words, on Adult",
        paper=PAPER,
        setting=(
            "Epsilon 0.4, settings of table B.1, one fit on Adult's training rows. Votes are for more than 50,000 a "
            "year, for less where negative; a rule's denial counts as minus the rule."
        ),
        differences=(
            BINS,
            "One fit of a random algorithm: another seed gives other votes.",
            "Printed are six rules with nine votes, as many as rounds; a rule and its denial, or constants, may have "
            "canceled out.",
        ),
        hours=0.001,
        quick="all of it: one fit",
        full="one fit",
        axis=Axis("rule", "votes", "table"),
        tasks=_votes_tasks,
        compare=compare_votes,
        data=("adult",),
        apart=lambda row: ONE_DRAW if row["panel"] == "votes" else AGAIN,
    ),
    *(_table_of_sparsity(f"tableA.{at}", data, EPSILONS) for at, data in enumerate(NAMES, start=1)),
)
