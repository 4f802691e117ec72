"""Tables on disk: memory and time of fits and predictions, as ratios within one run.

    python benchmarks/larger_than_memory.py [--rows 1000000] [--only naive-bayes brc] [--folder FOLDER]

Rows of 28 columns, made from a schema, as Parquet and as CSV; every fit and scan is a process of its own. Seconds are
processor seconds, those of child processes included, so that other work on the machine weighs little. Memory is the
largest anonymous memory that was seen, every 5 ms; pages of mapped files do not count. Targets: the first pass 3 times
polars' scan and sum from Parquet, 2 times from CSV; a fit within 1.5 GiB and in time linear in rows; a round on disk
1.3 times one in memory; predictions within 1 GiB, and those of logistic regression no slower than scikit-learn's, both
from a polars frame. Predicting from files to a file, beside polars reading the columns and writing one, has no target.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.linear_model import LogisticRegression

from tacit.cli.predict_command import predict
from tacit.features import BinEncoding
from tacit.models import read_model, write_model
from tacit.schema import Label, Numeric, Schema
from tacit.study.learners import private_learners
from tacit.table import opened_source, read_source

SCHEMA = Schema([Numeric(f"x{at}", -4, 4) for at in range(28)], label=Label("y", [0, 1]))
PART = 1_000_000
SETTINGS: dict[str, dict[str, Any]] = {"brc": {"rounds": 50}}


def make(folder: Path, n_rows: int) -> None:
    """Write rows as Parquet files of a million rows, and the same as CSV."""
    for at in range(0, n_rows, PART):
        generator = np.random.default_rng(at)
        size = min(PART, n_rows - at)
        columns = {name: generator.normal(size=size).astype(np.float32).round(6) for name in SCHEMA.names}
        labels = (columns["x0"] + columns["x1"] > generator.normal(size=size)).astype(np.int8)
        frame = pl.DataFrame({**columns, "y": labels})
        for kind, write in (("parquet", frame.write_parquet), ("csv", frame.write_csv)):
            (folder / kind).mkdir(exist_ok=True)
            write(folder / kind / f"{at:012}.{kind}")


def scan(path: Path) -> None:
    """Sum every column by polars alone."""
    files = str(path / f"*.{path.name}")
    query = pl.scan_parquet(files) if path.name == "parquet" else pl.scan_csv(files)
    query.select(pl.all().sum()).collect(engine="streaming")


def fit(path: Path, name: str, place: str) -> None:
    """Train a learner with its defaults and save it."""
    model = private_learners()[name](SCHEMA, epsilon=1.0, **SETTINGS.get(name, {})).fit(path, storage=place)
    write_model(model.model_, path.parent / f"{name}.json")


def rounds(path: Path, place: str) -> dict[str, float]:
    """Return the seconds of twenty later rounds of boosted trees, and of reading the encoded rows so often."""
    table = read_source(opened_source(path), SCHEMA, place=place)
    learner, seconds = private_learners()["boosted-trees"], []
    for trees in (5, 5, 25):  # encodings are made by the first
        start = time.process_time()
        learner(SCHEMA, epsilon=1.0, n_trees=trees, depth=4).fit_table(table)
        seconds.append(time.process_time() - start)
    encoding, start = BinEncoding(SCHEMA, SCHEMA.names), time.process_time()
    table.visit(lambda block: block.codes(encoding))
    start = time.process_time()
    for _ in range(20):
        table.visit(lambda block: block.codes(encoding).sum())
    return {"rounds": seconds[2] - seconds[1], "reading": time.process_time() - start}


def frame_predictions(path: Path) -> dict[str, float]:
    """Return what scikit-learn's logistic regression and ours take to predict rows in a frame, the least of five."""
    frame = pl.read_parquet(str(path / "*.parquet"))
    X, y = frame.select(SCHEMA.names), frame["y"].to_numpy()
    models = [LogisticRegression(max_iter=20).fit(X[:20_000], y[:20_000]), read_model(path.parent / "logistic.json")]
    seconds: list[list[float]] = [[], []]
    for _ in range(5):
        for model, taken in zip(models, seconds, strict=True):
            time.sleep(0.3)  # threads of scikit-learn's product spin for a while after it, which would count as ours
            start = time.process_time()
            model.predict(X)
            taken.append(time.process_time() - start)
    return {"theirs": min(seconds[0]), "ours": min(seconds[1])}


def copied(path: Path) -> None:
    """Read the columns of the rows, and write one, by polars alone."""
    query = pl.scan_parquet(str(path / "*.parquet")).select(pl.sum_horizontal(SCHEMA.names) > 0)
    query.sink_parquet(path.parent / "copy.parquet")


TASKS: dict[str, Callable[..., Any]] = {
    "scan": scan,
    "read": lambda path, place: read_source(opened_source(path), SCHEMA, place=place) and None,
    "fit": fit,
    "rounds": rounds,
    "frame": frame_predictions,
    "copy": copied,
    "predict": lambda path, name: predict(
        model=path.parent / f"{name}.json", table=path, out=path.parent / "out.parquet", quiet=True
    ),
}


def anonymous() -> int:
    """Return the bytes of anonymous memory of this process."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) << 10


def child(task: str, path: Path, *options: str) -> None:
    """Do one task and write what it took."""
    most, done = [anonymous()], threading.Event()

    def watch() -> None:
        while not done.wait(0.005):
            most[0] = max(most[0], anonymous())

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    before = sum(os.times()[:4])
    warnings.simplefilter("ignore")
    found = TASKS[task](path, *options) or {}
    seconds = sum(os.times()[:4]) - before
    done.set()
    watcher.join()
    print(json.dumps({"seconds": seconds, "anonymous": most[0], **found}))


def measured(task: str, path: Path, *options: str) -> dict[str, float]:
    """Return what a process of its own takes for a task; the lesser of two if it is below ten seconds."""
    command = [sys.executable, __file__, "--child", task, str(path), *options]
    environment = {**os.environ, "TACIT_SCRATCH": str(path.parent), "POLARS_MAX_THREADS": "2"}
    runs = []
    while len(runs) < 2 and (not runs or runs[0]["seconds"] < 10):
        done = subprocess.run(command, check=True, capture_output=True, env=environment)
        runs.append(json.loads(done.stdout.splitlines()[-1]))
    return min(runs, key=lambda run: run["seconds"])


def line(what: str, ratio: float, target: float, note: str = "") -> None:
    print(f"{what:44} {ratio:8.2f}   at most {target:g} {'' if ratio <= target else '   MISSED'} {note}", flush=True)


def run(folder: Path, n_rows: int, names: list[str]) -> None:
    make(folder, n_rows)
    parquet, csv = folder / "parquet", folder / "csv"
    small = folder / "quarter"
    small.mkdir()
    make(small, n_rows // 4)
    print(f"{n_rows:,} rows of {len(SCHEMA.names)} columns")
    for path, target in ((parquet, 3.0), (csv, 2.0)):
        unit, read = measured("scan", path), measured("read", path, "disk")
        note = f"{unit['seconds']:.2f} s, {read['anonymous'] / 2**30:.2f} GiB"
        line(f"first pass from {path.name} / polars", read["seconds"] / unit["seconds"], target, note)
    on_disk, in_memory = measured("rounds", parquet, "disk"), measured("rounds", parquet, "memory")
    line("a later round on disk / in memory", on_disk["rounds"] / in_memory["rounds"], 1.3)
    line("reading encoded rows on disk / in memory", on_disk["reading"] / in_memory["reading"], 1.3)
    for name in names:
        some, all_ = measured("fit", small / "parquet", name, "disk"), measured("fit", parquet, name, "disk")
        line(f"{name}: GiB of anonymous memory", all_["anonymous"] / 2**30, 1.5)
        line(f"{name}: seconds / 4 times those of a quarter", all_["seconds"] / (4 * some["seconds"]), 1.1)
    if "logistic" not in names:
        measured("fit", parquet, "logistic", "disk")
    frame, ours, copy = measured("frame", parquet), measured("predict", parquet, "logistic"), measured("copy", parquet)
    line("predicting from files, GiB", ours["anonymous"] / 2**30, 1.0)
    line("predicting from a frame / scikit-learn", frame["ours"] / frame["theirs"], 1.0)
    note = f"{ours['seconds'] / frame['theirs']:.1f} of scikit-learn's from a frame"
    line("predicting from files / reading and writing", ours["seconds"] / copy["seconds"], float("inf"), note)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only", nargs="+", default=sorted(private_learners()), metavar="LEARNER")
    parser.add_argument("--folder", type=Path, help="On a local disk, where files of the run are.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        run(Path(folder), options.rows, options.only)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], Path(sys.argv[3]), *sys.argv[4:])
    else:
        main()
