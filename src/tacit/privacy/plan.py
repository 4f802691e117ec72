"""Plan of releases, announced before any row is read; the budget's division, and the filter that admits losses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log, sqrt
from typing import Literal, get_args

from tacit.errors import BudgetExceeded, ParameterError, PrivacyError
from tacit.privacy.conversions import zcdp_rho
from tacit.privacy.gaussians_last import rho_of
from tacit.privacy.loss import ZCDP, ApproximateDP, Budget, PrivacyLoss, PureDP, Share, UpToDelta
from tacit.privacy.parameters import counting, nonnegative, positive
from tacit.privacy.rounding import down, up

Kind = Literal["noise", "last noise", "pure", "selection", "approximate", "thresholded"]
"""Laplace or Gaussian noise; such noise that is counted by its exact distribution where no other kind comes after it;
noise that exists under pure composition alone; a choice; a loss of its own; noise whose share holds up to a delta of
its own."""

_KINDS = get_args(Kind)

Composition = Literal["pure", "zcdp"]


@dataclass(frozen=True)
class PlanEntry:
    """Some releases of one kind, announced.

    Raises ParameterError if a value is out of range.
    """

    kind: Kind
    """"pure" is for noise without a Gaussian form, as that of a K-norm: the whole plan is composed purely then."""
    count: int = 1
    """How many, all with the same share."""
    weight: float = 1.0
    """The share of one of them, relative to other kinds, in whatever currency is chosen."""
    l1: float = 1.0
    l2: float = 1.0
    """Sensitivities of a noisy release, up to a common factor; they decide between the currencies."""
    epsilon: float = 0.0
    delta: float = 0.0
    """Only by way of ``PlanEntry.approximate``; a delta also of thresholded releases."""
    part: tuple[str, ...] = ()
    """Of which part of the plan, and of which part of that: see ``in_part``."""
    continuous: bool = False
    """Whether noise is added to real numbers: Gaussian noise is then continuous, and on integers discrete."""

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise ParameterError(
                f"Expected kind 'noise', 'pure' or 'selection', got kind={self.kind!r}. Choose one of them."
            )
        object.__setattr__(self, "count", counting("count", self.count))
        for name in ("weight", "l1", "l2"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))
        loss = ApproximateDP(self.epsilon, self.delta)
        allowed = 0.0, loss.delta if self.kind == "thresholded" else 0.0
        if self.kind != "approximate" and (loss.epsilon, loss.delta) != allowed:
            raise ParameterError(
                f"Expected epsilon and delta in an approximate release only, got kind={self.kind!r}. "
                "Use Planned.approximate."
            )

    @classmethod
    def approximate(cls, epsilon: float, delta: float, *, count: int = 1) -> PlanEntry:
        """Announce releases of a fixed (epsilon, delta) without a rho; they are set aside first."""
        return cls("approximate", count, epsilon=nonnegative("epsilon", epsilon), delta=delta)


def in_part(name: str, plan: Iterable[PlanEntry]) -> list[PlanEntry]:
    """Return a plan as one named part of a larger one: a round, the leaves, one class against the rest."""
    return [replace(release, part=(name, *release.part)) for release in plan]


@dataclass(frozen=True)
class Division:
    """A budget divided: what each currency may spend, and the shares."""

    composition: Composition
    limit: Fraction
    """Epsilon or rho, for all releases that have a share."""
    epsilon: Fraction
    delta: Fraction
    """Set aside for approximate releases, the delta for thresholded ones as well."""
    shares: tuple[Share, ...]
    """One for each release but the approximate ones, in order; their sum is at most the limit, exactly."""
    gaussian: Fraction = Fraction(0)
    """Of the limit, for Gaussian noise that comes last and is counted by its exact distribution."""
    composable: bool = False
    """Whether the shares say all that numeric composition must know: pure ones, or of continuous Gaussian noise."""


def divide(
    budget: Budget, plan: Sequence[PlanEntry], composition: Composition | None = None, *, exact_last: bool = False
) -> Division:
    """Return the shares under the named composition, or under the one that needs less noise.

    With ``exact_last``, last noise is counted by its exact distribution where composition is zero-concentrated.
    """
    aside = [release for release in plan if release.kind == "approximate"]
    epsilon = sum((release.count * Fraction(release.epsilon) for release in aside), Fraction(0))
    delta = sum((release.count * Fraction(release.delta) for release in plan), Fraction(0))
    shared = [release for release in plan if release.kind != "approximate"]
    left, failure = Fraction(budget.epsilon) - epsilon, Fraction(budget.delta) - delta
    if left < 0 or failure < 0 or (shared and left == 0):
        raise ParameterError(
            f"Expected approximate releases within the budget, got epsilon={budget.epsilon:g} and "
            f"delta={budget.delta:g}. Announce less, or raise the budget."
        )
    chosen, limit = _currency(shared, left, failure, composition)
    last = _share_of_last(shared) if exact_last and chosen == "zcdp" and not delta and not epsilon else Fraction(0)
    if last:
        limit = Fraction(rho_of(budget.epsilon, budget.delta, up(last)))
    shares: list[Share] = []
    for release, amount in zip(shared, _amounts(shared, limit), strict=True):
        is_last = bool(last) and release.kind == "last noise"
        shares += [PureDP(amount) if chosen == "pure" else ZCDP(amount, is_last)] * release.count
    noise_known = chosen == "pure" or all(release.kind == "noise" and release.continuous for release in plan)
    composable = bool(shares) and noise_known and not epsilon and not delta
    return Division(chosen, limit, epsilon, delta, tuple(shares), limit * last, composable)


def _share_of_last(plan: Sequence[PlanEntry]) -> Fraction:
    """Return the share of last noise in the budget; zero where something else comes after it."""
    kinds = [release.kind == "last noise" for release in plan]
    if kinds != sorted(kinds):
        return Fraction(0)
    weights = [release.count * Fraction(release.weight) for release in plan]
    return sum((w for w, last in zip(weights, kinds, strict=True) if last), Fraction(0)) / sum(weights, Fraction(0))


def _currency(
    plan: Sequence[PlanEntry], epsilon: Fraction, delta: Fraction, asked: Composition | None
) -> tuple[Composition, Fraction]:
    # Both rounded down, as a rho must imply what is left and not a float above it.
    rho = zcdp_rho(down(epsilon), down(delta)) if down(delta) > 0 else 0.0
    if asked == "zcdp" and not rho:
        raise ParameterError("Expected a delta above zero, got composition='zcdp'. Raise delta, or use 'pure'.")
    pure_only = any(release.kind == "pure" for release in plan)
    if asked == "zcdp" and pure_only:
        raise ParameterError("Expected noise with a Gaussian form, got composition='zcdp'. Use 'pure'.")
    saves = rho and plan and not pure_only and _zcdp_saves(plan, float(epsilon), rho) > 0
    if asked == "zcdp" or (asked is None and saves):
        return "zcdp", Fraction(rho)
    return "pure", epsilon


def _zcdp_saves(plan: Sequence[PlanEntry], epsilon: float, rho: float) -> float:
    """Return the log of the noise under pure composition less that under zCDP, summed over releases."""
    total = sum(release.count * release.weight for release in plan)
    saved = 0.0
    for release in plan:
        part = release.weight / total
        pure, deviation = 1 / (epsilon * part), 1 / sqrt(2 * rho * part)
        # Standard deviations for noise: Laplace noise has sqrt(2) scales. A selection's scale under zCDP is half of a
        # Gaussian deviation at the same rho: 1 / sqrt(8 rho).
        if release.kind in ("noise", "last noise", "thresholded"):
            saved += release.count * log(sqrt(2) * release.l1 * pure / (release.l2 * deviation))
        else:
            saved += release.count * log(pure / (deviation / 2))
    return saved


def _amounts(plan: Sequence[PlanEntry], limit: Fraction) -> list[float]:
    """Return the share of one release of each kind, rounded down."""
    # By weight, of which there are few: arithmetic of fractions takes long.
    counts = Counter[float]()
    for release in plan:
        counts[release.weight] += release.count
    total = sum((Fraction(weight) * count for weight, count in counts.items()), Fraction(0))
    # Rounded down one by one, so that the sum in fractions stays within the limit.
    amounts = {weight: down(limit * Fraction(weight) / total) for weight in counts}
    return [amounts[release.weight] for release in plan]


@dataclass
class Spending:
    """A limit in one currency, and what of it is spent."""

    limit: Fraction
    currency: str
    # Fractions, as thousands of float additions could end a little below the truth.
    spent: Fraction = Fraction(0)

    @property
    def left(self) -> Fraction:
        """What may still be spent."""
        return self.limit - self.spent

    def check(self, amount: Fraction) -> None:
        """Refuse an amount above what is left."""
        if amount > self.left:
            # The message rounds what was asked for up and what is left down: never the other way about.
            raise BudgetExceeded(requested=up(amount), remaining=down(self.left), currency=self.currency)


class PrivacyFilter:
    """Admits losses as long as their sums stay within the limits, however they were chosen.

    One limit is for releases with a share, and two, epsilon and delta, are set aside for approximate ones. Rogers and
    others (2016); under zCDP, Feldman and Zrnic (2021).

    Privacy: the guarantee is about the limits and not about the sums, so losses may depend on earlier answers. Proof:
    ``proofs/privacy/composition.md``.
    """

    def __init__(self, division: Division) -> None:
        self.composition: Composition = division.composition
        self.shared = Spending(division.limit, "epsilon" if division.composition == "pure" else "rho")
        self._last = Spending(division.gaussian, "rho")
        self._before = Spending(division.limit - division.gaussian, "rho")
        self.epsilon, self.delta = Spending(division.epsilon, "epsilon"), Spending(division.delta, "delta")

    def charge(self, loss: PrivacyLoss) -> None:
        """Spend a loss, or raise BudgetExceeded and leave everything as it was."""
        if isinstance(loss, ApproximateDP):
            charges = [(self.epsilon, Fraction(loss.epsilon)), (self.delta, Fraction(loss.delta))]
        else:
            amount = Fraction(self.amount(loss))
            charges = [(self.shared, amount)]
            if self._last.limit:
                charges.append((self._part(loss), amount))
            if isinstance(loss, UpToDelta):
                charges.append((self.delta, Fraction(loss.delta)))
        # Both limits are checked before either is touched: a refused delta must not cost epsilon.
        for spending, amount in charges:
            spending.check(amount)
        for spending, amount in charges:
            spending.spent += amount

    def _part(self, loss: PrivacyLoss) -> Spending:
        """Return the part of the limit that pays, or refuse a loss that comes after what must be last."""
        if isinstance(loss, ZCDP) and loss.gaussian:
            return self._last
        if self._last.spent:
            raise PrivacyError(f"Expected Gaussian noise alone from here on, got loss={loss!r}. Announce it before.")
        return self._before

    @property
    def gaussian(self) -> Fraction:
        """Of the limit, what is for Gaussian noise that comes last and is counted by its exact distribution."""
        return self._last.limit

    def amount(self, loss: PrivacyLoss) -> float:
        """Return a loss as a number of the currency that it is charged in.

        Raises PrivacyError if it has none.
        """
        if isinstance(loss, ApproximateDP):
            return loss.epsilon
        loss = loss.share if isinstance(loss, UpToDelta) else loss
        amount = loss.in_pure() if self.composition == "pure" else loss.in_zcdp()
        if amount is None:
            raise PrivacyError(
                f"Expected a mechanism of {self.composition} loss, got loss={loss!r}. Make it from a share."
            )
        return amount
