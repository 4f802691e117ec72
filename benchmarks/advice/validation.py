"""Leave-one-source-out validation of advice: regret, and coverage of the prediction intervals."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.advice.drawn_tables import drawn_tables
from benchmarks.advice.public_tables import Privacy, public_tables, tables_of_numbers
from tacit.privacy import Budget
from tacit.study.advice.past_studies import PastStudies
from tacit.study.advice.prediction import intervals, predict
from tacit.study.advice.query import usual_choice
from tacit.study.advice.similarity import TRAITS, outside_range, uncovered_trait

_EXPERIMENT = ("table", "privacy", "rows", "epsilon", "delta")


def validated(past: PastStudies) -> pl.DataFrame:
    """Return the advice for each past experiment from the other sources alone, and what was true.

    Returns
    -------
    polars.DataFrame
        The columns of `past.frame` up to ``delta``, and ``advised`` (a learner), ``predicted``, ``low``, ``high``,
        ``loss`` (what the advised learner lost), ``covered`` (whether the interval holds that), ``useful`` (the
        predicted share), ``was_useful``, ``learnable``, ``inside`` (whether past experiments cover the query),
        ``best`` (in hindsight), ``regret`` (accuracy lost against the best), and ``regret of <learner>`` for each,
        always taken, and for ``auto``, by its rule, where all tables are known ones.
    """
    checked = pl.concat([_left_out(past, source) for source in np.unique(past.sources)])
    taken = auto_losses(past)
    if taken is None:
        return checked
    # In the order of the sources, as the parts above.
    order = np.concatenate([np.flatnonzero(past.sources == source) for source in np.unique(past.sources)])
    regret = (taken - past.losses.min(axis=1))[order]
    return checked.with_columns(pl.Series("regret of auto", regret))


def auto_losses(past: PastStudies) -> NDArray[np.float64] | None:
    """Return what the learner of ``tacit fit`` lost in each experiment; None unless all tables are known ones."""
    tables = public_tables() if past.outcome == "class" else (*tables_of_numbers(), *drawn_tables())
    schemas = {(each.name, kind): each.schema(kind) for each in tables for kind in get_args(Privacy)}
    found = []
    for at, (table, privacy, rows, epsilon, delta) in enumerate(past.frame.select(*_EXPERIMENT).iter_rows()):
        if (table, privacy) not in schemas:
            return None
        choice = usual_choice(schemas[table, privacy], Budget(epsilon, delta), rows)
        if choice.learner not in past.learners:
            return None
        found.append(past.losses[at, past.learners.index(choice.learner)])
    return np.asarray(found)


def summary(checked: pl.DataFrame) -> dict[str, float]:
    """Return means in which every source counts the same: coverage of the intervals, and regrets of accuracy or R2."""
    measured = _measured(checked)
    return _even_means(checked, measured).select(measured).row(0, named=True)


def by_strength(checked: pl.DataFrame) -> pl.DataFrame:
    """Return these means, and of ``loss`` and ``width``, by powers of ten of rows x epsilon to a column and class.

    The first and the last row have everything below 1 and above 1,000.
    """
    power = TRAITS[0].expression.floor().clip(-1, 3).alias("power")
    frame = checked.with_columns(power, width=pl.col("high") - pl.col("low").clip(0))
    return _even_means(frame, ["loss", "width", *_measured(checked)], "power").sort("power")


def _measured(checked: pl.DataFrame) -> list[str]:
    return ["covered", *(name for name in checked.columns if name.startswith("regret"))]


def _even_means(frame: pl.DataFrame, measured: list[str], *by: str) -> pl.DataFrame:
    each = frame.group_by("source", *by).agg(pl.col(measured).cast(pl.Float64).mean())
    return each.group_by(by).agg(pl.col(measured).mean()) if by else each.select(pl.col(measured).mean())


def _left_out(past: PastStudies, source: str) -> pl.DataFrame:
    own = past.sources == source
    known, left_out = past.where(~own), past.where(own)
    prediction = predict(known, left_out.frame)
    low, high = intervals(known, prediction)
    best = left_out.losses.argmin(axis=1)
    truth, least = _picked(left_out.losses, prediction.best), _picked(left_out.losses, best)
    lower, upper = _picked(low, prediction.best), _picked(high, prediction.best)
    learners = np.asarray(past.learners)
    described = left_out.frame.select(left_out.frame.columns[: left_out.frame.columns.index("delta") + 1])
    return described.with_columns(
        advised=pl.Series(learners[prediction.best]),
        predicted=pl.Series(_picked(prediction.loss, prediction.best)),
        low=pl.Series(lower),
        high=pl.Series(upper),
        loss=pl.Series(truth),
        covered=pl.Series((lower <= truth) & (truth <= upper)),
        useful=pl.Series(_picked(prediction.useful, prediction.best)),
        was_useful=pl.Series(_picked(left_out.useful, prediction.best)),
        learnable=pl.Series(left_out.learnable),
        inside=pl.Series([_is_inside(known, row) for row in left_out.frame.iter_slices(1)]),
        best=pl.Series(learners[best]),
        regret=pl.Series(truth - least),
    ).hstack([pl.Series(f"regret of {name}", left_out.losses[:, at] - least) for at, name in enumerate(past.learners)])


def _is_inside(known: PastStudies, query: pl.DataFrame) -> bool:
    return not outside_range(known, query) and uncovered_trait(known, query) is None


def _picked(values: NDArray[Any], columns: NDArray[np.intp]) -> NDArray[Any]:
    return np.asarray(values[np.arange(len(values)), columns])
