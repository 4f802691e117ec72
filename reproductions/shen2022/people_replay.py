"""A replay of Boosting for People: what each release would have told two neighbors from each other, given its answers.

A release's loss is exact where its distribution is known: noise on an accuracy or on weights. The base learner's is
what its own epsilon and the distributions of one secret draw on both tables bound, as in README.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import expm1, log1p

import numpy as np
from numpy.typing import NDArray

from reproductions.shen2022.people import BoostingForPeople, draws, row_weights

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """A table, of which its neighbor differs in the first row.

    Attributes
    ----------
    features : array of shape (n_rows, n_features)
    labels : array of shape (n_rows,)
    """

    features: Floats
    labels: NDArray[np.integer]


@dataclass(frozen=True)
class Round:
    """The losses of one round's releases, in epsilons, and what the round may cost."""

    losses: tuple[float, ...]
    share: float

    @property
    def reached(self) -> float:
        """Loss over share: above one is a violation."""
        return sum(self.losses) / self.share


def replay(fitted: BoostingForPeople, one: Rows, other: Rows) -> Iterator[Round]:
    """Yield each round of a fit on the first table, with the weights that the same hypotheses give on both."""
    margins = [np.zeros(len(rows.labels), dtype=np.int64) for rows in (one, other)]
    for hypothesis in fitted.hypotheses_:
        weights = [row_weights(each) for each in margins]
        right = [hypothesis.predict(rows.features) == rows.labels for rows in (one, other)]
        yield Round(tuple(_losses(fitted, weights, right)), fitted.epsilon / fitted.rounds)
        for each, said in zip(margins, right, strict=True):
            each += np.where(said, 1, -1)


def apart(weights: list[Floats]) -> float:
    """Return by how much the distributions of one drawn row differ in total variation; the first row differs."""
    one, other = weights
    return float(np.abs(one[1:] - other[1:]).sum() + one[0] + other[0]) / 2


def _losses(fitted: BoostingForPeople, weights: list[Floats], right: list[NDArray[np.bool_]]) -> Iterator[float]:
    n_rows = len(weights[0])
    own = fitted.base_epsilon(n_rows)
    if fitted.mode == "noisy weights":
        yield float(np.abs(weights[0] - weights[1]).sum()) / fitted.weights_scale(n_rows)
        yield own  # which rows it reads is public then
        return
    yield draws(n_rows) * log1p(expm1(own) * apart(weights))
    if fitted.mode == "noisy accuracy":
        accuracies = [float(each @ said) for each, said in zip(weights, right, strict=True)]
        yield abs(accuracies[0] - accuracies[1]) / fitted.accuracy_scale(n_rows)
