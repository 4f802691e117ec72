"""A noise source that gives chosen answers and keeps the log density of giving them: exact output distributions.

Everything after a release depends on its answer alone, so a learner run twice with the same script, on two
neighboring tables, shows the exact ratio of the densities of that output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from harness.neighbors import Pair, Row, table_of
from tacit.schema import Schema
from tacit.table import Table


class ScriptedNoise:
    """Answers from a script; ``log_density`` adds up what they were worth."""

    description = "scripted answers, for tests"
    is_private = False
    sampler = "script"

    def __init__(self, answers: Sequence[float | Sequence[float]], stretch: float = 1.0):
        self._answers = iter(answers)
        self._stretch = stretch  # below 1: less noise than the mechanism asked for
        self.log_density = 0.0

    def laplace(self, values: NDArray, scale: float) -> NDArray:
        answer = self._next(values)
        scale *= self._stretch
        if values.dtype == np.int64:
            step = np.exp(-1 / scale)
            self.log_density += float(
                np.sum(-np.abs(answer - values) / scale) + values.size * np.log((1 - step) / (1 + step))
            )
        else:
            self.log_density += float(np.sum(-np.abs(answer - values) / scale - np.log(2 * scale)))
        return answer

    def gaussian(self, values: NDArray, deviation: float) -> NDArray:
        answer = self._next(values)
        deviation *= self._stretch
        self.log_density += float(np.sum(-(((answer - values) / deviation) ** 2) / 2 - np.log(deviation)))
        return answer

    def permute_and_flip(self, scores: NDArray, scale: float) -> int:
        chosen = int(next(self._answers))
        self.log_density += float(
            np.log(permute_and_flip_probabilities(np.asarray(scores, float), scale * self._stretch)[chosen])
        )
        return chosen

    def exponential_mechanism(self, scores: NDArray, scale: float) -> int:
        chosen = int(next(self._answers))
        logits = np.asarray(scores, float) / (scale * self._stretch)
        self.log_density += float(logits[chosen] - np.logaddexp.reduce(logits))
        return chosen

    def _next(self, values: NDArray) -> NDArray:
        return np.broadcast_to(np.asarray(next(self._answers), dtype=values.dtype), values.shape).copy()


def permute_and_flip_probabilities(scores: NDArray, scale: float) -> NDArray:
    """Exact selection probabilities: McKenna and Sheldon (2020), the sum over subsets tried before."""
    keep = np.exp((scores - scores.max()) / scale)
    distribution = np.zeros(len(scores))
    for chosen in range(len(scores)):
        others = [i for i in range(len(scores)) if i != chosen]
        total = 0.0
        for size in range(len(others) + 1):
            for subset in combinations(others, size):
                total += (-1) ** size * np.prod(keep[list(subset)]) / (size + 1)
        distribution[chosen] = keep[chosen] * total
    return distribution / distribution.sum()


def largest_log_ratio(
    run: Callable[[Table, ScriptedNoise], object],
    pairs: Iterable[Pair],
    scripts: Sequence[Sequence[float]],
    stretch: float = 1.0,
) -> float:
    """The largest log ratio of the densities of the same output on two neighbors: the true epsilon, from below.

    Scripts do not depend on the pair, so each table is run once, however many pairs it is in.
    """
    known: dict[tuple[Schema, tuple[Row, ...]], NDArray] = {}

    def log_densities(rows: tuple[Row, ...], schema: Schema) -> NDArray:
        if (schema, rows) not in known:
            table, noises = table_of(rows, schema), [ScriptedNoise(script, stretch) for script in scripts]
            for noise in noises:
                run(table, noise)
            known[schema, rows] = np.asarray([noise.log_density for noise in noises])
        return known[schema, rows]

    return max(
        float(np.abs(log_densities(pair.first, pair.schema) - log_densities(pair.second, pair.schema)).max())
        for pair in pairs
    )


def largest_paired_log_ratio(
    run: Callable[[Table, ScriptedNoise], object],
    pairs: Iterable[Pair],
    scripts: Sequence[Sequence[float]],
    stretch: float = 1.0,
) -> float:
    """The same where the second table of a pair is answered as the first was (``harness.sized``)."""
    worst = 0.0
    for pair in pairs:
        tables = pair.tables()
        for script in scripts:
            noises = [ScriptedNoise(script, stretch) for _ in tables]
            for table, noise in zip(tables, noises, strict=True):
                run(table, noise)
            worst = max(worst, abs(noises[0].log_density - noises[1].log_density))
    return worst
