"""Logistic regression with a delta on a wide table, over HistGradientBoosting without privacy, and its memory.

    python benchmarks/wide.py [--rows 20000] [--columns 1000] [--repeats 5]

Numbers, all private. Processor seconds, medians of runs in turn; memory is by how much the fit raises the peak of a
process that holds the frame, over the table's bytes as float32.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import warnings
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import polars as pl
from sklearn.ensemble import HistGradientBoostingClassifier

from tacit import LogisticClassifier
from tacit.schema import Label, Numeric, Schema

TARGET, MEMORY_TARGET = 0.5, 6.0


def table(n_rows: int, n_columns: int) -> tuple[pl.DataFrame, Any, Schema]:
    """Return rows, their classes, which half of the columns decide with some noise, and the schema."""
    generator = np.random.default_rng(0)
    schema = Schema([Numeric(f"x{i}", -1, 1) for i in range(n_columns)], label=Label("y", [0, 1]))
    numbers = generator.uniform(-1, 1, (n_columns, n_rows))
    scores = numbers[: n_columns // 2].sum(axis=0) + generator.normal(0, n_columns**0.5 / 4, n_rows)
    return pl.DataFrame(dict(zip(schema.names, numbers, strict=True))), (scores > 0).astype(int), schema


def high_water() -> int:
    """Return the most bytes that this process has held."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return 1024 * int(line.split()[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--columns", type=int, default=1_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--peak", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    frame, labels, schema = table(given.rows, given.columns)
    private = LogisticClassifier(schema, epsilon=1.0, delta=1e-8, random_state=0)
    if given.peak:
        before = high_water()
        private.fit(frame, labels)
        print(high_water() - before)
        return
    taken: dict[str, list[float]] = {}
    for _ in range(given.repeats):
        for name, work in (
            ("logistic regression", lambda: private.fit(frame, labels)),
            ("HistGradientBoosting", lambda: HistGradientBoostingClassifier().fit(frame.to_numpy(), labels)),
        ):
            start = time.process_time()
            work()
            taken.setdefault(name, []).append(time.process_time() - start)
    medians = {name: median(each) for name, each in taken.items()}
    for name, each in medians.items():
        print(f"{name:22s} {each:6.1f} s of the processor")
    first, second = medians.values()
    print(f"over HistGradientBoosting {first / second:.2f}, target {TARGET}")
    arguments = ["--peak", "--rows", str(given.rows), "--columns", str(given.columns)]
    done = subprocess.run([sys.executable, __file__, *arguments], check=True, capture_output=True, text=True)
    print(f"memory {int(done.stdout) / (4 * given.rows * given.columns):.1f} tables, target {MEMORY_TARGET}")


if __name__ == "__main__":
    main()
