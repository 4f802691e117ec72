"""Running artefacts' tasks, and putting what is in the store beside the published numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from reproductions.external import find_external
from reproductions.framework.artefact import Artefact
from tacit.datasets import load
from tacit.datasets.catalog import records
from tacit.errors import DatasetUnavailable
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
        Tasks of that form, of the quick one where it is incomplete; those that cannot be run here are not counted.
    seconds : float
        That the finished tasks took, one after the other.
    versions : tuple of str
        Of Tacit, that computed them.
    """

    extent: Extent
    done: int
    total: int
    seconds: float
    versions: tuple[str, ...] = ()

    @property
    def is_quick(self) -> bool:
        """Whether the quick form is to be shown."""
        return self.extent != "full"

    def in_words(self, artefact: Artefact) -> str:
        """Return what was run."""
        if self.extent == "full":
            return f"the paper's own repetitions ({artefact.full})"
        if self.extent == "quick":
            return f"quick ({artefact.quick})"
        return "nothing yet" if self.extent == "nothing" else f"unfinished ({self.done} of {self.total} tasks)"


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
    Tasks whose data set or whose learner's environment is not there are left out; failed ones are tried again.
    """
    compute([artefact], store, quick=quick, workers=workers, progress=progress)
    return comparison(artefact, store, quick=quick)


def compute(
    artefacts: Sequence[Artefact],
    store: Store,
    *,
    quick: bool = True,
    workers: int | None = None,
    progress: OnProgress | None = None,
) -> None:
    """Compute what the store lacks of several artefacts; a task that they share is computed once."""
    absent = missing_data(artefacts, fetch=True)
    tasks = [task for one in artefacts for task in one.tasks(quick) if not obstacle(task, absent)]
    run(tasks, store, workers=workers, progress=progress, retry_failed=True)


def comparison(artefact: Artefact, store: Store, *, quick: bool = True) -> pl.DataFrame:
    """Return what is in the store beside the published numbers; tasks that are not there leave ``ours`` null."""
    absent = missing_data([artefact])
    tasks = artefact.tasks(quick)
    found = _results(tasks, store)
    rows = [{**(found.get(task.key) or _nothing(task, absent)), **task.labels} for task in tasks]
    return artefact.compare(pl.DataFrame(rows, infer_schema_length=None))


def standing(artefact: Artefact, store: Store) -> Standing:
    """Return what of the artefact is in the store: the full form if all of it is there, else how much of the quick."""
    full = _standing(artefact, store, "full", False)
    return full if full.extent == "full" else _standing(artefact, store, "quick", True)


def _standing(artefact: Artefact, store: Store, form: Literal["full", "quick"], quick: bool) -> Standing:
    absent = missing_data([artefact])
    wanted = [task for task in dict.fromkeys(artefact.tasks(quick)) if not obstacle(task, absent)]
    found = store.finished(wanted)
    extent: Extent = form if len(found) == len(wanted) else "partly"
    seconds = sum(seconds for _, seconds in found.values())
    return Standing(extent if found else "nothing", len(found), len(wanted), seconds, store.versions(wanted))


def missing_data(artefacts: Sequence[Artefact], *, fetch: bool = False) -> tuple[str, ...]:
    """Return the data sets that the artefacts need and that are not here.

    Parameters
    ----------
    artefacts : sequence of Artefact
    fetch : bool
        Try to download those, but for large ones; without it nothing is read.
    """
    needed = dict.fromkeys(name for one in artefacts for name in one.data)
    # Nobody gets gibibytes who did not ask for them: `python -m reproductions --fetch` downloads those.
    large = {name for one in artefacts for name in one.large}
    return tuple(name for name in needed if not _is_here(name, fetch and name not in large))


def obstacle(task: Task, absent: Sequence[str]) -> str | None:
    """Return why a task cannot be run here: its data set is absent, or its learner's environment; else None."""
    name, learner = task.inputs.get("data"), str(task.inputs.get("learner") or "")
    if name in absent:
        return f"not run: the data set {name} is not here"
    if learner.startswith("external:"):
        environment = find_external(learner.removeprefix("external:")).environment
        if not environment.installed():
            install = f"python -m reproductions external install {environment.name}"
            return f"not run: {environment.package} is not installed ({install})"
    return None


def _is_here(name: str, fetch: bool) -> bool:
    if records()[name].here() is not None:
        return True
    if not fetch:
        return False
    try:
        load(name)
    except DatasetUnavailable:
        return False
    return True


def _nothing(task: Task, absent: Sequence[str]) -> dict[str, Any]:
    """Return a row for a task that is not in the store, without its nested inputs: the store has those as texts."""
    plain = {name: value for name, value in task.inputs.items() if not isinstance(value, dict | list)}
    return {**plain, "status": "missing", "reason": obstacle(task, absent) or "not run"}


def _results(tasks: Sequence[Task], store: Store) -> Mapping[str, dict[str, Any]]:
    """Return the store's rows by key, without labels."""
    plain = [task.unlabeled() for task in dict.fromkeys(tasks)]
    return {row["key"]: row for row in store.rows(plain).iter_rows(named=True)}
