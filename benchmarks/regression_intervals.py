"""How often intervals of 90 % about predicted numbers hold the number, and how wide they are.

    TACIT_DATA=... python benchmarks/regression_intervals.py [fits of each, 20 if not given]

`AutoRegressor` with a fifth of the rows kept back, everything private, a delta of 5e-8, on six public tables, of which
one column is taken for the number to predict where it is none, and two synthetic ones, of a long tail and mostly zero;
30,000 rows at most, of which four fifths are fitted and the rest are covered or not. Split and noise differ from fit to
fit. Widths are a share of those of intervals that hold the middle 90 % of all numbers, whatever the columns say.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
from regression_rules import tables as synthetic

from tacit import AutoRegressor
from tacit.datasets import load
from tacit.schema import Schema, Target

EPSILONS, DELTA, MOST_ROWS, HOLDOUT = (0.3, 1.0), 5e-8, 30_000, 0.2
COLUMNS = {
    "adult": "hours-per-week",
    "bank-marketing": "balance",
    "credit-default": "LIMIT_BAL",
    "magic-gamma": "fLength",
}
"""Of tables of classes, the column that is predicted from the others."""
FOLDERS = {"abalone": ("abalone", "abalone.data"), "wine-white": ("wine-quality", "winequality-white.csv")}
NUMBERS = {"abalone": Target("rings", 0, 30, whole=True), "wine-white": Target("quality", 0, 10, whole=True)}
Floats = np.ndarray


def tables() -> Iterator[tuple[str, pl.DataFrame, Floats, Schema]]:
    """Yield all tables."""
    for name, target in NUMBERS.items():
        known, path = load(name), Path(os.environ["TACIT_DATA"], *FOLDERS[name])
        separator = ";" if path.suffix == ".csv" else ","
        last = pl.read_csv(path, has_header=path.suffix == ".csv", separator=separator).to_series(-1)
        yield name, known.frame, last.to_numpy().astype(float), Schema(known.schema.columns, label=target)
    for name, column in COLUMNS.items():
        known = load(name)
        own = known.schema.column(column)
        columns = [each for each in known.schema.columns if each.name != column]
        schema = Schema(columns, label=Target(column, own.low, own.high))
        yield f"{name}, {column}", known.frame, known.frame[column].to_numpy().astype(float), schema
    for name, frame, y, schema in synthetic(1):
        if name in ("additive, long", "crossed, mostly zero"):
            yield name, frame, y, schema


def measured(frame: pl.DataFrame, y: Floats, schema: Schema, epsilon: float, seed: int) -> tuple[float, ...]:
    """Return the share of the other rows in one fit's intervals, what the held-out rows say of it, and the width."""
    order = np.random.default_rng(seed).permutation(len(y))[:MOST_ROWS]
    train, rest = np.split(order, [int(0.8 * len(order))])
    model = AutoRegressor(schema, epsilon=epsilon, delta=DELTA, holdout=HOLDOUT, random_state=seed)
    low, high = model.fit(frame[train], y[train]).predict_interval(frame[rest]).T
    told = model.model_.held_out.coverage
    usual = max(float(np.subtract(*np.quantile(y[train], [0.95, 0.05]))), 1e-9)
    inside = np.mean((low <= y[rest]) & (y[rest] <= high))
    return float(inside), np.nan if told is None else told.value, float(np.median(high - low)) / usual


def main() -> None:
    """Print the mean coverage of each table and budget, with its standard error, and means over all tables."""
    warnings.simplefilter("ignore")
    fits = int(sys.argv[1]) if sys.argv[1:] else 20
    print("table, rows fitted | epsilon | coverage, its standard error | by held-out rows | width | no end | seconds")
    every = []
    for (name, *table), epsilon in product(tables(), EPSILONS):
        began = time.perf_counter()
        found = np.asarray([measured(*table, epsilon, seed) for seed in range(fits)])
        every.append(float(found[:, 0].mean()))
        error = found[:, 0].std(ddof=1) / np.sqrt(fits)
        seen = found[~np.isnan(found[:, 1]), 1]
        rows = int(0.8 * min(len(table[1]), MOST_ROWS))
        print(
            f"{name}, {rows:,} | {epsilon:g} | {100 * every[-1]:.1f} {100 * error:.1f}",
            f"{100 * seen.mean() if len(seen) else np.nan:.1f} | {np.median(found[:, 2]):.2f}",
            f"{fits - len(seen)} of {fits} | {(time.perf_counter() - began) / fits:.1f}",
            sep=" | ",
            flush=True,
        )
    print(f"mean {100 * np.mean(every):.1f}, least {100 * min(every):.1f}, most {100 * max(every):.1f}")


if __name__ == "__main__":
    main()
