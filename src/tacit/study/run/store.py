"""Where finished rows are kept: one SQLite file, each row written at once and whole.

The file is in write-ahead mode: killing the process, at any moment, loses no row that was put; beside the file there
may then be two others of its name, ending in ``-wal`` and ``-shm``, which belong to it and vanish when it is next used.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Literal, get_args

import polars as pl

from tacit.errors import ParameterError
from tacit.study.run.task import Task

Status = Literal["done", "failed"]
_Found = tuple[Status, dict[str, Any], float]  # status, result and seconds of a row

_TABLE = """
CREATE TABLE IF NOT EXISTS rows (
    key TEXT PRIMARY KEY, document TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('done', 'failed')),
    result TEXT NOT NULL, seconds REAL NOT NULL, version TEXT NOT NULL
) WITHOUT ROWID
"""
_KEPT = "key, document, result, seconds, version"
_APPLICATION = 0x7AC17  # SQLite's application_id, by which a store is recognized: "TACIT"

_CHUNK = 500  # keys in one query: older SQLite admits 999 parameters


@dataclass(frozen=True)
class Outcome:
    """Outcome of a task."""

    status: Status
    result: Mapping[str, Any]
    """The measured values; of a failed task ``error``, the type's name, and ``message``, a text of our own."""
    seconds: float
    """For the whole task."""


DIED = Outcome(
    "failed",
    {
        "error": "WorkerDied",
        "message": "The process that computed this row was killed, three times, probably for lack of memory. "
        "Use fewer workers. The next run tries again.",
    },
    0.0,
)
"""Of a row that takes its worker with it."""


class Store:
    """Finished rows by their task's key.

    Parameters
    ----------
    path : str or Path
        A file, made if it is missing, for its owner alone; or ``":memory:"``.

    Raises
    ------
    ParameterError
        If the file is something else than a store, damaged, or cannot be opened.

    Examples
    --------
    >>> store = Store(":memory:")
    >>> store.put(Task("fit", {"epsilon": 1.0}), Outcome("done", {"accuracy": 0.75}, 0.1))
    >>> store.rows([Task("fit", {"epsilon": 1.0})])["accuracy"].to_list()
    [0.75]
    """

    def __init__(self, path: str | Path):
        self.path = path if path == ":memory:" else Path(path)
        self._kept = self._open() if path == ":memory:" else None
        with self._connection() as connection:
            self._prepare(connection)

    @contextmanager
    def held_open(self) -> Iterator[None]:
        """Keep the file open, so that many rows are put faster."""
        if self._kept is not None:
            yield
            return
        with closing(self._open()) as self._kept:
            try:
                yield
            finally:
                self._kept = None

    def put(self, task: Task, outcome: Outcome) -> None:
        """Keep what came of a task; a failed row may be replaced, a finished one stays."""
        from tacit import __version__

        row = (task.key, task.document(), outcome.status, json.dumps(outcome.result), outcome.seconds, __version__)
        with self._connection() as connection, connection:
            connection.execute("DELETE FROM rows WHERE key = ? AND status = 'failed'", (task.key,))
            # Ignored is a row that another run of the same study has finished meanwhile: it holds the same.
            connection.execute("INSERT OR IGNORE INTO rows VALUES (?, ?, ?, ?, ?, ?)", row)

    def missing(self, tasks: Sequence[Task], *, retry_failed: bool = False) -> list[Task]:
        """Return the tasks that are still to do, in order and each once; also those whose workers were killed."""
        held = self._held(tasks, "done" if retry_failed else None)
        died = DIED.result["error"]
        kept = {key for key, (_, result, _) in held.items() if result.get("error") != died}
        return [task for task in dict.fromkeys(tasks) if task.key not in kept]

    def rows(self, tasks: Sequence[Task]) -> pl.DataFrame:
        """Return a row for each of the tasks that is here: inputs, labels, status, seconds, and results, by name.

        Tasks of the same key and labels give one row. Nested values are JSON text.
        """
        held = self._held(tasks)
        labeled = dict.fromkeys((task, json.dumps(dict(task.labels), sort_keys=True)) for task in tasks)
        found = [_row(task, labels, *held[task.key]) for task, labels in labeled if task.key in held]
        return pl.DataFrame(found, infer_schema_length=None)

    def finished(self, tasks: Sequence[Task]) -> dict[Task, tuple[Status, float]]:
        """Return status and seconds of each of the tasks that is here."""
        held = self._held(tasks)
        return {task: (held[task.key][0], held[task.key][2]) for task in tasks if task.key in held}

    def versions(self, tasks: Sequence[Task]) -> tuple[str, ...]:
        """Return the versions of this package that computed those of the tasks that are here, sorted."""
        found: set[str] = set()
        with self._connection() as connection:
            for keys in _chunks([task.key for task in tasks]):
                asked = f"SELECT DISTINCT version FROM rows WHERE key IN ({_marks(keys)})"  # noqa: S608  marks only
                found |= {str(version) for (version,) in connection.execute(asked, keys)}
        return tuple(sorted(found))

    def exported(self) -> pl.DataFrame:
        """Return all finished rows as they are kept, sorted by key: what `imported` takes."""
        with self._connection() as connection:
            found = connection.execute(f"SELECT {_KEPT} FROM rows WHERE status = 'done' ORDER BY key").fetchall()  # noqa: S608  a constant
        return pl.DataFrame(found, schema=_KEPT.split(", "), orient="row", infer_schema_length=None)

    def imported(self, rows: pl.DataFrame) -> None:
        """Keep finished rows of another store, with the version that computed them; those that are here stay."""
        with self._connection() as connection, connection:
            asked = f"INSERT OR IGNORE INTO rows ({_KEPT}, status) VALUES (?, ?, ?, ?, ?, 'done')"  # noqa: S608  a constant
            connection.executemany(asked, rows.select(_KEPT.split(", ")).iter_rows())

    def __len__(self) -> int:
        with self._connection() as connection:
            return int(connection.execute("SELECT count(*) FROM rows").fetchone()[0])

    def _held(self, tasks: Sequence[Task], status: Status | None = None) -> dict[str, _Found]:
        """Return (status, result, seconds) by key."""
        held: dict[str, _Found] = {}
        with self._connection() as connection:
            for keys in _chunks([task.key for task in tasks]):
                asked = f"SELECT key, status, result, seconds FROM rows WHERE key IN ({_marks(keys)})"  # noqa: S608  marks only
                for key, found, result, seconds in connection.execute(asked, keys):
                    if status in (None, found):
                        held[key] = _checked(found, result, seconds)
        return held

    def _prepare(self, connection: sqlite3.Connection) -> None:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        known = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if known and application == _APPLICATION:
            return
        if known:
            raise sqlite3.DatabaseError
        connection.execute("PRAGMA journal_mode = WAL")
        with connection:
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")  # first: killed in between, it stays ours
            connection.execute(_TABLE)

    def _open(self) -> sqlite3.Connection:
        if isinstance(self.path, Path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):  # scores on private rows are their owner's to read; -wal and -shm follow
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        # 60 seconds: another process that writes to the file holds it for milliseconds, on a network drive for longer.
        connection = sqlite3.connect(self.path, timeout=60.0)
        # With a write-ahead log, NORMAL loses no row with the process; after a power cut, the last ones at most.
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            if self._kept is not None:
                yield self._kept
                return
            with closing(self._open()) as connection:
                yield connection
            return
        # Where the file is damaged, SQLite's own messages quote its bytes, and may be no text.
        except (sqlite3.DatabaseError, UnicodeDecodeError, OSError) as error:
            refused = _is_refusal(error)
        if refused:
            raise ParameterError(
                f"Expected to read and write the store {self.path}, got refused. "
                "Check the path, its permissions and the free space."
            )
        raise ParameterError(f"Expected a store of a study, got something else in {self.path}. Choose another path.")


def _is_refusal(error: Exception) -> bool:
    """Tell a file that may not be used from one that is no store, or a damaged one."""
    if isinstance(error, OSError):
        return True
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    return isinstance(error, sqlite3.OperationalError) and code != sqlite3.SQLITE_ERROR


def _checked(status: Any, result: Any, seconds: Any) -> _Found:
    """Return a row's values, read; a file that another hand has written may hold anything.

    Raises
    ------
    sqlite3.DatabaseError
        If they are not what ``put`` writes.
    """
    try:
        read = json.loads(result) if isinstance(result, str) else None
    except (ValueError, RecursionError):
        read = None
    timed = isinstance(seconds, int | float) and isfinite(seconds) and seconds >= 0
    if status in get_args(Status) and isinstance(read, dict) and timed:
        return status, read, float(seconds)
    raise sqlite3.DatabaseError


def _row(task: Task, labels: str, status: str, result: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    known = {"key": task.key, "measure": task.measure, **task.inputs, **json.loads(labels)}
    values = {**known, "status": status, "seconds": seconds, **result}
    return {name: _plain(value) for name, value in values.items()}


def _chunks(keys: Sequence[str]) -> Iterable[Sequence[str]]:
    return (keys[at : at + _CHUNK] for at in range(0, len(keys), _CHUNK))


def _marks(keys: Sequence[str]) -> str:
    return ",".join("?" * len(keys))


def _plain(value: Any) -> Any:
    """Return numbers, texts and nulls as they are, anything nested as JSON."""
    return value if isinstance(value, str | int | float | None) else json.dumps(value, sort_keys=True)
