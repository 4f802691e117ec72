"""Privacy filter: a limit in each currency, fixed beforehand, and exact sums of what was spent."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tacit.errors import BudgetExceeded, PrivacyError
from tacit.privacy.loss import ApproximateDP, PrivacyLoss
from tacit.privacy.plan import Composition, Division
from tacit.privacy.rounding import down, up


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
        self._epsilon, self._delta = Spending(division.epsilon, "epsilon"), Spending(division.delta, "delta")

    def charge(self, loss: PrivacyLoss) -> None:
        """Spend a loss, or raise BudgetExceeded and leave everything as it was."""
        if isinstance(loss, ApproximateDP):
            charges = [(self._epsilon, Fraction(loss.epsilon)), (self._delta, Fraction(loss.delta))]
        else:
            charges = [(self.shared, Fraction(self.amount(loss)))]
        # Both limits are checked before either is touched: a refused delta must not cost epsilon.
        for spending, amount in charges:
            spending.check(amount)
        for spending, amount in charges:
            spending.spent += amount

    def amount(self, loss: PrivacyLoss) -> float:
        """Return a loss as a number of the currency that it is charged in.

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
