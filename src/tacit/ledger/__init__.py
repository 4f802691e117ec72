"""Budgets that last: accounts of privacy on disk, charged before rows are read."""

from tacit.ledger.account import DELTA_UNIT, UNIT, Account, AccountUnit
from tacit.ledger.ledger import NO_LEDGER, VARIABLE, Balance, Ledger, Payment, Plan, named_ledger
from tacit.ledger.lines import Line

__all__ = [
    "DELTA_UNIT",
    "NO_LEDGER",
    "UNIT",
    "VARIABLE",
    "Account",
    "AccountUnit",
    "Balance",
    "Ledger",
    "Line",
    "Payment",
    "Plan",
    "named_ledger",
]
