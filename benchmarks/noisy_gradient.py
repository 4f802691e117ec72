"""Noisy gradient descent against passes over memory and scikit-learn, then rows up to 5,000,000.

    python benchmarks/noisy_gradient.py [largest number of rows]

Adult's folder is found by TACIT_DATA or the cache. Set OPENBLAS_NUM_THREADS=1 to compare one core with one core. Fits
are from the encoded table (codes in memory), with secure noise (OpenDP), all private.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
import polars as pl
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from tacit.datasets import load
from tacit.features import OneHotEncoding
from tacit.features.feature_encoding import named_encoding
from tacit.learners.linear.noisy_gradient import NoisyGradient
from tacit.mechanisms import announce, noise_source
from tacit.privacy import Accountant, Budget
from tacit.queries import Design, LinearProblem
from tacit.queries.gradients import Gradients
from tacit.schema import Categorical, Label, Schema
from tacit.table import Table, read_rows

BUDGET = Budget(1.0, 1e-7)


def best(work: Callable[[], object], repeats: int = 7) -> float:
    """Processor seconds of the fastest of several runs, so that other work on the machine counts less."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def fit(table: Table, encoding: OneHotEncoding) -> None:
    learner, design = NoisyGradient(), Design(encoding, intercept=False)
    accountant = Accountant(BUDGET, table.unit, noise_source(None), n_rows=table.n_rows)
    learner.coefficients(LinearProblem(table, design), announce(accountant, learner.plan(design, table.unit)))


def adult() -> None:
    data = load("adult")
    schema, train = data.schema.all_private(), data.split == "train"
    frame, labels = data.frame.filter(train), data.target.filter(train)
    table = Table.from_frame(frame, labels, schema)
    encoding = named_encoding(schema, schema.names, "binned", 16)
    features = csr_matrix(encoding.transform(read_rows(frame, schema)))
    y = (labels == ">50K").to_numpy()
    peer = best(lambda: LogisticRegression(max_iter=1000).fit(features, y), 3)
    ours = best(lambda: fit(table, encoding))
    print(f"Adult, {encoding.n_features} features: {1000 * ours:.1f} ms with all noise")
    print(
        f"scikit-learn's LogisticRegression on the same sparse features: {1000 * peer:.1f} ms, {peer / ours:.1f} times"
    )


def wide(n_rows: int = 1_000_000, n_columns: int = 100) -> None:
    """One gradient of 1,000,000 x 100 codes against passes over as many numbers."""
    table, encoding = synthetic(n_rows, n_columns)
    gradients, weights = Gradients(table, encoding), np.linspace(-1, 1, encoding.n_features)
    gradients.statistic(weights)
    ours = best(lambda: gradients.statistic(weights))
    dense = np.ones((n_rows, n_columns), dtype=np.float32)
    w, r = np.ones(n_columns, dtype=np.float32), np.ones(n_rows, dtype=np.float32)
    there = best(lambda: dense @ w)
    back = best(lambda: r @ dense)
    print(f"{n_rows} x {n_columns}: gradient of {encoding.n_features} features {1000 * ours:.0f} ms")
    print(f"  the same shape in float32, once there {1000 * there:.0f} ms and once back {1000 * back:.0f} ms")
    print(f"  ratio {ours / (there + back):.2f}")


def growth(largest: int) -> None:
    """Time of one more fit, codes in memory: ten columns."""
    for n_rows in (largest // 25, largest // 5, largest):
        table, encoding = synthetic(n_rows, 10)
        fit(table, encoding)
        seconds = best(lambda table=table, encoding=encoding: fit(table, encoding), 3)
        print(f"{n_rows:9d} rows: {1000 * seconds:9.1f} ms, {1e9 * seconds / n_rows:6.1f} ns a row")


def synthetic(n_rows: int, n_columns: int) -> tuple[Table, OneHotEncoding]:
    schema = Schema([Categorical(f"c{i}", list(range(8))) for i in range(n_columns)], label=Label("y", [0, 1]))
    generator = np.random.default_rng(0)
    codes = generator.integers(0, 8, (n_rows, n_columns), dtype=np.int8)
    y = (codes[:, 0] + generator.integers(0, 8, n_rows) > 7).astype(int)
    table = Table.from_frame(pl.DataFrame(codes, schema=list(schema.names)), y, schema)
    encoding = OneHotEncoding(schema, schema.names)
    return table, encoding


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    adult()
    wide()
    growth(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000)
