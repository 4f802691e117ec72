"""Searches over settings and learners on private rows, paid for."""

from tacit.estimators.search.paid_search import PaidRegressionSearch, PaidSearch

__all__ = ["PaidRegressionSearch", "PaidSearch"]
