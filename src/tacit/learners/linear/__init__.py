"""Private estimators of linear coefficients: one file each, behind the protocol ``LinearMethod``."""

from tacit.learners.linear.coefficients import Coefficients
from tacit.learners.linear.linear import Linear, LinearMethod
from tacit.learners.linear.mean_operator import MeanOperator
from tacit.learners.linear.noisy_gradient import NoisyGradient
from tacit.learners.linear.objective_perturbation import GaussianObjectivePerturbation, PureObjective
from tacit.learners.linear.ranked import RankedLogistic

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
