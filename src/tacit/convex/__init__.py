"""Convex losses, and minimizers of their sums in a proved number of steps; knows no rows and no noise."""

from tacit.convex.losses import HuberLoss, LogisticLoss, Loss
from tacit.convex.minimizer import Metric, Smooth, minimize, proved_steps

__all__ = ["HuberLoss", "LogisticLoss", "Loss", "Metric", "Smooth", "minimize", "proved_steps"]
