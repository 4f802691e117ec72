"""Running a study: self-contained tasks, a crash-safe store of their results, and a pool of workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.study.run.progress import Progress
    from tacit.study.run.runner import run
    from tacit.study.run.store import Outcome, Store
    from tacit.study.run.task import Task
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "progress": "Progress",
            "runner": "run",
            "store": "Outcome Store",
            "task": "Task",
        },
    )

__all__ = ["Outcome", "Progress", "Store", "Task", "run"]
