"""Learners without privacy that the papers' figures are measured against."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.linear_model import LogisticRegression

from tacit.boosting import draw_uniform
from tacit.schema import Schema
from tacit.table import LinearEncoding, read_rows


class EncodedLogistic:
    """Logistic regression, without privacy, on the schema's features of the named columns.

    Parameters
    ----------
    schema : Schema
    columns : tuple of str, optional
        All columns by default; ``schema.public_columns`` for the public baseline of Shen and others (2022).
    encoding : {"ordinal", "one-hot"}
    """

    def __init__(
        self,
        schema: Schema,
        columns: tuple[str, ...] | None = None,
        encoding: Literal["ordinal", "one-hot"] = "ordinal",
    ):
        self._encoding = LinearEncoding(schema, schema.names if columns is None else columns, encoding)
        self._classifier = LogisticRegression(C=1.0, max_iter=5000)

    def fit(self, frame: Any, labels: Any) -> EncodedLogistic:
        """Fit on a data frame and its labels."""
        self._classifier.fit(self._features(frame), np.asarray(labels))
        return self

    def predict(self, frame: Any) -> np.ndarray:
        """Return the class of each row."""
        return self._classifier.predict(self._features(frame))

    def score(self, frame: Any, labels: Any) -> float:
        """Return the accuracy."""
        return float(np.mean(self.predict(frame) == np.asarray(labels)))

    def _features(self, frame: Any) -> np.ndarray:
        return self._encoding.transform(read_rows(frame, self._encoding.schema))


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
