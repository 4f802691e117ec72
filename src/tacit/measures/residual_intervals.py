"""Prediction intervals from noisy counts of held-out residuals: how far below and above its prediction a number is.

Split conformal prediction (Vovk, Gammerman and Shafer 2005) on either side by itself, with noise, and with levels whose
edges follow from the same rows. Proof: ``proofs/queries/prediction_intervals.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, floor, inf, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tacit.measures.prediction_sets import Asked, Counting, Noise, is_few, mean_of_largest, noise_margin
from tacit.measures.score_cells import MAX_LEVELS, SCORE_BITS, odds_of_steps, steps_of_edges

Numbers = NDArray[np.float64]

Reach = tuple[float | None, float | None]
"""How far below and above a prediction its number is, as residuals; None where no edge is known to leave few enough
rows beyond it, so that the interval ends at the target's bound."""

_SLACK = 0.01
"""Steps of the grid by which an edge counts as farther out than it is: rounding must not leave out a row."""


Distribution = Literal["exact", "Laplace", "Gaussian"]


@dataclass(frozen=True)
class ResidualCounts:
    """Rows counted with noise by level of their residual; see ``HeldOutResiduals`` for the fields."""

    counts: tuple[float, ...]
    edges: tuple[float, ...]
    outer: tuple[int, int]
    spread: float
    width: float
    n_rows: int
    scale: float
    distribution: Distribution
    max_levels: int = field(default=MAX_LEVELS, kw_only=True)
    max_outer: int = field(default=MAX_LEVELS // 4, kw_only=True)

    @property
    def deviation(self) -> float:
        """Standard deviation of the noise on each count, in rows."""
        return self.scale * (sqrt(2) if self.distribution == "Laplace" else 1.0)


def reach_of(held_out: ResidualCounts, misses: float, confidence: float | None, counting: Counting = "rows") -> Reach:
    """Return between which residuals numbers are, but for a share of ``misses``, half of it on either side.

    Parameters
    ----------
    held_out : ResidualCounts
        Of rows of which a person counts no more than one together.
    misses : float
    confidence : float, optional
        With which the share is at most that for the fit at hand; None for the mean over held-out rows and noise.
    counting : {"rows", "shares", "weights"}
        As for ``set_bounds``.
    """
    # Each side fails half as often.
    sure = None if confidence is None else 1 - (1 - confidence) / 2
    asked = Asked(misses / 2, sure, counting)
    counts, steps = np.asarray(held_out.counts), steps_of_edges([edge / held_out.spread for edge in held_out.edges])
    # Edges may be chosen of which so few rows are expected beyond. How many these are follows from the rows, as the
    # number of edges does; margins are those of as many as there may be.
    likely = floor(misses / 2 * (held_out.max_levels - 2 * held_out.max_outer))
    most = max(held_out.max_outer + likely, 1)
    low, high = (
        _farthest(counts[::way], max(outer + likely, 1), most, held_out, asked)
        for way, outer in zip((1, -1), held_out.outer, strict=True)
    )
    below = None if low is None else _residual(floor(steps[low - 1] - _SLACK) - 1, held_out.spread)
    above = None if high is None else _residual(ceil(steps[-high] + _SLACK) + 1, held_out.spread)
    return below, above


def quantiles_of(counts: Numbers, edges: tuple[float, ...], wanted: Numbers) -> Numbers:
    """Return residuals below which such shares of the rows are, as the counts say; infinite beyond all edges.

    Never falling in ``wanted``. An estimate, interpolated inside levels.
    """
    from scipy.optimize import isotonic_regression  # not for those who read a model alone

    total = max(float(counts.sum()), 1.0)
    below = np.clip(isotonic_regression(np.cumsum(counts)[:-1] / total).x, 0.0, 1.0)
    found = np.interp(wanted, below, np.asarray(edges), left=-inf, right=inf)
    order = np.argsort(wanted, kind="stable")
    found[order] = np.maximum.accumulate(found[order])
    return np.asarray(found)


def _farthest(counts: Numbers, candidates: int, most: int, held_out: ResidualCounts, asked: Asked) -> int | None:
    """Return how many of the outermost levels have few enough rows, the most of all candidates; None if none has.

    Whatever the rows, candidates are at most ``most``.
    """
    places = range(1, min(candidates, len(counts) - 1) + 1)
    if asked.counting == "weights":  # what all rows count together is not public
        first, noise = np.arange(len(counts)), Noise(held_out.distribution, held_out.scale, held_out.max_levels)
        few = [at for at in places if is_few(counts, first < at, noise, asked, most)]
    else:
        rows = np.cumsum(counts).tolist()
        few = [at for at in places if rows[at - 1] <= _most(at, most, held_out, asked)]
    return few[-1] if few else None


def _most(at: int, candidates: int, held_out: ResidualCounts, asked: Asked) -> float:
    """Return how many rows may be counted in the outermost levels for these to be left out; below zero for never.

    On average: the rows beyond are at most as many as counted, and what noise may have taken from any candidate, which
    on average is little. With a confidence: a margin that holds for all candidates at once, and the
    distance of Dvoretzky, Kiefer and Wolfowitz.
    """
    n_rows, misses = held_out.n_rows, asked.misses
    if asked.confidence is None:
        most = misses * (n_rows + 1) - 1 - mean_of_largest(held_out.deviation, candidates)
        return most if most >= 0 else -inf
    error = asked.error if held_out.scale else 0.0
    margin = noise_margin(np.ones(at), (held_out.distribution, held_out.scale), error / candidates)
    return misses * n_rows - asked.distance(n_rows, error) - margin


def _residual(step: int, spread: float) -> float | None:
    """Return where a step of the grid begins; None beyond it, where residuals may be any."""
    return odds_of_steps(step) * spread if 0 < step < 1 << SCORE_BITS else None
