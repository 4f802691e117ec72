"""One-rules at the cost of Salamatian (2021), Observation 2.7.1 and Theorem 2.7.2."""

from __future__ import annotations

from dataclasses import replace

from reproductions.salamatian2021.selection import WeightedExponentialMechanism
from tacit.boosting import OneRule
from tacit.boosting.one_rule import candidates, rule_at
from tacit.features import BinEncoding
from tacit.mechanisms import Releases
from tacit.models import ConstantRule, LiteralRule
from tacit.privacy import PureDP, SelectionStatistic
from tacit.queries import OneRules, literal_errors
from tacit.queries.margins import RowWeights
from tacit.table import Table


class PublishedOneRule(OneRule):
    """Selects by the exponential mechanism at the published range 4 zeta."""

    def learn(
        self,
        table: Table,
        encoding: BinEncoding,
        weights: RowWeights,
        releases: Releases,
    ) -> LiteralRule | ConstantRule:
        """Return the selected rule."""
        rules = candidates(encoding, self.literals)
        errors = published_literal_errors(rules, weights, table)
        return rule_at(rules, ByExponential(releases.announced, releases.curator).best(errors))


class ByExponential(Releases):
    """Releases whose selections are by the exponential mechanism, at a pure share."""

    def best(self, scores: SelectionStatistic) -> int:
        """Return a good candidate."""
        if scores.is_public:
            return super().best(scores)
        share = self.share
        assert isinstance(share, PureDP)
        return self.by(WeightedExponentialMechanism(share), scores)


def published_literal_errors(rules: OneRules, weights: RowWeights, table: Table) -> SelectionStatistic:
    """Return the negated weighted errors at the published range 4/(density n): at least twice the true one.

    The published proof measures total variation over indices, for which the theorem is wrong: replace row j under
    weights all on j, and the distance is 0 while the error moves by 1. Over records the cost holds, and is too much.
    """
    return replace(literal_errors(rules, weights, table), range=4 * weights.cap)
