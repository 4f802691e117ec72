"""Builds the table of past studies from a store of finished fits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache

import polars as pl

from benchmarks.advice.experiments import BASELINE, SCORES, Kind, kind_of, past_tasks, table_of
from benchmarks.advice.public_tables import KnownTable, Privacy
from tacit.errors import ParameterError
from tacit.study.advice.past_studies import DESCRIPTION, WORST, PastStudies
from tacit.study.advice.query import MetaFeatures
from tacit.study.run import Store, Task
from tacit.study.run.progress import OnProgress
from tacit.study.run.runner import run

_SAMPLE = ("data", "target", "rows")


def rebuild(
    store: Store,
    *,
    tables: Sequence[KnownTable],
    workers: int | None = None,
    progress: OnProgress | None = None,
) -> PastStudies:
    """Return past studies after computing the fits that the store lacks.

    Parameters
    ----------
    store : Store
        Where finished fits are kept; what is there is not computed again, unless it failed.
    tables : sequence of KnownTable
        All of them with classes to predict, or all with a number.
    workers, progress
        As `tacit.study.run.runner.run` takes them.
    """
    tasks = past_tasks(tables)
    run(tasks, store, workers=workers, progress=progress, retry_failed=True)
    return gathered(store, tasks)


def gathered(store: Store, tasks: Sequence[Task]) -> PastStudies:
    """Return past studies from finished tasks: means over repeats.

    A learner that refuses a task has the worst score there. The ceiling is the best non-private baseline by each
    measure, the constant one included; a baseline that cannot be fitted to some rows is left out there.

    Raises
    ------
    ParameterError
        If an experiment is missing or failed, or has no baseline.
    """
    done = store.rows(tasks)
    kind = kind_of(table_of(tasks[0].inputs["data"], tasks[0].inputs["target"]).known)
    if not _complete(tasks, done, kind):
        raise ParameterError("Expected every experiment to be done, got some that are not. Rebuild again.")
    settings = _fits(done, kind).join(_baselines(done, kind), on=_SAMPLE, nulls_equal=True)
    settings = settings.sort(*_SAMPLE, "privacy", "epsilon", "delta")
    described = pl.DataFrame([_description(*key) for key in settings.select("data", "target", "privacy").iter_rows()])
    frame = described.hstack(settings.drop("data", "target", "privacy"))
    scores = sorted(set(frame.columns) - set(DESCRIPTION))
    kept = [name for name in scores if frame[name].null_count() < frame.height]  # what is nowhere defined goes
    columns = [*(pl.col(name).cast(kind) for name, kind in DESCRIPTION.items()), pl.col(kept).cast(pl.Float32)]
    return PastStudies(frame.select(columns))


def _complete(tasks: Sequence[Task], done: pl.DataFrame, kind: Kind) -> bool:
    """Tell whether all fits are done, and for each of their samples the constant and another baseline."""
    fits = [task for task in tasks if task.measure == SCORES]
    if done.height == 0 or done.filter(measure=SCORES, status="done").height < len(fits):
        return False
    found = done.filter(measure=BASELINE, status="done")
    kinds: dict[tuple[object, ...], set[str]] = {}
    for *sample, learner in found.select(*_SAMPLE, "learner").iter_rows() if found.height else ():
        kinds.setdefault(tuple(sample), set()).add(learner)
    samples = {tuple(task.inputs[name] for name in _SAMPLE) for task in fits}
    return all(kind.constant in kinds.get(sample, ()) and len(kinds[sample]) > 1 for sample in samples)


def _fits(done: pl.DataFrame, kind: Kind) -> pl.DataFrame:
    """Return a row for each experiment: repeats, and the mean scores of each learner."""
    setting = [*_SAMPLE, "privacy", "epsilon", "delta"]
    rows = [
        (*sample, epsilon, delta, learner, *scores)
        for *sample, found in done.filter(measure=SCORES, status="done")
        .select(*_SAMPLE, "privacy", "scores")
        .iter_rows()
        for epsilon, delta, learner, *scores in json.loads(found)
    ]
    frame = pl.DataFrame(rows, schema=[*setting, "learner", *kind.prefixes], orient="row", infer_schema_length=None)
    counted = frame.group_by(setting).agg(pl.len() // pl.col("learner").n_unique()).rename({"len": "repeats"})
    for measured, prefix in kind.prefixes.items():
        wide = frame.pivot("learner", index=setting, values=measured, aggregate_function="mean")
        named = wide.rename({name: prefix + name for name in set(wide.columns) - set(setting)})
        counted = counted.join(named, on=setting, nulls_equal=True)
    return counted


def _baselines(done: pl.DataFrame, kind: Kind) -> pl.DataFrame:
    """Return a row for each table and number of rows: the constant baseline, and the best by each measure."""
    found = done.filter(measure=BASELINE, status="done")
    means = found.group_by(*_SAMPLE, "learner").agg(pl.col(*kind.prefixes).mean())
    best = means.group_by(_SAMPLE).agg(
        (pl.col(each).min() if each.replace("_", "-") in WORST else pl.col(each).max()).alias(f"{prefix}ceiling")
        for each, prefix in kind.prefixes.items()
    )
    constant = means.filter(learner=kind.constant).select(*_SAMPLE, majority=next(iter(kind.prefixes)))
    return constant.join(best, on=_SAMPLE, nulls_equal=True)


@cache
def _description(data: str, target: str | None, privacy: Privacy) -> dict[str, object]:
    table = table_of(data, target)
    meta_features = MetaFeatures.of(table.schema(privacy))
    return {"table": table.name, "source": table.source, "privacy": privacy} | asdict(meta_features)
