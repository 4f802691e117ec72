"""How like two settings are, and how much each past setting counts for another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray


@dataclass(frozen=True)
class Trait:
    """One number that makes settings alike.

    Attributes
    ----------
    words : str
    unit : float
        A difference after which a setting counts exp(-1/2) as much.
    expression : polars.Expr
        Over the columns of `tacit.study.advice.past_studies.DESCRIPTION`.
    """

    words: str
    unit: float
    expression: pl.Expr


_ONE_AGAINST_REST = pl.when(pl.col("classes") > 2).then(pl.col("classes")).otherwise(1)
_SHARE = pl.col("charged_columns") / pl.col("columns")

TRAITS = (
    Trait(
        "rows x epsilon to a protected column and class",
        0.35,
        (pl.col("rows") * pl.col("epsilon") / (pl.col("charged_columns") * _ONE_AGAINST_REST)).log10(),
    ),
    Trait("rows", 0.8, pl.col("rows").cast(pl.Float64).log10()),
    Trait("one-hot width", 0.7, pl.col("width").cast(pl.Float64).log10()),
    Trait("share of categorical columns", 0.5, pl.col("categorical_columns") / pl.col("charged_columns")),
    Trait("classes", 0.7, pl.col("classes").cast(pl.Float64).log(2)),
    Trait("public label", 0.7, pl.col("public_label").cast(pl.Float64)),
    Trait("share of protected columns", 0.4, _SHARE),
)
"""What decides how much a budget buys: strength first, as noise is for n epsilon over what it is spread on.

The units were set by judgment before any forecast was checked, and are not tuned.
"""

OTHER_KIND_OF_BUDGET = 1e6
"""Added to the squared distance where one budget has a delta and the other none."""


def traits(frame: pl.DataFrame) -> NDArray[np.float64]:
    """Return the traits of settings in units, shape (n_settings, n_traits)."""
    return frame.select((trait.expression / trait.unit).alias(str(at)) for at, trait in enumerate(TRAITS)).to_numpy()


def squared_distances(asked: pl.DataFrame, past: pl.DataFrame) -> NDArray[np.float64]:
    """Return squared distances in units, shape (n_asked, n_past)."""
    a, b = traits(asked), traits(past)
    squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1)[None, :] - 2.0 * a @ b.T
    kinds = [(frame["delta"] > 0).to_numpy() for frame in (asked, past)]
    return np.asarray(np.maximum(squares, 0.0) + OTHER_KIND_OF_BUDGET * (kinds[0][:, None] != kinds[1][None, :]))


def shares(distances: NDArray[np.float64], sources: NDArray[np.str_]) -> NDArray[np.float64]:
    """Return how much each past setting counts, rows adding up to one.

    A source counts by its nearest setting, exp(-distance^2 / 2), however many settings it has; among its settings that
    is divided in the same proportion.

    Parameters
    ----------
    distances : array of shape (n_asked, n_past)
        Squared; infinite for what must not count.
    sources : array of shape (n_past,)

    Examples
    --------
    >>> shares(np.zeros((1, 3)), np.array(["a", "a", "b"])).tolist()
    [[0.25, 0.25, 0.5]]
    """
    nearest = distances.min(axis=1, keepdims=True)
    kernel = np.exp(-0.5 * (distances - nearest))
    weights = np.zeros_like(kernel)
    for source in np.unique(sources):
        own = np.flatnonzero(sources == source)
        part = kernel[:, own]
        total = np.maximum(part.sum(axis=1, keepdims=True), np.finfo(float).tiny)  # a far source may have none at all
        weights[:, own] = part * (part.max(axis=1, keepdims=True) / total)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def by_source(weights: NDArray[np.float64], sources: NDArray[np.str_]) -> dict[str, float]:
    """Return how much each source counts for one setting, the most first."""
    totals = {str(source): float(weights[sources == source].sum()) for source in np.unique(sources)}
    return dict(sorted(totals.items(), key=lambda pair: -pair[1]))
