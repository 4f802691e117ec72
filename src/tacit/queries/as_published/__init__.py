"""Costs as the papers publish them, for studies only: a fit that uses one is never certified."""

from tacit.queries.as_published.weighted_error import PublishedWeightedErrors

__all__ = ["PublishedWeightedErrors"]
