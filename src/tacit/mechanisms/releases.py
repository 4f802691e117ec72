"""Announced releases, taken in the order of their plan: all that a learner knows of budget and noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError
from tacit.mechanisms.cell_selection import CellSelection, exact_cells
from tacit.mechanisms.gaussian import Gaussian
from tacit.mechanisms.laplace import Laplace
from tacit.mechanisms.selection import ExponentialMechanism, JointSelection, PermuteAndFlip
from tacit.mechanisms.stability import Listed, Stability
from tacit.privacy import (
    Accountant,
    ApproximateDP,
    Composition,
    NumericStatistic,
    PlanEntry,
    PureDP,
    SelectionStatistic,
    Share,
    UpToDelta,
)
from tacit.privacy.cell_selection import CellSelectionStatistic
from tacit.privacy.mechanism import Mechanism
from tacit.privacy.stability import StabilityStatistic
from tacit.privacy.statistic import JointSelectionStatistic, Statistic

StatisticT = TypeVar("StatisticT", bound=Statistic)
AnswerT = TypeVar("AnswerT")

Distribution = Literal["exact", "Laplace", "Gaussian"]


def additive(share: Share) -> Laplace | Gaussian:
    """Return the mechanism that adds noise at this cost, in the currency that the accountant chose."""
    return Laplace(share) if isinstance(share, PureDP) else Gaussian(share)


def selection(share: Share) -> PermuteAndFlip | ExponentialMechanism:
    """Return the mechanism that selects at this cost, in the currency that the accountant chose."""
    # Permute-and-flip is never worse at the same epsilon, but its zCDP loss is larger than epsilon^2 / 8.
    return PermuteAndFlip(share) if isinstance(share, PureDP) else ExponentialMechanism(share)


class Curator(Protocol):
    """Who answers from private rows and pays for it: an accountant."""

    def release(self, mechanism: Mechanism[StatisticT, AnswerT], statistic: StatisticT) -> AnswerT:
        """Charge the mechanism's loss and return its answer."""


@dataclass(frozen=True)
class AnnouncedRelease:
    """One release of a plan, and what it may cost."""

    planned: PlanEntry
    share: Share | ApproximateDP | UpToDelta
    depth: int = 0
    """How many parts of the plan, one inside the other, it was taken from."""

    @property
    def part(self) -> tuple[str, ...]:
        """The parts that it is in, of what was taken."""
        return self.planned.part[self.depth :]


@dataclass(frozen=True, eq=False)
class ReleasedValue:
    """Numbers that left: exact where nothing protected moves them, else with noise."""

    value: NDArray[Any]
    scale: float = 0.0
    """Of the noise on each number, in the statistic's units; 0 for exact ones."""
    distribution: Distribution = "exact"

    def times(self, factor: float) -> ReleasedValue:
        """Return the same numbers in another unit, so many of which are one."""
        return ReleasedValue(factor * self.value, factor * self.scale, self.distribution)

    @property
    def variance(self) -> float:
        """Of the noise on each number."""
        return 2 * self.scale**2 if self.distribution == "Laplace" else self.scale**2

    @property
    def deviation(self) -> float:
        """Standard deviation of the noise on each number."""
        return self.scale * (2**0.5 if self.distribution == "Laplace" else 1.0)


class Releases:
    """The releases that a plan announced, in its order; each pays for one statistic.

    A statistic that is public (``Statistic.is_public``) is answered exactly and takes none of them. Parts of a plan
    are taken by their names, in any order, each once, and may end before their plan does.

    Privacy: every answer about protected cells is an accountant's release of the announced kind, at the announced cost.
    """

    def __init__(self, announced: Sequence[AnnouncedRelease], curator: Curator):
        self.announced, self.curator = tuple(announced), curator
        self._parts: dict[str, list[AnnouncedRelease]] = {}
        self._taken: set[str] = set()
        own = []
        for one in announced:
            if one.part:
                self._parts.setdefault(one.part[0], []).append(one)
            else:
                own.append(one)
        self._own = iter(own)
        self._next = next(self._own, None)

    @classmethod
    def none(cls) -> Self:
        """Return releases that answer only what is public."""
        return cls((), _Closed())

    def noisy(self, statistic: NumericStatistic) -> ReleasedValue:
        """Return numbers with the noise that the next release pays for."""
        if statistic.is_public:
            return ReleasedValue(_in_units(statistic.public_value, statistic))
        mechanism = additive(self._share(("noise", "last noise"), statistic))
        distribution: Distribution = "Laplace" if isinstance(mechanism, Laplace) else "Gaussian"
        scale = mechanism.noise_scale(statistic)
        return ReleasedValue(
            _in_units(self.by(mechanism, statistic), statistic), scale / statistic.unit_weight, distribution
        )

    def best(self, scores: SelectionStatistic) -> int:
        """Return a good candidate."""
        if scores.is_public:
            return int(np.argmax(scores.public_value))
        return int(self.by(selection(self._share(("selection",), scores)), scores))

    def best_of_each(self, scores: JointSelectionStatistic) -> NDArray[np.intp]:
        """Return a good candidate of each choice, shape (n_choices,)."""
        if scores.is_public:
            return np.asarray(np.where(scores.admitted, scores.public_value, -np.inf).argmax(axis=1))
        return self.by(JointSelection(self._share(("selection",), scores)), scores)

    def cells(self, scores: CellSelectionStatistic) -> NDArray[np.int64]:
        """Return a good cell of each interval, shape (n_intervals,)."""
        if scores.is_public:
            return exact_cells(scores)
        return self.by(CellSelection(self._share(("selection",), scores)), scores)

    def stable(self, counts: StabilityStatistic) -> Listed:
        """Return the values of which enough rows are there, in their own order, with noisy counts."""
        share = self.share
        if not isinstance(share, UpToDelta):
            raise PrivacyError("Expected a thresholded release in the plan, got another. Take them as announced.")
        return self.by(Stability(share), counts)

    def by(self, mechanism: Mechanism[StatisticT, AnswerT], statistic: StatisticT) -> AnswerT:
        """Return the answer of a mechanism that costs what the next release may.

        Raises PrivacyError if it costs something else, or nothing is left of the plan.
        """
        # Shares of a plan sum to the budget exactly; any other loss would leave too little for later releases.
        if mechanism.loss(statistic) != self.share:
            raise PrivacyError(
                f"Expected the announced loss, got loss={mechanism.loss(statistic)!r} for query={statistic.query!r}. "
                "Make the mechanism from the next release's share."
            )
        self._next = next(self._own, None)
        return self.curator.release(mechanism, statistic)

    def part(self, name: str) -> Self:
        """Return the releases of a part of the plan; none if the plan has no such part.

        Raises PrivacyError if the part was taken before: its releases are paid for once.
        """
        if name in self._taken:
            raise PrivacyError(f"Expected a part of the plan to be taken once, got part={name!r} twice. Keep it.")
        inside = self._parts.pop(name, [])
        self._taken |= {name} if inside else set()
        return type(self)([AnnouncedRelease(one.planned, one.share, one.depth + 1) for one in inside], self.curator)

    @property
    def share(self) -> Share | ApproximateDP | UpToDelta:
        """What the next release may cost.

        Raises PrivacyError if nothing is left of the plan.
        """
        if self._next is None:
            raise PrivacyError("Expected a release that was announced, got one more. List it in the plan.")
        return self._next.share

    def _share(self, kinds: tuple[str, ...], statistic: Statistic) -> Share:
        share = self.share
        assert self._next is not None
        if self._next.planned.kind not in kinds or isinstance(share, ApproximateDP | UpToDelta):
            raise PrivacyError(
                f"Expected releases in the plan's order, got a {kinds[0]} for query={statistic.query!r} where it has "
                f"kind={self._next.planned.kind!r}. Take them as announced."
            )
        return share


def _in_units(value: NDArray[Any], statistic: NumericStatistic) -> NDArray[Any]:
    """Return an answer in units of rows; as it is where each row counts one."""
    return value if statistic.unit_weight == 1 else value / statistic.unit_weight


class _Closed:
    """The curator of a plan without releases: it refuses all of them."""

    def release(self, mechanism: Mechanism[StatisticT, AnswerT], statistic: StatisticT) -> NoReturn:
        raise PrivacyError(f"Expected public cells alone, got protected ones in {statistic.query!r}. Announce it.")


def announce(accountant: Accountant, plan: Sequence[PlanEntry], *, composition: Composition | None = None) -> Releases:
    """Divide the accountant's budget over a plan and return its releases; see ``Accountant.split``.

    Raises PrivacyError if releases were announced before, or ParameterError if the plan cannot be paid.
    """
    if not plan:
        return Releases.none()
    shares = iter(accountant.split(plan, composition=composition))
    return Releases(
        [AnnouncedRelease(one, _share_of(one, shares)) for one in plan for _ in range(one.count)],
        accountant,
    )


def _share_of(one: PlanEntry, shares: Iterator[Share]) -> Share | ApproximateDP | UpToDelta:
    """Return what one announced release may cost: its own loss, or the next share."""
    if one.kind == "approximate":
        return ApproximateDP(one.epsilon, one.delta)
    return UpToDelta(next(shares), one.delta) if one.kind == "thresholded" else next(shares)
