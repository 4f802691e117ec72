"""Weighted errors of one-rules with the sensitivity of Salamatian (2021), Observation 2.7.1 and Theorem 2.7.2."""

from __future__ import annotations

from dataclasses import replace

from tacit.privacy import PrivacyUnit, SelectionStatistic
from tacit.queries.literal_errors import OneRules, literal_errors
from tacit.queries.margin_weights import RowWeights


def published_literal_errors(rules: OneRules, weights: RowWeights, unit: PrivacyUnit) -> SelectionStatistic:
    """Return the negated weighted errors at the published range 4/(density n): at least twice the true one.

    The published proof measures total variation over indices, for which the theorem is wrong: replace row j under
    weights all on j, and the distance is 0 while the error moves by 1. Over records the cost holds, and is too much.
    """
    return replace(literal_errors(rules, weights, unit), range=4 * weights.cap)
