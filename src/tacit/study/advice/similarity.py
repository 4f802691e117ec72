"""Similarity of past experiments to a query, and whether they cover it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.study.advice.past_studies import PastStudies


@dataclass(frozen=True)
class Trait:
    """One coordinate in which experiments are compared."""

    words: str
    unit: float
    """Bandwidth: after a difference of this size an experiment counts exp(-1/2) as much."""
    expression: pl.Expr
    """Over the columns of `tacit.study.advice.past_studies.DESCRIPTION`."""


# Classes beyond two are learned one against the rest, which divides the budget by their number.
_ONE_AGAINST_REST = pl.when(pl.col("classes") > 2).then(pl.col("classes")).otherwise(1)
_SHARE = pl.col("protected_columns") / pl.col("columns")

TRAITS = (
    Trait(
        "rows x epsilon to a protected column and class",
        0.35,
        (pl.col("rows") * pl.col("epsilon") / (pl.col("protected_columns") * _ONE_AGAINST_REST)).log10(),
    ),
    Trait("rows", 0.8, pl.col("rows").cast(pl.Float64).log10()),
    Trait("one-hot width", 0.7, pl.col("width").cast(pl.Float64).log10()),
    Trait("share of categorical columns", 0.5, pl.col("categorical_columns") / pl.col("protected_columns")),
    Trait("classes", 0.7, pl.col("classes").cast(pl.Float64).log(2)),
    Trait("public label", 0.7, pl.col("public_label").cast(pl.Float64)),
    Trait("share of protected columns", 0.4, _SHARE),
)
"""What decides how much a budget buys: the signal-to-noise ratio (rows x epsilon) first.

The units were set by judgment before any prediction was checked, and are not tuned.
"""

OTHER_KIND_OF_BUDGET = 1e6
"""Added to the squared distance where one budget has a delta and the other none: exp(-1e6 / 2) is no weight at all."""

FARTHEST = 2.5
"""In units of similarity: an experiment at that distance has the weight of one in 23 (exp(2.5^2 / 2)) at distance 0."""

_TOLERANCE = 1e-9  # relative: rows x epsilon is a product, and its last bits may differ


def traits(frame: pl.DataFrame) -> NDArray[np.float64]:
    """Return the traits of experiments in units, shape (n_experiments, n_traits)."""
    return frame.select((trait.expression / trait.unit).alias(str(at)) for at, trait in enumerate(TRAITS)).to_numpy()


def squared_distances(queries: pl.DataFrame, past: pl.DataFrame) -> NDArray[np.float64]:
    """Return squared distances in units, shape (n_queries, n_past)."""
    a, b = traits(queries), traits(past)
    # |a - b|^2 = |a|^2 + |b|^2 - 2ab needs no array of all differences; rounding may leave it just below 0.
    squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1)[None, :] - 2.0 * a @ b.T
    kinds = [(frame["delta"] > 0).to_numpy() for frame in (queries, past)]
    return np.asarray(np.maximum(squares, 0.0) + OTHER_KIND_OF_BUDGET * (kinds[0][:, None] != kinds[1][None, :]))


def kernel_weights(distances: NDArray[np.float64], sources: NDArray[np.str_]) -> NDArray[np.float64]:
    """Return the weight of each past experiment for each query, rows adding up to one.

    A source has the Gaussian weight of its nearest experiment, exp(-distance^2 / 2), however many experiments it has;
    they share it in proportion to their own.

    Parameters
    ----------
    distances : array of shape (n_queries, n_past)
        Squared; infinite for what must not count.
    sources : array of shape (n_past,)

    Examples
    --------
    >>> kernel_weights(np.zeros((1, 3)), np.array(["a", "a", "b"])).tolist()
    [[0.25, 0.25, 0.5]]
    """
    # Relative to the nearest, which cancels in the normalization: where everything is far, no weight underflows to 0/0.
    nearest = distances.min(axis=1, keepdims=True)
    kernel = np.exp(-0.5 * (distances - nearest))
    weights = np.zeros_like(kernel)
    for source in np.unique(sources):
        own = np.flatnonzero(sources == source)
        part = kernel[:, own]
        total = np.maximum(part.sum(axis=1, keepdims=True), np.finfo(float).tiny)  # a far source may have none at all
        weights[:, own] = part * (part.max(axis=1, keepdims=True) / total)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def weight_by_source(weights: NDArray[np.float64], sources: NDArray[np.str_]) -> dict[str, float]:
    """Return the weight of each source for one query, largest first."""
    totals = {str(source): float(weights[sources == source].sum()) for source in np.unique(sources)}
    return dict(sorted(totals.items(), key=lambda pair: -pair[1]))


@dataclass(frozen=True)
class Outside:
    """A quantity of a query outside the range of past experiments."""

    quantity: str
    value: float
    low: float
    high: float
    """The query's value, and the range that was tried."""

    def __str__(self) -> str:
        side, end = ("above", self.high) if self.value > self.high else ("below", self.low)
        return f"{self.quantity} = {_written(self.value)} is {side} {_written(end)}"


_QUANTITIES = {
    "rows": pl.col("rows"),
    "epsilon": pl.col("epsilon"),
    "rows x epsilon": pl.col("rows") * pl.col("epsilon"),
    "protected columns": pl.col("protected_columns"),
    "one-hot width": pl.col("width"),
    "literals": pl.col("literals"),
    "classes": pl.col("classes"),
}


def outside_range(past: PastStudies, query: pl.DataFrame) -> tuple[Outside, ...]:
    """Return the quantities of a query outside the range of past experiments with a delta, or of those without.

    Where no experiment has such a budget, with a delta or without, none is named: `uncovered_trait` says so.

    Parameters
    ----------
    past : PastStudies
    query : polars.DataFrame of one row
    """
    kind = _of_this_kind(past, query)
    if kind.is_empty():
        return ()
    found = []
    for quantity, expression in _QUANTITIES.items():
        value = float(query.select(expression.cast(pl.Float64)).item())
        own = kind.select(expression.cast(pl.Float64)).to_series()
        low, high = float(own.min()), float(own.max())  # type: ignore[arg-type]
        if not low * (1 - _TOLERANCE) <= value <= high * (1 + _TOLERANCE):
            found.append(Outside(quantity, value, low, high))
    return tuple(found)


def uncovered_trait(past: PastStudies, query: pl.DataFrame) -> str | None:
    """Return the trait in which the nearest experiment differs most, if even that one is too far; else None.

    Each quantity may be within its range and the combination still be unlike anything that was tried.
    """
    if _of_this_kind(past, query).is_empty():
        return "kind of budget (with a delta, or without)"
    distances = squared_distances(query, past.frame)[0]
    nearest = int(distances.argmin())
    if distances[nearest] <= FARTHEST**2:
        return None
    gaps = np.abs(traits(query)[0] - traits(past.frame[nearest])[0])
    return TRAITS[int(gaps.argmax())].words


def _of_this_kind(past: PastStudies, query: pl.DataFrame) -> pl.DataFrame:
    """Return the experiments with a delta if the query has one, else those without."""
    return past.frame.filter((pl.col("delta") > 0) == (query["delta"][0] > 0))


def _written(value: float) -> str:
    return f"{round(value):,}" if value >= 1000 else f"{value:.4g}"
