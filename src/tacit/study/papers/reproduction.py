"""Running an artefact's tasks, and putting what is in the store beside the published numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from tacit.datasets import load
from tacit.datasets.files import find
from tacit.datasets.records import RECORDS
from tacit.errors import DatasetUnavailable
from tacit.study.papers.artefact import Artefact
from tacit.study.run import Store, Task, run
from tacit.study.run.progress import OnProgress

Extent = Literal["full", "quick", "partly", "nothing"]


@dataclass(frozen=True)
class Standing:
    """What of an artefact is in a store.

    Attributes
    ----------
    extent : {"full", "quick", "partly", "nothing"}
        The paper's repetitions; the stated fraction of them; less than that.
    done, total : int
        Tasks of that form; of the quick one where it is incomplete.
    seconds : float
        That the finished tasks took, one after the other.
    """

    extent: Extent
    done: int
    total: int
    seconds: float


def reproduce(
    artefact: Artefact,
    store: Store,
    *,
    quick: bool = True,
    workers: int | None = None,
    progress: OnProgress | None = None,
) -> pl.DataFrame:
    """Return the comparison, after computing what the store lacks.

    Parameters
    ----------
    artefact : Artefact
    store : Store
        Finished tasks stay in it, whatever happens: a later call goes on from there.
    quick : bool
        The stated fraction instead of the paper's repetitions.
    workers, progress
        See `tacit.study.run.run`.

    Notes
    -----
    Tasks whose data set is not there are left out; those that failed before are tried again.
    """
    absent = set(missing_data(artefact, fetch=True))
    tasks = [task for task in artefact.tasks(quick) if task.inputs.get("data") not in absent]
    run(tasks, store, workers=workers, progress=progress, retry_failed=True)
    return comparison(artefact, store, quick=quick)


def comparison(artefact: Artefact, store: Store, *, quick: bool = True) -> pl.DataFrame:
    """Return what is in the store beside the published numbers; tasks that are not there leave ``ours`` null."""
    absent = set(missing_data(artefact))
    return artefact.compare(pl.DataFrame(_rows(artefact.tasks(quick), store, absent), infer_schema_length=None))


def standing(artefact: Artefact, store: Store) -> Standing:
    """Return what of the artefact is in the store: the full form if all of it is there, else how much of the quick."""
    for extent, quick in (("full", False), ("quick", True)):
        found = _results(artefact.tasks(quick), store)
        total, seconds = len(set(artefact.tasks(quick))), sum(row["seconds"] for row in found.values())
        if len(found) == total:
            return Standing(extent, total, total, seconds)  # type: ignore[arg-type]
    return Standing("partly" if found else "nothing", len(found), total, seconds)


def missing_data(artefact: Artefact, *, fetch: bool = False) -> tuple[str, ...]:
    """Return the data sets that the artefact needs and that are not here.

    Parameters
    ----------
    artefact : Artefact
    fetch : bool
        Try to download those; without it nothing is read.
    """
    return tuple(name for name in artefact.data if not _is_here(name, fetch))


def _is_here(name: str, fetch: bool) -> bool:
    if all(find(file) for file in RECORDS[name].files):
        return True
    if not fetch:
        return False
    try:
        load(name)
    except DatasetUnavailable:
        return False
    return True


def _rows(tasks: Sequence[Task], store: Store, absent: set[str]) -> list[dict[str, Any]]:
    """Return a row for each task, with its labels; for what is not in the store one of the status "missing"."""
    found = _results(tasks, store)
    nothing = {"status": "missing", "reason": "not run"}
    return [
        {
            **(found.get(task.key) or dict(task.inputs) | nothing | _reason(task, absent)),
            **task.labels,
        }
        for task in tasks
    ]


def _reason(task: Task, absent: set[str]) -> dict[str, str]:
    name = task.inputs.get("data")
    return {"reason": f"not run: the data set {name} is not here"} if name in absent else {}


def _results(tasks: Sequence[Task], store: Store) -> dict[str, dict[str, Any]]:
    """Return the store's rows by key, without labels."""
    plain = [Task(task.measure, task.inputs) for task in dict.fromkeys(tasks)]
    return {row["key"]: row for row in store.rows(plain).iter_rows(named=True)}
