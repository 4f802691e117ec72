"""Events that distinguish two neighbors: learned on runs of their own, tested on others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import ThreadpoolController

from tacit.audit.samplers import Outputs
from tacit.audit.trade_offs import TradeOff, rate_bounds

Score = Callable[[Outputs], NDArray[np.float64]]
"""Larger where neighbor 1 is more likely."""

_THRESHOLDS = 200
"""Quantiles of a score that are tried."""


@dataclass(frozen=True)
class Event:
    """A score is at least a threshold."""

    score: Score
    threshold: float

    def hits(self, outputs: Outputs) -> NDArray[np.bool_]:
        """Tell of each output whether the event happened, shape (count,)."""
        return self.score(outputs) >= self.threshold


def learn_events(
    sides: Sequence[Outputs], known: Score | None, trade_off: TradeOff, sizes: Sequence[int], error: float, seed: int
) -> tuple[Event, ...]:
    """Return for each size the event of the largest expected bound on epsilon, tested on so many fresh runs a side.

    Scores are learned on the first half of the runs and thresholds chosen on the second, so that a score that has
    learned its own runs by heart gains nothing.
    """
    if known is not None:
        return _best([known], sides, trade_off, sizes, error)
    halves = [_split(side) for side in sides]
    first, second = ([half[at] for half in halves] for at in (0, 1))
    return _best(_learned(first, seed), second, trade_off, sizes, error)


def size_of(outputs: Outputs) -> int:
    """Return how many outputs there are."""
    return len(next(iter(outputs.values())))


@dataclass(frozen=True)
class _NeighborClassifier:
    """A classifier of neighbors; numbers that were not seen in its own runs do not count."""

    names: tuple[str, ...]
    classifier: Any

    def __call__(self, outputs: Outputs) -> NDArray[np.float64]:
        with _controller().limit(limits=1):
            return np.asarray(self.classifier.decision_function(_matrix(outputs, self.names)))


def _learned(sides: Sequence[Outputs], seed: int) -> list[Score]:
    """Return a linear score, one that adds functions of each number, and one of trees; none of outputs all the same."""
    names = tuple(sorted(set(sides[0]) | set(sides[1])))
    rows = np.concatenate([_matrix(side, names) for side in sides])
    varying = [not np.array_equal(column, np.full_like(column, column[0]), equal_nan=True) for column in rows.T]
    names, rows = tuple(np.asarray(names)[varying]), rows[:, varying]
    if not names:
        return []
    labels = np.repeat([0, 1], [size_of(side) for side in sides])
    linear = make_pipeline(
        SimpleImputer(add_indicator=True, keep_empty_features=True), StandardScaler(), LogisticRegression(max_iter=300)
    )
    # Stumps add up to functions of single numbers, which is what the log ratio of independent noises is.
    stumps, trees = (
        HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=leaves, min_samples_leaf=10, random_state=seed)
        for leaves in (2, 15)
    )
    # A few thousand rows: threads save nothing, and on busy cores wait for each other ten times as long as one works.
    with _controller().limit(limits=1):
        return [_NeighborClassifier(names, each.fit(rows, labels)) for each in (linear, stumps, trees)]


@cache
def _controller() -> ThreadpoolController:
    """Return the libraries whose threads are limited: looking for them takes as long as ten predictions."""
    return ThreadpoolController()


def _matrix(outputs: Outputs, names: Sequence[str]) -> NDArray[np.float64]:
    missing = np.full(size_of(outputs), np.nan)
    columns = np.column_stack([outputs.get(name, missing) for name in names])
    # Beyond the range of float32 classifiers refuse a number; its sign is what is left.
    return np.asarray(np.clip(columns, -1e30, 1e30), dtype=np.float64)


def _best(
    scores: Sequence[Score], sides: Sequence[Outputs], trade_off: TradeOff, sizes: Sequence[int], error: float
) -> tuple[Event, ...]:
    found: dict[int, tuple[float, Event]] = {}
    for score in scores:
        zero, one = (score(side) for side in sides)
        grid = np.unique(np.quantile(np.concatenate([zero, one]), np.linspace(0, 1, _THRESHOLDS), method="lower"))
        rates = [_rates(values, grid) for values in (zero, one)]
        for at, size in enumerate(sizes):
            # Rounded as counts of a test would be.
            seldom, often = (np.rint(each * size).astype(np.int64) for each in rates)
            high, low = rate_bounds(seldom, size, error)[1], rate_bounds(often, size, error)[0]
            expected = [trade_off.epsilon(p, q) for p, q in zip(low.tolist(), high.tolist(), strict=True)]
            best = int(np.argmax(expected))
            if at not in found or expected[best] > found[at][0]:
                found[at] = expected[best], Event(score, float(grid[best]))
    return tuple(dict.fromkeys(event for _, event in found.values()))


def _rates(values: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how often a score is at least each threshold; half a run is added where it never is, or always."""
    hits = len(values) - np.searchsorted(np.sort(values), grid, side="left")
    return np.clip(hits, 0.5, len(values) - 0.5) / len(values)


def _split(outputs: Outputs) -> tuple[Outputs, Outputs]:
    half = size_of(outputs) // 2
    return {name: each[:half] for name, each in outputs.items()}, {name: each[half:] for name, each in outputs.items()}
