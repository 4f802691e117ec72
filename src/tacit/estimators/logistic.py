"""The scikit-learn estimator of private logistic regression."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import ClassVar, Literal

from tacit.convex import LogisticLoss, Loss
from tacit.cut_points import cuts_of_ranks
from tacit.estimators.beforehand import MAX_RESTS
from tacit.estimators.calibrated import CalibratedFit
from tacit.estimators.linear import LinearFit
from tacit.estimators.requirements import LINEAR, LINEAR_METHODS, one_of
from tacit.learners.learner import Learner
from tacit.learners.linear import RankedLogistic
from tacit.learners.linear.defaults import (
    n_selected_columns,
    share_of_classes,
    use_quadratic,
    use_ranks,
)
from tacit.learners.platt_scaling import CALIBRATION
from tacit.privacy.parameters import Choice, Requirement
from tacit.table import Table

RankedOrBinned = Literal["auto", "binned", "ranked", "one-hot", "ordinal"]


@dataclass(kw_only=True, eq=False, repr=False)
class LogisticFit(CalibratedFit, LinearFit):
    """Private logistic regression; where the label is public, public columns are fitted exactly and for free.

    By default every column becomes one-hot features, numbers by a public grid; the objective is perturbed by noise
    shaped like the set of all possible rows (K-norm), and only its minimizer is released. Objective perturbation
    is due to Chaudhuri, Monteleoni and Sarwate (2011), K-norm noise to Hardt and Talwar (2010); that both together
    cost nothing for the change of curvature is proved in ``proofs/mechanisms/k_norm.md``.

    Parameters
    ----------
    encoding : {"auto", "binned", "ranked", "one-hot", "ordinal"}
        How columns become features, as for ``SVMClassifier``; ``"auto"``: ``"ranked"`` where rows are few for the
        budget, else ``"binned"``. Ranks by noisy gradients, under a delta, have quadratic terms where rows are enough,
        so that effects may fall and rise again, rows scaled to a short length, and all classes at once.
    method : str
        ``"auto"``: for a delta of 0 ``"k-norm"``, or ``"mean-operator"`` where n_rows * epsilon is below 12 for each
        coefficient and the label is private; else ``"noisy-gradient"``. Also ``"objective-perturbation"``, with
        spherical noise, and ``"gaussian-objective"``, for a delta above 0. The mean operator is one noisy sum.
    regularization : float or "auto"
        Lambda of lambda/2 |w|^2, added to a sum over rows: 1/C of scikit-learn. Raised to what the proof needs;
        refused where the solver might not end: below n_rows * columns / 4e7.

    Notes
    -----
    Privacy: one release for two classes, one for each of more than two, whose budgets add up; under replace-one on
    the protected columns and label. Proofs: ``proofs/mechanisms/k_norm.md``, ``proofs/queries/linear_objective.md``.
    """

    encoding: RankedOrBinned = "auto"

    _learner = "logistic"
    _has_likelihood = True
    _no_row_weights = ""
    _parameters: ClassVar[Mapping[str, Requirement]] = {
        **LINEAR,
        "method": Choice((*LINEAR_METHODS, "noisy-gradient", "mean-operator")),
        "encoding": one_of(RankedOrBinned),
        "calibration": CALIBRATION,
    }

    def _settings(self, table: Table) -> Learner:
        settled = copy(self)
        if self.encoding == "auto":
            settled.encoding = "ranked" if self._uses_ranks(table) else "binned"
        if settled.encoding == "ranked" and self._by_gradients:
            return self._in_order(self._ranked(table), table)
        return super(LogisticFit, settled)._settings(table)

    @property
    def _by_gradients(self) -> bool:
        """Whether ranks are learned by noisy gradients."""
        return self._delta > 0 and self.method in ("auto", "noisy-gradient")

    def _uses_ranks(self, table: Table) -> bool:
        """Return whether ranks are more accurate than bins, by rows, budget and columns alone."""
        if not table.schema.paid_columns or self.n_bins != "auto":
            return False
        epsilon, _ = self._budget_of_one(table)
        if not self._delta:
            columns = len(table.schema.paid_columns)
            return self.method != "noisy-gradient" and use_ranks(table.n_persons, epsilon, columns, pure=True)
        assert self.epsilon is not None
        trainings = table.n_classes if table.unit.label and table.n_classes > 2 else 1
        # On ranks all classes are learned at once, so that any number of them can be.
        columns = len(table.schema.inputs)
        lead = table.n_classes > MAX_RESTS or use_ranks(table.n_persons, self.epsilon, columns, trainings=trainings)
        return self._by_gradients and lead

    def _ranked(self, table: Table) -> RankedLogistic:
        """Return settings by rows, budget and columns alone."""
        assert self.epsilon is not None
        columns = table.schema.inputs
        signal = table.n_persons, self.epsilon
        chosen = n_selected_columns(*signal, columns, table.n_classes)
        return RankedLogistic(
            table.schema,
            cuts_of_ranks(table.schema, table.unit, table.n_persons, self.epsilon, self._delta, asked=self.cut_points),
            quadratic=use_quadratic(*signal, len(columns)),
            classes=share_of_classes(*signal, table.n_classes, chosen),
            chosen=chosen,
        )

    def _loss(self) -> Loss:
        return LogisticLoss()
