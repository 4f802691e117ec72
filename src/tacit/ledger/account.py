"""Accounts: one currency, one limit and one unit, fixed at birth; what a fit costs, and what would still fit."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context
from fractions import Fraction
from math import ceil, floor, nextafter
from shlex import quote
from typing import Any

from tacit.errors import AccountExceeded, LedgerError, ParameterError, shown
from tacit.privacy import Budget, pure_to_zcdp, zcdp_epsilon, zcdp_rho
from tacit.privacy.charge import NO_RHO, Currency
from tacit.privacy.loss import MAX_EPSILON, MIN_EPSILON
from tacit.privacy.parameters import positive
from tacit.privacy.rounding import down
from tacit.privacy.unit import rows_of_one
from tacit.schema import Schema

UNIT = 2**40
"""Amounts are whole numbers of 1/UNIT: sums are exact, and no sum of admitted budgets leaves 64 bits."""

DELTA_UNIT = 2**62
"""The same for deltas that add up beside rho."""

NOTHING = Fraction(0)

LONGEST_NAME = 80
_BISECTIONS = 60
_SIX_DIGITS = Context(prec=6, rounding=ROUND_FLOOR)


@dataclass(frozen=True)
class AccountUnit:
    """Whom every fit of an account must protect, and which names may be public: all others are protected.

    Parameters
    ----------
    public : tuple of str
        Columns, or the label, that neighboring tables share.
    identifier : str or tuple of str, optional
        The column whose equal values are one person, or several together, in any order; None where rows are protected.
    rows_per_person : int
        How many rows of one person differ at most where there is no identifier.
    labeled : tuple of str
        Labels of which everybody may know which rows have one, or which persons: a fit may leave out rows without.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric
    >>> AccountUnit.of(Schema([Numeric("age", 0, 90, private=False)], label=Label("ill", ["no", "yes"])))
    AccountUnit(public=('age',), identifier=None, rows_per_person=1, labeled=())
    """

    public: tuple[str, ...] = ()
    identifier: str | tuple[str, ...] | None = None
    rows_per_person: int = 1
    labeled: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.identifier is not None and not isinstance(self.identifier, str):
            # Persons are the same in whichever order their columns are named.
            names = tuple(sorted(set(map(str, self.identifier))))
            if not names:
                raise ParameterError("Expected a column that names persons, got identifier=(). Name it, or give None.")
            object.__setattr__(self, "identifier", names if len(names) > 1 else names[0])

    @classmethod
    def of(cls, schema: Schema) -> AccountUnit:
        """Return what fits under a schema protect."""
        others = [each for each in (schema.label, schema.weight) if each is not None and not each.private]
        names = (*schema.full.public_columns, *(each.name for each in others))
        identifier = schema.identifier.name if schema.identifier else None
        labeled = (schema.label.name,) if schema.label.drops_missing else ()
        return cls(tuple(sorted(names)), identifier, schema.rows_per_person, labeled)

    def check(self, fit: AccountUnit) -> None:
        """Refuse a fit that protects less than every fit of this account must.

        Raises
        ------
        LedgerError
            If the fit's unit is another, or more is public in it.
        """
        # One row that changes its identifier is two persons' change: neither unit implies the other.
        if fit.identifier != self.identifier:
            raise LedgerError(
                f"Expected a fit that protects {self.whom}, as the account does, got one of {fit.whom}. Fit with the "
                f"account's unit, or open an account of the fit's, by `tacit ledger new {fit.option}`, and name it as "
                "ledger#account."
            )
        if fit.rows_per_person < self.rows_per_person:
            raise LedgerError(
                f"Expected a fit that protects {self.whom}, as the account does, got one of {fit.whom}. Declare "
                f"rows_per_person={self.rows_per_person}."
            )
        more = sorted(set(fit.public) - set(self.public))
        if more:
            raise LedgerError(
                f"Expected a fit that protects what the account protects, got {', '.join(map(repr, more))} declared "
                "public. Declare it private in the schema, or open an account in which it is public."
            )
        # Who knows a label knows whether there is one.
        more = sorted(set(fit.labeled) - {*self.labeled, *self.public})
        if more:
            raise LedgerError(
                f"Expected a fit that protects whether a row has a label, as the account does, got label {more[0]!r} "
                "with missing = 'drop', which declares that public. Open an account of this unit, by `tacit ledger new "
                f"--schema` or `{fit.option} --labeled {more[0]}`. Or list a class of its own for such rows."
            )

    @property
    def option(self) -> str:
        """With which `tacit ledger new` opens an account of whom this protects."""
        if self.identifier is not None:
            names = [self.identifier] if isinstance(self.identifier, str) else self.identifier
            return " ".join(f"--identifier {quote(name)}" for name in names)
        return "--rows" if self.rows_per_person == 1 else "--schema SCHEMA"

    @property
    def whom(self) -> str:
        """What neighboring tables differ in."""
        if self.identifier is not None:
            return rows_of_one(self.identifier)
        return "one row" if self.rows_per_person == 1 else f"up to {self.rows_per_person} rows of one person"

    def __str__(self) -> str:
        known = ", ".join(map(repr, self.public)) or "nothing"
        labeled = f"; which rows have {', '.join(map(repr, self.labeled))} is public" if self.labeled else ""
        return f"{self.whom}; public: {known}{labeled}"


@dataclass(frozen=True)
class Account:
    """A limit in one currency that fits are charged to.

    Parameters
    ----------
    name : str
        What its owner calls it; a digest of rows would be a statement about them.
    currency : {"epsilon", "rho"}
        ``"epsilon"`` adds up pure epsilons; ``"rho"`` adds up zero-concentrated losses, converted once at ``delta``.
    limit : int
        In units of 2^-40.
    delta : float
        Of all fits together; 0 for ``"epsilon"``.
    unit : AccountUnit
    approximate_delta : float
        The part of delta that fits without a rho may use together; the rest converts rho to epsilon.

    Raises
    ------
    ParameterError
        If parts contradict each other.
    """

    name: str
    currency: Currency
    limit: int
    delta: float = 0.0
    unit: AccountUnit = AccountUnit()
    approximate_delta: float = 0.0

    def __post_init__(self) -> None:
        checked_account_name(self.name)
        if not 0 < self.limit <= MAX_EPSILON * UNIT:
            raise ParameterError(f"Expected a limit above zero, got limit={shown(self.limit)}. Give a larger one.")
        if (self.currency == "rho") != (self.delta > 0):
            raise ParameterError(
                f"Expected a delta for an account of rho and for no other, got delta={self.delta:g}. Fix one."
            )
        if not (self.approximate_delta == 0 or 0 < self.approximate_delta < self.delta):
            raise ParameterError(
                f"Expected an approximate_delta below the account's delta={self.delta:g}, a part of it, got "
                f"approximate_delta={shown(self.approximate_delta)}. Give less, or 0."
            )

    @classmethod
    def of(
        cls, name: str, budget: Budget, unit: AccountUnit | None = None, *, approximate_delta: float = 0.0
    ) -> Account:
        """Return the account whose fits together cost the budget: of epsilon without a delta, of rho with one."""
        # Checks the parts first, as the limit is computed of their difference.
        checked = cls(name, "rho" if budget.delta else "epsilon", 1, budget.delta, approximate_delta=approximate_delta)
        whole = zcdp_rho(budget.epsilon, checked.converting_delta) if budget.delta else budget.epsilon
        # Rounded down: what all fits may spend is never more than what was said.
        limit = floor(Fraction(whole) * UNIT)
        return cls(name, checked.currency, limit, budget.delta, unit or AccountUnit(), approximate_delta)

    @property
    def converting_delta(self) -> float:
        """At which rho is converted to epsilon: what approximate_delta leaves of delta, rounded down."""
        rest = self.delta - self.approximate_delta
        return nextafter(rest, 0.0) if self.approximate_delta else rest

    @property
    def delta_limit(self) -> int:
        """Of the deltas of fits without a rho together, in units of 2^-62."""
        return floor(Fraction(self.approximate_delta) * DELTA_UNIT)

    @property
    def epsilon(self) -> float:
        """What all fits together cost at most, at ``delta``."""
        return self.spent_epsilon(self.limit)

    def spent_epsilon(self, amount: int) -> float:
        """Return an amount as the epsilon of all that it paid for, at ``delta``."""
        return (
            zcdp_epsilon(amount / UNIT, self.converting_delta) if self.currency == "rho" and amount else amount / UNIT
        )

    def cost(self, budget: Budget, *, beside: Fraction = NOTHING) -> int:
        """Return what a fit of this budget is charged, rounded up.

        Parameters
        ----------
        budget : Budget
        beside : Fraction
            The part of its delta up to which its releases have a loss in rho: of thresholds, or all of delta where they
            have none, as the fit is then as a pure one. Proof: ``proofs/privacy/filters.md``, claim 2.

        Raises
        ------
        LedgerError
            If the account has no delta and the fit needs one.
        """
        if self.currency == "epsilon" and budget.delta:
            raise LedgerError(
                f"Expected a fit with delta=0, as account {self.name!r} counts pure epsilon, got "
                f"delta={budget.delta:g}. Fit without a delta, or open an account that has one."
            )
        return ceil(_loss(self.currency, _converting(budget, beside)) * UNIT)

    def check_delta(self, beside: Fraction, spent: int) -> int:
        """Return what a fit is charged of the deltas that add up, in units of 2^-62 and rounded up, or refuse it.

        Raises
        ------
        LedgerError
            If less is left.
        ParameterError
            If the account adds up no deltas.
        """
        if not self.approximate_delta:
            raise ParameterError(NO_RHO)
        cost, left = ceil(beside * DELTA_UNIT), self.delta_limit - spent
        if cost > left:
            raise LedgerError(
                f"Expected a fit within the deltas that account {self.name!r} adds up, got delta={float(beside):g} "
                f"with {left / DELTA_UNIT:.6g} of {self.approximate_delta:g} left. Fit with a smaller delta, or none."
            )
        return cost

    def check(self, budget: Budget, spent: int, *, beside: Fraction = NOTHING) -> int:
        """Return what a fit is charged, or refuse it.

        Raises
        ------
        AccountExceeded
            If less is left.
        """
        cost = self.cost(budget, beside=beside)
        if cost > self.limit - spent:
            raise AccountExceeded(
                account=self.name,
                requested=cost / UNIT,
                spent=spent / UNIT,
                remaining=(self.limit - spent) / UNIT,
                currency=self.currency,
                fits=self.fitting(spent, _converting(budget, beside).delta),
            )
        return cost

    def fitting(self, spent: int, delta: float) -> float:
        """Return the largest epsilon, in six digits, of a fit at this delta that would still be admitted; 0 if none."""
        left = self.limit - spent
        if left <= 0:
            return 0.0
        low, high = 0.0, MAX_EPSILON
        for _ in range(_BISECTIONS):
            # Geometric, as what is left may be of any size.
            middle = (max(low, MIN_EPSILON / 2) * high) ** 0.5
            fits = ceil(_loss(self.currency, Budget(max(middle, MIN_EPSILON), delta)) * UNIT) <= left
            low, high = (middle, high) if fits else (low, middle)
        rounded = float(_SIX_DIGITS.create_decimal(low))
        return rounded if rounded >= MIN_EPSILON else 0.0


def _converting(budget: Budget, beside: Fraction) -> Budget:
    """Return a budget without the delta beside it, at whose delta its rho is converted to epsilon."""
    return Budget(budget.epsilon, down(Fraction(budget.delta) - beside)) if beside else budget


def _loss(currency: Currency, budget: Budget) -> Fraction:
    """Return what a fit of this budget costs at most in a currency.

    Under a delta all its releases compose in rho, within what (epsilon, delta) allow; without one it is pure.
    """
    if currency == "epsilon":
        return Fraction(budget.epsilon)
    rho = zcdp_rho(budget.epsilon, budget.delta) if budget.delta else pure_to_zcdp(budget.epsilon)
    return Fraction(positive("rho", rho))


def checked_account_name(name: Any) -> str:
    """Return the name of an account, or raise ParameterError."""
    if (
        isinstance(name, str)
        and 0 < len(name) <= LONGEST_NAME
        and name.isprintable()
        and name.strip()
        and "#" not in name
    ):
        return name
    raise ParameterError(
        f"Expected a name of at most {LONGEST_NAME} printable characters without '#', got name={shown(name)}. "
        "Name the account after what its rows are, such as 'patients 2026'."
    )
