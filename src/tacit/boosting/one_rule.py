"""Private one-rules: the literal, its negation or the constant with the least weighted error, selected with noise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from tacit.features import BinEncoding
from tacit.features.literals import NumericLiterals, literals
from tacit.mechanisms import Releases
from tacit.models import ConstantRule, LiteralRule, VotingRule
from tacit.privacy import PlanEntry, PrivacyUnit
from tacit.queries import OneRules, RowWeights, literal_errors
from tacit.table import Table


@dataclass(frozen=True)
class OneRule:
    """The weak learner of Salamatian (2021), Algorithm 1, at half of its cost.

    Privacy: one selection a round, range 2 zeta: permute-and-flip under pure budgets, the exponential mechanism
    under zero-concentrated ones. Proof: ``proofs/queries/literal_errors.md``.
    """

    literals: NumericLiterals = "thresholds"
    """What is asked of numeric columns."""

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return one selection."""
        return [] if unit.protects_nothing else [PlanEntry("selection")]

    def check(self, encoding: BinEncoding) -> None:
        """Raise ParameterError if the schema has no usable literal."""
        candidates(encoding, self.literals)

    def learn(
        self, table: Table, encoding: BinEncoding, weights: RowWeights, releases: Releases
    ) -> LiteralRule | ConstantRule:
        """Return the selected rule."""
        rules = candidates(encoding, self.literals)
        return rule_at(rules, releases.best(literal_errors(rules, weights, table)))


@lru_cache(maxsize=8)
def candidates(encoding: BinEncoding, numeric: NumericLiterals) -> OneRules:
    """Return all one-rules of an encoding."""
    return OneRules(encoding, literals(encoding, numeric))


def rule_at(rules: OneRules, index: int) -> LiteralRule | ConstantRule:
    """Return the candidate at an index: literals, their negations, then the constants of the second and first class."""
    size = len(rules.literals)
    if index >= 2 * size:
        return ConstantRule(second=index == 2 * size)
    return LiteralRule(rules.literals[index % size], negated=index >= size)


def undoes(rule: VotingRule, last: VotingRule | None) -> bool:
    """Return whether one rule is the negation of another, so that a vote of both changes no margin."""
    if isinstance(rule, LiteralRule) and isinstance(last, LiteralRule):
        return rule.literal == last.literal and rule.negated != last.negated
    return isinstance(rule, ConstantRule) and isinstance(last, ConstantRule) and rule.second != last.second
