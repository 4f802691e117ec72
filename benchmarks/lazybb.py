"""LazyBB against scikit-learn's boosted stumps, and its cost by rows: python benchmarks/lazybb.py [most rows].

First 99 rounds on Adult (TACIT_DATA) or, without it, on drawn rows of its shape, against
HistGradientBoostingClassifier(max_iter=99, max_leaf_nodes=2) on the same columns, both from a data frame or matrix in
memory to a fitted model; simulated noise is used, and what the secure sampler would add is reported apart. Then
seconds a round, and the peak of all memory that Python and NumPy hold, from byte codes of 14 columns.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable

import numpy as np
import polars as pl
from sklearn.ensemble import HistGradientBoostingClassifier

from tacit.boosting import LazyBB, OneRule
from tacit.datasets import load
from tacit.errors import PrivacyWarning
from tacit.estimators import LazyBBClassifier
from tacit.features import BinEncoding
from tacit.mechanisms import announce, noise_source
from tacit.privacy import Accountant, Budget
from tacit.schema import Categorical, Label, Schema
from tacit.table import Block, Table

ROUNDS, COLUMNS, BINS, BLOCK = 99, 14, 32, 65_536


def seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of the fastest of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def against_stumps() -> None:
    data = load("adult")
    train = np.flatnonzero(data.split == "train")
    frame, labels = data.frame[train], data.target[train]
    matrix = np.column_stack(
        [
            frame[c.name].to_physical().to_numpy()
            if not isinstance(c, Categorical)
            else frame[c.name].cast(pl.Enum(list(c.categories))).to_physical().to_numpy()
            for c in data.schema.columns
        ]
    ).astype(float)
    target = labels.to_numpy()
    settings = {"rounds": ROUNDS, "density": 0.35, "learning_rate": 0.45, "public_start": False}

    def ours(seed: int | None) -> None:
        LazyBBClassifier(data.schema, epsilon=3.0, random_state=seed, **settings).fit(frame, labels)

    def stumps() -> None:
        HistGradientBoostingClassifier(max_iter=ROUNDS, max_leaf_nodes=2, early_stopping=False).fit(matrix, target)

    ours(0), stumps()
    simulated, theirs = seconds(lambda: ours(0)), seconds(stumps)
    secure = seconds(lambda: ours(None), 2)
    print(
        f"Adult, {ROUNDS} rounds: LazyBB {simulated:.3f} s, HistGradientBoosting {theirs:.3f} s, "
        f"ratio {simulated / theirs:.2f}; the secure sampler adds {secure - simulated:.2f} s"
    )


def table_of_codes(n_rows: int) -> tuple[Table, int]:
    """A table that holds nothing but labels and byte codes, and the codes' bytes."""
    categories = [str(i) for i in range(BINS)]
    schema = Schema([Categorical(f"c{i}", categories) for i in range(COLUMNS)], label=Label("y", [0, 1]))
    encoding, generator = BinEncoding(schema, schema.names), np.random.default_rng(0)
    blocks = []
    for index, start in enumerate(range(0, n_rows, BLOCK)):
        size = min(BLOCK, n_rows - start)
        codes = np.empty((size, COLUMNS), dtype=np.uint8, order="F")
        for column in range(COLUMNS):
            codes[:, column] = generator.integers(0, BINS, size, dtype=np.uint8)
        labels = (codes[:, :3].sum(axis=1, dtype=np.int64) + generator.integers(0, 40, size) > 66).astype(np.uint8)
        blocks.append(Block(index, labels, None, {encoding: codes}))
    return Table(schema, blocks), n_rows * COLUMNS


def by_rows(n_rows: int, rounds: int = 20) -> None:
    def train(table: Table, count: int) -> None:
        settings = LazyBB(count, 0.35, 0.45, OneRule())
        accountant = Accountant(Budget(1.0), table.unit, noise_source(0), n_rows=n_rows)
        settings.train(table, announce(accountant, settings.plan(table.unit)), np.random.default_rng(0))

    peak, size = peak_bytes(lambda: table_of_codes(n_rows), lambda table: train(table, 1 + rounds))
    table, _ = table_of_codes(n_rows)
    few, many = seconds(lambda: train(table, 1), 2), seconds(lambda: train(table, 1 + rounds), 2)
    print(
        f"{n_rows:>9} rows x {COLUMNS} codes: {(many - few) / rounds * 1e9 / n_rows:6.1f} ns a row and round, "
        f"first round {few:.2f} s, peak memory {peak / size:.2f} x codes (codes included)"
    )


def peak_bytes(make: Callable[[], tuple[Table, int]], work: Callable[[Table], None]) -> tuple[int, int]:
    """The most that is held at once from making the table to the end of the work, and the codes' bytes."""
    tracemalloc.start()
    table, size = make()
    work(table)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak, size


if __name__ == "__main__":
    warnings.simplefilter("ignore", PrivacyWarning)
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000
    for rows in (most // 25, most // 5, most):
        by_rows(rows)
    against_stumps()
