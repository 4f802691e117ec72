"""Statistics of private rows, each with how far one person can move it; no noise here."""

from tacit.queries.capped_weights import CappedWeights
from tacit.queries.intercept_errors import InterceptErrors
from tacit.queries.weighted_error import WeightedErrors, error_sensitivity

__all__ = ["CappedWeights", "InterceptErrors", "WeightedErrors", "error_sensitivity"]
