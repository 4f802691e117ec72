"""Cut points of numeric columns, released before a learner starts."""

from tacit.cut_points.halving import PrivateCuts, affordable_cuts, private_cut_points
from tacit.cut_points.rule import MOST_LEVELS, SHARE, affordable_levels

__all__ = ["MOST_LEVELS", "SHARE", "PrivateCuts", "affordable_cuts", "affordable_levels", "private_cut_points"]
