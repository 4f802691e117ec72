"""Runs of a sampler on both neighbors, in batches; finished ones are kept in a file through an interruption."""

from __future__ import annotations

import io
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import numpy as np

from tacit.audit.samplers import Outputs, Sampler
from tacit.errors import ParameterError

_TABLE = "CREATE TABLE IF NOT EXISTS batches (key TEXT PRIMARY KEY, outputs BLOB NOT NULL, seconds REAL NOT NULL)"


class RunStore:
    """Finished batches by name, each written at once and whole: being killed at any moment loses none.

    Parameters
    ----------
    path : str or Path
        A SQLite file, made if it is missing. Outputs of unprotected runs are in it: it is for the auditor alone.

    Raises
    ------
    ParameterError
        If the file is something else.
    """

    def __init__(self, path: str | Path = ":memory:") -> None:
        try:
            self._connection = sqlite3.connect(path)
            with self._connection:
                self._connection.execute(_TABLE)
        except sqlite3.Error:
            raise ParameterError(
                f"Expected a file of runs, or none yet, got store={str(path)!r}. Choose another file."
            ) from None

    def get(self, key: str) -> tuple[Outputs, float] | None:
        """Return a batch and the seconds that it took, if it is there."""
        with closing(self._connection.execute("SELECT outputs, seconds FROM batches WHERE key = ?", (key,))) as found:
            row = found.fetchone()
        if row is None:
            return None
        with np.load(io.BytesIO(row[0]), allow_pickle=False) as arrays:
            return {name: arrays[f"v{at}"] for at, name in enumerate(arrays["names"].tolist())}, row[1]

    def put(self, key: str, outputs: Outputs, seconds: float) -> None:
        """Keep a batch."""
        packed = io.BytesIO()
        values = {f"v{at}": each for at, each in enumerate(outputs.values())}
        np.savez(packed, names=np.asarray(list(outputs), dtype=np.str_), **values)  # type: ignore[arg-type]
        with self._connection:
            self._connection.execute(
                "INSERT OR REPLACE INTO batches VALUES (?, ?, ?)", (key, packed.getvalue(), seconds)
            )

    def __enter__(self) -> RunStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


class Runs:
    """Independent runs of one sampler, drawn once or taken from the store.

    Parameters
    ----------
    sampler : Sampler
    name : str
        Distinguishes it from all others in the store: subject, claim, pair, noise.
    seed : int
    store : RunStore

    Attributes
    ----------
    seconds : float
        That all batches took, those of earlier calls too.
    """

    def __init__(self, sampler: Sampler, name: str, seed: int, store: RunStore) -> None:
        self.sampler, self.seconds = sampler, 0.0
        self._name, self._seed, self._store = name, seed, store

    def batch(self, phase: str, at: int, count: int) -> tuple[Outputs, Outputs]:
        """Return a numbered batch of so many runs on each side."""
        first, second = (self._side(f"{phase}/{at}/{count}", side, count) for side in (0, 1))
        return first, second

    def _side(self, place: str, side: int, count: int) -> Outputs:
        key = f"{self._name}/{self._seed}/{place}/{side}"
        found = self._store.get(key)
        if found is None:
            start = time.perf_counter()
            outputs = self.sampler.draw(side, count, int(sha256(key.encode()).hexdigest()[:12], 16))
            found = outputs, time.perf_counter() - start
            self._store.put(key, *found)
        self.seconds += found[1]
        return found[0]


def joined(batches: Sequence[Outputs]) -> Outputs:
    """Return batches as one; numbers that a batch lacks are NaN there."""
    names = sorted({name for batch in batches for name in batch})
    sizes = [len(next(iter(batch.values()))) for batch in batches]
    return {
        name: np.concatenate([b.get(name, np.full(size, np.nan)) for b, size in zip(batches, sizes, strict=True)])
        for name in names
    }
