"""Cut points of numeric columns, released before a learner starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.cut_points.halving import (
        CutPoints,
        PrivateCuts,
        affordable_cuts,
        chosen_cuts,
        columns_without_cuts,
        halved,
        private_cut_points,
    )
    from tacit.cut_points.quartiles import NoisyQuartiles, RankCuts, cuts_of_ranks
    from tacit.cut_points.rule import affordable_levels, worthwhile_levels
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "halving": "CutPoints PrivateCuts affordable_cuts chosen_cuts columns_without_cuts halved "
            "private_cut_points",
            "quartiles": "NoisyQuartiles RankCuts cuts_of_ranks",
            "rule": "affordable_levels worthwhile_levels",
        },
    )

__all__ = [
    "CutPoints",
    "NoisyQuartiles",
    "PrivateCuts",
    "RankCuts",
    "affordable_cuts",
    "affordable_levels",
    "chosen_cuts",
    "columns_without_cuts",
    "cuts_of_ranks",
    "halved",
    "private_cut_points",
    "worthwhile_levels",
]
