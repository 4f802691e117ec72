"""Boosting for People (Dwork, Rothblum, Vadhan 2010), a comparator of Shen and others (2022), figure 4a: rebuilt.

The paper gives no parameters. Weights are smooth ones, no row above 1/(kappa n), so that one row moves them little; the
base learner is private logistic regression on the private columns; each hypothesis has one vote. Three modes:

- *sampled*: k rows, drawn with replacement by the weights and kept secret, go to a base learner of its own epsilon;
- *noisy accuracy*: as sampled, and votes are weighted by noisy accuracies under the weights;
- *noisy weights*: each weight gets noise, and the base learner reads all rows with these.

See README.md in this folder for what a round costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, log1p
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reproductions.shen2022.baselines import ScaledLogistic
from tacit.boosting.smooth_weights import smooth_weights

Mode = Literal["sampled", "noisy accuracy", "noisy weights"]

DENSITY, LEARNING_RATE = 0.5, 0.5
ACCURACY_SHARE = 0.5
"""Of a round, for the noisy accuracy, or for the noisy weights."""


@dataclass(eq=False)
class BoostingForPeople:
    """Smooth boosting of private logistic regressions; its noise comes from a seed: for studies.

    Parameters
    ----------
    epsilon : float
        Of all rounds; each has the same part.
    mode : {"sampled", "noisy accuracy", "noisy weights"}
    rounds : int
    seed : int
    """

    epsilon: float
    mode: Mode = "sampled"
    rounds: int = 25
    seed: int = 0

    def fit(self, features: NDArray[np.float64], labels: NDArray[np.integer]) -> BoostingForPeople:
        """Train on features in [-1, 1], shape (n_rows, n_features), and labels 0 or 1."""
        generator = np.random.default_rng(self.seed)
        margins, n_rows = np.zeros(len(labels), dtype=np.int64), len(labels)
        self.hypotheses_: list[ScaledLogistic] = []
        self.votes_: list[float] = []
        for _ in range(self.rounds):
            weights = row_weights(margins)
            drawn, own = self._drawn(weights, n_rows, generator)
            base = ScaledLogistic(own, seed=int(generator.integers(2**31)))
            said = base.fit(features[drawn], labels[drawn]).predict(features) == labels
            self.hypotheses_.append(base)
            self.votes_.append(self._vote(float(weights @ said), n_rows, generator))
            margins += np.where(said, 1, -1)
        return self

    def predict(self, features: NDArray[np.float64]) -> NDArray[np.integer]:
        """Return the labels, 0 or 1."""
        signs = [2 * each.predict(features) - 1 for each in self.hypotheses_]
        return (np.asarray(self.votes_) @ np.asarray(signs) > 0).astype(int)

    @property
    def of_round(self) -> float:
        """What a release of a round costs: all of the round, or half of it where a round has two."""
        share = 1.0 if self.mode == "sampled" else ACCURACY_SHARE
        return share * self.epsilon / self.rounds

    def base_epsilon(self, n_rows: int) -> float:
        """Return the base learner's epsilon: higher where it reads secret draws."""
        return self.of_round if self.mode == "noisy weights" else own_epsilon(self.of_round, draws(n_rows), n_rows)

    def weights_scale(self, n_rows: int) -> float:
        """Return the scale of noise on weights, which move by 2 zeta in L1."""
        return 2 / (DENSITY * n_rows) / self.of_round

    def accuracy_scale(self, n_rows: int) -> float:
        """Return the scale of noise on an accuracy, which moves by zeta."""
        return 1 / (DENSITY * n_rows) / self.of_round

    def _drawn(
        self, weights: NDArray[np.float64], n_rows: int, generator: np.random.Generator
    ) -> tuple[NDArray[np.intp], float]:
        """Return the rows that the base learner reads, and its epsilon."""
        if self.mode != "noisy weights":
            return generator.choice(n_rows, draws(n_rows), p=weights / weights.sum()), self.base_epsilon(n_rows)
        # The weights move by 2 zeta in L1. Once noisy they are public; each row is read about as often as it weighs.
        noisy = weights + generator.laplace(0, self.weights_scale(n_rows), n_rows)
        kept = np.flatnonzero(generator.random(n_rows) < np.clip(noisy * DENSITY * n_rows, 0, 1))
        return kept, self.base_epsilon(n_rows)

    def _vote(self, accuracy: float, n_rows: int, generator: np.random.Generator) -> float:
        """Return a hypothesis's vote; an accuracy under the weights moves by zeta."""
        if self.mode != "noisy accuracy":
            return 1.0
        return accuracy - 0.5 + float(generator.laplace(0, self.accuracy_scale(n_rows)))


def draws(n_rows: int) -> int:
    """Return how many rows are drawn in secret."""
    return max(1, round(DENSITY * n_rows / 4))


def sampled_cost(own: float, size: int, n_rows: int, density: float = DENSITY) -> float:
    """Return what a round costs whose learner of this epsilon reads ``size`` secret draws from the weights.

    Examples
    --------
    >>> round(sampled_cost(1.0, 50, 200, 0.5), 4)  # 50 ln(1 + (e - 1)/100)
    0.8518
    """
    return size * log1p(expm1(own) / (density * n_rows))


def own_epsilon(cost: float, size: int, n_rows: int, density: float = DENSITY) -> float:
    """Return the learner's epsilon at which a round of secret draws costs this.

    Examples
    --------
    >>> round(own_epsilon(sampled_cost(1.0, 50, 200), 50, 200), 10)
    1.0
    """
    return log1p(density * n_rows * expm1(cost / size))


def row_weights(margins: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return each row's weight, at most 1/(kappa n), from how many hypotheses are right about it, less those wrong."""
    values, place, counts = np.unique(margins, return_inverse=True, return_counts=True)
    return smooth_weights(values, counts, density=DENSITY, learning_rate=LEARNING_RATE)[place]
