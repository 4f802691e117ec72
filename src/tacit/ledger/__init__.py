"""Budgets that last: accounts of privacy on disk, charged before rows are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.ledger.account import DELTA_UNIT, UNIT, Account, AccountUnit
    from tacit.ledger.ledger import NO_LEDGER, VARIABLE, Balance, Ledger, Payment, Plan, named_ledger
    from tacit.ledger.lines import Line
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "account": "DELTA_UNIT UNIT Account AccountUnit",
            "ledger": "NO_LEDGER VARIABLE Balance Ledger Payment Plan named_ledger",
            "lines": "Line",
        },
    )

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
