"""What noisy held-out counts say: intervals, areas under the ROC curve, Platt scaling, errors; only post-processing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.measures.group_measures import GroupMeasures
    from tacit.measures.held_out import HeldOut
    from tacit.measures.held_out_residuals import DistanceCounts, HeldOutResiduals
    from tacit.measures.intervals import CalibrationPoint, Estimate
    from tacit.measures.platt import Line
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "intervals": "CalibrationPoint Estimate",
            "group_measures": "GroupMeasures",
            "held_out": "HeldOut",
            "held_out_residuals": "DistanceCounts HeldOutResiduals",
            "platt": "Line",
        },
    )

__all__ = [
    "CalibrationPoint",
    "DistanceCounts",
    "Estimate",
    "GroupMeasures",
    "HeldOut",
    "HeldOutResiduals",
    "Line",
]
