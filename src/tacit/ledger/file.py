"""The file of a ledger: each change is one transaction, on the disk before it counts, and says what became of it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tacit.errors import LedgerError, concluded
from tacit.ledger import heads
from tacit.ledger.database import changing, copy_into, explained, fill, noted_path, reading, without_log
from tacit.ledger.lines import Line
from tacit.ledger.place import check_local, identity, lost_log
from tacit.ledger.writer import COLUMNS, Writer, as_line
from tacit.saving import making

UNKNOWN = "Whether this was written is not known: look with `tacit ledger show`."
"""What an error says where the disk failed, and the file cannot be read."""


@dataclass(frozen=True)
class Outcome:
    """What an error says of a change that was written all the same, and of one that was not."""

    written: str
    unwritten: str


def make(path: Path) -> None:
    """Make an empty ledger where nothing is, or only the empty file of a process that was killed; leave any other.

    Raises
    ------
    LedgerError
        If the disk is no local one, or the file cannot be made.
    """
    with explained(path):
        if not path.parent.is_dir():
            raise LedgerError(f"Expected a folder that exists, got {str(path.parent)!r}. Make it first.")
        check_local(path.parent)
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        if path.is_file() and not path.stat().st_size:
            fill(path)


@contextmanager
def writing(path: Path, outcome: Outcome, *, copy: bool = False) -> Iterator[Writer]:
    """Change a ledger in one transaction, which is on the disk when this returns.

    Parameters
    ----------
    path : Path
    outcome : Outcome
        What an error says, whichever it is.
    copy : bool
        Whether the file may be a copy of the ledger that it names.

    Raises
    ------
    LedgerError
        If there is no ledger, or it is damaged, copied, set back, not writable, or of a clock that is ahead.
    """
    writer, committing = None, False
    try:
        with changing(path) as connection:
            try:
                writer = Writer(connection, path)
                if not copy:
                    _check_place(writer, path)
                yield writer
                writer.note_path()
                committing = True
                connection.execute("COMMIT")
                # After the commit, so that no head is noted that the file may lack.
                heads.remember(writer)
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise
    except BaseException as error:
        line = writer.last if writer and committing else None
        concluded(error, outcome.unwritten if line is None else _what_became(path, outcome, line))
        raise


def read_lines(path: Path) -> tuple[list[Line], str]:
    """Return all lines, and the hash that the file has as its head; reads a copy of a ledger as well."""
    with reading(path) as connection:
        connection.execute("BEGIN")
        found = connection.execute(f"SELECT {COLUMNS} FROM lines ORDER BY number").fetchall()  # noqa: S608  names of our own
        head = connection.execute("SELECT hash FROM head").fetchone()
        return [as_line(each, path) for each in found], str(head[0]) if head else ""


def moved_from(path: Path) -> tuple[str, Path | None]:
    """Return where a file was when it was last changed, if elsewhere, and a log that was left there."""
    with reading(path) as connection:
        noted = noted_path(connection)
        in_log = connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    return noted if noted != str(path) else "", lost_log(path, None if in_log else noted)


def is_itself(path: Path) -> bool:
    """Return whether a file is the ledger that it says, and no copy of it."""
    with reading(path) as connection:
        found = connection.execute("SELECT file FROM head").fetchone()
        return bool(found) and str(found[0]) == identity(path)


@contextmanager
def copied(path: Path, target: Path) -> Iterator[Path]:
    """Give a consistent copy of a ledger, which appears where nothing is when the body ends; it cannot be charged.

    Raises
    ------
    LedgerError
        If something is there, or it cannot be written.
    """
    with explained(target):
        try:
            with making(target, 0o600) as scratch:
                copy_into(path, scratch)
                yield scratch
        except FileExistsError:
            raise LedgerError(f"Expected no file at {str(target)!r}, got one. Choose another name.") from None


def _check_place(writer: Writer, path: Path) -> None:
    """Refuse a file that is not the ledger itself, whole and as this user left it."""
    if writer.file != identity(path):
        raise LedgerError(
            f"Expected the ledger itself, got a copy of it at {str(path)!r}: two files would spend the same "
            "budget twice. Use the original, or, if that is lost, `tacit ledger restore`."
        )
    if (log := lost_log(path, writer.noted)) is not None:
        raise LedgerError(without_log(path, log))
    heads.check(writer, path)


def _what_became(path: Path, outcome: Outcome, line: Line) -> str:
    """Say whether a line is in the file, after an error while it was committed: the file is opened again and read."""
    try:
        with reading(path) as connection:
            asked = "SELECT 1 FROM lines WHERE number = ? AND hash = ?"
            found = connection.execute(asked, (line.number, line.hash)).fetchone()
    except LedgerError:
        return UNKNOWN
    return outcome.written if found else outcome.unwritten
