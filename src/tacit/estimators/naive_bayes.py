"""Naive Bayes with the face of scikit-learn."""

from __future__ import annotations

from typing import Any, Literal

from tacit.estimators.base import PrivateClassifier, ProbabilisticMixin
from tacit.learners import NaiveBayes
from tacit.schema import Schema
from tacit.table import OnInvalid, Table


class NaiveBayesClassifier(ProbabilisticMixin, PrivateClassifier):
    """Naive Bayes on noisy counts, for mixed columns and any number of classes."""

    _learner = "naive-bayes"

    def __init__(
        self,
        schema: Schema | str | None = None,
        *,
        epsilon: float | None = None,
        delta: float = 0.0,
        accounting: Literal["corrected", "paper"] = "corrected",
        on_invalid: OnInvalid = "raise",
        random_state: Any = None,
        numeric: Literal["binned", "gaussian"] = "binned",
        parts: int = 32,
        smoothing: float = 1.0,
        calibration: float = 0.1,
    ):
        self.schema = schema
        self.epsilon = epsilon
        self.delta = delta
        self.accounting = accounting
        self.on_invalid = on_invalid
        self.random_state = random_state
        self.numeric = numeric
        self.parts = parts
        self.smoothing = smoothing
        self.calibration = calibration

    def _settings(self, table: Table) -> NaiveBayes:
        return NaiveBayes(
            schema=table.schema,
            numeric=self.numeric,
            parts=self.parts,
            smoothing=self.smoothing,
            calibration=self.calibration,
            unlisted=self.on_invalid == "code",
        )
