"""Rounds under the composition that Salamatian (2021) publishes: Theorem 2.5.3, basic or advanced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import expm1, log, sqrt
from typing import TypeVar

from reproductions.salamatian2021.composed import Composed
from tacit.boosting.lazybb import round_name
from tacit.errors import ParameterError
from tacit.mechanisms import Releases
from tacit.mechanisms.releases import AnnouncedRelease, Curator
from tacit.privacy import ApproximateDP, Budget, PlanEntry, PureDP, in_part
from tacit.privacy.loss import PrivacyLoss
from tacit.privacy.mechanism import Mechanism
from tacit.privacy.parameters import counting, failure_probability, nonnegative
from tacit.privacy.rounding import down, slightly_up, up
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
    one : sequence of PlanEntry
        The releases of one round, weighted.
    """

    budget: Budget
    rounds: int
    one: Sequence[PlanEntry]

    @property
    def _written(self) -> list[PlanEntry]:
        """The releases of one round, each count written out."""
        return [replace(release, count=1) for release in self.one for _ in range(release.count)]

    @property
    def _parts(self) -> list[float]:
        """What part of a round each release is."""
        weights = [release.weight for release in self._written]
        return [weight / sum(weights) for weight in weights]

    def plan(self) -> list[PlanEntry]:
        """Return every release at its part of the budget, set aside."""
        each = (self.budget.epsilon / self.rounds, self.budget.delta / self.rounds)
        shrunk = 1 - 2.0**-40  # so that rounded parts never add up to more than the budget
        one = [
            replace(PlanEntry.approximate(shrunk * part * each[0], shrunk * part * each[1]), part=release.part)
            for release, part in zip(self._written, self._parts, strict=True)
        ]
        return [release for round_ in range(self.rounds) for release in in_part(round_name(round_), one)]

    def shares(self) -> list[PureDP]:
        """Return the pure loss of every release, from which its noise follows."""
        whole = epsilon_of_each(self.budget.epsilon, self.budget.delta, self.rounds)
        return [PureDP(part * whole) for part in self._parts] * self.rounds

    def releases(self, announced: Releases) -> Releases:
        """Return what was announced, the rounds with noise for their pure losses and charged as planned."""
        charges: dict[PrivacyLoss, ApproximateDP] = {
            share: ApproximateDP(part.epsilon, part.delta)
            for share, part in zip(self.shares(), self.plan(), strict=True)
        }
        kinds, shares = iter(self._written * self.rounds), iter(self.shares())
        composed = [
            AnnouncedRelease(replace(next(kinds), part=one.part), next(shares))
            if one.planned.kind == "approximate"
            else one
            for one in announced.announced
        ]
        return Releases(composed, PublishedCurator(announced.curator, charges))


@dataclass(frozen=True)
class PublishedCurator:
    """An accountant's ``release`` that charges the shares of rounds as their parts of the composition, others as is."""

    curator: Curator
    charges: dict[PrivacyLoss, ApproximateDP]

    def release(self, mechanism: Mechanism[StatisticT, AnswerT], statistic: StatisticT) -> AnswerT:
        """Release through the accountant."""
        part = self.charges.get(mechanism.loss(statistic))
        return self.curator.release(mechanism if part is None else Composed(mechanism, part), statistic)


def epsilon_of_each(epsilon: float, delta: float, rounds: int) -> float:
    """Return the pure epsilon that each of some releases may have so that all are (epsilon, delta)-DP together.

    By basic or advanced composition, whichever allows more: Salamatian (2021), Theorem 2.5.3. For studies of
    published analyses; rounded down.

    Examples
    --------
    >>> epsilon_of_each(1.0, 1e-5, 4)  # few rounds: a fourth
    0.25
    >>> round(epsilon_of_each(1.0, 1e-5, 99), 4)  # many rounds: more than a ninety-ninth
    0.0201
    """
    basic = down(Fraction(nonnegative("epsilon", epsilon)) / counting("rounds", rounds))
    if failure_probability("delta", delta) == 0:
        return basic
    low, high = 0.0, epsilon
    for _ in range(60):
        middle = (low + high) / 2
        within = advanced_composition(middle, rounds, delta)[0] <= epsilon
        low, high = (middle, high) if within else (low, middle)
    return max(basic, low)


def advanced_composition(epsilon: float, rounds: int, slack: float, delta: float = 0.0) -> tuple[float, float]:
    """Return the (epsilon, delta) of k releases of equal loss for an extra failure probability d' = slack.

    epsilon sqrt(2 k ln(1/d')) + k epsilon (exp(epsilon) - 1) and k delta + d': Dwork, Rothblum and Vadhan
    (2010), Theorem III.3. The accountant composes in zCDP instead, which promises less loss.
    """
    epsilon, rounds = nonnegative("epsilon", epsilon), counting("rounds", rounds)
    delta, slack = failure_probability("delta", delta), failure_probability("slack", slack)
    if slack == 0:
        raise ParameterError(
            f"Expected a delta for composition above zero, got slack={slack!r}. Use basic_composition for none."
        )
    total = epsilon * sqrt(-2 * rounds * log(slack)) + rounds * epsilon * expm1(epsilon)
    # The sum of deltas is exact; the root, logarithm and exponential are covered by a margin.
    return slightly_up(total), min(1.0, up(rounds * Fraction(delta) + Fraction(slack)))
