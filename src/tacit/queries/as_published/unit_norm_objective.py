"""An objective whose rows are taken to have norm one, as papers do without seeing to it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tacit.privacy.objective import ObjectiveStatistic, RowGeometry
from tacit.queries.linear_objective import LinearObjective, row_geometry
from tacit.queries.linear_problem import LinearProblem
from tacit.queries.losses import Loss


@dataclass(frozen=True, eq=False)
class UnitNormObjective:
    """The objective of ``LinearObjective`` with a claimed norm of one for rows whose norm is larger.

    Parameters
    ----------
    problem : LinearProblem
    loss : Loss
    regularization : float

    Notes
    -----
    Wrong: Chaudhuri and others (2011) demand rows of norm at most one, and Lopuhaä-Zwakenberg and others (2021) never
    enforce it. The noise is too small by a factor R, the change of curvature counted too small by R^2.
    """

    problem: LinearProblem
    loss: Loss
    regularization: float

    @staticmethod
    def claimed(problem: LinearProblem, loss: Loss) -> RowGeometry:
        """Return the geometry with the claimed norm."""
        return replace(row_geometry(problem.design, loss), squared_radius=1.0)

    def statistic(self) -> ObjectiveStatistic:
        """Return the objective with the claimed norm."""
        statistic = LinearObjective(self.problem, self.loss, self.regularization, self.regularization).statistic()
        return replace(statistic, rows=self.claimed(self.problem, self.loss))
