"""Studies: learners compared over data sets, budgets and splits; non-private baselines."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.study.data import DataSpec
    from tacit.study.run.store import Store
    from tacit.study.study import LearnerSpec, Study

__all__ = ["DataSpec", "LearnerSpec", "Store", "Study"]

_HOMES = {
    "DataSpec": "tacit.study.data",
    "LearnerSpec": "tacit.study.study",
    "Store": "tacit.study.run.store",
    "Study": "tacit.study.study",
}


def __getattr__(name: str) -> Any:
    """Load a public name's module when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tacit.study' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
