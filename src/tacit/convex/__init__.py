"""Convex losses, and minimizers of their sums in a proved number of steps; knows no rows and no noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.convex.losses import HuberLoss, LogisticLoss, Loss
    from tacit.convex.minimizer import Metric, Smooth, minimize, proved_steps
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "losses": "HuberLoss LogisticLoss Loss",
            "minimizer": "Metric Smooth minimize proved_steps",
        },
    )

__all__ = ["HuberLoss", "LogisticLoss", "Loss", "Metric", "Smooth", "minimize", "proved_steps"]
