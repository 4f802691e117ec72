"""A study against the bare fits in it: python benchmarks/study.py [fits] [learner].

Fits of one learner on Adult, all private, over epsilons and splits, in a study with a worker a core and a store on
disk: starting processes, reading, splitting, predicting and storing included. The yardstick, in the same run: the sum
of the times that the same fits take alone on their data frame, on one thread, divided by the cores; a sample of them is
measured. The second yardstick leaves out what the study saves, reading the frame: fits of a table read before.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from joblib import cpu_count
from threadpoolctl import threadpool_limits

from tacit.datasets import load
from tacit.study.learners import private_learners
from tacit.study.run import Task
from tacit.study.run.tables import Tables
from tacit.study.study import Study

EPSILONS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
SAMPLE = 40
MAX_RATIO = 1.3


def study_of(fits: int, learner: str) -> Study:
    """So many fits, ten epsilons a split."""
    return Study(["adult"], [learner], EPSILONS, repeats=max(fits // len(EPSILONS), 1), privacy=["all-private"])


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds, and seconds of processors, this one's and its children's."""
    start, used = time.perf_counter(), cpu_seconds()
    work()
    return time.perf_counter() - start, cpu_seconds() - used


def cpu_seconds() -> float:
    """Processor time of this process and of its children that have ended."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, kinds))


def bare_seconds(tasks: list[Task], learner: str, *, read_before: bool) -> tuple[float, float]:
    """Mean seconds of the fits of tasks, alone and on one thread."""
    data, tables = load("adult"), Tables()
    schema, taken = data.schema.all_private(), (0.0, 0.0)
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for task in tasks:
            split = tables.split(task)
            estimator = private_learners()[learner](schema, epsilon=task.inputs["epsilon"], random_state=task.seed)
            if read_before:
                estimator.fit_table(split.table)  # so that the table is encoded
                taken = add(taken, timed(lambda e=estimator, s=split: e.fit_table(s.table)))
            else:
                frame, labels = data.frame[split.train_index], data.target[split.train_index]
                taken = add(taken, timed(lambda e=estimator, f=frame, y=labels: e.fit(f, y)))
    return taken[0] / len(tasks), taken[1] / len(tasks)


def add(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Sums of pairs."""
    return one[0] + other[0], one[1] + other[1]


def main() -> None:
    fits = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    for learner in sys.argv[2:3] or ("naive-bayes", "brc"):
        report(study_of(fits, learner), learner, min(cpu_count(), len(os.sched_getaffinity(0))))


def report(study: Study, learner: str, cores: int) -> None:
    """Print the ratios of one learner."""
    tasks = list(study.tasks())
    sample = tasks[:: max(len(tasks) // SAMPLE, 1)]
    before = bare_seconds(sample[::2], learner, read_before=False)
    with tempfile.TemporaryDirectory() as folder:
        wall, cpu = timed(lambda: study.run(Path(folder) / "rows", workers=cores))
    after = bare_seconds(sample[1::2], learner, read_before=False)
    bare = [(one + other) / 2 * len(tasks) for one, other in zip(before, after, strict=True)]
    table = [each * len(tasks) for each in bare_seconds(sample, learner, read_before=True)]
    print(f"{learner}: {len(tasks):,} fits on Adult, {cores} cores")
    print(f"study                          {wall:8.1f} s   {cpu:8.1f} s of processors")
    print(f"bare fits of frames / cores    {bare[0] / cores:8.1f} s   {bare[1]:8.1f} s of processors")
    print(f"bare fits of tables / cores    {table[0] / cores:8.1f} s   {table[1]:8.1f} s of processors")
    print(f"study / bare fits of frames    {wall * cores / bare[0]:8.2f} (at most {MAX_RATIO})   {cpu / bare[1]:.2f}")
    print(f"study / bare fits of tables    {wall * cores / table[0]:8.2f}   {cpu / table[1]:.2f} of processors")


if __name__ == "__main__":
    main()
