"""Progress of long work, as events of public quantities: the same for neighboring tables that get the same answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

ROWS_TOGETHER = 65_536
"""Rows between two events, as many as a block has. Files are read in pieces of some megabytes, and how many rows these
have depends on how long private cells are."""


@dataclass(frozen=True)
class ProgressEvent:
    """How far the work in the body of ``progress`` is.

    Notes
    -----
    Privacy: numbers of rows are public where no identifier names persons, and are not told otherwise; how many releases
    there are follows from settings and earlier answers. Bytes of files, passes over rows and steps of a solver depend
    on private cells, and are in no event.
    """

    rows: int = 0
    """Read so far from files and queries, in steps of 65,536 until all are; 0 under an identifier."""
    of_rows: int | None = None
    """How many there are, where files say so (Parquet, Arrow) or all are read."""
    releases: int = 0
    """Made so far."""
    of_releases: int = 0
    """Announced so far: a fit announces all of its own at once. Some learners end before their plan does."""
    finished: bool = False
    """Whether the body has ended without an error; the last event says so."""


OnProgress = Callable[[ProgressEvent], None]


class _Tally:
    """What one callback was told last."""

    def __init__(self, callback: OnProgress):
        self._callback, self.event = callback, ProgressEvent()

    def tell(self, event: ProgressEvent) -> None:
        self.event = event
        self._callback(event)


_tallies: ContextVar[tuple[_Tally, ...]] = ContextVar("tallies", default=())


@contextmanager
def progress(callback: OnProgress) -> Iterator[None]:
    """Call a function with how far the fits, evaluations and predictions of the body are; of several, their sum.

    What the function raises ends the work as an interrupt would: what a ledger was charged stays charged.

    Parameters
    ----------
    callback : callable
        Gets a ``ProgressEvent`` for each 65,536 rows that are read of files and queries, for each release, and one at
        the end that is ``finished``. It gets no answers.

    Notes
    -----
    Privacy: events are functions of public quantities and of answers that were released. When they come is not: as any
    running time, it depends on private cells.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit import BRCClassifier, Label, Numeric, Schema, progress
    >>> schema = Schema([Numeric("age", 0, 90)], label=Label("income", ["high", "low"]))
    >>> events = []
    >>> with progress(events.append):
    ...     model = BRCClassifier(schema, epsilon=1.0, rounds=3).fit(np.arange(90)[:, None], ["low", "high"] * 45)
    >>> [f"{each.releases} of {each.of_releases}" for each in events], events[-1].finished
    (['0 of 4', '1 of 4', '2 of 4', '3 of 4', '4 of 4', '4 of 4'], True)
    """
    tally = _Tally(callback)
    token = _tallies.set((*_tallies.get(), tally))
    try:
        yield
    finally:
        _tallies.reset(token)
    tally.tell(replace(tally.event, finished=True))


@contextmanager
def untold() -> Iterator[None]:
    """Tell nobody of the progress of the body: of runs whose number is secret."""
    token = _tallies.set(())
    try:
        yield
    finally:
        _tallies.reset(token)


def is_followed() -> bool:
    """Tell whether anybody follows the progress of this context."""
    return bool(_tallies.get())


def tell_announced(count: int) -> None:
    """Say that so many releases were announced; only an accountant may."""
    for tally in _tallies.get():
        tally.tell(replace(tally.event, of_releases=tally.event.of_releases + count))


def tell_released() -> None:
    """Say that a release was made; only an accountant may."""
    for tally in _tallies.get():
        tally.tell(replace(tally.event, releases=tally.event.releases + 1))


class RowsRead:
    """Rows of one source, told in steps that no cell decides.

    Parameters
    ----------
    n_rows : int or None
        How many there are, if that is known.
    are_public : bool
        Whether their number is; else nothing is told.
    """

    def __init__(self, n_rows: int | None, *, are_public: bool = True):
        self._n_rows, self._are_public, self._read, self._told = n_rows, are_public, 0, 0
        self._tell(0)

    def add(self, n_rows: int) -> None:
        """Count rows that were read, and tell of each step that is complete."""
        self._read += n_rows
        while self._read - self._told >= ROWS_TOGETHER:
            self._tell(ROWS_TOGETHER)

    def end(self) -> None:
        """Tell of the last rows, which are all."""
        self._n_rows = self._read
        self._tell(self._read - self._told)

    def _tell(self, more: int) -> None:
        self._told += more
        for tally in _tallies.get() if self._are_public else ():
            rows = tally.event.rows + more
            total = None if self._n_rows is None else rows + self._n_rows - self._told
            tally.tell(replace(tally.event, rows=rows, of_rows=total))
