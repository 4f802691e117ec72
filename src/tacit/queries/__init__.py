"""Statistics of private rows, each with how far one person can move it; no noise here."""

from tacit.queries.bin_counts import BinCounts
from tacit.queries.class_sums import GAUSSIAN_OFFSET, PURE_OFFSET, ClassSums, Sums
from tacit.queries.leaf_sums import LeafSums, plan_leaf_sums
from tacit.queries.linear_objective import (
    LinearObjective,
    check_solvable,
    plan_residual_sums,
    residual_sums,
    row_geometry,
    solvable_regularization,
)
from tacit.queries.linear_rows import Design, LinearProblem, Offset
from tacit.queries.literal_errors import OneRules, literal_errors
from tacit.queries.margins import Margins, RowWeights, StartMargins
from tacit.queries.median_scores import MedianScores, RowCells, scores_of_each
from tacit.queries.weighted_error import InterceptErrors, WeightedErrors
from tacit.sensitivities.linear import error_sensitivity

__all__ = [
    "GAUSSIAN_OFFSET",
    "PURE_OFFSET",
    "BinCounts",
    "ClassSums",
    "Design",
    "InterceptErrors",
    "LeafSums",
    "LinearObjective",
    "LinearProblem",
    "Margins",
    "MedianScores",
    "Offset",
    "OneRules",
    "RowCells",
    "RowWeights",
    "StartMargins",
    "Sums",
    "WeightedErrors",
    "check_solvable",
    "error_sensitivity",
    "literal_errors",
    "plan_leaf_sums",
    "plan_residual_sums",
    "residual_sums",
    "row_geometry",
    "scores_of_each",
    "solvable_regularization",
]
