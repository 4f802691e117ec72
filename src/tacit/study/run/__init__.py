"""Running a study: tasks that any process can do alone, a store that no interruption damages, a runner."""

from tacit.study.run.store import Store
from tacit.study.run.task import Task

__all__ = ["Store", "Task"]
