"""Exact sums of what was spent: all limits are checked before any is touched."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tacit.errors import BudgetExceeded, PrivacyError
from tacit.privacy.loss import ApproximateDP, PrivacyLoss
from tacit.privacy.plan import Composition, Division
from tacit.privacy.rounding import down, up


@dataclass
class Pot:
    """A limit in one currency, and what of it is spent."""

    limit: Fraction
    currency: str
    spent: Fraction = Fraction(0)

    @property
    def left(self) -> Fraction:
        """What may still be spent."""
        return self.limit - self.spent

    def check(self, amount: Fraction) -> None:
        """Refuse an amount above what is left."""
        if amount > self.left:
            raise BudgetExceeded(requested=up(amount), remaining=down(self.left), currency=self.currency)


class Pots:
    """One pot for releases with a share, and two, epsilon and delta, set aside for approximate ones."""

    def __init__(self, division: Division) -> None:
        self.composition: Composition = division.composition
        self.shared = Pot(division.limit, "epsilon" if division.composition == "pure" else "rho")
        self._epsilon, self._delta = Pot(division.epsilon, "epsilon"), Pot(division.delta, "delta")

    def charge(self, loss: PrivacyLoss) -> None:
        """Spend a loss, or raise BudgetExceeded and leave everything as it was."""
        if isinstance(loss, ApproximateDP):
            charges = [(self._epsilon, Fraction(loss.epsilon)), (self._delta, Fraction(loss.delta))]
        else:
            charges = [(self.shared, Fraction(self.amount(loss)))]
        for pot, amount in charges:
            pot.check(amount)
        for pot, amount in charges:
            pot.spent += amount

    def amount(self, loss: PrivacyLoss) -> float:
        """Return a loss as a number of its pot's currency.

        Raises
        ------
        PrivacyError
            If it has none.
        """
        if isinstance(loss, ApproximateDP):
            return loss.epsilon
        amount = loss.in_pure() if self.composition == "pure" else loss.in_zcdp()
        if amount is None:
            raise PrivacyError(
                f"Expected a mechanism of {self.composition} loss, got loss={loss!r}. Make it from a share."
            )
        return amount
