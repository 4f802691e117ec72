"""What ranks cost: rows predicted by them over bins, many categories over few, and the bytes a row of a fit takes.

    python benchmarks/ranked_rows.py [--rows 1000000] [--repeats 5] [--only predict categories few memory boosting]

Predict: log-odds of rows of 12 numbers and 8 categories of 10, by logistic regression on ranks over that on bins.
Categories: a fit on ranks of 20 columns of 100 categories over one of 10. Few: a fit of 1,000 rows with a delta over
one without. Memory: the peak of ``auto`` from a Parquet file of 12 numbers and 8 categories, less what the process
holds before, by row. Boosting: ``auto`` over scikit-learn's ``HistGradientBoostingClassifier`` of the same rows, in
seconds on the clock, each on as many threads as it takes. Else processor seconds; medians of runs in turn.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import polars as pl
from sklearn.ensemble import HistGradientBoostingClassifier

from tacit import AutoClassifier, LogisticClassifier
from tacit.schema import Categorical, Label, Numeric, Schema

SIMULATED: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-8, "random_state": 0}
TARGETS = {"predict": 1.3, "categories": 1.3, "few": 6, "memory": 200, "boosting": 0.75}


def table(n_rows: int, n_numbers: int, n_categories: int, n_codes: int) -> tuple[pl.DataFrame, Any, Schema]:
    """Return rows, their classes, and the schema."""
    generator = np.random.default_rng(0)
    words = np.asarray([f"v{code}" for code in range(n_codes)])
    numbers = {f"n{i}": generator.uniform(0, 100, n_rows).round(2) for i in range(n_numbers)}
    codes = {f"c{i}": generator.integers(0, n_codes, n_rows) for i in range(n_categories)}
    lean = sum((each - 50) / 30 for each in list(numbers.values())[:4]) + 2.0 * (codes["c0"] < n_codes / 2)
    columns = [*(Numeric(name, 0, 100) for name in numbers), *(Categorical(name, words.tolist()) for name in codes)]
    texts = {name: pl.Series(words)[each] for name, each in codes.items()}
    schema = Schema(columns, label=Label("y", ["no", "yes"]))
    return pl.DataFrame({**numbers, **texts}), np.where(lean + generator.logistic(size=n_rows) > 1, "yes", "no"), schema


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Return the seconds of a run by a clock, the processor's by default."""
    start = clock()
    work()
    return clock() - start


def ratio(
    works: dict[str, Callable[[], object]], repeats: int, clock: Callable[[], float] = time.process_time
) -> float:
    """Return the first median over the second, and print both."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            taken[name].append(seconds(work, clock))
    first, second = (median(each) for each in taken.values())
    print(", ".join(f"{name} {median(each):.3g} s" for name, each in taken.items()))
    return first / second


def predict(n_rows: int, repeats: int) -> float:
    frame, labels, schema = table(n_rows, 12, 8, 10)
    works: dict[str, Callable[[], object]] = {}
    for encoding in ("ranked", "binned"):
        model = LogisticClassifier(schema, encoding=encoding, **SIMULATED).fit(frame[:30_000], labels[:30_000])
        works[encoding] = lambda model=model: model.decision_function(frame)
    return ratio(works, repeats)


def categories(n_rows: int, repeats: int) -> float:
    works: dict[str, Callable[[], object]] = {}
    for n_codes in (100, 10):
        frame, labels, schema = table(n_rows, 0, 20, n_codes)
        model = LogisticClassifier(schema, encoding="ranked", **SIMULATED)
        works[f"{n_codes} categories"] = lambda model=model, frame=frame, labels=labels: model.fit(frame, labels)
    return ratio(works, repeats)


def few(_: int, repeats: int) -> float:
    frame, labels, schema = table(1_000, 12, 8, 10)
    works: dict[str, Callable[[], object]] = {}
    for delta in (1e-8, 0.0):
        model = LogisticClassifier(schema, epsilon=1.0, delta=delta, random_state=0)
        works[f"delta {delta:g}"] = lambda model=model: model.fit(frame, labels)
    return ratio(works, 3 * repeats)


def memory(n_rows: int, repeats: int) -> float:
    with tempfile.TemporaryDirectory() as name:
        found = []
        frame, labels, _ = table(n_rows, 12, 8, 10)
        frame.with_columns(pl.Series("y", labels)).write_parquet(path := Path(name) / "rows.parquet")
        del frame, labels
        for _ in range(min(repeats, 2)):
            done = subprocess.run(
                [sys.executable, __file__, "--peak", str(path)], check=True, capture_output=True, text=True
            )
            found.append(int(done.stdout))
        return median(found) / n_rows


def boosting(n_rows: int, repeats: int) -> float:
    frame, labels, schema = table(n_rows, 12, 8, 10)
    texts = frame.select(pl.col(pl.String).str.slice(1).cast(pl.Float64))
    numbers = frame.with_columns(texts).to_numpy()
    categories = [column == pl.String for column in frame.dtypes]
    works: dict[str, Callable[[], object]] = {
        "auto": lambda: AutoClassifier(schema, **SIMULATED).fit(frame, labels),
        "boosting": lambda: HistGradientBoostingClassifier(categorical_features=categories).fit(numbers, labels),
    }
    return ratio(works, repeats, time.perf_counter)


def peak(path: Path) -> None:
    """Print by how many bytes a fit raises the peak of this process."""
    schema = table(1, 12, 8, 10)[2]
    frame, labels, _ = table(2_000, 12, 8, 10)
    AutoClassifier(schema, **SIMULATED).fit(frame, labels)
    before = high_water()
    AutoClassifier(schema, **SIMULATED).fit(path)
    print(high_water() - before)


def high_water() -> int:
    """Return the most bytes that this process has held; the system's own counter begins with the parent's."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return 1024 * int(line.split()[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", nargs="*", choices=TARGETS, default=list(TARGETS))
    parser.add_argument("--peak", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.peak:
        peak(given.peak)
        return
    works = {"predict": predict, "categories": categories, "few": few, "memory": memory, "boosting": boosting}
    for name, work in works.items():
        if name in given.only:
            print(f"{name}: {work(given.rows, given.repeats):.2f}, target {TARGETS[name]}", flush=True)


if __name__ == "__main__":
    main()
