"""Statistics of private rows, each with how far one person can move it; no noise here."""

from tacit.queries.bin_counts import BinCounts
from tacit.queries.capped_weights import CappedWeights
from tacit.queries.intercept_errors import InterceptErrors
from tacit.queries.literal_errors import OneRules, literal_errors
from tacit.queries.margin_weights import MarginWeights, RowWeights, StartMargins
from tacit.queries.smooth_weights import smooth_weights
from tacit.queries.weighted_error import WeightedErrors, error_sensitivity

__all__ = [
    "BinCounts",
    "CappedWeights",
    "InterceptErrors",
    "MarginWeights",
    "OneRules",
    "RowWeights",
    "StartMargins",
    "WeightedErrors",
    "error_sensitivity",
    "literal_errors",
    "smooth_weights",
]
