"""A ledger charges before a fit, once; what fails says why, and nothing is spent unseen."""

from __future__ import annotations

import copy
import os
import pickle
import shutil
import sqlite3
import sys
from contextlib import closing
from dataclasses import asdict
from time import sleep

import pytest

from tacit.errors import AccountExceeded, LedgerError, ParameterError, PrivacyError
from tacit.ledger import UNIT, Account, AccountUnit, Ledger, named_ledger, place, writer
from tacit.ledger.lines import Line
from tacit.privacy import Budget

HALF, UNIT_OF_ROWS = Budget(0.5), AccountUnit()


def edit(ledger, *statements):
    with closing(sqlite3.connect(ledger.path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_lines_of_a_fit(ledger):
    with ledger.charged(HALF, UNIT_OF_ROWS, fitted="tree") as payment:
        payment.reading()
        assert ledger.balance().spent == UNIT // 2  # charged before anything in the body ran
        payment.commit("ab" * 32)
        payment.commit("ab" * 32)  # a fit within it ends it once
    first, account, reserve, commit = ledger.lines()
    assert [line.kind for line in ledger.lines()] == ["ledger", "account", "reserve", "commit"]
    assert (reserve.account, reserve.amount, reserve.spent, reserve.detail) == ("people", UNIT // 2, UNIT // 2, "tree")
    assert (commit.of, commit.amount, commit.spent, commit.detail) == (2, 0, UNIT // 2, "ab" * 32)
    charge = payment.reserved.charge
    assert (charge.ledger, charge.number, charge.head) == (first.nonce, 1, reserve.hash)
    assert account.detail


def test_lines_have_these_fields_and_no_other(ledger):
    """Neither counts nor scores nor norms nor durations, and no time finer than a day."""
    named = [
        "number",
        "day",
        "kind",
        "account",
        "amount",
        "spent",
        "delta",
        "delta_spent",
        "of",
        "detail",
        "nonce",
        "hash",
    ]
    assert list(asdict(ledger.lines()[0])) == named
    with closing(sqlite3.connect(ledger.path)) as connection:
        assert [row[1] for row in connection.execute("PRAGMA table_info(lines)")] == named
    assert all(len(line.day) == 10 for line in ledger.lines())


def test_hashes_of_equal_lines_differ(ledger):
    """Who sees heads in certificates cannot try out what other lines say."""
    parts = {"kind": "reserve", "day": "2026-01-01"}
    assert Line.after(None, **parts).hash != Line.after(None, **parts).hash


def test_the_limit_is_met_exactly_and_not_passed(ledger):
    for _ in range(6):
        ledger.reserve(HALF, UNIT_OF_ROWS)
    assert ledger.balance().left == 0
    with pytest.raises(AccountExceeded, match=r"asked epsilon 1.000\d+e-09, spent 3, left 0\."):
        ledger.reserve(Budget(1e-9), UNIT_OF_ROWS)
    assert ledger.balance().spent == 3 * UNIT
    assert len(ledger.lines()) == 8


def test_what_fails_before_reading_is_given_back_and_after_it_stays(ledger):
    with pytest.raises(ZeroDivisionError), ledger.charged(HALF, UNIT_OF_ROWS):
        raise ZeroDivisionError
    assert ledger.balance().spent == 0
    with pytest.raises(ZeroDivisionError), ledger.charged(HALF, UNIT_OF_ROWS) as payment:
        payment.reading()
        raise ZeroDivisionError
    assert ledger.balance().spent == UNIT // 2
    assert [line.kind for line in ledger.lines()][2:] == ["reserve", "give-back", "reserve"]


def test_a_charge_ends_once(ledger):
    charge = ledger.reserve(HALF, UNIT_OF_ROWS).charge
    ledger.commit(charge, "ab" * 32)
    for again in (lambda: ledger.give_back(charge), lambda: ledger.commit(charge, "cd" * 32)):
        with pytest.raises(LedgerError, match="has not ended"):
            again()
    assert ledger.balance().spent == UNIT // 2


def test_a_reservation_is_not_copied_and_a_ledger_is(ledger):
    reserved = ledger.reserve(HALF, UNIT_OF_ROWS)
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(PrivacyError, match="one charge a fit"):
            copied(reserved)
    again = pickle.loads(pickle.dumps(ledger))
    again.reserve(HALF, UNIT_OF_ROWS)
    assert ledger.balance().spent == UNIT


def test_several_accounts_of_one_file(ledger):
    ledger.open(Account.of("staff", Budget(1.0, 1e-6), AccountUnit(public=("town",))))
    with pytest.raises(LedgerError, match=r"has 'people', 'staff', got none\. Write people\.ledger#NAME"):
        ledger.reserve(HALF, UNIT_OF_ROWS)
    with pytest.raises(LedgerError, match="has 'people', 'staff', got 'stuff'"):
        ledger.reserve(HALF, UNIT_OF_ROWS, account="stuff")
    with pytest.raises(LedgerError, match="is there"):
        ledger.open(Account.of("staff", Budget(1.0)))
    ledger.reserve(Budget(0.5, 1e-6), UNIT_OF_ROWS, account="staff")
    people, staff = ledger.balances()
    assert (people.spent, staff.account.currency, staff.account.unit.public) == (0, "rho", ("town",))
    assert 0 < staff.spent < staff.account.limit


def test_plans_charge_nothing(ledger):
    planned = ledger.plan(HALF, 4)
    assert (planned.left, planned.admitted) == (UNIT, 6)
    assert ledger.plan(HALF, 7).left < 0
    assert len(ledger.lines()) == 2
    with pytest.raises(ParameterError):
        ledger.plan(HALF, 0)


def test_names_of_ledgers(tmp_path, monkeypatch):
    monkeypatch.setenv("TACIT_LEDGER", f"{tmp_path}/a.ledger#two words")
    named, account = named_ledger(None)
    assert (named.path, account) == (tmp_path / "a.ledger", "two words")
    assert named_ledger("none") is None
    assert named_ledger(tmp_path / "b")[1] is None
    monkeypatch.setenv("TACIT_LEDGER", "")
    assert named_ledger(None) is None
    (tmp_path / "a#b").touch()
    assert named_ledger(f"{tmp_path}/a#b")[0].path == tmp_path / "a#b"
    for absurd in ("", " ", "a\0b", 3):
        with pytest.raises(ParameterError, match="Expected a path"):
            named_ledger(absurd)


# What goes wrong with the file


def refused(ledger, match):
    before = ledger.path.read_bytes() if ledger.path.is_file() else None
    with pytest.raises(LedgerError, match=match) as caught:
        ledger.reserve(HALF, UNIT_OF_ROWS)
    assert str(caught.value).startswith("Expected ")
    assert caught.value.__cause__ is None
    return before


def test_a_missing_ledger(tmp_path):
    refused(Ledger(tmp_path / "none.ledger"), "got no file. Make one with `tacit ledger new --schema`")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", [b"", b"age,sex\n12,f\n", b"SQLite format 3\0" + bytes(4096)], ids=["empty", "table", "torn"]
)
def test_not_a_ledger(tmp_path, content):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    refused(Ledger(path), "no ledger|something else")
    assert path.read_bytes() == content


def test_another_database_or_format(ledger, tmp_path):
    other = Ledger(tmp_path / "other.db")
    with closing(sqlite3.connect(other.path)) as connection, connection:
        connection.execute("CREATE TABLE rows (x)")
    refused(other, "database of something else")
    edit(ledger, "PRAGMA user_version = 4")
    refused(ledger, "format 3, got format=4")


def test_a_copy_is_refused_and_can_be_read(ledger, tmp_path):
    ledger.reserve(HALF, UNIT_OF_ROWS)
    copied = Ledger(tmp_path / "copy.ledger")
    shutil.copy2(ledger.path, copied.path)
    refused(copied, "got a copy of it")
    assert copied.balance().spent == UNIT // 2
    # In the place of the deleted original, too, though it may get its inode's number.
    ledger.path.unlink()
    shutil.copy2(copied.path, ledger.path)
    refused(ledger, "got a copy of it")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="not every system tells a file's birth")
def test_a_file_in_the_place_of_a_deleted_one_is_another(tmp_path):
    path, known = tmp_path / "x", set()
    for _ in range(3):
        path.write_bytes(b"x")
        assert place.identity(path) == place.identity(path)
        known.add(place.identity(path))
        path.unlink()
        sleep(0.02)  # births are as fine as the system's clock ticks
    assert len(known) == 3


def test_a_second_name_is_refused(ledger, tmp_path):
    os.link(ledger.path, tmp_path / "second.ledger")
    refused(ledger, "has hard links")


def test_a_link_leads_to_the_ledger(ledger, tmp_path):
    (tmp_path / "link").symlink_to(ledger.path)
    Ledger(tmp_path / "link").reserve(HALF, UNIT_OF_ROWS)
    assert ledger.balance().spent == UNIT // 2


@pytest.mark.parametrize(
    "statements",
    [
        ["UPDATE lines SET amount = 1, spent = 1 WHERE number = 3"],
        ["UPDATE lines SET amount = 1 WHERE number = 2"],
        ["DELETE FROM lines WHERE number = 3"],
        ["DELETE FROM lines WHERE number = 3", "UPDATE head SET number = 2"],
        ["INSERT INTO lines SELECT 4, day, kind, account, -amount, 0, 0, 0, of, detail, nonce, 'x' FROM lines LIMIT 1"],
        ["UPDATE lines SET amount = 'much' WHERE number = 3"],
        ["UPDATE lines SET day = '1999-01-01' WHERE number = 3"],
        ["UPDATE lines SET detail = replace(detail, '3', '9') WHERE number = 1"],
        ["DELETE FROM lines"],
        ["DELETE FROM head"],
    ],
)  # fmt: skip
def test_an_edited_ledger(ledger, statements):
    ledger.reserve(HALF, UNIT_OF_ROWS)
    ledger.reserve(HALF, UNIT_OF_ROWS)
    edit(ledger, *statements)
    refused(ledger, r"(edited or cut off|no ledger).*Nothing was charged\.$")


def test_a_clock_that_is_set_back(ledger, monkeypatch):
    monkeypatch.setattr(writer, "today", lambda: "1999-12-31")
    refused(ledger, r"clock at or after the ledger's last day, 2\d{3}-\d\d-\d\d, got 1999-12-31. Set the clock right")
    monkeypatch.undo()
    assert ledger.balance().spent == 0
    ledger.reserve(HALF, UNIT_OF_ROWS)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(LedgerError, match="a folder that exists"):
        Ledger(tmp_path / "no" / "x.ledger").open(Account.of("people", Budget(1.0)))


def test_only_its_owner_may_read_it(ledger):
    assert ledger.path.stat().st_mode & 0o777 == 0o600


# Network drives

MOUNTS = """\
22 1 0:21 / / rw - ext4 /dev/sda1 rw
40 22 0:40 / /mnt/share\\040one rw,relatime shared:1 - nfs4 server:/export rw
41 40 0:41 / /mnt/share\\040one/local rw - ext4 /dev/sdb1 rw
42 22 0:42 / /home/x/remote rw - fuse.sshfs x@y:/ rw
43 22 0:43 / /mnt/win rw - 9p drvfs rw
44 22 0:44 / /mnt/odd rw - fuse.homemade odd rw
45 22 0:45 / /mnt/odd rw - cifs //server/x rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home", "ext4"), ("/mnt/share one", "nfs4"), ("/mnt/share one/deep", "nfs4"),
        ("/mnt/share one/local/a", "ext4"), ("/home/x/remote", "fuse.sshfs"),
        ("/home/x/remotely", "ext4"), ("/mnt/win/c", "9p"), ("/mnt/odd", "cifs"),
    ],
)  # fmt: skip
def test_the_mount_of_a_folder(folder, kind):
    assert place._mount_type(folder, MOUNTS) == kind


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "9p"])
def test_a_network_drive_is_refused_with_its_type(ledger, monkeypatch, tmp_path, kind):
    listed = tmp_path / "mountinfo"
    listed.write_text(f"22 1 0:21 / / rw - {kind} server rw\n")
    monkeypatch.setattr(place, "_MOUNTS", listed)
    refused(ledger, f"a mount of type '{kind}', where two machines may both take a lock")
    with pytest.raises(LedgerError, match="local disk"):
        Ledger(tmp_path / "new.ledger").open(Account.of("people", Budget(1.0)))
    assert not (tmp_path / "new.ledger").exists()
    listed.write_text("22 1 0:21 / / rw - ext4 /dev/sda rw\n")
    ledger.reserve(HALF, UNIT_OF_ROWS)
