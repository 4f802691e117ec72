"""The SQLite database of a ledger: opened to read or to change, with errors of ours that say what to do.

A change is first written to a journal beside the file, and is in the file itself once it is committed: no log holds a
charge that the file lacks, so that a file which is moved, renamed or copied by itself has every charge.
"""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from tacit.errors import LedgerError
from tacit.ledger.place import check_local, check_single, identity, lost_log

FORMAT = 3
_WITHOUT_PLACE = 2
"""The format before: in write-ahead mode, and without the path at which the file was last changed."""

APPLICATION = 0x7AC1D
"""SQLite's application_id, by which a ledger is recognized."""

_TABLES = (
    "CREATE TABLE lines (number INTEGER PRIMARY KEY, day TEXT NOT NULL, kind TEXT NOT NULL, account TEXT NOT NULL,"
    " amount INTEGER NOT NULL, spent INTEGER NOT NULL, delta INTEGER NOT NULL, delta_spent INTEGER NOT NULL,"
    " of INTEGER NOT NULL, detail TEXT NOT NULL, nonce TEXT NOT NULL, hash TEXT NOT NULL)",
    "CREATE INDEX lines_by_account ON lines (account, number)",
    "CREATE UNIQUE INDEX lines_by_hash ON lines (hash)",
    # One row: which file this is, the chain's head, so that lines cannot be cut off unseen, and where the file was.
    "CREATE TABLE head (file TEXT NOT NULL, number INTEGER NOT NULL, hash TEXT NOT NULL,"
    " path TEXT NOT NULL DEFAULT '')",
)

_PATIENCE = 60.0
"""Seconds that a change waits for others, each of which takes some milliseconds."""

_PAUSE = 0.05
"""Seconds between attempts at what SQLite does not wait for by itself; random up to there, so that two do not meet."""

_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_UNWRITABLE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Give a connection to read a ledger, or a copy of one; no right to write is needed.

    Raises
    ------
    LedgerError
        If there is no ledger of a known format, or it cannot be read.
    """
    with explained(path):
        _check_file(path)
        with closing(_connection_to_read(path)) as connection:
            _check_format(connection, path)
            yield connection


@contextmanager
def changing(path: Path) -> Iterator[sqlite3.Connection]:
    """Give a connection within a transaction; who uses it commits, and what is committed is on the disk.

    Raises
    ------
    LedgerError
        If there is no ledger of a known format, its disk is no local one, it cannot be written, or its log is lost.
    """
    with explained(path):
        _check_file(path)
        check_local(path.parent)
        with closing(_connection_to_change(path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            if _check_format(connection, path) == _WITHOUT_PLACE:
                connection.execute("ALTER TABLE head ADD COLUMN path TEXT NOT NULL DEFAULT ''")
                connection.execute(f"PRAGMA user_version = {FORMAT}")
            yield connection


def fill(path: Path) -> None:
    """Make an empty ledger of an empty file; leave any other as it is."""
    with closing(_connection_to_change(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return
        for statement in (f"PRAGMA application_id = {APPLICATION}", f"PRAGMA user_version = {FORMAT}", *_TABLES):
            connection.execute(statement)
        connection.execute("INSERT INTO head VALUES (?, -1, '', ?)", (identity(path), str(path)))
        connection.execute("COMMIT")


def copy_into(path: Path, target: Path) -> None:
    """Make a consistent copy of a ledger of an empty file."""
    with reading(path) as source, explained(target), closing(sqlite3.connect(target)) as copied:
        source.backup(copied)
        copied.execute("PRAGMA journal_mode = DELETE")  # one file, which may lie anywhere


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the system into one of ours; what became of a charge is for others to say."""
    try:
        yield
        return
    except LedgerError:
        raise
    # SQLite quotes the bytes of a damaged file, which may be no text.
    except (sqlite3.Error, UnicodeDecodeError, OverflowError, OSError) as error:
        said = _reason(error)
    raise LedgerError(f"Expected to read and write the ledger {str(path)!r}, got {said}")


def noted_path(connection: sqlite3.Connection) -> str:
    """Return where the file was when it was last changed; empty where its format does not say."""
    columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(head)")]
    found = connection.execute("SELECT path FROM head").fetchone() if "path" in columns else None
    return str(found[0]) if found else ""


def _check_file(path: Path) -> None:
    if not path.is_file():
        raise LedgerError(
            f"Expected a ledger at {str(path)!r}, got no file. Make one with `tacit ledger new --schema`, or check the "
            "path."
        )
    check_single(path)


def _connection(path: Path, more: str = "mode=rw") -> sqlite3.Connection:
    # Without an implicit transaction: each begins and ends where it says so.
    address = f"file:{quote(str(path.absolute()))}?{more}"
    return sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)


def _connection_to_read(path: Path) -> sqlite3.Connection:
    connection = _connection(path)
    try:
        connection.execute("PRAGMA application_id")
    except sqlite3.Error as error:
        connection.close()
        log = Path(f"{path}-wal")
        if _code(error) not in _UNWRITABLE or (log.exists() and log.stat().st_size):
            raise
    else:
        return connection
    # A file in write-ahead mode wants a log beside it, which cannot be made here; without one, the file has it all.
    return _connection(path, "immutable=1")


def _connection_to_change(path: Path) -> sqlite3.Connection:
    """Return a connection under which changes go into the file itself, as they did not in the format before."""
    until = time.monotonic() + _PATIENCE
    while True:
        connection = _connection(path)
        try:
            # Deleting its journal commits a change. EXTRA has the disk know of that: a journal that a power cut brought
            # back would undo the charge.
            connection.execute("PRAGMA synchronous = EXTRA")
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                return connection
            _check_format(connection, path)
            if (log := lost_log(path, None)) is not None:
                raise LedgerError(without_log(path, log))
            connection.execute("PRAGMA journal_mode = DELETE")
        except BaseException as error:
            # Closed before it is tried again: each of two connections in this mode keeps the other from leaving it.
            connection.close()
            if not isinstance(error, sqlite3.Error) or _code(error) not in _LOCKED or time.monotonic() > until:
                raise
        else:
            return connection
        time.sleep(random.uniform(0, _PAUSE))  # noqa: S311  no secret


def without_log(path: Path, log: Path) -> str:
    """Say that a file was moved without its log, in which charges may be."""
    beside = f"{path}-{str(log).rpartition('-')[2]}"
    return (
        f"Expected the ledger with its log, got {str(path)!r} without {str(log)!r}, in which the last charges may be. "
        f"Rename the log to {beside!r}; or remove it, if it is of another file."
    )


def _check_format(connection: sqlite3.Connection, path: Path) -> int:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if application != APPLICATION:
        raise LedgerError(f"Expected a ledger, got a database of something else at {str(path)!r}. Choose another path.")
    if version not in (_WITHOUT_PLACE, FORMAT):
        raise LedgerError(
            f"Expected a ledger of format {FORMAT}, got format={version} at {str(path)!r}. Use the version of tacit "
            "that made it, or a later one."
        )
    return version


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.strerror or 'a failure'}. Check the path and its permissions."
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_READONLY_ROLLBACK:
        return "a change that was not finished. Open it once where it can be written, which takes the change back."
    return {
        sqlite3.SQLITE_FULL: "a full disk. Free some space.",
        sqlite3.SQLITE_READONLY: "a file that cannot be written. Check its permissions.",
        sqlite3.SQLITE_CANTOPEN: "a file that cannot be opened. Check its permissions and its folder's.",
        sqlite3.SQLITE_PERM: "no permission. Check the file and its folder.",
        sqlite3.SQLITE_BUSY: "another process that holds it for over a minute. End it, and try again.",
        sqlite3.SQLITE_IOERR: "a failure of the disk, or a quota. Check both.",
        sqlite3.SQLITE_NOMEM: "too little memory. Free some.",
    }.get(
        _code(error) if isinstance(error, sqlite3.Error) else sqlite3.SQLITE_CORRUPT,
        "something that is no ledger, or a damaged one. Restore a backup with `tacit ledger restore`.",
    )
