"""Running a study: tasks that any process can do alone, a store that no interruption damages, a runner."""

from tacit.study.run.progress import Progress
from tacit.study.run.runner import run
from tacit.study.run.store import Outcome, Store
from tacit.study.run.task import Task

__all__ = ["Outcome", "Progress", "Store", "Task", "run"]
