"""Private ways to learn a linear form: one file each, joined by ``LinearMethod``."""

from tacit.learners.linear.linear import Linear
from tacit.learners.linear.mean_operator import MeanOperator
from tacit.learners.linear.method import LinearMethod
from tacit.learners.linear.noisy_gradient import NoisyGradient
from tacit.learners.linear.objective_perturbation import GaussianObjectivePerturbation, PureObjective

__all__ = ["GaussianObjectivePerturbation", "Linear", "LinearMethod", "MeanOperator", "NoisyGradient", "PureObjective"]
