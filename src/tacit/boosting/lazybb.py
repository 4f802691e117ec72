"""Smooth boosting: Salamatian (2021), Algorithm 2, after Bun, Carmosino and Sorrell (2020)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import exp
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.boosting.effect_noise import coin_noise
from tacit.boosting.one_rule import undoes
from tacit.boosting.public_models import public_start, start_margins
from tacit.boosting.smooth_weights import check_smoothness, project, reweight
from tacit.cut_points import PrivateCuts
from tacit.features import BinEncoding
from tacit.mechanisms import Releases
from tacit.models import LiteralVoteModel, PublicStart, VotingRule
from tacit.privacy import Persons, PlanEntry, PrivacyUnit
from tacit.privacy.parameters import Number, Whole
from tacit.queries import Margins, RowWeights
from tacit.schema import Schema
from tacit.table import Block, Table

ROUNDS = Whole(1, 1000, "The rule for 'auto' stays below 100.")
"""More would leave a round no budget, and margins no room in 16 bits beside a public start."""

RATE_DECAY = Number(1e-3, 1, "1 keeps the learning rate.")

_MIN_RATE = 1e-3
"""The smallest rate that ``rate_decay`` leads to: with it, a thousand rounds multiply a weight by e."""

N_BINS = 32
"""Equal parts of a numeric column whose schema names no cut points."""


class WeakLearner(Protocol):
    """A private learner of one rule under given weights; a frozen object without state.

    Weights come as ``RowWeights``: each row holds the position of its weight in a short table, so that a learner
    counts rows in integers by (position, code, label) and multiplies by the table afterwards.

    Privacy: for two neighboring tables whose weights are within total variation ``weights.zeta`` over records,
    ``learn`` costs what ``plan`` announces (Definition 2.6.1 of Salamatian 2021, with records for indices).
    """

    def plan(self, unit: PrivacyUnit) -> Sequence[PlanEntry]:
        """Return the releases of one round; none where the unit protects nothing."""

    def check(self, encoding: BinEncoding) -> None:
        """Raise ParameterError if nothing can be learned on the encoding; reads the schema alone."""

    def learn(self, table: Table, encoding: BinEncoding, weights: RowWeights, releases: Releases) -> VotingRule:
        """Return the rule of one round; ``releases`` are those of its plan."""


@dataclass(frozen=True)
class LazyBB:
    """Settings of the algorithm; ``train`` runs it."""

    rounds: int
    density: float
    """In (0, 1]: no row ever weighs more than 1/(density n)."""
    learning_rate: float
    """Above 0: a vote for a row's label divides its weight by exp(learning_rate)."""
    weak_learner: WeakLearner
    n_bins: int = N_BINS
    """Equal parts of numeric columns without cut points."""
    cuts: PrivateCuts | None = None
    """Release cut points first, by private quantiles."""
    start_learner: Callable[[], Any] | None = None
    """Makes an unfitted linear classifier of public columns, from whose margin boosting starts where the label is
    public. Without one, it starts from nothing."""
    start_strength: float = 0.25
    """How much that margin counts; see ``public_start``."""
    rate_decay: float = 1.0
    """In (0, 1]: what the learning rate is multiplied by whenever a rule negates the one before. At 1, which is
    Algorithm 2, a rate too high for the rules of a table alternates between one and its negation to the end."""

    multiclass: ClassVar[bool] = False

    def __post_init__(self) -> None:
        ROUNDS.check("rounds", self.rounds)
        check_smoothness(self.density, self.learning_rate)
        RATE_DECAY.check("rate_decay", self.rate_decay)

    def unsupported(self, persons: Persons) -> str | None:
        """Return why rows that count one each are not protected, several of a person."""
        return None if persons.rows == "mean" else "its cap on weights needs persons of weight one each, rows='mean'"

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the releases of one run: cut points if asked for, then those of the weak learner, each round.

        A round's share is proportional to the most that a row can weigh in it, so that all rounds are equally noisy.
        """
        rounds = self._rounds(unit)
        return self.cuts.before(rounds, unit) if self.cuts else rounds

    def _rounds(self, unit: PrivacyUnit) -> list[PlanEntry]:
        one = self.weak_learner.plan(unit)
        # A public start lets rows reach the cap in the first round already.
        even = self.start_learner is not None and not unit.label
        weights = [1.0 if even else self._heaviest(round_) for round_ in range(self.rounds)]
        return [
            replace(planned, weight=planned.weight * weight, part=(round_name(round_), *planned.part))
            for round_, weight in enumerate(weights)
            for planned in one
        ]

    def _heaviest(self, round_: int) -> float:
        """Return the most that a row can weigh after so many rounds, in units of the cap, for many rows."""
        # exp overflows above 709; the cap of 1 is reached long before.
        return min(1.0, self.density * exp(min(2 * self.learning_rate * round_, 700.0)))

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> LiteralVoteModel:
        """Return the vote that boosting ends with.

        Privacy: releases what ``plan`` lists, for weights within zeta = 1/(density n) of their neighbors'. A public
        start is fitted before, once, on public columns and a public label.
        """
        cuts = self.cuts.release(table, releases.part("cuts")) if self.cuts else ()
        start = self._start(table)
        encoding = BinEncoding(table.schema, table.schema.names, self.n_bins, released=cuts)
        self.weak_learner.check(encoding)
        margins = Margins(table, rounds=self.rounds, start=start_margins(start, table) if start else None)
        votes = tuple(self._boost(table, encoding, margins, releases))
        return self._described(LiteralVoteModel(votes, self.n_bins, cuts, start), table.schema)

    def _described(self, model: LiteralVoteModel, schema: Schema) -> LiteralVoteModel:
        return replace(model, noise=coin_noise(model, schema))

    def _boost(self, table: Table, encoding: BinEncoding, margins: Margins, releases: Releases) -> Iterator[VotingRule]:
        """Yield one rule a round: Algorithm 2, at a learning rate that follows from the rules so far."""
        rate, last = self.learning_rate, None
        for round_ in range(self.rounds):
            measure = reweight(margins, rate)
            weights = project(measure, self.density)
            rule = self.weak_learner.learn(table, encoding, weights, releases.part(round_name(round_)))
            yield rule
            if round_ == self.rounds - 1:
                return  # margins after the last round weigh nothing
            margins.vote(partial(_decide, rule, encoding))
            # Weights that make the last rule's negation the best went past those where neither is better than chance.
            if undoes(rule, last):
                rate = min(rate, max(self.rate_decay * rate, _MIN_RATE))
            last = rule

    def _start(self, table: Table) -> PublicStart | None:
        if self.start_learner is None:
            return None
        return public_start(table, self.start_learner, self.learning_rate, self.start_strength)


def round_name(round_: int) -> str:
    """Return what a round's part of the plan is called."""
    return f"round {round_}"


def _decide(rule: VotingRule, encoding: BinEncoding, block: Block) -> NDArray[np.bool_]:
    return rule.decide(block.codes(encoding), encoding)
