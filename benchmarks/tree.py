"""Time of a tree's fit over the number of rows, from the table of byte codes: it should be linear; Adult, diffprivlib.

Run: OPENBLAS_NUM_THREADS=1 PYTHONPATH=. python benchmarks/tree.py [most rows, 5000000 if not given]

Adult's folder is found by TACIT_DATA or the cache. diffprivlib 0.6.6 is in the environment that
`python -m reproductions external install diffprivlib` makes; without it, its lines are left out. Noise on Adult is
secure, all private, epsilon 1.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from reproductions.external import environment
from tacit.datasets import load
from tacit.estimators import TreeClassifier
from tacit.features import BinEncoding, LinearEncoding
from tacit.learners.tree import Tree
from tacit.mechanisms import announce, noise_source
from tacit.privacy import Accountant, Budget
from tacit.schema import Label, Numeric, Schema
from tacit.table import Table, read_rows

COLUMNS = 14
SIZES = (50_000, 500_000, 5_000_000)
KINDS = {
    "best-first, 15 splits": {"growth": "best-first", "criterion": "error", "size": 15},
    "level, 6 levels": {"growth": "level", "criterion": "gini", "size": 6},
    "counts, 6 levels": {"growth": "level", "criterion": "counts", "size": 6},
}

REPEATS = 25
PEER = """
import sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
from diffprivlib.models import DecisionTreeClassifier, RandomForestClassifier
data = np.load(sys.argv[1])
X, y = data["X"], data["y"]
bounds = (X.min(axis=0), X.max(axis=0))
settings = dict(epsilon=1.0, bounds=bounds, classes=[0, 1])
for make in (lambda: DecisionTreeClassifier(**settings), lambda: RandomForestClassifier(n_estimators=1, **settings)):
    times = []
    for _ in range(25):
        model = make()
        start = time.process_time()
        model.fit(X, y)
        times.append(time.process_time() - start)
    print(min(times))
"""


def encoded(n_rows: int) -> tuple[Table, BinEncoding]:
    generator = np.random.default_rng(0)
    schema = Schema([Numeric(f"x{i}", 0, 32) for i in range(COLUMNS)], label=Label("y", [0, 1]))
    matrix = generator.integers(0, 32, (n_rows, COLUMNS), dtype=np.uint8)
    labels = ((matrix[:, 0] > 12) ^ (matrix[:, 1] > 20) ^ (generator.uniform(size=n_rows) < 0.1)).astype(int)
    table = Table.from_frame(matrix.astype(np.float32), labels, schema)
    encoding = BinEncoding(schema, schema.names)
    table.sum(lambda block: np.asarray([block.codes(encoding).shape[0]]))  # codes are made once and kept
    return table, encoding


def seconds(table: Table, encoding: BinEncoding, options: dict) -> float:
    tree = Tree(encoding, **options)
    accountant = Accountant(Budget(1.0), table.unit, noise_source(0), n_rows=table.n_rows)
    releases = announce(accountant, tree.plan(table.unit))
    started = time.perf_counter()
    tree.train(table, releases, np.random.default_rng(0))
    return time.perf_counter() - started


def best(work: Callable[[], object]) -> float:
    """Processor seconds of the fastest of several runs: other work on the machine does not count."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def adult() -> None:
    """Print the times of fits on Adult's training rows and, if there is a peer, how many times as long it takes."""
    data = load("adult")
    schema = data.schema.all_private()
    train = data.split == "train"
    frame, labels = data.frame.filter(train), data.target.filter(train)
    table = Table.from_frame(frame, labels, schema)
    estimator = TreeClassifier(schema, epsilon=1.0)
    encoding = BinEncoding(schema, schema.names)
    table.sum(lambda block: np.asarray([block.codes(encoding).shape[0]]))
    kinds = {
        "default": estimator._settings(table),
        "gini": TreeClassifier(schema, epsilon=1.0, criterion="gini")._settings(table),
        "level, gini, 5 levels": Tree(encoding, growth="level", criterion="gini", size=5),
        "level, counts, 5 levels": Tree(encoding, growth="level", criterion="counts", size=5),
    }
    times = {f"tacit {name}, encoded": best(lambda tree=tree: fit(table, tree)) for name, tree in kinds.items()}
    times["tacit default, from a data frame"] = best(lambda: estimator.fit(frame, labels))
    features = LinearEncoding(schema, schema.names).transform(read_rows(frame, schema))
    y = (labels == ">50K").to_numpy().astype(int)
    times["scikit-learn, depth 5, no noise"] = best(lambda: DecisionTreeClassifier(max_depth=5).fit(features, y))
    peer = environment("diffprivlib")
    peers = run_peer(peer.python(), features, y) if peer.installed() else []
    for name, taken in zip(("DecisionTreeClassifier", "RandomForestClassifier, one tree"), peers, strict=False):
        times[f"diffprivlib {name}"] = taken
    for name, taken in times.items():
        ratio = f"  diffprivlib's tree / this: {peers[0] / taken:.1f}" if peers else ""
        print(f"{1000 * taken:9.2f} ms  {name}{ratio}", flush=True)


def fit(table: Table, tree: Tree) -> None:
    accountant = Accountant(Budget(1.0), table.unit, noise_source(None), n_rows=table.n_rows)
    tree.train(table, announce(accountant, tree.plan(table.unit)), np.random.default_rng(0))


def run_peer(python: Path, features: np.ndarray, y: np.ndarray) -> list[float]:
    with tempfile.NamedTemporaryFile(suffix=".npz") as file:
        np.savez(file, X=features, y=y)
        file.flush()
        done = subprocess.run([python, "-c", PEER, file.name], capture_output=True, text=True, check=True)
    return [float(line) for line in done.stdout.split()]


def main() -> None:
    warnings.simplefilter("ignore")
    adult()
    most = int(sys.argv[1]) if len(sys.argv) > 1 else SIZES[-1]
    for n_rows in [size for size in SIZES if size <= most]:
        table, encoding = encoded(n_rows)
        for name, options in KINDS.items():
            taken = seconds(table, encoding, options)
            print(
                f"{n_rows:>9} rows  {name:22} {taken:8.2f} s  {1e9 * taken / n_rows / COLUMNS:7.1f} ns a cell",
                flush=True,
            )


if __name__ == "__main__":
    main()
