"""Lines of a ledger, each chained to the one before by its hash, and what contradicts what among them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from hashlib import sha256
from typing import Any, Literal
from uuid import uuid4

from tacit.errors import LedgerError, TacitError
from tacit.ledger.account import Account, AccountUnit

Kind = Literal["ledger", "account", "reserve", "give-back", "commit", "uncovered", "restore"]
"""A ledger's first line; an account opened; a fit charged; a charge taken back before any row was read; a fit that
ended with a certificate; a study whose results no charge covers; a ledger put in place of a lost one."""

NO_HASH = "0" * 64

Sums = tuple[int, int]
"""Of an account's currency, and of the deltas beside it."""


@dataclass(frozen=True)
class Line:
    """One line; nothing computed from rows may join its fields, and no time finer than a day."""

    number: int
    """From 0 on, without a gap."""
    day: str
    """As 2026-01-31, in universal time."""
    kind: Kind
    account: str
    """Empty for lines of the whole ledger."""
    amount: int
    """Charged, in units of 2^-40; below zero where it was given back."""
    spent: int
    """Of the account, with this line: a charge reads the last line and no other."""
    delta: int
    """The same of delta, charged beside rho, in units of 2^-62."""
    delta_spent: int
    of: int
    """Number of the charge that is given back or committed; else -1."""
    detail: str
    """What was opened, fitted or certified: JSON of an account, a learner's name, the SHA-256 of a certificate."""
    nonce: str
    """Drawn at random, so that a hash says nothing of a line to somebody who does not have it."""
    hash: str
    """SHA-256 of all of the above and of the hash of the line before."""

    @classmethod
    def after(cls, before: Line | None, **parts: Any) -> Line:
        """Return the next line, with its hash; its parts are those that are not the same for every line."""
        number = 0 if before is None else before.number + 1
        common: dict[str, Any] = {
            "account": "",
            "amount": 0,
            "spent": 0,
            "delta": 0,
            "delta_spent": 0,
            "of": -1,
            "detail": "",
            "nonce": uuid4().hex,
        }
        unsigned = cls(**(common | {"number": number} | parts | {"hash": ""}))
        return replace(unsigned, hash=unsigned.chained(before.hash if before else NO_HASH))

    def chained(self, before: str) -> str:
        """Return the hash that this line has after one of that hash."""
        return sha256(json.dumps([before, *astuple(self)[:-1]]).encode("ascii")).hexdigest()


def as_detail(account: Account) -> str:
    """Return an account as the text of the line that opens it."""
    unit = account.unit
    parts = {
        "currency": account.currency,
        "limit": account.limit,
        "delta": account.delta,
        "approximate_delta": account.approximate_delta,
        "public": list(unit.public),
        "identifier": unit.identifier,
        "rows_per_person": unit.rows_per_person,
        "labeled": list(unit.labeled),
    }
    return json.dumps(parts, sort_keys=True)


def read_account(line: Line) -> Account:
    """Return the account that a line opens.

    Raises
    ------
    LedgerError
        If it opens none.
    """
    try:
        parts = json.loads(line.detail)
        # Accounts that were opened before rows without a label could be left out do not say so.
        public, labeled = (tuple(map(str, listed)) for listed in (parts["public"], parts.get("labeled", ())))
        unit = AccountUnit(public, parts["identifier"], int(parts["rows_per_person"]), labeled)
        limit, deltas = int(parts["limit"]), (float(parts["delta"]), float(parts["approximate_delta"]))
        return Account(line.account, parts["currency"], limit, deltas[0], unit, deltas[1])
    except (ValueError, TypeError, KeyError, TacitError):
        pass
    raise LedgerError(f"Expected an account in line {line.number}, got something else. The ledger was edited.")


def faults(lines: Sequence[Line]) -> Iterator[str]:
    """Yield what contradicts what: an edited line, a broken chain, a sum that is wrong, a charge ended twice."""
    before, spent, limits = NO_HASH, dict[str, Sums](), dict[str, Sums]()
    charges: dict[int, Line] = {}
    for number, line in enumerate(lines):
        if line.number != number:
            yield f"line {number} is missing."
            return
        if line.hash != line.chained(before):
            yield f"line {number} was edited, or one before it was: its hash is another."
            return
        yield from _faults_of(line, spent, limits, charges)
        if number and line.day < lines[number - 1].day:
            yield f"line {number} is of an earlier day than the line before."
        before = line.hash
    if not lines or lines[0].kind != "ledger":
        yield "it has no first line."


def _faults_of(line: Line, spent: dict[str, Sums], limits: dict[str, Sums], charges: dict[int, Line]) -> Iterator[str]:
    """Yield what is wrong with a line whose hash is right, and note what it does."""
    name = f"line {line.number}"
    if line.kind == "account":
        account = read_account(line)
        limits[line.account] = account.limit, account.delta_limit
    elif line.account and line.account not in limits:
        yield f"{name} is of an account that was not opened."
    if line.kind == "reserve":
        charges[line.number] = line
        if line.amount <= 0 or line.delta < 0:
            yield f"{name} charges nothing."
    elif line.kind in ("commit", "give-back"):
        charged = charges.pop(line.of, None)
        if charged is None or charged.account != line.account:
            yield f"{name} ends a charge that is not there, or was ended before."
        elif (line.amount, line.delta) != ((-charged.amount, -charged.delta) if line.kind == "give-back" else (0, 0)):
            yield f"{name} gives back another amount than was charged."
    elif line.amount or line.delta:
        yield f"{name} charges something without a fit."
    if line.account:
        amounts, deltas = spent.get(line.account, (0, 0))
        spent[line.account] = amounts + line.amount, deltas + line.delta
        if (line.spent, line.delta_spent) != spent[line.account]:
            yield f"{name} has another sum than the lines before it."
        most, most_delta = limits.get(line.account, (0, 0))
        if line.spent > most or line.delta_spent > most_delta:
            yield f"{name} is above its account's limit."
