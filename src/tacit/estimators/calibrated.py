"""Base of the classifiers whose scores are no log-odds: a share of the budget tells how they become such."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from tacit.estimators.base import PrivateClassifier
from tacit.estimators.training import Learner
from tacit.learners.calibrated_learner import CalibratedLearner, calibration_share, n_levels
from tacit.privacy.rounding import down
from tacit.table import Table


@dataclass(kw_only=True, eq=False, repr=False)
class CalibratedClassifier(PrivateClassifier):
    """A private classifier whose scores are no log-odds.

    Parameters
    ----------
    calibration : float or "auto"
        Of the budget of each class against the rest, for counts of the rows by score and class, which tell
        probabilities and where the score decides; from 1e-6 to 0.99, or 0 for a public link, which knows neither how
        frequent a class is nor how much scores say. ``"auto"``: 300 / (n_rows * epsilon), from 0.05 to 0.1, where
        n_rows * epsilon is 3,000 at least, epsilon being that of one training; of more than two classes 6,000.
    """

    calibration: float | Literal["auto"] = "auto"

    def _learns_probabilities(self) -> bool:
        return self.calibration != "auto" and self.calibration > 0

    def _linked(self, learner: Learner, table: Table) -> Learner:
        share, epsilon = self._calibration_share(table), super()._budget_of_one(table)[0]
        return CalibratedLearner(learner, share, n_levels(table.n_persons, epsilon, share)) if share else learner

    def _budget_of_one(self, table: Table) -> tuple[float, float]:
        """Return epsilon and delta that one training has beside its counts."""
        epsilon, delta = super()._budget_of_one(table)
        return down(Fraction(epsilon) * (1 - Fraction(self._calibration_share(table)))), delta

    def _calibration_share(self, table: Table) -> float:
        if self.calibration != "auto":
            return self.calibration
        return calibration_share(table.n_persons, super()._budget_of_one(table)[0], table.n_classes)
