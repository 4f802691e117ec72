"""What past settings let expect of others: weighted means over the like ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.study.advice.likeness import shares, squared_distances
from tacit.study.advice.past_studies import PastStudies


@dataclass(frozen=True, eq=False)
class Expectation:
    """Losses to expect in some settings; every array has the shape (n_asked, n_learners) unless said otherwise.

    Attributes
    ----------
    loss : array
        Mean over past settings, by how much each counts.
    useful : array
        The share of them where the learner was better than a constant answer, among those where that can be had.
    shares : array of shape (n_asked, n_past)
        How much each past setting counts.
    distances : array of shape (n_asked, n_past)
        Squared, infinite where a past setting must not count.
    """

    loss: NDArray[np.float64]
    useful: NDArray[np.float64]
    shares: NDArray[np.float64]
    distances: NDArray[np.float64]

    @property
    def best(self) -> NDArray[np.intp]:
        """The learner of least expected loss, as a position, shape (n_asked,)."""
        return np.asarray(self.loss.argmin(axis=1))


def expected(past: PastStudies, asked: pl.DataFrame) -> Expectation:
    """Return what to expect in the settings asked for."""
    return _weighed(past, squared_distances(asked, past.frame))


def expected_without_own(past: PastStudies) -> Expectation:
    """Return what to expect in each past setting from those of other sources.

    Raises
    ------
    ParameterError
        If there is one source alone.
    """
    if len(np.unique(past.sources)) < 2:
        raise ParameterError("Expected past studies of two sources or more, got one. Add tables from elsewhere.")
    distances = squared_distances(past.frame, past.frame)
    distances[past.sources[:, None] == past.sources[None, :]] = np.inf
    return _weighed(past, distances)


def _weighed(past: PastStudies, distances: NDArray[np.float64]) -> Expectation:
    weights = shares(distances, past.sources)
    learnable = weights * past.learnable
    useful = learnable @ past.useful / np.maximum(learnable.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    return Expectation(weights @ past.losses, useful, weights, distances)
