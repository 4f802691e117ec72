"""Teachers of DP-Bag: logistic regressions on the parts of several partitions of the rows, and their votes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

PARTITIONS, TEACHERS = 50, 100
"""Of the published code's settings: partitions, and teachers of each."""

LAMBDA = 0.02
"""Of the published code's settings: noise on vote shares has scale 1/lambda, so that a question costs 2 lambda."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Teachers of all partitions.

    Attributes
    ----------
    owners : array of shape (n_partitions, n_rows)
        Which teacher of each partition has each row.
    weights : array of shape (n_partitions, n_teachers, n_features + 1)
        Coefficients, and the constant.
    """

    owners: NDArray[np.intp]
    weights: Floats

    @property
    def n_partitions(self) -> int:
        """How many votes one row can turn at a question."""
        return len(self.weights)

    def votes(self, questions: Floats) -> NDArray[np.bool_]:
        """Return whether each teacher votes for label 1, shape (n_partitions, n_teachers, n_questions)."""
        return self.weights[..., :-1] @ questions.T + self.weights[..., -1:] > 0


def taught(
    features: Floats, labels: NDArray[np.integer], partitions: int, teachers: int, generator: np.random.Generator
) -> Ensemble:
    """Return teachers of labels 0 and 1; partitions are drawn without looking at a row."""
    owners = np.empty((partitions, len(labels)), dtype=np.intp)
    weights = np.empty((partitions, teachers, features.shape[1] + 1))
    for own, of_teachers in zip(owners, weights, strict=True):
        for at, part in enumerate(np.array_split(generator.permutation(len(labels)), teachers)):
            own[part] = at
            of_teachers[at] = linear(features[part], labels[part])
    return Ensemble(owners, weights)


def linear(features: Floats, labels: NDArray[np.integer]) -> Floats:
    """Return the coefficients and the constant of a logistic regression; where there is one label, of that one."""
    ones = int(np.sum(labels))
    if ones in (0, len(labels)):
        return np.append(np.zeros(features.shape[1]), 1.0 if ones else -1.0)
    model = LogisticRegression(max_iter=1000).fit(features, labels)
    return np.append(model.coef_[0], model.intercept_)
