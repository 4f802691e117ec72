"""Convex losses, and minimizers of their sums in a proved number of steps; knows no rows and no noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.convex.losses import HuberLoss, LogisticLoss, Loss
    from tacit.convex.minimizer import Metric, Smooth, minimize, proved_steps
    from tacit.convex.number_losses import LogLoss, LossName, NumberLoss, QuantileLoss, SquaredLoss, share_within
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "losses": "HuberLoss LogisticLoss Loss",
            "minimizer": "Metric Smooth minimize proved_steps",
            "number_losses": "LogLoss LossName NumberLoss QuantileLoss SquaredLoss share_within",
        },
    )

__all__ = [
    "HuberLoss",
    "LogLoss",
    "LogisticLoss",
    "Loss",
    "LossName",
    "Metric",
    "NumberLoss",
    "QuantileLoss",
    "Smooth",
    "SquaredLoss",
    "minimize",
    "proved_steps",
    "share_within",
]
