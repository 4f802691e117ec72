"""What certificates and a ledger say of each other; backups, and copies that take the place of a lost ledger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from tacit.errors import LedgerError
from tacit.ledger import file, heads
from tacit.ledger.account import DELTA_UNIT, NOTHING, Account
from tacit.ledger.ledger import Ledger, ledger_identity
from tacit.ledger.lines import Line, faults, read_account
from tacit.privacy import Budget, Guarantee

RESTORED = file.Outcome("It was restored.", "Nothing was restored.")
"""What an error says of a restored ledger."""


@dataclass(frozen=True)
class Certificate:
    """A certificate that is known outside of the ledger.

    Parameters
    ----------
    subject : str
        What has it, as the name of a model's file.
    guarantee : Guarantee
    digest : str
        SHA-256 of the certificate.
    """

    subject: str
    guarantee: Guarantee
    digest: str


def verify(ledger: Ledger, certificates: Sequence[Certificate] = (), *, account: str | None = None) -> tuple[str, ...]:
    """Return what contradicts what in a ledger, and between it and certificates; nothing if all agrees.

    Found are edited lines, lines that were cut off or put in, a log that the file was moved without, a ledger set back
    to an earlier state or continued from one (where a certificate is of the lost part, or this user wrote it), and
    certificates that it does not know.

    Parameters
    ----------
    ledger : Ledger
    certificates : sequence of Certificate
    account : str, optional
        To which all of them must be charged.

    Raises
    ------
    LedgerError
        If the file is no ledger, or cannot be read.
    """
    found, lines = _read(ledger)
    if account is not None and account not in {line.account for line in lines if line.kind == "account"}:
        found.append(f"it has no account {account!r}.")
    if found:
        # A chain that is broken proves nothing about certificates.
        return tuple(f"The ledger contradicts itself: {each}" for each in found)
    lacking = _set_back(lines) if file.is_itself(ledger.path) else ()  # a copy may be older
    unknown = (f"{each.subject}: {said}" for each in certificates for said in _unknown(each, lines, account))
    return (*lacking, *unknown)


def _read(ledger: Ledger) -> tuple[list[str], list[Line]]:
    """Return what is wrong with a file by itself, and its lines."""
    lines, head = file.read_lines(ledger.path)
    found = list(faults(lines))
    if lines and lines[-1].hash != head:
        found.append("its head is of another line: lines were cut off, or put in.")
    log = file.moved_from(ledger.path)[1]
    if log is not None:
        found.append(f"it was moved without its log {str(log)!r}, in which the last charges may be.")
    return found, lines


def _set_back(lines: Sequence[Line]) -> Iterator[str]:
    """Yield that the last line which this user wrote is missing."""
    known = heads.noted(lines[0])
    if known is not None and [known[1]] != [line.hash for line in lines if line.number == known[0]]:
        yield f"The ledger lacks line {known[0]}, which you wrote: it was set back to an earlier state."


def _unknown(certificate: Certificate, lines: Sequence[Line], account: str | None) -> Iterator[str]:
    """Yield why a ledger does not know a certificate."""
    guarantee = certificate.guarantee
    charge = guarantee.charge
    if charge is None:
        if guarantee.status != "public":
            yield "its certificate names no charge of any ledger, so its fit is not counted here."
        return
    if charge.ledger != ledger_identity(lines[0]):
        yield "its certificate was charged to another ledger."
        return
    charges = [line for line in lines if line.kind == "reserve"]
    if charge.number > len(charges):
        yield f"the ledger lacks charge {charge.number}, which paid for it: it was set back to an earlier state."
        return
    line = charges[charge.number - 1]
    if line.hash != charge.head:
        yield f"charge {charge.number} is another than the one that paid for it: the ledger was continued from a copy."
        return
    if line.account != charge.account:
        yield f"charge {charge.number} is of account {line.account!r}, not {charge.account!r}."
        return
    if account is not None and charge.account != account:
        yield f"its certificate was charged to account {charge.account!r}, not {account!r}."
    opened = next(each for each in lines if each.kind == "account" and each.account == line.account)
    if _is_less(line, guarantee, read_account(opened)):
        yield f"charge {charge.number} is less than its certificate says that it cost."
    ended = [each for each in lines if each.of == line.number]
    if not any(each.kind == "commit" and each.detail == certificate.digest for each in ended):
        yield f"charge {charge.number} did not end with this certificate: it was edited, or never released by the fit."


def _is_less(line: Line, guarantee: Guarantee, account: Account) -> bool:
    """Return whether the account charges more for what the certificate says that the fit cost."""
    own = guarantee.of_fit  # learning the schema has a charge of its own
    whole = Fraction(own.delta)
    thresholds = sum((Fraction(each.delta) for each in own.releases), NOTHING) if own.composition == "zcdp" else NOTHING
    # A fit that composes in rho may have been charged as one that has none, too.
    # Counted by an exact distribution, it has more rho than its epsilon and delta were charged for.
    ways = [whole] if own.composition != "zcdp" or own.gaussian else [thresholds, whole]
    try:
        return not any(
            account.cost(Budget(own.epsilon, own.delta), beside=beside) <= line.amount
            and beside * DELTA_UNIT <= line.delta
            for beside in (ways if line.delta else [thresholds])
        )
    except LedgerError:
        return True  # a delta that the account does not have


def back_up(ledger: Ledger, target: Path) -> None:
    """Write a copy that can be read and restored, and not charged.

    Raises
    ------
    LedgerError
        If the ledger is damaged, or something is at the target.
    """
    _refuse_faults(ledger)
    with file.copied(ledger.path, target):
        pass


def restore(backup: Path, target: Path, certificates: Sequence[Certificate] = ()) -> Ledger:
    """Put a copy in the place of a ledger that is lost, if it has every charge that certificates tell of.

    The restored ledger says in a line of its own that it was; later heads of the lost one are not its own.

    Raises
    ------
    LedgerError
        If the backup is damaged or lacks a charge, something is at the target, or it is on a network drive.

    Notes
    -----
    Privacy: charges after the backup of which no certificate is known are lost, and their fits are not counted. Give
    the certificate of every model that was released or shown to anybody.
    """
    copied = Ledger(backup)
    _refuse_faults(copied)
    missing = verify(copied, certificates)
    if missing:
        raise LedgerError(
            f"Expected a backup with the charges of all certificates, got one that lacks some. {' '.join(missing)} "
            "Take a later backup; or open an account with what all known certificates leave."
        )
    ledger = Ledger(target)
    with file.copied(copied.path, ledger.path) as scratch, file.writing(scratch, RESTORED, copy=True) as writer:
        writer.rebind()
        writer.append("restore", detail=writer.last.hash if writer.last else "")
    return ledger


def _refuse_faults(ledger: Ledger) -> None:
    found, _ = _read(ledger)
    if found:
        said = " ".join(f"The ledger contradicts itself: {each}" for each in found)
        raise LedgerError(f"Expected a ledger without contradictions, got another. {said}")
