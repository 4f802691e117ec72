"""Base of the classifiers of which a share of the budget calibrates the log-odds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tacit.estimators.base import PrivateFit
from tacit.learners.learner import Learner
from tacit.learners.platt_scaling import PlattScaledLearner
from tacit.privacy.rounding import down
from tacit.rules.shared import TINY_SHARE
from tacit.table import Table


@dataclass(kw_only=True, eq=False, repr=False)
class CalibratedFit(PrivateFit):
    """A private classifier whose log-odds are calibrated.

    Parameters
    ----------
    calibration : float
        Of the budget, for one release after training that tells by which line scores become calibrated log-odds (Platt
        scaling); 1e-6 to 0.99, or 0 for none.
    """

    calibration: float = TINY_SHARE

    def _learns_probabilities(self) -> bool:
        return self._has_likelihood or self.calibration != 0  # of a parameter that may not be checked yet

    def _linked(self, learner: Learner, table: Table) -> Learner:
        return PlattScaledLearner(learner, self.calibration, table.n_classes) if self.calibration else learner

    def _budget_of_one(self, table: Table) -> tuple[float, float]:
        """Return epsilon and delta that one training has beside its calibration."""
        epsilon, delta = super()._budget_of_one(table)
        return down(Fraction(epsilon) * (1 - Fraction(self.calibration))), delta
