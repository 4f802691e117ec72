"""The scikit-learn estimator of a private linear support vector machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from tacit.convex import HuberLoss, Loss
from tacit.estimators.calibrated import CalibratedFit
from tacit.estimators.linear import LinearFit
from tacit.estimators.requirements import LINEAR, LINEAR_METHODS
from tacit.learners.platt_scaling import CALIBRATION
from tacit.privacy.parameters import Choice, Number, Requirement


@dataclass(kw_only=True, eq=False, repr=False)
class SVMFit(CalibratedFit, LinearFit):
    """A private linear support vector machine with Huber loss; public columns are exact where the label is public.

    Source: Chaudhuri, Monteleoni and Sarwate, "Differentially Private Empirical Risk Minimization" (2011), used by
    Lopuhaä-Zwakenberg and others (2021), Algorithm 2; with rows of a public norm, an intercept inside the norm, and
    a change of curvature that is counted once, as it is of rank one.

    Parameters
    ----------
    method : {"auto", "k-norm", "objective-perturbation", "gaussian-objective"}
        With noise shaped like the rows, with spherical noise as in the paper, or with Gaussian noise for a delta
        above 0.
    huber : float
        Half the width of the loss's rounded corner, the paper's h.
    regularization : float or "auto"
        Lambda of lambda/2 |w|^2, added to a sum over rows: n_rows times the paper's Lambda, 10^-2.5. Raised to what
        the proof needs; refused where the solver might not end: below n_rows * columns / (2e7 * huber).

    Notes
    -----
    Privacy: one release for two classes, one for each of more than two, whose budgets add up, and as many of sums that
    calibrate log-odds; under replace-one on the protected columns and label. Proofs: ``proofs/mechanisms/k_norm.md``,
    ``proofs/mechanisms/objective_perturbation.md``, ``proofs/queries/platt_sums.md``.
    """

    huber: float = 0.05

    _learner = "svm"
    _no_row_weights = ""
    _parameters: ClassVar[Mapping[str, Requirement]] = {
        **LINEAR,
        "calibration": CALIBRATION,
        "method": Choice(LINEAR_METHODS),
        "huber": Number(1e-3, 1, "The paper takes 0.05."),
    }
    _methods = LINEAR_METHODS

    def _loss(self) -> Loss:
        return HuberLoss(self.huber)
