"""Progress of a study, and its estimated remaining time."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from tacit.study.run.task import Task

# Inputs that hardly change how long a task takes: tasks that differ in these alone are of one kind.
_VARIED = ("epsilon", "delta", "split", "repeat", "fold", "seed")


@dataclass(frozen=True)
class Progress:
    """How far a study is."""

    done: int
    """Finished tasks, failed ones and those found in the store included."""
    total: int
    failed: int
    """Of those that are done."""
    seconds_left: float | None
    """Estimated from how long tasks of the same kind have taken; None before any has finished."""


OnProgress = Callable[[Progress], None]


class Remaining:
    """Estimated time of the remaining tasks, from the mean of finished ones of the same kind.

    Parameters
    ----------
    tasks : iterable of Task
        What is left.
    known : mapping from Task to float
        Seconds that finished tasks have taken.
    workers : int
    """

    def __init__(self, tasks: Iterable[Task], known: Mapping[Task, float], workers: int):
        self._workers = workers
        self._left = Counter(map(_kind, tasks))
        self._taken: dict[str, tuple[float, int]] = defaultdict(lambda: (0.0, 0))
        for task, seconds in known.items():
            self._note(task, seconds)

    def finished(self, task: Task, seconds: float) -> None:
        """Note a task that is no longer left."""
        self._left[_kind(task)] -= 1
        self._note(task, seconds)

    def seconds(self) -> float | None:
        """Return the estimate, or None if nothing has finished yet."""
        total, count = (sum(part) for part in zip(*self._taken.values(), strict=True)) if self._taken else (0.0, 0)
        if not count:
            return None
        means = {kind: taken / n for kind, (taken, n) in self._taken.items()}
        left = sum(n * means.get(kind, total / count) for kind, n in self._left.items())
        # Workers without a task do not help: at the end fewer tasks are left than there are workers.
        return left / min(self._workers, max(self._left.total(), 1))

    def _note(self, task: Task, seconds: float) -> None:
        taken, count = self._taken[_kind(task)]
        self._taken[_kind(task)] = taken + seconds, count + 1


def _kind(task: Task) -> str:
    same = {name: value for name, value in task.inputs.items() if name not in _VARIED}
    return json.dumps([task.measure, same], sort_keys=True)
