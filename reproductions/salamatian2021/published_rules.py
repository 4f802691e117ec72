"""One-rules at the cost of Salamatian (2021), Observation 2.7.1 and Theorem 2.7.2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tacit.boosting import OneRule
from tacit.boosting.one_rule import candidates, rule_at
from tacit.mechanisms import WeightedExponentialMechanism
from tacit.models import ConstantRule, LiteralRule
from tacit.privacy import Accountant, PrivacyUnit, PureDP, SelectionStatistic, Share
from tacit.queries import OneRules, literal_errors
from tacit.queries.margin_weights import RowWeights
from tacit.table import BinEncoding, Table


class PublishedOneRule(OneRule):
    """Selects by the exponential mechanism at the published range 4 zeta."""

    def learn(
        self,
        table: Table,
        encoding: BinEncoding,
        weights: RowWeights,
        shares: Sequence[Share],
        accountant: Accountant,
    ) -> LiteralRule | ConstantRule:
        """Return the selected rule."""
        if not shares:
            return super().learn(table, encoding, weights, shares, accountant)
        [share] = shares
        assert isinstance(share, PureDP)
        rules = candidates(encoding, self.literals)
        errors = published_literal_errors(rules, weights, table.unit)
        return rule_at(rules, accountant.release(WeightedExponentialMechanism(share), errors))


def published_literal_errors(rules: OneRules, weights: RowWeights, unit: PrivacyUnit) -> SelectionStatistic:
    """Return the negated weighted errors at the published range 4/(density n): at least twice the true one.

    The published proof measures total variation over indices, for which the theorem is wrong: replace row j under
    weights all on j, and the distance is 0 while the error moves by 1. Over records the cost holds, and is too much.
    """
    return replace(literal_errors(rules, weights, unit), range=4 * weights.cap)
