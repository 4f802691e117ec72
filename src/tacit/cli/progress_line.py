"""One line on a terminal: how many rows are read, how many releases are made, and about how long the rest takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from tacit.cli.console import Terminal, time_left
from tacit.privacy import ProgressEvent, progress

_FIRST_ESTIMATE = 2.0
"""Seconds before a rest is estimated: the first steps of a stage are slower than the others."""


@contextmanager
def measuring(
    terminal: Terminal, doing: str, about_rows: Callable[[], int | None] = lambda: None, *, reading: str = "Reading"
) -> Iterator[None]:
    """Show how far the reading, fits and predictions of the body are; ``about_rows`` is called on a terminal only."""
    console = terminal.live()
    if console is None:
        yield
        return
    with ProgressLine(console, doing, about_rows(), reading=reading) as line, progress(line.follow):
        yield


class ProgressLine:
    """Follows ``tacit.progress``.

    Parameters
    ----------
    console : Console
    doing : str
        What is done once rows are read.
    about_rows : int or None
        How many rows there may be, where events do not say.
    reading : str
        What is done while rows are read.
    """

    def __init__(self, console: Console, doing: str, about_rows: int | None = None, *, reading: str = "Reading"):
        columns: tuple[Any, ...] = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[at]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
        )
        # What a command writes itself goes past the line.
        self._bar = Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False)
        self._task = self._bar.add_task(reading, total=None, at="", left="")
        self._doing, self._about_rows, self._reading = doing, about_rows, reading
        self._stage, self._began = "", monotonic()

    def __enter__(self) -> ProgressLine:
        """Show the line."""
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the line."""
        self._bar.stop()

    def follow(self, event: ProgressEvent) -> None:
        """Show an event."""
        if event.of_releases:
            at = f"{event.releases:,} of {event.of_releases:,} releases"
            self._show(self._doing, at, event.releases, event.of_releases)
        elif event.rows and event.rows == event.of_rows:
            # Until releases are announced, or for good: nobody is told of runs whose number is secret.
            self._show(self._doing, "", 0, None)
        elif event.of_rows:
            self._show(self._reading, f"{event.rows:,} of {event.of_rows:,} rows", event.rows, event.of_rows)
        elif event.rows:
            # Files do not say how many rows they have; their owner may see a guess, which depends on cells.
            total = self._about_rows and max(self._about_rows, event.rows)
            self._show(self._reading, f"{event.rows:,} rows", event.rows, total)

    def _show(self, stage: str, at: str, done: int, total: int | None) -> None:
        if stage != self._stage:
            self._stage, self._began = stage, monotonic()
        passed, left = monotonic() - self._began, None
        if done and total and passed >= _FIRST_ESTIMATE:
            left = passed / done * (total - done)
        [task] = self._bar.tasks
        task.total = total  # to an update None means no change
        self._bar.update(self._task, description=stage, completed=done, at=at, left=time_left(left))
