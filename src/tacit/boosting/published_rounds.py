"""Rounds under the composition that Salamatian (2021) publishes: Theorem 2.5.3, basic or advanced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from tacit.mechanisms.composed import Composed
from tacit.privacy import Accountant, ApproximateDP, Budget, Planned, PureDP
from tacit.privacy.composition import epsilon_of_each
from tacit.privacy.mechanism import Mechanism
from tacit.privacy.statistic import Statistic

StatisticT = TypeVar("StatisticT", bound=Statistic)
AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True)
class PublishedRounds:
    """Equal rounds of one budget with a delta; within a round, releases take their parts of a pure epsilon.

    Parameters
    ----------
    budget : Budget
    rounds : int
    one : sequence of Planned
        The releases of one round, weighted.
    """

    budget: Budget
    rounds: int
    one: Sequence[Planned]

    @property
    def _parts(self) -> list[float]:
        """What part of a round each release is."""
        written = [release.weight for release in self.one for _ in range(release.count)]
        return [weight / sum(written) for weight in written]

    def plan(self) -> list[Planned]:
        """Return every release at its part of the budget, set aside."""
        each = (self.budget.epsilon / self.rounds, self.budget.delta / self.rounds)
        shrunk = 1 - 2.0**-40  # so that rounded parts never add up to more than the budget
        return [Planned.approximate(shrunk * part * each[0], shrunk * part * each[1]) for part in self._parts] * (
            self.rounds
        )

    def shares(self) -> list[PureDP]:
        """Return the pure loss of every release, from which its noise follows."""
        whole = epsilon_of_each(self.budget.epsilon, self.budget.delta, self.rounds)
        return [PureDP(part * whole) for part in self._parts] * self.rounds

    def door(self, accountant: Accountant) -> PublishedDoor:
        """Return what the rounds release through."""
        parts = zip(self.shares(), self.plan(), strict=True)
        return PublishedDoor(accountant, {share: ApproximateDP(part.epsilon, part.delta) for share, part in parts})


@dataclass(frozen=True)
class PublishedDoor:
    """An accountant's ``release`` that charges each pure share as its part of the composition."""

    accountant: Accountant
    charges: dict[PureDP, ApproximateDP]

    def release(self, mechanism: Mechanism[StatisticT, AnswerT], statistic: StatisticT) -> AnswerT:
        """Release through the accountant."""
        share = mechanism.loss(statistic)
        assert isinstance(share, PureDP)
        return self.accountant.release(Composed(mechanism, self.charges[share]), statistic)
