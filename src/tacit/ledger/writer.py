"""The lines of a ledger within one transaction: what was written is looked at before a line is added."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

from tacit.errors import LedgerError
from tacit.ledger.lines import NO_HASH, Kind, Line
from tacit.ledger.place import identity

COLUMNS = "number, day, kind, account, amount, spent, delta, delta_spent, of, detail, nonce, hash"


def today() -> str:
    """Return the day, in universal time."""
    return datetime.now(UTC).date().isoformat()


class Writer:
    """The lines of a ledger within one transaction."""

    def __init__(self, connection: sqlite3.Connection, path: Path):
        self._connection, self._path = connection, path
        heads = connection.execute("SELECT file, number, hash, path FROM head").fetchall()
        if len(heads) != 1 or type(heads[0][1]) is not int:
            raise edited(path)
        file, number, hash_, noted = heads[0]
        self.file, self.noted = str(file), str(noted)
        self.last = None if number < 0 else self.line(number)
        if self.last is not None and (self.last.hash != hash_ or not self._is_whole(self.last)):
            raise edited(path)
        if connection.execute("SELECT max(number) FROM lines").fetchone()[0] != (None if number < 0 else number):
            raise edited(path)

    def line(self, number: int) -> Line:
        """Return one line.

        Raises
        ------
        LedgerError
            If it is not there.
        """
        found = self._connection.execute(f"SELECT {COLUMNS} FROM lines WHERE number = ?", (number,)).fetchone()  # noqa: S608  names of our own
        if found is None:
            raise edited(self._path)
        return as_line(found, self._path)

    def charge_of(self, hash_: str) -> Line | None:
        """Return the line of a hash, if it charged a fit."""
        asked = f"SELECT {COLUMNS} FROM lines WHERE hash = ? AND kind = 'reserve'"  # noqa: S608  names of our own
        found = self._connection.execute(asked, (hash_,)).fetchone()
        return None if found is None else self._checked(as_line(found, self._path))

    def charges(self) -> int:
        """Return how many fits were charged."""
        return int(self._connection.execute("SELECT count(*) FROM lines WHERE kind = 'reserve'").fetchone()[0])

    def last_of(self, account: str) -> Line | None:
        """Return the last line of an account, whose sum is the account's; its hash and sum were looked at."""
        asked = f"SELECT {COLUMNS} FROM lines WHERE account = ? ORDER BY number DESC LIMIT 1"  # noqa: S608  names of our own
        found = self._connection.execute(asked, (account,)).fetchone()
        if found is None:
            return None
        last = self._checked(as_line(found, self._path))
        # All hashes are for `verify`, as they take longer with every line; a sum is found at once.
        asked = "SELECT sum(amount), sum(delta) FROM lines WHERE account = ?"
        if self._connection.execute(asked, (account,)).fetchone() != (last.spent, last.delta_spent):
            raise edited(self._path)
        return last

    def opening_of(self, account: str) -> Line | None:
        """Return the line that opened an account."""
        asked = f"SELECT {COLUMNS} FROM lines WHERE account = ? ORDER BY number LIMIT 1"  # noqa: S608  names of our own
        found = self._connection.execute(asked, (account,)).fetchone()
        return None if found is None else self._checked(as_line(found, self._path))

    def accounts(self) -> list[str]:
        """Return the names of all accounts."""
        return [str(name) for (name,) in self._connection.execute("SELECT account FROM lines WHERE kind = 'account'")]

    def ending_of(self, number: int) -> Line | None:
        """Return the line that committed or gave back a charge."""
        asked = f"SELECT {COLUMNS} FROM lines WHERE of = ? AND number > ? LIMIT 1"  # noqa: S608  names of our own
        found = self._connection.execute(asked, (number, number)).fetchone()
        return None if found is None else as_line(found, self._path)

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
        values = [getattr(line, name) for name in COLUMNS.split(", ")]
        self._connection.execute(f"INSERT INTO lines VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608  marks only
        self._connection.execute("UPDATE head SET number = ?, hash = ?", (line.number, line.hash))
        self.last = line
        return line

    def note_path(self) -> None:
        """Note where the file is, as a log that it is later moved without would be there."""
        if self.noted != str(self._path):
            self._connection.execute("UPDATE head SET path = ?", (str(self._path),))

    def rebind(self) -> None:
        """Make this file the ledger, in place of the one that it is a copy of."""
        self._connection.execute("UPDATE head SET file = ?", (identity(self._path),))

    def _checked(self, line: Line) -> Line:
        if not self._is_whole(line):
            raise edited(self._path)
        return line

    def _is_whole(self, line: Line) -> bool:
        before = self._connection.execute("SELECT hash FROM lines WHERE number = ?", (line.number - 1,)).fetchone()
        return line.hash == line.chained(before[0] if before else NO_HASH)


def as_line(values: tuple[Any, ...], path: Path) -> Line:
    """Return a row of the file as a line, or refuse what no line holds."""
    # A file that another hand has written may hold anything.
    line = Line(*values)
    texts = (line.day, line.kind, line.account, line.detail, line.nonce, line.hash)
    numbers = (line.number, line.amount, line.spent, line.delta, line.delta_spent, line.of)
    if (
        not all(isinstance(each, str) for each in texts)
        or not all(type(each) is int for each in numbers)
        or line.kind not in get_args(Kind)
    ):
        raise edited(path)
    return line


def edited(path: Path) -> LedgerError:
    """Return the error of a file that another hand has changed."""
    return LedgerError(
        f"Expected a ledger that only tacit wrote, got {str(path)!r} with lines edited or cut off. `tacit ledger "
        "verify` says where; restore a backup with `tacit ledger restore`."
    )
