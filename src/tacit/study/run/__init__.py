"""Running a study: self-contained tasks, a crash-safe store of their results, and a pool of workers."""

from tacit.study.run.progress import Progress
from tacit.study.run.runner import run
from tacit.study.run.store import Outcome, Store
from tacit.study.run.task import Task

__all__ = ["Outcome", "Progress", "Store", "Task", "run"]
