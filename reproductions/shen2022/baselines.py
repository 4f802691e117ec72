"""Learners that the figures of Shen and others (2022) are measured against."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from tacit.boosting import draw_uniform


class ScaledLogistic:
    """Objective perturbation as Chaudhuri, Monteleoni and Sarwate (2011) publish it, on rows scaled into the unit ball.

    Algorithm 2 for the logistic loss. Features in [-1, 1] and a constant one are divided by the root of their number,
    so that every row has a norm of at most one, as the paper asks: what a user does who follows it to the letter, and
    why this baseline is weak. Noise comes from a seed: for studies.

    Parameters
    ----------
    epsilon : float
    regularization : float
        n times the paper's Lambda; raised as the paper says where the budget would not suffice.
    seed : int
    """

    CURVATURE = 0.25
    """The paper's c, a bound on the second derivative of the loss."""

    def __init__(self, epsilon: float, regularization: float = 1.0, seed: int = 0):
        self.epsilon, self.regularization, self.seed = epsilon, regularization, seed

    def fit(self, features: np.ndarray, labels: np.ndarray) -> ScaledLogistic:
        """Fit on features in [-1, 1], shape (n_rows, n_features), and labels 0 or 1."""
        rows = self._scaled(features) * (2.0 * labels - 1.0)[:, None]
        left, self.regularization_ = self.budget()
        generator = np.random.default_rng(self.seed)
        direction = generator.standard_normal(rows.shape[1])
        noise = generator.gamma(rows.shape[1], 2 / left) * direction / np.linalg.norm(direction)

        def objective(weights: np.ndarray) -> tuple[float, np.ndarray]:
            margins = rows @ weights
            value = np.logaddexp(0, -margins).sum() + self.regularization_ / 2 * weights @ weights + noise @ weights
            return float(value), self.regularization_ * weights + noise - rows.T @ expit(-margins)

        self.weights_ = minimize(objective, np.zeros(rows.shape[1]), method="L-BFGS-B", jac=True).x
        return self

    def predict(self, features: np.ndarray) -> np.ndarray:
        """Return the labels, 0 or 1."""
        return (self._scaled(features) @ self.weights_ > 0).astype(int)

    def budget(self) -> tuple[float, float]:
        """Return the epsilon' that is left for the noise, and n times Lambda + Delta.

        Examples
        --------
        >>> [round(part, 4) for part in ScaledLogistic(1.0).budget()]  # 1 - ln(1 + 0.5 + 0.0625), and no Delta
        [0.5537, 1.0]
        >>> [round(part, 4) for part in ScaledLogistic(0.1).budget()]  # Delta is called for: 0.25 / (exp(0.025) - 1)
        [0.05, 9.8755]
        """
        left = self.epsilon - 2 * np.log1p(self.CURVATURE / self.regularization)
        if left > 0:
            return float(left), self.regularization
        return self.epsilon / 2, float(self.CURVATURE / np.expm1(self.epsilon / 4))

    def _scaled(self, features: np.ndarray) -> np.ndarray:
        with_constant = np.column_stack([features, np.ones(len(features))])
        return with_constant / np.sqrt(with_constant.shape[1])


class RandomAdaBoost:
    """AdaBoost over random linear classifiers, without privacy: Shen and others (2022), Algorithm 1.

    Parameters
    ----------
    rounds : int
    draw : callable
        As ``draw_classifiers`` of BRCClassifier.
    seed : int
    """

    def __init__(self, rounds: int = 25, draw: Any = draw_uniform, seed: int = 0):
        self.rounds, self.draw, self.seed = rounds, draw, seed

    def fit(self, features: np.ndarray, labels: np.ndarray) -> RandomAdaBoost:
        """Fit on features, shape (n_rows, n_features), and labels 0 or 1."""
        generator = np.random.default_rng(self.seed)
        self.coefficients_, self.intercepts_ = self.draw(self.rounds, features.shape[1], generator)
        mistakes = self._decisions(features) != (labels[:, None] == 1)
        weights = np.ones(len(labels))
        self.alphas_ = np.zeros(self.rounds)
        for round_ in range(self.rounds):
            error = np.clip(weights @ mistakes[:, round_] / weights.sum(), 1e-12, 1 - 1e-12)
            self.alphas_[round_] = np.log((1 - error) / error)
            weights = weights * np.exp(self.alphas_[round_] * mistakes[:, round_])
            weights /= weights.mean()
        return self

    def staged_predict(self, features: np.ndarray) -> np.ndarray:
        """Return the labels after 1, 2, ... rounds, shape (rounds, n_rows)."""
        votes = (2.0 * self._decisions(features) - 1.0) * self.alphas_
        return (votes.cumsum(axis=1) > 0).astype(int).T

    def _decisions(self, features: np.ndarray) -> np.ndarray:
        return features @ self.coefficients_.T + self.intercepts_ > 0


class TrainedAdaBoost:
    """AdaBoost with a trained weak learner, without privacy: Algorithm 1 over logistic regressions of weighted rows.

    Parameters
    ----------
    rounds : int
    """

    def __init__(self, rounds: int = 25):
        self.rounds = rounds

    def fit(self, features: np.ndarray, labels: np.ndarray) -> TrainedAdaBoost:
        """Fit on features, shape (n_rows, n_features), and labels 0 or 1."""
        weights = np.ones(len(labels))
        self.learners_: list[LogisticRegression] = []
        self.alphas_: list[float] = []
        for _ in range(self.rounds):
            learner = LogisticRegression(max_iter=1000).fit(features, labels, weights)
            mistakes = learner.predict(features) != labels
            error = np.clip(weights @ mistakes / weights.sum(), 1e-12, 1 - 1e-12)
            self.learners_.append(learner)
            self.alphas_.append(float(np.log((1 - error) / error)))
            weights = weights * np.exp(self.alphas_[-1] * mistakes)
            weights /= weights.mean()
        return self

    def staged_predict(self, features: np.ndarray) -> np.ndarray:
        """Return the labels after 1, 2, ... rounds, shape (rounds, n_rows)."""
        signs = np.asarray([2.0 * learner.predict(features) - 1.0 for learner in self.learners_])
        return ((np.asarray(self.alphas_)[:, None] * signs).cumsum(axis=0) > 0).astype(int)
