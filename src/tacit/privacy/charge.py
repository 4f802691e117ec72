"""Charges: what a ledger reserved for one fit, and what the fit's certificate says of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Literal, NoReturn

from tacit.errors import ParameterError, PrivacyError
from tacit.privacy.loss import Budget
from tacit.privacy.parameters import counting
from tacit.privacy.plan import Composition, PlanEntry

NO_RHO = (
    "Expected a fit whose releases have a rho, as the ledger's account counts rho, got a method without one. Fit with "
    "delta=0, or use a method with Gaussian noise. Or open an account whose approximate_delta (--approximate-delta) is "
    "above zero."
)
"""Why a fit with a delta is refused by an account of rho."""

Currency = Literal["epsilon", "rho"]
"""What an account counts: pure epsilon, or rho of zero-concentrated differential privacy."""


@dataclass(frozen=True)
class Charge:
    """Where a ledger has the charge of one fit; part of its certificate.

    Raises ParameterError if it is none that a ledger made.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    ledger: str
    """Identity of the ledger, 32 hexadecimal digits."""
    account: str
    number: int
    """Which charge of the ledger it is, from 1 on; no count of lines, as these tell whether earlier fits ended."""
    head: str
    """Head of the ledger's hash chain with the line that charged it, 64 hexadecimal digits."""

    def __post_init__(self) -> None:
        counting("number", self.number)
        for name, digits in (("ledger", 32), ("head", 64)):
            text = getattr(self, name)
            if len(text) != digits or set(text) - set("0123456789abcdef"):
                raise ParameterError(
                    f"Expected {digits} hexadecimal digits, got another {name} of a charge. Take it from a ledger."
                )
        if not 0 < len(self.account) <= 80 or not self.account.isprintable():
            raise ParameterError("Expected the name of an account, got another in a charge. Take it from a ledger.")

    def stays(self, price: str) -> str:
        """Return for an error that what was paid stays spent."""
        return f"Charge {self.number} of account {self.account!r} stays: {price} is spent."

    def __str__(self) -> str:
        return f"account {self.account!r} of ledger {self.ledger[:8]}, charge {self.number}, head {self.head[:16]}"


@dataclass(eq=False)
class ReservedCharge:
    """What a ledger has charged for one fit: it pays for one accountant in this process, and cannot be copied."""

    charge: Charge
    budget: Budget
    """What was asked for."""
    currency: Currency
    amount: Fraction
    """What was charged, in the currency."""
    beside: Fraction = Fraction(0)
    """The part of its delta that was charged beside an account's rho: releases that use it need none."""
    taken: bool = False
    _process: int = field(default_factory=os.getpid)

    @property
    def price(self) -> str:
        """What was charged, in words."""
        beside = f" and delta {float(self.beside):g}" if self.beside else ""
        return f"{self.currency} {float(self.amount):.9g}{beside}"

    @property
    def composition(self) -> Composition | None:
        """How releases must compose to cost no more than was charged; None for any way."""
        return "zcdp" if self.currency == "rho" and self.budget.delta > self.beside else None

    def take(self, budget: Budget) -> None:
        """Pay for an accountant of this budget; raises PrivacyError if it costs more, or something was paid before."""
        self.check_process()
        if self.taken:
            raise PrivacyError("Expected one fit a charge, got a second within it. Charge each fit by itself.")
        # Without a delta the fit would be pure, whose rho is larger than that of the same epsilon with one.
        other = bool(budget.delta) != bool(self.budget.delta) and self.currency == "rho"
        if budget.epsilon > self.budget.epsilon or budget.delta > self.budget.delta or other:
            raise PrivacyError("Expected a fit within its charge, got a larger budget. Charge what the fit may spend.")
        self.taken = True

    def check(self, plan: Iterable[PlanEntry]) -> None:
        """Refuse a plan with a release that has no rho, where the charge is for rho."""
        plan = list(plan)
        thresholds = sum((release.count * Fraction(release.delta) for release in plan), Fraction(0))
        # Another sum would be converted at another delta than the charge was, so at another rho.
        if self.composition == "zcdp" and (
            thresholds != self.beside or any(release.kind in ("pure", "approximate") for release in plan)
        ):
            raise ParameterError(NO_RHO)

    def check_process(self) -> None:
        """Refuse a process that was forked after the charge: both would release, and one has paid."""
        if os.getpid() != self._process:
            raise PrivacyError("Expected the process that was charged, got one forked from it. Charge in each process.")

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("Expected one charge a fit: it cannot be pickled or copied. Charge inside fit.")


_reserved: ContextVar[ReservedCharge | None] = ContextVar("reserved", default=None)


def reserved() -> ReservedCharge | None:
    """Return the charge that pays for the fit of this context, if a ledger made one."""
    return _reserved.get()


@contextmanager
def paying(charged: ReservedCharge) -> Iterator[ReservedCharge]:
    """Let a charge pay for the one accountant that is made in this context."""
    token = _reserved.set(charged)
    try:
        yield charged
    finally:
        _reserved.reset(token)
