"""Who computes what: each worker claims one task after another, and stays with one split as long as it can."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from tacit.study.run.task import Task

_TASKS = "tasks.json"
_CLAIMS = "claims"
_GROUPED_BY = ("data", "file", "split", "seed", "privacy")


class Claims:
    """The tasks of a round, in a folder that several processes read, and who has claimed which.

    Parameters
    ----------
    folder : Path
        As `write_tasks` filled it.
    """

    def __init__(self, folder: Path):
        self._folder = folder / _CLAIMS
        documents = json.loads((folder / _TASKS).read_text(encoding="utf-8"))
        self._tasks = [Task(each["measure"], each["inputs"]) for each in documents]
        self._groups = in_groups(self._tasks)
        self._mine: list[int] = []

    @property
    def measures(self) -> set[str]:
        """Names of what is measured."""
        return {task.measure for task in self._tasks}

    def claim(self) -> tuple[int, Task] | None:
        """Return a task that nobody else has, of the same split as the last if there is one; None at the end."""
        while True:
            while self._mine:
                at = self._mine.pop(0)
                if self._is_mine(at):
                    return at, self._tasks[at]
            self._mine = self._another_group()
            if not self._mine:
                return None

    def _is_mine(self, at: int) -> bool:
        try:
            with (self._folder / str(at)).open("x") as claim:
                claim.write(str(os.getpid()))
        except FileExistsError:
            return False
        return True

    def _another_group(self) -> list[int]:
        """Return what is left of the first group that nobody works on, else of that with most left."""
        taken = {int(name) for name in os.listdir(self._folder)}
        left = [([at for at in group if at not in taken], len(group)) for group in self._groups]
        for rest, size in left:
            if len(rest) == size:
                return rest
        return max((rest for rest, _ in left), key=len, default=[])


def write_tasks(folder: Path, tasks: Sequence[Task]) -> None:
    """Make the folder of a round."""
    (folder / _CLAIMS).mkdir(parents=True)
    documents = [{"measure": task.measure, "inputs": dict(task.inputs)} for task in tasks]
    (folder / _TASKS).write_text(json.dumps(documents), encoding="utf-8")


def claimed(folder: Path) -> list[int]:
    """Return the positions of the tasks that somebody has begun."""
    return sorted(int(name) for name in os.listdir(folder / _CLAIMS))


def in_groups(tasks: Sequence[Task]) -> list[list[int]]:
    """Return the positions of tasks that share a split, or at least a table, group by group."""
    groups: dict[str, list[int]] = defaultdict(list)
    for at, task in enumerate(tasks):
        shared = {name: task.inputs[name] for name in _GROUPED_BY if name in task.inputs}
        groups[json.dumps(shared, sort_keys=True)].append(at)
    return list(groups.values())
