"""Private estimators of linear coefficients: one file each, behind the protocol ``LinearMethod``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.learners.linear.coefficients import Coefficients
    from tacit.learners.linear.linear import Linear, LinearMethod
    from tacit.learners.linear.mean_operator import MeanOperator
    from tacit.learners.linear.noisy_gradient import NoisyGradient
    from tacit.learners.linear.objective_perturbation import GaussianObjectivePerturbation, PureObjective
    from tacit.learners.linear.ranked import RankedLogistic
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "coefficients": "Coefficients",
            "linear": "Linear LinearMethod",
            "mean_operator": "MeanOperator",
            "noisy_gradient": "NoisyGradient",
            "objective_perturbation": "GaussianObjectivePerturbation PureObjective",
            "ranked": "RankedLogistic",
        },
    )

__all__ = [
    "Coefficients",
    "GaussianObjectivePerturbation",
    "Linear",
    "LinearMethod",
    "MeanOperator",
    "NoisyGradient",
    "PureObjective",
    "RankedLogistic",
]
