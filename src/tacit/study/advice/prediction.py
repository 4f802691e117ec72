"""Predicted accuracy loss: kernel-weighted mean over similar past experiments, with prediction intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.study.advice.past_studies import PastStudies
from tacit.study.advice.similarity import kernel_weights, squared_distances

CONFIDENCE = 0.8
"""Nominal coverage of the intervals: a tenth of the losses beyond either end."""

WIDENING = 2.0
"""The kernel's bandwidth for intervals, in those for means: the tails of a distribution take more experiments."""


@dataclass(frozen=True, eq=False)
class Prediction:
    """Predicted losses of some queries; every array has the shape (n_queries, n_learners) unless said otherwise."""

    loss: NDArray[np.float64]
    """Weighted mean over past experiments."""
    useful: NDArray[np.float64]
    """Weighted share of them in which the learner beat the majority class, among those where that was possible."""
    weights: NDArray[np.float64]
    """Of shape (n_queries, n_past). Of the past experiments."""
    distances: NDArray[np.float64]
    """Of shape (n_queries, n_past). Squared, infinite where a past experiment must not count."""

    @property
    def best(self) -> NDArray[np.intp]:
        """The learner of least predicted loss, as a position, shape (n_queries,)."""
        return np.asarray(self.loss.argmin(axis=1))


def predict(past: PastStudies, queries: pl.DataFrame) -> Prediction:
    """Return the predictions of queries."""
    return _weighted(past, squared_distances(queries, past.frame))


def predict_left_out(past: PastStudies) -> Prediction:
    """Return the prediction of each past experiment from the other sources."""
    if len(np.unique(past.sources)) < 2:
        raise ParameterError("Expected past studies of two sources or more, got one. Add tables from elsewhere.")
    distances = squared_distances(past.frame, past.frame)
    distances[past.sources[:, None] == past.sources[None, :]] = np.inf
    return _weighted(past, distances)


def _weighted(past: PastStudies, distances: NDArray[np.float64]) -> Prediction:
    weights = kernel_weights(distances, past.sources)
    learnable = weights * past.learnable
    # The smallest float instead of 0: where nothing could be learned, the share is 0 rather than 0/0.
    useful = learnable @ past.useful / np.maximum(learnable.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    return Prediction(weights @ past.losses, useful, weights, distances)


def intervals(past: PastStudies, prediction: Prediction) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Prediction intervals from leave-one-source-out errors of similar experiments.

    The learner of least predicted loss tends to lose more than predicted (the winner's curse): its interval comes from
    the errors of the learners that would have been chosen, whichever they were.

    Returns
    -------
    low, high : array of shape (n_queries, n_learners)
        The predicted loss is always between them.
    """
    errors, chosen = left_out_errors(past)
    weights = kernel_weights(prediction.distances / WIDENING**2, past.sources)
    low, high = (np.empty_like(prediction.loss) for _ in range(2))
    tail = (1 - CONFIDENCE) / 2
    for at, (own, best) in enumerate(zip(weights, prediction.best, strict=True)):
        for learner in range(errors.shape[1]):
            off = chosen if learner == best else errors[:, learner]
            low[at, learner] = min(-quantile(-off, own, 1 - tail), 0.0)
            high[at, learner] = max(quantile(off, own, 1 - tail), 0.0)
    return prediction.loss + low, prediction.loss + high


@lru_cache(maxsize=8)  # quadratic in the experiments, and the same for every query; 8: as many as by_measure keeps
def left_out_errors(past: PastStudies) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return loss minus predicted loss of each past experiment, predicted from the other sources.

    Returns
    -------
    errors : array of shape (n_experiments, n_learners)
    chosen : array of shape (n_experiments,)
        Of the learner that would have been advised.
    """
    prediction = predict_left_out(past)
    errors = past.losses - prediction.loss
    return errors, errors[np.arange(len(errors)), prediction.best]


def quantile(values: NDArray[np.float64], weights: NDArray[np.float64], level: float) -> float:
    """Return the weighted quantile: the least value that at least this share of the weight does not exceed.

    Examples
    --------
    >>> quantile(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0]), 0.75)
    2.0
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    # Sums of weights are off by a few roundings: a level reached up to 1e-12 is reached.
    at = int(np.searchsorted(reached, level - 1e-12))
    return float(values[order][min(at, len(order) - 1)])
