"""The file of a ledger: SQLite in write-ahead mode, each change one transaction, on the disk before it counts."""

from __future__ import annotations

import ctypes
import os
import sqlite3
import sys
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, get_args
from urllib.parse import quote

from tacit.errors import LedgerError
from tacit.ledger import heads
from tacit.ledger.lines import Kind, Line
from tacit.ledger.place import check_local, check_single, identity

FORMAT = 2
APPLICATION = 0x7AC1D
"""SQLite's application_id, by which a ledger is recognized."""

_TABLES = (
    "CREATE TABLE lines (number INTEGER PRIMARY KEY, day TEXT NOT NULL, kind TEXT NOT NULL, account TEXT NOT NULL,"
    " amount INTEGER NOT NULL, spent INTEGER NOT NULL, delta INTEGER NOT NULL, delta_spent INTEGER NOT NULL,"
    " of INTEGER NOT NULL, detail TEXT NOT NULL, nonce TEXT NOT NULL, hash TEXT NOT NULL)",
    "CREATE INDEX lines_by_account ON lines (account, number)",
    "CREATE UNIQUE INDEX lines_by_hash ON lines (hash)",
    # One row: which file this is, and the chain's head, so that lines cannot be cut off unseen.
    "CREATE TABLE head (file TEXT NOT NULL, number INTEGER NOT NULL, hash TEXT NOT NULL)",
)
_COLUMNS = "number, day, kind, account, amount, spent, delta, delta_spent, of, detail, nonce, hash"

_PATIENCE = 60.0
"""Seconds that a change waits for others, each of which takes some milliseconds."""


def today() -> str:
    """Return the day, in universal time."""
    return datetime.now(UTC).date().isoformat()


def make(path: Path) -> None:
    """Make an empty ledger at a path where nothing is.

    Raises
    ------
    LedgerError
        If something is there, the disk is no local one, or the file cannot be made.
    """
    if not path.parent.is_dir():
        raise LedgerError(f"Expected a folder that exists, got {str(path.parent)!r}. Make it first.")
    check_local(path.parent)
    with _explained(path):
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            raise LedgerError(f"Expected no file at {str(path)!r}, got one. Choose another name.") from None
        try:
            with closing(_connection(path)) as connection:
                _fill(connection, path)
        except BaseException:
            for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
                name.unlink(missing_ok=True)
            raise


def _fill(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
        raise LedgerError(
            f"Expected a file system that SQLite's write-ahead log works on, got another for {str(path)!r}. "
            "Keep the ledger on a local disk."
        )
    connection.execute("BEGIN IMMEDIATE")
    for statement in (f"PRAGMA application_id = {APPLICATION}", f"PRAGMA user_version = {FORMAT}", *_TABLES):
        connection.execute(statement)
    connection.execute("INSERT INTO head VALUES (?, -1, '')", (identity(path),))
    connection.execute("COMMIT")


class Writer:
    """The lines of a ledger within one transaction."""

    def __init__(self, connection: sqlite3.Connection, path: Path):
        self._connection, self._path = connection, path
        heads = connection.execute("SELECT file, number, hash FROM head").fetchall()
        if len(heads) != 1 or type(heads[0][1]) is not int:
            raise _edited(path)
        file, number, hash_ = heads[0]
        self.file = str(file)
        self.last = None if number < 0 else self.line(number)
        if self.last is not None and (self.last.hash != hash_ or not self._is_whole(self.last)):
            raise _edited(path)
        if connection.execute("SELECT max(number) FROM lines").fetchone()[0] != (None if number < 0 else number):
            raise _edited(path)

    def line(self, number: int) -> Line:
        """Return one line.

        Raises
        ------
        LedgerError
            If it is not there.
        """
        found = self._connection.execute(f"SELECT {_COLUMNS} FROM lines WHERE number = ?", (number,)).fetchone()  # noqa: S608  names of our own
        if found is None:
            raise _edited(self._path)
        return _line(found, self._path)

    def charge_of(self, hash_: str) -> Line | None:
        """Return the line of a hash, if it charged a fit."""
        asked = f"SELECT {_COLUMNS} FROM lines WHERE hash = ? AND kind = 'reserve'"  # noqa: S608  names of our own
        found = self._connection.execute(asked, (hash_,)).fetchone()
        return None if found is None else self._checked(_line(found, self._path))

    def charges(self) -> int:
        """Return how many fits were charged."""
        return int(self._connection.execute("SELECT count(*) FROM lines WHERE kind = 'reserve'").fetchone()[0])

    def last_of(self, account: str) -> Line | None:
        """Return the last line of an account, whose sum is the account's; its hash and sum were looked at."""
        asked = f"SELECT {_COLUMNS} FROM lines WHERE account = ? ORDER BY number DESC LIMIT 1"  # noqa: S608  names of our own
        found = self._connection.execute(asked, (account,)).fetchone()
        if found is None:
            return None
        last = self._checked(_line(found, self._path))
        # All hashes are for `verify`, as they take longer with every line; a sum is found at once.
        asked = "SELECT sum(amount), sum(delta) FROM lines WHERE account = ?"
        if self._connection.execute(asked, (account,)).fetchone() != (last.spent, last.delta_spent):
            raise _edited(self._path)
        return last

    def opening_of(self, account: str) -> Line | None:
        """Return the line that opened an account."""
        asked = f"SELECT {_COLUMNS} FROM lines WHERE account = ? ORDER BY number LIMIT 1"  # noqa: S608  names of our own
        found = self._connection.execute(asked, (account,)).fetchone()
        return None if found is None else self._checked(_line(found, self._path))

    def accounts(self) -> list[str]:
        """Return the names of all accounts."""
        return [str(name) for (name,) in self._connection.execute("SELECT account FROM lines WHERE kind = 'account'")]

    def ending_of(self, number: int) -> Line | None:
        """Return the line that committed or gave back a charge."""
        asked = f"SELECT {_COLUMNS} FROM lines WHERE of = ? AND number > ? LIMIT 1"  # noqa: S608  names of our own
        found = self._connection.execute(asked, (number, number)).fetchone()
        return None if found is None else _line(found, self._path)

    def append(self, kind: Kind, **parts: Any) -> Line:
        """Add the next line.

        Raises
        ------
        LedgerError
            If the clock shows a day before that of the last line.
        """
        day = today()
        if self.last is not None and day < self.last.day:
            raise LedgerError(
                f"Expected a clock at or after the ledger's last day, {self.last.day}, got {day}. Set the clock right."
            )
        line = Line.after(self.last, kind=kind, day=day, **parts)
        values = [getattr(line, name) for name in _COLUMNS.split(", ")]
        self._connection.execute(f"INSERT INTO lines VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608  marks only
        self._connection.execute("UPDATE head SET number = ?, hash = ?", (line.number, line.hash))
        self.last = line
        return line

    def rebind(self) -> None:
        """Make this file the ledger, in place of the one that it is a copy of."""
        self._connection.execute("UPDATE head SET file = ?", (identity(self._path),))

    def _checked(self, line: Line) -> Line:
        if not self._is_whole(line):
            raise _edited(self._path)
        return line

    def _is_whole(self, line: Line) -> bool:
        before = self._connection.execute("SELECT hash FROM lines WHERE number = ?", (line.number - 1,)).fetchone()
        return line.hash == line.chained(before[0] if before else "0" * 64)


@contextmanager
def writing(path: Path, *, copy: bool = False) -> Iterator[Writer]:
    """Change a ledger in one transaction, which is on the disk when this returns, or did nothing.

    Parameters
    ----------
    path : Path
    copy : bool
        Whether the file may be a copy of the ledger that it names.

    Raises
    ------
    LedgerError
        If there is no ledger, or it is damaged, copied, set back, not writable, or of a clock that is ahead.
    """
    with _opened(path) as connection:
        connection.execute("BEGIN IMMEDIATE")
        try:
            writer = Writer(connection, path)
            if not copy and writer.file != identity(path):
                raise LedgerError(
                    f"Expected the ledger itself, got a copy of it at {str(path)!r}: two files would spend the same "
                    "budget twice. Use the original, or, if that is lost, `tacit ledger restore`."
                )
            if not copy:
                heads.check(writer, path)
            yield writer
            connection.execute("COMMIT")
            # After the commit, so that no head is noted that the file may lack.
            heads.remember(writer)
        except BaseException:
            # A transaction that failed to commit is taken back; nobody has read a row for it.
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise


def read_lines(path: Path) -> tuple[list[Line], str]:
    """Return all lines, and the hash that the file has as its head; reads a copy of a ledger as well."""
    with _opened(path) as connection:
        connection.execute("BEGIN")
        found = connection.execute(f"SELECT {_COLUMNS} FROM lines ORDER BY number").fetchall()  # noqa: S608  names of our own
        head = connection.execute("SELECT hash FROM head").fetchone()
        return [_line(each, path) for each in found], str(head[0]) if head else ""


def copy_to(path: Path, target: Path) -> None:
    """Write a consistent copy of a ledger to a path where nothing is; the copy cannot be charged."""
    if target.exists():
        raise LedgerError(f"Expected no file at {str(target)!r}, got one. Choose another name.")
    try:
        with _opened(path) as source, _explained(target), closing(sqlite3.connect(target)) as copied:
            source.backup(copied)
            copied.execute("PRAGMA journal_mode = DELETE")  # one file, which may lie anywhere
        with target.open("rb+") as stream:
            os.fsync(stream.fileno())
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def put_in_place(backup: Path, target: Path) -> None:
    """Copy a backup to where a ledger is to be; it stays a copy until it is bound to its new file."""
    check_local(target.parent)
    copy_to(backup, target)
    with _explained(target), closing(_connection(target)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    if not path.is_file():
        raise LedgerError(
            f"Expected a ledger at {str(path)!r}, got no file. Make one with `tacit ledger new`, or check the path."
        )
    check_local(path.parent)
    with _explained(path):
        check_single(path)
        with closing(_connection(path)) as connection:
            _check_format(connection, path)
            _hold(path)
            yield connection


_MOST_HELD = 8
_held: OrderedDict[tuple[str, str], sqlite3.Connection] = OrderedDict()
_lock = Lock()


def _hold(path: Path) -> None:
    """Keep one connection open in this process: SQLite empties its log with the last one, twice as slow as a charge."""
    if sys.platform == "win32":
        return  # where an open file cannot be moved or deleted
    key = str(path), identity(path)
    with _lock:
        if key in _held:
            return
        kept = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        kept.execute("SELECT count(*) FROM head").fetchone()  # takes part in the log from the first query on
        _held[key] = kept
        while len(_held) > _MOST_HELD:
            _held.popitem(last=False)[1].close()


def _forget() -> None:
    """Leave the parent's connections alone in a forked process: SQLite must neither use nor close them there."""
    global _lock
    _lock = Lock()  # the parent may have held it while it forked
    while _held:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(_held.popitem()[1]))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _connection(path: Path) -> sqlite3.Connection:
    # Without an implicit transaction: each begins and ends where it says so.
    address = f"file:{quote(str(path.absolute()))}?mode=rw"
    connection = sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)
    # FULL: a charge is on the disk before the call returns, and survives a power cut.
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _check_format(connection: sqlite3.Connection, path: Path) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        raise LedgerError(f"Expected a ledger, got a database of something else at {str(path)!r}. Choose another path.")
    if version != FORMAT:
        raise LedgerError(
            f"Expected a ledger of format {FORMAT}, got format={version} at {str(path)!r}. Use the version of tacit "
            "that made it, or a later one."
        )


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into one of ours that says what to do."""
    try:
        yield
        return
    except LedgerError:
        raise
    # SQLite quotes the bytes of a damaged file, which may be no text.
    except (sqlite3.Error, UnicodeDecodeError, OverflowError, OSError) as error:
        said = _reason(error)
    raise LedgerError(f"Expected to read and write the ledger {str(path)!r}, got {said}")


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.strerror or 'a failure'}. Check the path and its permissions."
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    return {
        sqlite3.SQLITE_FULL: "a full disk: nothing was charged. Free some space.",
        sqlite3.SQLITE_READONLY: "a file that cannot be written: nothing was charged. Check its permissions.",
        sqlite3.SQLITE_CANTOPEN: "a file that cannot be opened for writing. Check its permissions and its folder's.",
        sqlite3.SQLITE_PERM: "no permission. Check the file and its folder.",
        sqlite3.SQLITE_BUSY: "another process that holds it for over a minute. End it, and try again.",
        sqlite3.SQLITE_IOERR: "a failure of the disk: the charge may be spent. Look with `tacit ledger show`.",
    }.get(code, "something that is no ledger, or a damaged one. Restore a backup with `tacit ledger restore`.")


def _line(values: tuple[Any, ...], path: Path) -> Line:
    # A file that another hand has written may hold anything.
    line = Line(*values)
    texts = (line.day, line.kind, line.account, line.detail, line.nonce, line.hash)
    numbers = (line.number, line.amount, line.spent, line.delta, line.delta_spent, line.of)
    if (
        not all(isinstance(each, str) for each in texts)
        or not all(type(each) is int for each in numbers)
        or line.kind not in get_args(Kind)
    ):
        raise _edited(path)
    return line


def _edited(path: Path) -> LedgerError:
    return LedgerError(
        f"Expected a ledger that only tacit wrote, got {str(path)!r} with lines edited or cut off; nothing was "
        "charged. `tacit ledger verify` says where; restore a backup with `tacit ledger restore`."
    )
