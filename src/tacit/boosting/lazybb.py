"""Smooth boosting: Salamatian (2021), Algorithm 2, after Bun, Carmosino and Sorrell (2020)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacit.boosting.weak_learner import WeakLearner
from tacit.errors import ParameterError
from tacit.models import ConstantRule, LiteralRule, LiteralVoteModel
from tacit.privacy import Accountant, Planned, PrivacyUnit, Share
from tacit.queries import MarginWeights
from tacit.queries.smooth_weights import check_smoothness
from tacit.table import BinEncoding, Table

PARTS = 32
"""Equal parts of a numeric column whose schema names no cut points."""


@dataclass(frozen=True)
class LazyBB:
    """Settings of the algorithm; ``train`` runs it.

    Parameters
    ----------
    rounds : int
    density : float
        In (0, 1]: no row ever weighs more than 1/(density n).
    learning_rate : float
        Above 0: a vote for a row's label divides its weight by exp(learning_rate).
    weak_learner : WeakLearner
    parts : int
    """

    rounds: int
    density: float
    learning_rate: float
    weak_learner: WeakLearner
    parts: int = PARTS

    multiclass: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not isinstance(self.rounds, int | np.integer) or isinstance(self.rounds, bool) or self.rounds < 1:
            raise ParameterError(f"Expected at least one round, got rounds={self.rounds!r}. Choose 9, say.")
        check_smoothness(self.density, self.learning_rate)

    def plan(self, unit: PrivacyUnit) -> list[Planned]:
        """Return the releases of one run: those of the weak learner, each round."""
        return list(self.weak_learner.plan(unit)) * self.rounds

    def train(
        self, table: Table, shares: Sequence[Share], accountant: Accountant, generator: np.random.Generator
    ) -> LiteralVoteModel:
        """Return the vote that boosting ends with.

        Notes
        -----
        Privacy: releases what ``plan`` lists, for weights within zeta = 1/(density n) of their neighbors'.
        """
        encoding = BinEncoding(table.schema, table.schema.names, self.parts)
        self.weak_learner.check(encoding)
        weights = MarginWeights(table, density=self.density, learning_rate=self.learning_rate, rounds=self.rounds)
        votes = boost(self.rounds, self.weak_learner, table, encoding, weights, shares, accountant)
        return LiteralVoteModel(tuple(votes), self.parts)


def boost(
    rounds: int,
    weak_learner: WeakLearner,
    table: Table,
    encoding: BinEncoding,
    weights: MarginWeights,
    shares: Sequence[Share],
    accountant: Accountant,
) -> Iterator[LiteralRule | ConstantRule]:
    """Yield one rule a round: learn under the weights, then give every row the rule's vote."""
    each = len(shares) // rounds
    for round_ in range(rounds):
        own = shares[round_ * each : (round_ + 1) * each]
        rule = weak_learner.learn(table, encoding, weights, own, accountant)
        yield rule
        weights.advance(lambda block, rule=rule: rule.decide(block.codes(encoding), encoding))
