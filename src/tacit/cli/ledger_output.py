"""What `tacit ledger` says: accounts, plans and lines, as text, tables, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.table import Table as Grid

from tacit.ledger import DELTA_UNIT, UNIT, Balance, Line, Plan
from tacit.privacy import Budget

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""With which a text begins that a spreadsheet would compute."""


def account_lines(balance: Balance) -> Iterator[str]:
    """Yield what an account is, and what is left of it."""
    account = balance.account
    total = f"epsilon {account.epsilon:.6g}" + (f", delta {account.delta:g}" if account.delta else "")
    if account.currency == "rho":
        total += f", as rho {_number(account.limit)}"
    yield f"{account.name}: {total}, opened {balance.opened}"
    yield f"  protects {account.unit}"
    spent = f"  spent {account.currency} {_number(balance.spent)} of {_number(account.limit)}"
    if account.currency == "rho":
        spent += f" (epsilon {account.spent_epsilon(balance.spent):.6g} at delta {account.converting_delta:g})"
    yield f"{spent}; left {_number(balance.left)}"
    if account.approximate_delta:
        used = balance.delta_spent / DELTA_UNIT
        yield f"  spent delta {used:.6g} of {account.approximate_delta:g} with rho"


def plan_lines(plan: Plan, budget: Budget) -> Iterator[str]:
    """Yield what a plan would leave, or that it is refused and what would fit."""
    account, fits = plan.balance.account, f"{plan.fits} fit" + ("" if plan.fits == 1 else "s")
    each = f"epsilon {budget.epsilon:g}" + (f", delta {budget.delta:g}" if budget.delta else "")
    cost = f"asked {account.currency} {_number(plan.fits * plan.cost)} ({fits} of {each})"
    yield f"{account.name}: {cost}; spent {_number(plan.balance.spent)}; left {_number(plan.balance.left)}"
    if plan.left >= 0:
        yield f"  would leave {_number(plan.left)}: room for {plan.admitted - plan.fits} more such fits"
        return
    largest = account.fitting(plan.balance.spent, budget.delta)
    alone = f"one of epsilon {largest:g} at most" if largest else "none, of any epsilon"
    yield f"  refused: {plan.admitted} such fits would fit, or {alone}"


def plan_document(plan: Plan) -> dict[str, Any]:
    """Return the same for a program, in the account's currency."""
    return {
        "account": plan.balance.account.name,
        "currency": plan.balance.account.currency,
        "asked": plan.fits * plan.cost / UNIT,
        "spent": plan.balance.spent / UNIT,
        "left": plan.balance.left / UNIT,
        "would_leave": plan.left / UNIT,
        "admitted": plan.admitted,
        "fits": plan.left >= 0,
    }


def line_grid(balances: Sequence[Balance], lines: Sequence[Line], last: int) -> Grid:
    """Return the last lines of the accounts as a table."""
    grid = Grid()
    for heading in ("line", "day", "account", "what", "amount", "spent"):
        grid.add_column(heading, justify="right" if heading in ("line", "amount", "spent") else "left")
    for line in _own(balances, lines)[-last:]:
        amount = _number(line.amount) if line.amount else ""
        amount += f", delta {line.delta / DELTA_UNIT:.6g}" if line.delta else ""
        grid.add_row(str(line.number), line.day, line.account, _what(line), amount, _number(line.spent))
    return grid


def document(balances: Sequence[Balance], lines: Sequence[Line]) -> dict[str, Any]:
    """Return accounts and lines for a program; amounts in the account's currency."""
    return {
        "accounts": [
            {
                "name": each.account.name,
                "currency": each.account.currency,
                "limit": each.account.limit / UNIT,
                "epsilon": each.account.epsilon,
                "delta": each.account.delta,
                "approximate_delta": each.account.approximate_delta,
                "unit": asdict(each.account.unit) | {"public": list(each.account.unit.public)},
                "opened": each.opened,
                "spent": each.spent / UNIT,
                "left": each.left / UNIT,
                "delta_spent": each.delta_spent / DELTA_UNIT,
            }
            for each in balances
        ],
        "lines": [_plain(line) for line in _own(balances, lines)],
    }


def as_json_text(balances: Sequence[Balance], lines: Sequence[Line]) -> str:
    """Return accounts and lines as JSON text."""
    return json.dumps(document(balances, lines), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_csv(balances: Sequence[Balance], lines: Sequence[Line]) -> str:
    """Return lines as CSV; a text that a spreadsheet would compute begins with an apostrophe."""
    target = io.StringIO()
    rows = [_plain(line) for line in _own(balances, lines)]
    writer = csv.DictWriter(target, list(rows[0]) if rows else ["line"], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _harmless(value) for name, value in row.items()} for row in rows)
    return target.getvalue()


def _own(balances: Sequence[Balance], lines: Sequence[Line]) -> list[Line]:
    names = {each.account.name for each in balances}
    return [line for line in lines if line.account in names or line.kind == "restore"]


def _plain(line: Line) -> dict[str, Any]:
    return {
        "line": line.number,
        "day": line.day,
        "account": line.account,
        "kind": line.kind,
        "amount": line.amount / UNIT,
        "spent": line.spent / UNIT,
        "delta": line.delta / DELTA_UNIT,
        "delta_spent": line.delta_spent / DELTA_UNIT,
        "of": line.of if line.of >= 0 else None,
        "detail": line.detail,
        "hash": line.hash,
    }


def _harmless(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _what(line: Line) -> str:
    return {
        "account": "opened",
        "reserve": f"charged: {line.detail}" if line.detail else "charged",
        "give-back": f"line {line.of} given back",
        "commit": f"line {line.of} ended with certificate {line.detail[:12]}",
        "uncovered": f"not covered by any charge: {line.detail}",
        "restore": "restored from a copy",
    }.get(line.kind, line.kind)


def _number(amount: int) -> str:
    return f"{amount / UNIT:.9g}"
