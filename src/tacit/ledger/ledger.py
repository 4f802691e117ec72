"""Ledger: accounts of privacy in one file; a fit is charged before it reads a row, and a crash stays charged."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from tacit.errors import LedgerError, ParameterError, concluded
from tacit.ledger import file
from tacit.ledger.account import NOTHING, UNIT, Account, AccountUnit, checked_account_name
from tacit.ledger.file import Outcome
from tacit.ledger.lines import Line, as_detail, read_account
from tacit.ledger.writer import Writer
from tacit.privacy import Budget
from tacit.privacy.charge import Charge, ReservedCharge, paying
from tacit.privacy.parameters import counting

VARIABLE = "TACIT_LEDGER"
"""Environment variable that names a ledger for fits that name none."""

NO_LEDGER = "none"
"""In place of a ledger's path: that a fit is not charged, whatever the environment says."""


NOTHING_CHARGED = "Nothing was charged."
"""What an error says where a charge was refused, or given back."""


@dataclass(frozen=True)
class Balance:
    """An account, and what of it is spent."""

    account: Account
    spent: int
    """In units of 2^-40."""
    opened: str
    """The day."""
    delta_spent: int = 0
    """Of the account's ``approximate_delta``, in units of 2^-62."""

    @property
    def left(self) -> int:
        """In units of 2^-40."""
        return self.account.limit - self.spent


@dataclass(frozen=True)
class Plan:
    """What some fits would leave of an account.

    Parameters
    ----------
    balance : Balance
    cost : int
        Of one fit, in units of 2^-40.
    fits : int
        How many were asked for.
    """

    balance: Balance
    cost: int
    fits: int

    @property
    def admitted(self) -> int:
        """How many of such fits are admitted, of any number."""
        return self.balance.left // self.cost

    @property
    def left(self) -> int:
        """What all of them leave, in units of 2^-40; below zero if they are refused."""
        return self.balance.left - self.fits * self.cost


class Ledger:
    """Accounts of privacy in one file on a local disk.

    It holds a path and nothing else: every call opens the file and closes it, so that it survives copies, pickles and
    forks, and several processes use one file at once.

    Parameters
    ----------
    path : str or Path

    Notes
    -----
    Privacy: what all fits of an account released together costs no more than its limit, in whatever order they ran and
    however each was chosen by the results of others. Proof: ``proofs/privacy/filters.md``. It cannot stop its owner
    from copying the file with the rows, or from fitting without it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from tacit.privacy import Budget
    >>> with TemporaryDirectory() as folder:
    ...     ledger = Ledger(Path(folder) / "hospital.ledger")
    ...     _ = ledger.open(Account.of("admissions 2026", Budget(3.0)))
    ...     with ledger.charged(Budget(0.5), AccountUnit(), fitted="tree") as payment:
    ...         payment.reading()
    ...     ledger.balance().left / UNIT
    2.5
    """

    def __init__(self, path: str | Path):
        # The file itself: SQLite keeps its log beside it, so a link must not lead to a second log.
        self.path = Path(os.path.realpath(path))

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r})"

    def open(self, account: Account) -> Balance:
        """Open an account, in a new file if there is none.

        Raises
        ------
        LedgerError
            If there is an account of this name, or the file cannot be made or written.
        """
        file.make(self.path)
        with file.writing(self.path, Outcome("The account is open.", "No account was opened.")) as writer:
            if writer.last is None:
                writer.append("ledger", detail=writer.file)
            if writer.opening_of(account.name) is not None:
                raise LedgerError(f"Expected a new account, got name={account.name!r}, which is there. Choose another.")
            line = writer.append("account", account=account.name, detail=as_detail(account))
        return Balance(account, 0, line.day)

    def balances(self) -> tuple[Balance, ...]:
        """Return all accounts in the order in which they were opened, with what is spent of each."""
        lines, _ = file.read_lines(self.path)
        last = {line.account: line for line in lines}
        return tuple(
            Balance(read_account(line), last[line.account].spent, line.day, last[line.account].delta_spent)
            for line in lines
            if line.kind == "account"
        )

    def balance(self, account: str | None = None) -> Balance:
        """Return an account and what is spent of it; of a ledger with one account, that one.

        Raises
        ------
        LedgerError
            If it is not there, or none is named and there are several.
        """
        balances = self.balances()
        names = [each.account.name for each in balances]
        return balances[names.index(_chosen(account, names, self.path))]

    def plan(self, budget: Budget, fits: int = 1, *, account: str | None = None) -> Plan:
        """Return what some fits of a budget would leave; reads no row and charges nothing."""
        balance = self.balance(account)
        return Plan(balance, balance.account.cost(budget), counting("fits", fits))

    def lines(self) -> tuple[Line, ...]:
        """Return all lines, from the first on."""
        return tuple(file.read_lines(self.path)[0])

    def reserve(
        self,
        budget: Budget,
        unit: AccountUnit,
        *,
        account: str | None = None,
        fitted: str = "",
        beside: Fraction = NOTHING,
    ) -> ReservedCharge:
        """Charge a fit, in one transaction; what is reserved is spent, whatever becomes of the fit.

        Parameters
        ----------
        budget : Budget
            What the fit may cost.
        unit : AccountUnit
            Whom the fit protects.
        account : str, optional
            Of a ledger with one account, that one.
        fitted : str
            What is fitted: a learner's name.
        beside : Fraction
            The part of its delta that an account of rho charges beside: all of it where releases have no rho.

        Raises
        ------
        AccountExceeded
            If less is left; nothing is charged.
        LedgerError
            If the account has another unit or no delta, or the file cannot be charged.
        """
        with file.writing(self.path, Outcome("The charge stays.", NOTHING_CHARGED)) as writer:
            known, last = self._account(writer, account)
            known.unit.check(unit)
            beside = beside if known.currency == "rho" else NOTHING
            delta = known.check_delta(beside, last.delta_spent) if beside else 0
            cost = known.check(budget, last.spent, beside=beside)
            parts = {
                "amount": cost,
                "spent": last.spent + cost,
                "delta": delta,
                "delta_spent": last.delta_spent + delta,
            }
            line = writer.append("reserve", account=known.name, detail=fitted, **parts)
            charge = Charge(self._identity(writer), known.name, writer.charges(), line.hash)
        return ReservedCharge(charge, budget, known.currency, Fraction(cost, UNIT), beside)

    def check(self, budget: Budget, unit: AccountUnit, *, account: str | None = None) -> None:
        """Refuse what ``reserve`` would refuse; charges nothing."""
        known = self.balance(account)
        known.account.unit.check(unit)
        known.account.check(budget, known.spent)

    def commit(self, charge: Charge, certificate: str) -> None:
        """Note the SHA-256 of the certificate that a charge paid for; the fit's result is for release after this.

        Raises
        ------
        LedgerError
            If the charge is not there, or has ended.
        """
        with file.writing(self.path, Outcome("The certificate was noted.", "The certificate was not noted.")) as writer:
            charged = self._charged(writer, charge)
            last = self._account(writer, charge.account)[1]
            sums = {"spent": last.spent, "delta_spent": last.delta_spent}
            writer.append("commit", account=charge.account, of=charged.number, detail=certificate, **sums)

    def give_back(self, charge: Charge) -> None:
        """Take a charge back; only for a fit that was refused before it read any row.

        Raises
        ------
        LedgerError
            If the charge is not there, or has ended.
        """
        with file.writing(self.path, Outcome("The charge was given back.", "The charge was not given back.")) as writer:
            charged = self._charged(writer, charge)
            last = self._account(writer, charge.account)[1]
            amounts = {"amount": -charged.amount, "spent": last.spent - charged.amount}
            deltas = {"delta": -charged.delta, "delta_spent": last.delta_spent - charged.delta}
            writer.append("give-back", account=charge.account, of=charged.number, **amounts, **deltas)

    def note_uncovered(self, what: str, *, account: str | None = None) -> None:
        """Note that results were computed on the account's rows which no charge covers, as a study's are."""
        with file.writing(self.path, Outcome("It was noted.", "Nothing was noted.")) as writer:
            known, last = self._account(writer, account)
            sums = {"spent": last.spent, "delta_spent": last.delta_spent}
            writer.append("uncovered", account=known.name, detail=what, **sums)

    @contextmanager
    def charged(
        self,
        budget: Budget,
        unit: AccountUnit,
        *,
        account: str | None = None,
        fitted: str = "",
        beside: Fraction = NOTHING,
    ) -> Iterator[Payment]:
        """Charge a fit around its body; taken back if the body fails before it says that it reads rows."""
        reserved = self.reserve(budget, unit, account=account, fitted=fitted, beside=beside)
        payment = Payment(self, reserved)
        try:
            with paying(reserved):
                yield payment
        except BaseException as error:
            concluded(error, payment.closed())
            raise

    def _account(self, writer: Writer, name: str | None) -> tuple[Account, Line]:
        """Return an account and its last line, which has what is spent of it."""
        if name is None:
            name = _chosen(None, writer.accounts(), self.path)
        opening, last = writer.opening_of(name), writer.last_of(name)
        if opening is None or last is None or opening.kind != "account":
            _chosen(name, writer.accounts(), self.path)
            raise LedgerError(f"Expected an account to be opened first, got another line of {name!r}. It was edited.")
        return read_account(opening), last

    def _charged(self, writer: Writer, charge: Charge) -> Line:
        line = writer.charge_of(charge.head)
        if line is None or line.account != charge.account:
            raise LedgerError(f"Expected a charge of this ledger, got {charge}. The ledger was replaced since.")
        if writer.ending_of(line.number) is not None:
            raise LedgerError(f"Expected a charge that has not ended, got {charge}. Charge each fit by itself.")
        return line

    def _identity(self, writer: Writer) -> str:
        return ledger_identity(writer.line(0))


class Payment:
    """A charge while its fit runs."""

    def __init__(self, ledger: Ledger, reserved: ReservedCharge):
        self.ledger, self.reserved = ledger, reserved
        self.has_read = False
        self.has_ended = False
        self.refuse: Callable[[int | None], None] | None = None
        """Refuses what is public of the rows, by their number where that is known; asked before they are read."""

    def closed(self) -> str:
        """Give the charge back if no row was read for it, and say for an error what became of it."""
        charge = self.reserved.charge
        if self.has_read or self.reserved.taken:
            return charge.stays(self.reserved.price)
        try:
            self.ledger.give_back(charge)
        except LedgerError as error:
            return f"Giving back {charge}, {self.reserved.price}, failed: {error}"
        return NOTHING_CHARGED

    def reading(self, n_rows: int | None = None) -> None:
        """Say that rows are read from here on: the charge is spent, whatever happens.

        Parameters
        ----------
        n_rows : int, optional
            How many, where that is public and known.

        Raises
        ------
        ParameterError, SchemaError, TableError
            If the fit cannot be for what is public of the rows, such as their number; the charge is given back.
        """
        self.reserved.check_process()
        if self.refuse is not None and not self.has_read:
            self.refuse(n_rows)
        self.has_read = True

    def commit(self, certificate: str) -> None:
        """Note the certificate that the fit ended with; a fit within a fit's charge ends it once."""
        self.reserved.check_process()
        if not self.has_ended:
            self.ledger.commit(self.reserved.charge, certificate)
            self.has_ended = True


def ledger_identity(first: Line) -> str:
    """Return what distinguishes a ledger from every other: its first line's random number."""
    return first.nonce


def named_ledger(given: str | Path | None) -> tuple[Ledger, str | None] | None:
    """Return the ledger and the account that are named, as ``path`` or ``path#account``; None for no ledger.

    Parameters
    ----------
    given : str, Path or None
        None asks the environment variable ``TACIT_LEDGER``; ``"none"`` means no ledger in any case.

    Raises
    ------
    ParameterError
        If it is no path.
    """
    found = given if given is not None else os.environ.get(VARIABLE) or NO_LEDGER
    if isinstance(found, Path):
        return Ledger(found), None
    if not isinstance(found, str) or not found.strip() or "\0" in found:
        raise ParameterError(f"Expected a path or 'path#account', got ledger={found!r}. Name a ledger's file.")
    if found == NO_LEDGER:
        return None
    path, mark, account = found.rpartition("#")
    if not mark or os.path.exists(found):  # unlike a Path's, False for what is too long to be one
        return Ledger(found), None
    return Ledger(path), checked_account_name(account)


def _chosen(name: str | None, names: Sequence[str], path: Path) -> str:
    """Return the account that is meant, or say which there are."""
    listed = ", ".join(map(repr, names)) or "none"
    if name is None and len(names) == 1:
        return names[0]
    if name is None:
        raise LedgerError(
            f"Expected the name of an account, as {str(path)!r} has {listed}, got none. Write {path.name}#NAME."
        )
    if name not in names:
        raise LedgerError(f"Expected an account of {str(path)!r}, which has {listed}, got {name!r}. Check the name.")
    return name
