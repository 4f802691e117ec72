"""Where LazyBB's rate_decay and its rounds on long tables come from: held-out accuracy on drawn tables and public ones.

    python benchmarks/lazybb_long.py [rows, 150,000 if not given]

Drawn tables: one whose label is the sum of ten numbers and noise, and the four kinds of ``drawn``; epsilon 1 and 6 at
150,000 rows are the strength of a million rows at 0.15 and 0.9. Public tables: at most so many rows, epsilon 0.3, 1
and 3, the mean of two. Everything is private, noise is simulated, a fifth is held out; one-rules at the default
density and first learning rate, in 99 and 49 rounds on drawn tables and the default's on public ones.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from drawn import KINDS
from scale import rows as additive

from tacit.datasets import load
from tacit.estimators import LazyBBClassifier, lazybb
from tacit.schema import Schema

RATE_DECAYS, ROUNDS = (1.0, 0.85, 0.7, 0.5), (99, 49)
PUBLIC = ("adult", "bank-marketing", "credit-default", "skin-segmentation", "magic-gamma", "nursery", "mushroom")

Rows = tuple[str, Schema, pl.DataFrame, np.ndarray]


def drawn_tables(n_rows: int) -> Iterator[Rows]:
    frame, labels, schema = additive(n_rows, 20)
    yield "sum of ten", schema, frame, labels
    for name, kind in KINDS.items():
        schema, cells, labels = kind.draw(3, n_rows)
        columns = {column: pl.Series(cells[:, at].tolist()) for at, column in enumerate(schema.names)}
        yield name, schema, pl.DataFrame(columns), np.asarray(labels)


def public_tables(n_rows: int) -> Iterator[Rows]:
    for name in PUBLIC:
        data = load(name)
        order = np.random.default_rng(0).permutation(data.frame.height)[:n_rows]
        yield name, data.schema, data.frame[order], np.asarray(data.target)[order]


def accuracy(table: Rows, epsilon: float, rate_decay: float, seed: int, **settings: Any) -> float:
    _, schema, frame, labels = table
    part = len(labels) * 4 // 5
    lazybb.USUAL_RATE = rate_decay  # no parameter of the estimator
    model = LazyBBClassifier(schema.all_private(), epsilon=epsilon, random_state=seed, **settings)
    return float(model.fit(frame[:part], labels[:part]).score(frame[part:], labels[part:]))


def main(n_rows: int) -> None:
    print("rate_decay".ljust(34), *(f"{rate_decay:7g}" for rate_decay in RATE_DECAYS))
    for table in drawn_tables(n_rows * 5 // 4):
        for epsilon in (1.0, 6.0):
            for rounds in ROUNDS:
                found = [accuracy(table, epsilon, rate_decay, 0, rounds=rounds) for rate_decay in RATE_DECAYS]
                print(f"{table[0]}, {epsilon:g}, {rounds} rounds".ljust(34), *(f"{x:7.4f}" for x in found), flush=True)
    for table in public_tables(n_rows):
        for epsilon in (0.3, 1.0, 3.0):
            found = [
                np.mean([accuracy(table, epsilon, rate_decay, seed) for seed in (0, 1)]) for rate_decay in RATE_DECAYS
            ]
            print(f"{table[0]}, {epsilon:g}".ljust(34), *(f"{x:7.4f}" for x in found), flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 150_000)
