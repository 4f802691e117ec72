"""A cluster of two workers on this machine against one process with two threads: fits from Parquet.

    python benchmarks/cluster.py [--rows 2000000] [--fits 3] [--only naive-bayes logistic] [--folder FOLDER]

Rows of 28 columns, made from a schema; both sides read the same files, train and give the model, in turns, and the
medians of their seconds are compared. The cluster is started before. Other work on the machine delays a cluster more
than one process; so the processor seconds of the driver and of its busiest worker together are compared, too, as if the
two never worked at the same time. Target: at most 1.5 times.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "2")
NAMES = ("naive-bayes", "logistic", "boosted-trees", "tree")
TARGET = 1.5


def processor() -> float:
    """Return the processor seconds of this process and of the children that it waited for."""
    return sum(os.times()[:4])


def taken(name: str, folder: Path, workers: Any, **given: Any) -> tuple[float, float]:
    """Return the seconds of a fit with a learner's defaults, and the processor seconds of driver and busiest worker."""
    from larger_than_memory import SCHEMA

    from tacit.study.learners import private_learners

    estimator = private_learners()[name](SCHEMA, epsilon=1.0)
    before, of_workers, start = processor(), workers.run(processor), time.perf_counter()
    estimator.fit(folder, **given)
    seconds, own, after = time.perf_counter() - start, processor() - before, workers.run(processor)
    busiest = max(after[one] - of_workers[one] for one in after) if "client" in given else 0.0
    return seconds, own + busiest


def compared(client: Any, folder: Path, names: list[str], n_fits: int) -> None:
    """Print a line for each learner."""
    for name in names:
        here, there = [], []
        for _ in range(n_fits):
            here.append(taken(name, folder, client, storage="memory"))
            there.append(taken(name, folder, client, client=client))
        medians = [[statistics.median(each) for each in zip(*runs, strict=True)] for runs in (there, here)]
        for what, two, one in zip(("seconds", "processor"), *medians, strict=True):
            missed = "" if two <= TARGET * one else "   MISSED"
            print(
                f"{name:14} {what:10} {two:7.2f} / {one:7.2f} = {two / one:5.2f}   at most {TARGET}{missed}", flush=True
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--fits", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=list(NAMES), metavar="LEARNER")
    parser.add_argument("--folder", type=Path, help="On a local disk, where files of the run are.")
    options = parser.parse_args()
    os.environ |= THREADS  # before the libraries are imported that read it
    warnings.simplefilter("ignore")
    from distributed import Client, LocalCluster
    from larger_than_memory import make

    os.environ["POLARS_MAX_THREADS"] = "1"  # of workers; Dask gives them one thread of linear algebra each
    quiet = {"dashboard_address": None, "silence_logs": 50}
    with (
        tempfile.TemporaryDirectory(dir=options.folder) as folder,
        LocalCluster(n_workers=2, threads_per_worker=1, **quiet) as cluster,
        Client(cluster) as client,
    ):
        make(Path(folder), options.rows)
        compared(client, Path(folder) / "parquet", options.only, options.fits)


if __name__ == "__main__":
    main()
