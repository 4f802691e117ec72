"""Conformal prediction sets from noisy counts of held-out rows: below which score a class may be left out.

Split conformal prediction for each class by itself (Vovk 2012, Mondrian) or for all rows together, with noise and with
levels whose edges follow from the same rows. Proof: ``proofs/queries/prediction_sets.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log, pi, sqrt
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.measures.score_cells import steps_of_edges

if TYPE_CHECKING:
    from tacit.measures.class_scores import ClassScores
    from tacit.measures.held_out import HeldOut

Counts = NDArray[np.float64]


@dataclass(frozen=True)
class Noise:
    """Noise on counts by level.

    Parameters
    ----------
    distribution : {"exact", "Laplace", "Gaussian"}
    scale : float
        Of one noisy count.
    max_levels : int
        How many counts a class may have had.
    n_summed : int
        How many noisy counts each count is the sum of.
    always : bool
        Whether a class has that many counts whatever the rows.
    """

    distribution: str
    scale: float
    max_levels: int
    n_summed: int = 1
    always: bool = False

    @property
    def deviation(self) -> float:
        """Standard deviation of a count, in rows."""
        each = {"exact": 0.0, "Laplace": sqrt(2), "Gaussian": 1.0}[self.distribution]
        return each * self.scale * sqrt(self.n_summed)

    def mean_of_largest(self, n_classes: int = 1) -> float:
        """Return what the largest sum of the first several counts of some classes is on average at most, in rows."""
        return mean_of_largest(self.deviation, self.max_levels * n_classes)

    def margin(self, weights: Counts, error: float) -> float:
        """Return the margin of a weighted sum of counts."""
        return noise_margin(np.repeat(weights, self.n_summed), (self.distribution, self.scale), error)


Counting = Literal["rows", "shares", "weights"]
"""What a person counts: one row; one, divided among several rows; or at most one, as weights of rows say."""

USUAL_MISSES = 0.1
"""Of sets, unless another coverage is asked for."""

SLACK = 0.01
"""Steps of a score by which an edge counts as lower than it is: rounding must not leave out a row."""


SetBound = tuple[int, bool, float | None]
"""Of a class: the place of its score, whether large scores speak for it, and the edge beyond which it is left out, in
steps; None where no edge is known to leave out few enough rows, so that each set has the class."""


def counting_of(held_out: HeldOut, counted: str) -> Counting:
    """Return what each person counts, of a model or an evaluation that counted rows or persons."""
    return "weights" if held_out.weighed else "shares" if counted == "persons" else "rows"


def set_bounds(
    held_out: HeldOut, misses: float, confidence: float | None, counting: Counting = "rows"
) -> list[SetBound]:
    """Return for each class what leaves it out of a set.

    Parameters
    ----------
    held_out : HeldOut
        Of rows of which a person counts no more than one together.
    misses : float
        Share of a class's rows whose set may lack it, as these rows count.
    confidence : float, optional
        With which the share is at most that for the fit at hand; None for the mean over held-out rows and noise.
    counting : {"rows", "shares", "weights"}
    """
    asked = Asked(misses, confidence, counting)
    scores = held_out.by_class
    if held_out.n_classes == 2:
        noise = Noise(held_out.distribution, held_out.scale, held_out.max_levels, held_out.n_summed)
        edges = steps_of_edges(held_out.edges)
        against, towards = (np.asarray(row) for row in held_out.counts)
        low = _edge(against[::-1], edges[::-1], noise, asked)
        return [(0, False, low), (0, True, _edge(towards, edges, noise, asked))]
    if scores is None:
        return [(0, True, None)] * held_out.n_classes
    noise = _of_own(scores)
    return [
        (at, True, _edge(np.asarray(own), steps_of_edges(edges), noise, asked))
        for at, ((_, own), edges) in enumerate(zip(scores.counts, scores.edges, strict=True))
    ]


def marginal_bounds(
    held_out: HeldOut, misses: float, confidence: float | None, counting: Counting = "rows"
) -> list[SetBound]:
    """Return the same where so few of all rows may lack their class, whichever it is: one score for all classes.

    A class is left out where its own log-odds are below the same threshold. Rows of a class between the threshold and
    its next edge count as if they were below, so that the thresholds of all classes are one.
    """
    asked = Asked(misses, confidence, counting)
    counts, edges, noise = _least_likely_first(held_out)
    thresholds = np.unique(np.concatenate(edges)) if counts else np.empty(0)
    for threshold in thresholds[::-1].tolist():
        below = [np.arange(len(own)) <= np.searchsorted(at, threshold) for own, at in zip(counts, edges, strict=True)]
        if _is_few_of_all(counts, below, len(thresholds), held_out.n_rows, noise, asked):
            low, high = (float(edge) for edge in steps_of_edges((threshold, -threshold)))
            if held_out.n_classes == 2:
                return [(0, False, high), (0, True, low)]
            return [(at, True, low) for at in range(held_out.n_classes)]
    return [(at if held_out.n_classes > 2 else 0, True, None) for at in range(held_out.n_classes)]


def left_out(bounds: Sequence[SetBound], steps: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which classes are left out of each row's set, (n_rows, n_classes).

    Parameters
    ----------
    steps : array of shape (n_rows, 1) or (n_rows, n_classes)
        Of the rows' scores: of the second of two classes, or of each of more.
    """
    return np.column_stack([_beyond(steps, *bound) for bound in bounds])


def _beyond(steps: NDArray[np.int64], place: int, upward: bool, edge: float | None) -> NDArray[np.bool_]:
    """Return which rows are beyond an edge, whatever coin decides between rows of the same score."""
    own = steps[:, place if steps.shape[1] > 1 else 0]
    if edge is None:
        return np.zeros(len(own), dtype=bool)
    return np.asarray(own + 1 <= edge - SLACK if upward else own >= edge + SLACK)


def _least_likely_first(held_out: HeldOut) -> tuple[list[Counts], list[NDArray[np.float64]], Noise]:
    """Return each class's counts and edges of its own log-odds, ascending; none where they were not counted."""
    if held_out.n_classes == 2:
        edges, (against, towards) = np.asarray(held_out.edges), (np.asarray(row) for row in held_out.counts)
        noise = Noise(held_out.distribution, held_out.scale, held_out.max_levels, held_out.n_summed)
        return [against[::-1], towards], [-edges[::-1], edges], noise
    scores = held_out.by_class
    if scores is None:
        return [], [], Noise("exact", 0.0, 1)
    own = [np.asarray(row) for _, row in scores.counts]
    return own, [np.asarray(each) for each in scores.edges], _of_own(scores)


def _of_own(scores: ClassScores) -> Noise:
    """Return the noise on counts of each class's own rows."""
    return Noise(scores.distribution, scores.own_scale, len(scores.edges[0]) + 1, always=True)


def _is_few_of_all(
    counts: Sequence[Counts],
    below: Sequence[NDArray[np.bool_]],
    n_thresholds: int,
    n_rows: int,
    noise: Noise,
    asked: Asked,
) -> bool:
    """Return whether so few of all rows are below a threshold, whatever the noise."""
    first = np.concatenate(below)
    if asked.counting == "weights":  # what all rows count together is not public
        return is_few(np.concatenate(counts), first, noise, asked, n_thresholds, len(counts))
    # How many rows there are, or persons, is.
    counted = float(np.concatenate(counts)[first].sum())
    if asked.confidence is None:
        most, margin = asked.misses * (n_rows + 1), noise.mean_of_largest(len(counts))
        return counted + 1 + margin <= most and margin <= most
    error = asked.error if noise.scale else 0.0
    most = max(counted + noise.margin(first.astype(np.float64), error / n_thresholds), 0.0)
    return most + asked.distance(n_rows, error) <= asked.misses * n_rows


def _edge(counts: Counts, edges: NDArray[np.float64], noise: Noise, asked: Asked) -> float | None:
    """Return the last edge with few enough rows before it; counts and edges begin where a class is least likely."""
    first, n_edges = np.arange(len(counts)), len(counts) - 1
    few = [at for at in range(1, len(counts)) if is_few(counts, first < at, noise, asked, n_edges)]
    return float(edges[few[-1] - 1]) if few else None


@dataclass(frozen=True)
class Asked:
    """What is asked of sets: the share of rows that they may miss, for which mean or with which confidence."""

    misses: float
    confidence: float | None
    counting: Counting

    @property
    def error(self) -> float:
        """How likely it may be that noise goes further than its margin, of counts that have some."""
        return 0.0 if self.confidence is None else (1 - self.confidence) / 2

    def distance(self, n_rows: float, error: float) -> float:
        """Return how many rows more may be missed than those counted, at any edge: by sampling alone.

        Of Dvoretzky, Kiefer and Wolfowitz; of parts of rows by as much as a factor of e in the error costs.
        """
        assert self.confidence is not None
        # Massart's constant holds for errors of one half at most. In the exponent one more is a factor of e.
        likely = max(-log(1 - self.confidence - error), log(2)) + (self.counting != "rows")
        return sqrt(n_rows * likely / 2)


def is_few(
    counts: Counts, first: NDArray[np.bool_], noise: Noise, asked: Asked, n_edges: int, n_classes: int = 1
) -> bool:
    """Return whether so few of a class's rows are in the first levels, whatever the noise, that these may be left out.

    On average: of n rows, k of which are before the edge, (k + 1) / (n + 1) at most the misses, by a margin that noise
    is within on average at whichever edge it favors most; and of a class that is surely large enough for that margin.
    With a confidence: k / n and the distance, which holds at all edges at once.

    Parameters
    ----------
    first : boolean array of shape (n_counts,)
    n_edges : int
        Among which one is chosen.
    n_classes : int
        How many scores' levels are among the counts.
    """
    before, after, misses = float(counts[first].sum()), float(counts[~first].sum()), asked.misses
    if asked.confidence is None:
        # Of as many levels whatever the rows, noise in the class's size is zero on average at the worst edge, too.
        margin = noise.mean_of_largest(n_classes) * (1.0 if noise.always else 1 + misses)
        surely = before + after - noise.margin(np.ones(len(counts)), misses)
        # A new row is one where all are; parts of rows may be next to nothing.
        surely += asked.counting == "rows"
        return (1 - misses) * (before + 1) - misses * after + margin <= 0 and misses * surely >= margin
    error = asked.error if noise.scale else 0.0
    before += noise.margin(first.astype(np.float64), error / n_edges / 2)
    after = max(after - noise.margin((~first).astype(np.float64), error / n_edges / 2), 0.0)
    # A margin may bring noise below zero rows; that many there are.
    before = max(before, 0.0)
    n_rows = before + after
    # Of a class without rows nothing is known, though it has no row before the edge.
    return n_rows > 0 and before + asked.distance(n_rows, error) <= misses * n_rows


def mean_of_largest(deviation: float, n_counts: int) -> float:
    """Return what the largest sum of the first several of so many noisy counts is on average at most, in rows.

    By Spitzer's identity (1956) the sum over k of the mean positive part of the first k counts' noise, over k, which is
    no larger than that of a normal variable: discrete noise is nearer to zero than continuous noise, and Laplace noise
    is a mixture of normal noise.
    """
    return deviation / sqrt(2 * pi) * sum(1 / sqrt(number) for number in range(1, n_counts + 1))


def noise_margin(weights: Counts, noise: tuple[str, float], error: float) -> float:
    """Return what a weighted sum of independent noise exceeds with probability ``error`` at most (Chernoff).

    Discrete Gaussian noise is sub-Gaussian (Canonne, Kamath, Steinke 2020); the moments of discrete Laplace noise
    are at most those of Laplace noise.
    """
    distribution, scale = noise
    if distribution == "exact":
        return 0.0
    rest = -log(error)
    if distribution == "Gaussian":
        return scale * sqrt(2 * rest * float(weights @ weights))

    def at(place: float) -> float:
        return (rest - float(np.log1p(-((place * weights / largest) ** 2)).sum())) * scale * largest / place

    from scipy.optimize import minimize_scalar  # not for those who read a model alone

    largest = float(np.abs(weights).max())
    # Any place between the ends gives a bound.
    return at(float(minimize_scalar(at, bounds=(1e-6, 1 - 1e-9), method="bounded").x)) if largest else inf
