"""Costs as the papers publish them, for studies only: a fit that uses one is never certified."""

from tacit.queries.as_published.class_sums import PublishedClassSums, PublishedSums
from tacit.queries.as_published.literal_errors import published_literal_errors
from tacit.queries.as_published.unit_norm_objective import UnitNormObjective
from tacit.queries.as_published.weighted_error import PublishedWeightedErrors

__all__ = [
    "PublishedClassSums",
    "PublishedSums",
    "PublishedWeightedErrors",
    "UnitNormObjective",
    "published_literal_errors",
]
