"""Random linear classifiers, drawn without looking at any row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.models import snapped
from tacit.table import LinearEncoding

DrawClassifiers = Callable[[int, int, np.random.Generator], tuple[NDArray[np.float64], NDArray[np.float64]]]
"""From rounds, number of features and a generator: coefficients (rounds, n_features), intercepts (rounds,)."""

CANDIDATES = 33
"""Size of the public grid from which an intercept is selected."""


@dataclass(frozen=True, eq=False)
class RandomClassifiers:
    """Coefficients of shape (rounds, n_features) and intercepts of shape (rounds,), on the features' grid."""

    coefficients: NDArray[np.float64]
    intercepts: NDArray[np.float64]

    def __post_init__(self) -> None:
        coefficients, intercepts = np.asarray(self.coefficients, float), np.asarray(self.intercepts, float)
        if coefficients.ndim != 2 or intercepts.shape != coefficients.shape[:1]:
            raise ParameterError(
                "Expected draw_classifiers to return coefficients (rounds, n_features) and intercepts (rounds,). "
                "Return two arrays of those shapes."
            )
        if not (np.isfinite(coefficients).all() and np.isfinite(intercepts).all()):
            raise ParameterError("Expected finite coefficients and intercepts from draw_classifiers.")
        object.__setattr__(self, "coefficients", np.asarray([snapped(row) for row in coefficients]))
        object.__setattr__(self, "intercepts", np.asarray(snapped(intercepts)))


def draw_uniform(
    rounds: int, n_features: int, generator: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return coefficients and intercepts, each uniform on [-1, 1]: Shen and others (2022), Algorithm 2, step 5."""
    drawn = generator.uniform(-1, 1, size=(rounds, n_features + 1))
    return drawn[:, :-1], drawn[:, -1]


def draw_centered(
    rounds: int, n_features: int, generator: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return coefficients uniform on [-1, 1] and intercepts zero, the mean of a uniform one: section 6."""
    return generator.uniform(-1, 1, size=(rounds, n_features)), np.zeros(rounds)


def intercept_grids(coefficients: NDArray[np.float64], encoding: LinearEncoding) -> NDArray[np.float64]:
    """Return candidate intercepts of each direction, ascending, shape (rounds, CANDIDATES).

    They divide the range of coefficients . features over every row that the schema admits into equal parts.
    """
    grids = []
    for row in coefficients:
        low, high = encoding.extent(row)
        grids.append(snapped(np.linspace(-high, -low, CANDIDATES + 2)[1:-1]))
    return np.asarray(grids)
