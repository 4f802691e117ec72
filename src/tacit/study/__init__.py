"""Studies: learners compared over data sets, budgets and splits; non-private baselines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.study.data import DataSpec
    from tacit.study.run.store import Store
    from tacit.study.study import LearnerSpec, Study
else:
    __getattr__, __dir__ = on_demand(__name__, {"data": "DataSpec", "run.store": "Store", "study": "LearnerSpec Study"})

__all__ = ["DataSpec", "LearnerSpec", "Store", "Study"]
