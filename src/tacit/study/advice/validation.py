"""How good advice is on tables that it does not know: each source left out in turn, intervals included."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.study.advice.expectation import expected
from tacit.study.advice.hull import lonely, outside
from tacit.study.advice.interval import intervals
from tacit.study.advice.likeness import TRAITS
from tacit.study.advice.past_studies import PastStudies


def validated(past: PastStudies) -> pl.DataFrame:
    """Return what advice would have said about each past setting from the other sources alone, and what was true.

    Returns
    -------
    polars.DataFrame
        The columns of `past.frame` up to ``delta``, and ``advised`` (a learner), ``expected``, ``low``, ``high``,
        ``loss`` (what the advised learner lost), ``held`` (whether the interval did), ``useful`` (the share that
        advice names), ``was_useful``, ``learnable``, ``inside`` (whether advice says that it was tried), ``best`` (in
        hindsight), ``regret`` (accuracy lost against the best), and ``regret of <learner>`` for each, always taken.
    """
    return pl.concat([_left_out(past, source) for source in np.unique(past.sources)])


def summary(checked: pl.DataFrame) -> dict[str, float]:
    """Return means in which every source counts the same: how often intervals held, and the regrets."""
    measured = _measured(checked)
    return _even_means(checked, measured).select(measured).row(0, named=True)


def by_strength(checked: pl.DataFrame) -> pl.DataFrame:
    """Return the same means by rows x epsilon to a charged column and class, in powers of ten, and ``loss``, ``width``.

    The first and the last row have everything below 1 and above 1,000.
    """
    power = TRAITS[0].expression.floor().clip(-1, 3).alias("power")
    frame = checked.with_columns(power, width=pl.col("high") - pl.col("low").clip(0))
    return _even_means(frame, ["loss", "width", *_measured(checked)], "power").sort("power")


def _measured(checked: pl.DataFrame) -> list[str]:
    return ["held", *(name for name in checked.columns if name.startswith("regret"))]


def _even_means(frame: pl.DataFrame, measured: list[str], *by: str) -> pl.DataFrame:
    each = frame.group_by("source", *by).agg(pl.col(measured).cast(pl.Float64).mean())
    return each.group_by(by).agg(pl.col(measured).mean()) if by else each.select(pl.col(measured).mean())


def _left_out(past: PastStudies, source: str) -> pl.DataFrame:
    own = past.sources == source
    known, asked = past.where(~own), past.where(own)
    expectation = expected(known, asked.frame)
    low, high = intervals(known, expectation)
    best = asked.losses.argmin(axis=1)
    truth, least = _picked(asked.losses, expectation.best), _picked(asked.losses, best)
    lower, upper = _picked(low, expectation.best), _picked(high, expectation.best)
    learners = np.asarray(past.learners)
    settings = asked.frame.select(asked.frame.columns[: asked.frame.columns.index("delta") + 1])
    return settings.with_columns(
        advised=pl.Series(learners[expectation.best]),
        expected=pl.Series(_picked(expectation.loss, expectation.best)),
        low=pl.Series(lower),
        high=pl.Series(upper),
        loss=pl.Series(truth),
        held=pl.Series((lower <= truth) & (truth <= upper)),
        useful=pl.Series(_picked(expectation.useful, expectation.best)),
        was_useful=pl.Series(_picked(asked.useful, expectation.best)),
        learnable=pl.Series(asked.learnable),
        inside=pl.Series([_is_inside(known, row) for row in asked.frame.iter_slices(1)]),
        best=pl.Series(learners[best]),
        regret=pl.Series(truth - least),
    ).hstack([pl.Series(f"regret of {name}", asked.losses[:, at] - least) for at, name in enumerate(past.learners)])


def _is_inside(known: PastStudies, setting: pl.DataFrame) -> bool:
    return not outside(known, setting) and lonely(known, setting) is None


def _picked(values: NDArray[Any], columns: NDArray[np.intp]) -> NDArray[Any]:
    return np.asarray(values[np.arange(len(values)), columns])
