"""Base of the classifiers whose scores are no log-odds: a share of the budget tells how they become such."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

from tacit.estimators.base import PrivateClassifier
from tacit.estimators.training import Learner
from tacit.learners.calibrated_learner import CalibratedLearner, calibration_share
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
        n_rows * epsilon is 3,000 at least, for two classes, and else, for BRC alone, where it is 6,000, epsilon being
        that of one training.
    """

    calibration: float | Literal["auto"] = "auto"

    _links_of_many: ClassVar[bool] = False
    """Whether "auto" pays for counts of more than two classes, too: lines of one against the rest do not come true
    together where a class is as likely at both ends of its score."""

    def _learns_probabilities(self) -> bool:
        return self.calibration not in ("auto", 0)  # of a parameter that may not be checked yet

    def _linked(self, learner: Learner, table: Table) -> Learner:
        share, epsilon = self._calibration_share(table), super()._budget_of_one(table)[0]
        return CalibratedLearner(learner, share, table.n_persons * epsilon * share) if share else learner

    def _budget_of_one(self, table: Table) -> tuple[float, float]:
        """Return epsilon and delta that one training has beside its counts."""
        epsilon, delta = super()._budget_of_one(table)
        return down(Fraction(epsilon) * (1 - Fraction(self._calibration_share(table)))), delta

    def _calibration_share(self, table: Table) -> float:
        if self.calibration != "auto":
            return self.calibration
        if table.n_classes > 2 and not self._links_of_many:
            return 0.0
        return calibration_share(table.n_persons, super()._budget_of_one(table)[0], table.n_classes)
