"""Rollbacks, forks, edits and foreign certificates are found; a restored copy has every known charge."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from math import ceil

import pytest

from tacit.errors import LedgerError
from tacit.ledger import DELTA_UNIT, UNIT, Account, AccountUnit, Ledger
from tacit.ledger.lines import Line, faults
from tacit.ledger.verify import Certificate, back_up, restore, verify
from tacit.mechanisms import noise_source
from tacit.models.document import certificate_digest
from tacit.privacy import Accountant, Budget, Guarantee, PrivacyUnit, paying
from tacit.privacy.assumptions import ASSUMPTIONS

NOISE = noise_source(None)


def certified(ledger, subject="model.json", epsilon=0.5, account=None):
    """Charge a fit that releases nothing, and return its certificate."""
    with ledger.charged(Budget(epsilon), AccountUnit(), account=account) as payment:
        payment.reading()
        guarantee = Accountant(Budget(epsilon), PrivacyUnit(("age",), True), NOISE, n_rows=100).guarantee()
        digest = certificate_digest(guarantee)
        payment.commit(digest)
    return Certificate(subject, guarantee, digest)


def set_back(ledger, lines):
    """Cut a ledger back to its first lines, as a hand with SQLite would."""
    with closing(sqlite3.connect(ledger.path)) as connection, connection:
        connection.execute("DELETE FROM lines WHERE number >= ?", (lines,))
        connection.execute(
            "UPDATE head SET number = ?, hash = (SELECT hash FROM lines WHERE number = ?)", (lines - 1,) * 2
        )


def test_all_agrees(ledger):
    known = [certified(ledger), certified(ledger)]
    assert verify(ledger, known) == ()
    assert verify(ledger, known, account="people") == ()
    assert [one.guarantee.charge.number for one in known] == [1, 2]
    assert "Charged: account 'people' of ledger" in str(known[0].guarantee)


def test_a_rollback_is_found(ledger, tmp_path, monkeypatch):
    first, second = certified(ledger), certified(ledger, "second.json")
    set_back(ledger, 4)
    [said] = verify(ledger, [first])
    assert said == "The ledger lacks line 5, which you wrote: it was set back to an earlier state."
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "of another user"))
    assert verify(ledger) == ()  # nothing within the file shows it
    assert verify(ledger, [first]) == ()
    assert verify(ledger, [first, second]) == (
        "second.json: the ledger lacks charge 2, which paid for it: it was set back to an earlier state.",
    )


def test_a_ledger_that_was_set_back_is_not_charged(ledger, tmp_path):
    certified(ledger)
    back_up(ledger, tmp_path / "early.copy")
    certified(ledger)
    set_back(ledger, 4)
    for change in (lambda: certified(ledger), lambda: ledger.note_uncovered("study")):
        with pytest.raises(LedgerError, match="without its line 5: an older copy was put in its place"):
            change()
    assert ledger.balance().spent == UNIT // 2, "it can be shown"
    again = restore(tmp_path / "early.copy", tmp_path / "again.ledger")
    certified(again)
    assert again.balance().spent == UNIT
    # The later file is the lost one now.
    with pytest.raises(LedgerError, match="without its line 6"):
        certified(ledger)


def test_a_ledger_that_another_user_charged_is_charged(ledger, tmp_path, monkeypatch):
    certified(ledger)
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
        certified(ledger)
    certified(ledger)
    assert [path.read_text().split()[0] for path in (tmp_path / "other" / "tacit" / "ledgers").iterdir()] == ["5"]
    # Where nothing can be noted, nothing is refused.
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    certified(ledger)
    assert ledger.balance().spent == 4 * UNIT // 2


def test_a_fork_is_found(ledger, tmp_path, monkeypatch):
    lost = certified(ledger)
    set_back(ledger, 2)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "of another user"))
    certified(ledger)
    [said] = verify(ledger, [lost])
    assert said.endswith("charge 1 is another than the one that paid for it: the ledger was continued from a copy.")


@pytest.mark.parametrize("change", ["amount = amount - 1", "spent = 0", "detail = 'x'", "of = 1", "account = 'b'"])
def test_an_edited_line_is_found(ledger, change):
    certified(ledger)
    certified(ledger)
    with closing(sqlite3.connect(ledger.path)) as connection, connection:
        connection.execute(f"UPDATE lines SET {change} WHERE number = 3")
    [said] = verify(ledger)
    assert "line 3 was edited" in said


def test_sums_and_ends_are_checked_besides_hashes(ledger):
    """Somebody who recomputes all hashes must still leave a ledger that adds up."""
    certified(ledger)
    first, account, reserve, commit = ledger.lines()

    def found(*lines):
        chained, before = [], "0" * 64
        for number, line in enumerate(lines):
            one = replace(line, number=number)
            chained.append(replace(one, hash=one.chained(before)))
            before = chained[-1].hash
        return list(faults(chained))

    assert found(first, account, reserve, commit) == []
    assert found(first, account, replace(reserve, amount=1), commit)[0].startswith("line 2 has another sum")
    assert "above its account's limit" in found(first, account, replace(reserve, amount=9 * UNIT, spent=9 * UNIT))[0]
    assert "was ended before" in found(first, account, reserve, commit, commit)[0]
    back = replace(commit, kind="give-back", amount=-1, spent=reserve.spent - 1)
    assert "another amount than was charged" in found(first, account, reserve, back)[0]
    assert "not opened" in found(first, reserve)[0]
    assert "charges nothing" in found(first, account, replace(reserve, amount=0, spent=0))[0]
    assert "without a fit" in found(first, account, replace(reserve, kind="uncovered"))[0]
    assert "earlier day" in found(first, account, replace(reserve, day="1999-01-01"))[0]
    assert found(account) == ["it has no first line."]
    assert list(faults([])) == ["it has no first line."]
    assert isinstance(first, Line)


def test_deltas_add_up_as_amounts_do(ledger):
    ledger.open(Account.of("both", Budget(3.0, 1e-6), approximate_delta=5e-7))
    charges = [
        ledger.reserve(Budget(0.1, 2e-7), AccountUnit(), account="both", beside=Fraction(2e-7)).charge for _ in range(2)
    ]
    two = ledger.balance("both").delta_spent
    assert two == 2 * ceil(Fraction(2e-7) * DELTA_UNIT)
    with pytest.raises(LedgerError, match="with 1e-07 of 5e-07 left"):
        ledger.reserve(Budget(0.1, 2e-7), AccountUnit(), account="both", beside=Fraction(2e-7))
    ledger.give_back(charges[0])
    ledger.note_uncovered("study", account="both")
    assert (ledger.balance("both").delta_spent, list(faults(ledger.lines()))) == (two // 2, [])
    ledger.commit(charges[1], "ab" * 32)
    guarantee = replace(certified(ledger, account="people").guarantee, epsilon=0.1, delta=2e-7, charge=charges[1])
    assert verify(ledger, [Certificate("x", guarantee, "ab" * 32)]) == ()
    dearer = replace(guarantee, delta=3e-7)
    assert "is less than its certificate" in verify(ledger, [Certificate("x", dearer, "ab" * 32)])[0]
    lines = list(ledger.lines())
    for wrong in ({"delta": 1}, {"delta_spent": 1}, {"delta": -1, "delta_spent": -1}):
        at = next(number for number, line in enumerate(lines) if line.delta > 0)
        edited = [*lines[:at], replace(lines[at], **wrong)]
        edited[at] = replace(edited[at], hash=edited[at].chained(edited[at - 1].hash))
        assert list(faults(edited))


def test_a_certificate_that_the_ledger_does_not_know(ledger, tmp_path):
    known = certified(ledger)
    uncharged = replace(known, guarantee=replace(known.guarantee, charge=None))
    assert "names no charge of any ledger" in verify(ledger, [uncharged])[0]
    edited = replace(known.guarantee, assumptions=ASSUMPTIONS[:2])
    [said] = verify(ledger, [replace(known, guarantee=edited, digest=certificate_digest(edited))])
    assert "did not end with this certificate" in said
    cheaper = replace(known.guarantee, epsilon=0.6)
    assert "charge 1 is less than its certificate says" in verify(ledger, [replace(known, guarantee=cheaper)])[0]
    other = Ledger(tmp_path / "other.ledger")
    other.open(Account.of("people", Budget(3.0)))
    assert "charged to another ledger" in verify(other, [known])[0]
    public = Guarantee("public", (), False, 100, 0.0, 0.0, "pure", None, (), "none", (), (), ())
    assert verify(ledger, [Certificate("public.json", public, certificate_digest(public))]) == ()


def test_a_certificate_of_another_account(ledger):
    ledger.open(Account.of("staff", Budget(1.0)))
    known = certified(ledger, account="staff")
    assert verify(ledger, [known], account="staff") == ()
    assert "was charged to account 'staff', not 'people'" in verify(ledger, [known], account="people")[0]
    assert "has no account 'nobody'" in verify(ledger, [known], account="nobody")[0]
    moved = replace(known.guarantee, charge=replace(known.guarantee.charge, account="people"))
    assert "charge 1 is of account 'staff', not 'people'" in verify(ledger, [replace(known, guarantee=moved)])[0]


def test_backup_and_restore(ledger, tmp_path):
    first = certified(ledger)
    back_up(ledger, tmp_path / "backup")
    assert not list(tmp_path.glob("backup-*"))  # one file
    with pytest.raises(LedgerError, match="got a copy of it"):
        Ledger(tmp_path / "backup").reserve(Budget(0.1), AccountUnit())
    later = certified(ledger, "later.json")
    with pytest.raises(LedgerError, match=r"lacks some\. later\.json: the ledger lacks charge 2"):
        restore(tmp_path / "backup", tmp_path / "again.ledger", [first, later])
    assert not list(tmp_path.glob("again*"))
    again = restore(tmp_path / "backup", tmp_path / "again.ledger", [first])
    assert again.balance().spent == UNIT // 2
    assert again.lines()[-1].kind == "restore"
    assert certified(again).guarantee.charge.number == 2
    assert verify(again, [first]) == ()
    assert "continued from a copy" in verify(again, [later])[0]


def test_a_backup_takes_no_file_s_place(ledger, tmp_path):
    (tmp_path / "there").write_text("mine")
    for refused in (
        lambda: back_up(ledger, tmp_path / "there"),
        lambda: restore(ledger.path, tmp_path / "there"),
    ):
        with pytest.raises(LedgerError, match=r"got one\. Choose another name"):
            refused()
    assert (tmp_path / "there").read_text() == "mine"


def test_a_damaged_ledger_is_neither_backed_up_nor_restored(ledger, tmp_path):
    certified(ledger)
    with closing(sqlite3.connect(ledger.path)) as connection, connection:
        connection.execute("UPDATE lines SET amount = 1 WHERE number = 2")
    for refused in (lambda: back_up(ledger, tmp_path / "b"), lambda: restore(ledger.path, tmp_path / "b")):
        with pytest.raises(LedgerError, match="Expected a ledger without contradictions"):
            refused()
    assert not (tmp_path / "b").exists()


def test_a_plain_copy_of_the_file_is_restored(ledger, tmp_path):
    known = certified(ledger)
    shutil.copy(ledger.path, tmp_path / "copy")
    again = restore(tmp_path / "copy", tmp_path / "again.ledger", [known])
    again.reserve(Budget(0.5), AccountUnit())
    assert again.balance().spent == UNIT


def test_one_charge_pays_for_one_accountant(ledger):
    from tacit.errors import PrivacyError

    reserved = ledger.reserve(Budget(0.5), AccountUnit())
    unit = PrivacyUnit(("age",), True)
    with paying(reserved):
        with pytest.raises(PrivacyError, match="within its charge"):
            Accountant(Budget(0.6), unit, NOISE, n_rows=100)
        accountant = Accountant(Budget(0.5), unit, NOISE, n_rows=100)
        slices = accountant.in_parallel(unit.divided(2), n_rows=[50, 50])
        with pytest.raises(PrivacyError, match="got a second within it"):
            Accountant(Budget(0.5), unit, NOISE, n_rows=100)
    assert [each.guarantee().charge for each in slices] == [reserved.charge] * 2
    assert accountant.guarantee().charge == reserved.charge
