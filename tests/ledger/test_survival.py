"""What becomes of a charge: after a kill it is in the file itself, and when a disk fails, errors say where it is."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from contextlib import closing, contextmanager
from tempfile import TemporaryDirectory

import pytest

from tacit.errors import AccountExceeded, LedgerError, TableError, conclusions
from tacit.ledger import UNIT, Account, AccountUnit, Ledger, database, file, heads
from tacit.ledger.verify import back_up, restore, verify
from tacit.ledger.writer import Writer
from tacit.privacy import Budget

HALF, ROWS = Budget(0.5), AccountUnit()

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


def killed_after(work):
    """Do something in a process that dies by SIGKILL right after it, whatever it holds."""
    child = os.fork()
    if not child:
        try:
            work()
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def raw(ledger, *statements):
    """Connect as programs of others do."""
    connection = sqlite3.connect(ledger.path, isolation_level=None)
    for statement in statements:
        connection.execute(statement).fetchall()
    return connection


def made_before(ledger):
    """Charge a ledger of the format before, whose charge is in the write-ahead log alone, as its process was killed."""

    def charge():
        connection = raw(ledger, "PRAGMA journal_mode = WAL", "BEGIN", "PRAGMA user_version = 2")
        parts = {"account": "people", "amount": UNIT // 2, "spent": UNIT // 2, "detail": "tree"}
        heads.remember(_appended(Writer(connection, ledger.path), parts))
        connection.execute("ALTER TABLE head DROP COLUMN path")
        connection.execute("COMMIT")

    killed_after(charge)
    assert ledger.path.with_name(f"{ledger.path.name}-wal").stat().st_size > 0
    return ledger


def _appended(writer, parts):
    writer.append("reserve", **parts)
    return writer


def moved(ledger, name):
    """Rename the ledger's file, and nothing else."""
    target = ledger.path.with_name(name)
    os.rename(ledger.path, target)
    return Ledger(target)


# After a kill


def test_a_killed_process_leaves_its_charge_in_the_file_itself(ledger, tmp_path):
    def charge():
        holding = [raw(ledger, "SELECT * FROM lines") for _ in range(2)]
        ledger.reserve(HALF, ROWS)
        assert holding

    killed_after(charge)
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith("people")] == ["people.ledger"]
    shutil.copy(ledger.path, tmp_path / "copied.ledger")
    assert Ledger(tmp_path / "copied.ledger").balance().spent == UNIT // 2
    ledger = moved(ledger, "renamed.ledger")
    ledger.reserve(HALF, ROWS)
    assert (ledger.balance().spent, verify(ledger)) == (UNIT, ())


def test_what_a_process_that_was_killed_left_empty_is_filled(ledger, tmp_path):
    (tmp_path / "new.ledger").touch(0o600)
    new = Ledger(tmp_path / "new.ledger")
    new.open(Account.of("people", Budget(1.0)))
    new.reserve(HALF, ROWS)
    assert new.balance().spent == UNIT // 2


def test_another_user_sees_charges_of_a_file_that_others_hold(ledger, tmp_path, monkeypatch):
    holding = raw(ledger, "BEGIN", "SELECT * FROM lines", "COMMIT")
    for _ in range(3):
        ledger.reserve(Budget(1.0), ROWS)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "of another user"))
    with pytest.raises(AccountExceeded, match="spent 3, left 0"):
        moved(ledger, "renamed.ledger").reserve(HALF, ROWS)
    holding.close()


def test_a_ledger_of_the_format_before_is_converted_with_what_its_log_holds(ledger):
    made_before(ledger)
    assert ledger.balance().spent == UNIT // 2, "it can be read as it is"
    ledger.reserve(HALF, ROWS)
    assert ledger.balance().spent == UNIT
    assert [path.name for path in ledger.path.parent.glob("people*")] == ["people.ledger"]
    with closing(raw(ledger)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
        assert connection.execute("PRAGMA user_version").fetchone()[0] == database.FORMAT
        assert connection.execute("SELECT path FROM head").fetchall() == [(str(ledger.path),)]
    assert verify(ledger) == ()


def test_a_ledger_of_the_format_before_that_lost_its_log_is_found(ledger, monkeypatch, tmp_path):
    ledger = moved(made_before(ledger), "renamed.ledger")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "of another user"))
    with pytest.raises(LedgerError, match=r"without '.*/people\.ledger-wal', in which the last charges may be"):
        ledger.reserve(HALF, ROWS)
    assert "moved without its log" in verify(ledger)[0]
    with pytest.raises(LedgerError, match="moved without its log"):
        back_up(ledger, tmp_path / "backup")
    os.rename(tmp_path / "people.ledger-wal", tmp_path / "renamed.ledger-wal")  # as the message says
    ledger.reserve(HALF, ROWS)
    assert ledger.balance().spent == UNIT


def test_a_process_of_the_version_before_is_waited_for(ledger, monkeypatch):
    made_before(ledger)
    holding = raw(ledger, "SELECT * FROM lines")
    monkeypatch.setattr(database, "_PATIENCE", 0.1)
    with pytest.raises(LedgerError, match=r"another process that holds it.*Nothing was charged\."):
        ledger.reserve(HALF, ROWS)
    holding.close()
    ledger.reserve(HALF, ROWS)
    assert ledger.balance().spent == UNIT


def test_a_file_that_was_moved_without_its_journal_is_found(ledger):
    ledger.reserve(HALF, ROWS)
    old = ledger.path
    ledger = moved(ledger, "renamed.ledger")
    journal = old.with_name(f"{old.name}-journal")
    journal.write_bytes(b"what a process that was killed while it wrote leaves")
    with pytest.raises(LedgerError, match=r"without '.*/people\.ledger-journal'.*Nothing was charged\."):
        ledger.reserve(HALF, ROWS)
    assert "moved without its log" in verify(ledger)[0]
    journal.unlink()
    ledger.reserve(HALF, ROWS)
    assert ledger.balance().spent == UNIT
    assert verify(ledger) == ()


def test_a_change_that_was_cut_short_is_undone_and_nothing_before_it(ledger):
    ledger.reserve(HALF, ROWS)

    def half_written():
        connection = raw(ledger, "PRAGMA cache_size = 1", "BEGIN IMMEDIATE")
        connection.execute("UPDATE lines SET detail = ?", ("x" * 10**6,))  # more than the cache: pages are in the file
        assert ledger.path.stat().st_size > 10**6

    killed_after(half_written)
    assert ledger.path.with_name("people.ledger-journal").exists()
    assert ledger.balance().spent == UNIT // 2
    assert verify(ledger) == ()


# When a disk fails


@contextmanager
def no_room(ledger):
    """Let no file of this process grow beyond the ledger's present size, as a quota does."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ledger.path.stat().st_size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


LONG = "x" * 10_000
"""A learner's name for which a ledger must grow."""


def test_a_disk_that_is_full_at_a_charge_charges_nothing(ledger):
    with no_room(ledger), pytest.raises(LedgerError, match=r"failure of the disk.*Nothing was charged\.$"):
        ledger.reserve(HALF, ROWS, fitted=LONG)
    assert (ledger.balance().spent, verify(ledger)) == (0, ())


def test_a_disk_that_is_full_when_a_fit_ends_leaves_it_charged(ledger):
    with pytest.raises(LedgerError) as caught, ledger.charged(HALF, ROWS) as payment:
        payment.reading()
        with no_room(ledger):
            payment.commit(LONG)
    assert str(caught.value).endswith(
        "The certificate was not noted. Charge 1 of account 'people' stays: epsilon 0.5 is spent."
    )
    assert "Nothing was charged" not in str(caught.value)
    assert ledger.balance().spent == UNIT // 2


@pytest.mark.parametrize(
    ("failing", "after", "spent", "said"),
    [
        ("UPDATE head SET number", False, 0, "Nothing was charged."),
        ("COMMIT", False, 0, "Nothing was charged."),
        ("COMMIT", True, UNIT // 2, "The charge stays."),
    ],
    ids=["before", "at the commit", "just after it"],
)
def test_a_failing_disk_says_what_became_of_the_charge(ledger, monkeypatch, failing, after, spent, said):
    break_once(monkeypatch, failing, after=after)
    with pytest.raises(LedgerError, match="a failure of the disk") as caught:
        ledger.reserve(HALF, ROWS)
    assert str(caught.value).endswith(said)
    assert (ledger.balance().spent, verify(ledger)) == (spent, ())


def test_what_cannot_be_read_is_not_known(ledger, monkeypatch):
    break_once(monkeypatch, "COMMIT", after=True)
    monkeypatch.setattr(file, "reading", refusing)
    with pytest.raises(LedgerError, match=r"Whether this was written is not known: look with `tacit ledger show`\.$"):
        ledger.reserve(HALF, ROWS)


def test_a_charge_that_cannot_be_given_back_is_said_to_be_there(ledger, monkeypatch):
    with pytest.raises(TableError) as caught, ledger.charged(HALF, ROWS):
        break_once(monkeypatch, "COMMIT")
        raise TableError("Expected a column, got none.")
    said = str(caught.value)
    assert said.startswith("Expected a column, got none. Giving back account 'people' of ledger ")
    assert ", epsilon 0.5, failed: " in said
    assert said.endswith("The charge was not given back.")
    assert ledger.balance().spent == UNIT // 2


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError(), ZeroDivisionError("a cell")])
def test_an_error_of_others_gets_a_note(ledger, error):
    error.add_note("a cell")
    with pytest.raises(type(error)), ledger.charged(Budget(0.25), ROWS) as payment:
        payment.reading()
        raise error
    assert conclusions(error) == ["Charge 1 of account 'people' stays: epsilon 0.25 is spent."]
    with pytest.raises(type(error)), ledger.charged(HALF, ROWS):
        raise error
    assert conclusions(error)[1:] == ["Nothing was charged."]


def break_once(monkeypatch, statement, *, after=False):
    """Let a disk fail once, before or after a statement is done."""
    connect, left = database._connection, [statement]

    class Failing(sqlite3.Connection):
        def execute(self, text, *values):
            fails = bool(left) and text.startswith(statement)
            done = super().execute(text, *values) if after or not fails else None
            if not fails:
                return done
            left.clear()
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR
            raise error

    def failing(path, more="mode=rw"):
        connect(path, more).close()
        return sqlite3.connect(f"file:{path}?{more}", uri=True, isolation_level=None, factory=Failing)

    monkeypatch.setattr(database, "_connection", failing)


@contextmanager
def refusing(path):
    raise LedgerError("Expected to read, got a failure.")
    yield


# Whose it is


def test_backups_and_restored_ledgers_are_their_owner_s_alone(ledger, tmp_path):
    os.chmod(ledger.path, 0o644)
    mask = os.umask(0)
    try:
        back_up(ledger, tmp_path / "backup")
        again = restore(tmp_path / "backup", tmp_path / "again.ledger")
    finally:
        os.umask(mask)
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "backup", again.path)] == [0o600, 0o600]


@pytest.mark.parametrize("before", [False, True], ids=["this format", "the format before"])
def test_reading_needs_no_right_to_write(ledger, before):
    ledger.reserve(HALF, ROWS)
    if before:
        raw(ledger, "PRAGMA journal_mode = WAL", "PRAGMA user_version = 2").close()
    with TemporaryDirectory() as folder:  # pytest's own are their owner's alone
        unwritable = Ledger(shutil.move(ledger.path, folder))
        os.chmod(unwritable.path, 0o444)
        os.chmod(folder, 0o555)
        said = as_another_user(lambda: read_and_refused(unwritable))
        assert os.listdir(folder) == ["people.ledger"]
    assert said == "0.5 () Check its permissions. Nothing was charged."


def read_and_refused(ledger):
    try:
        ledger.reserve(HALF, ROWS)
    except LedgerError as error:
        refused = str(error).partition("Check")[2]
    return f"{ledger.balance().spent / UNIT} {verify(ledger)} Check{refused}"


def as_another_user(work):
    """Return a text of a process without root's right to write everywhere."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            if os.getuid() == 0:
                os.setuid(65534)
            os.write(writer, work().encode())
        except BaseException as error:
            os.write(writer, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as stream:
        return stream.read()
