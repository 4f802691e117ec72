"""Logistic regression and boosted trees on few columns and a rare class, on synthetic tables alone.

    python benchmarks/few_columns.py [tables of each kind, 3 if not given] [rows to fit, 20,000 if not given]

Tables of two to six columns (skewed numbers, whole numbers, two or three categories), everything private, delta 1e-5,
simulated noise; 4, 10 or 30 % of the rows are of the rarer class. Log-odds are a sum of monotone curves, or such a
sum with products of ranks. By kind and rows times epsilon a column: logistic regression's accuracy, area under the ROC
curve in points and minus its logarithmic loss in hundredths, and what boosted trees and those of one column add, with
the standard error over tables.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from functools import partial

import numpy as np
import polars as pl
from auto_rules import LEARNERS, N_SCORED, print_gains, scores_of
from scipy.special import expit

from tacit import BoostedTreesClassifier
from tacit.schema import Categorical, Column, Label, Numeric, Schema

SIGNALS = (100, 300, 1_000, 3_000, 10_000, 30_000)
COMPARED = ("logistic", "boosted-trees", "additive")
SHARES = (0.04, 0.1, 0.3)
DELTA = 1e-5


def few(generator: np.random.Generator, n_rows: int, share: float, crossed: bool) -> tuple:
    """Draw rows, labels and schema."""
    columns, frame, ranks = list[Column](), {}, []
    for at in range(generator.integers(2, 7)):
        drawn = generator.gamma(2.0, 1.0, n_rows)
        ranks.append(np.argsort(np.argsort(drawn)) / n_rows - 0.5)
        name, kind = f"c{at}", generator.integers(3) if at else 0
        if kind == 2:
            n_codes = int(generator.integers(2, 4))
            code = np.minimum(((ranks[-1] + 0.5) * n_codes).astype(int), n_codes - 1)
            ranks[-1] = code / (n_codes - 1) - 0.5
            frame[name] = code
            columns.append(Categorical(name, list(range(n_codes))))
        else:
            frame[name] = np.minimum(np.round(8 * drawn) if kind else drawn, 100)
            columns.append(Numeric(name, 0, 100))
    # A curve is monotone: an odd power keeps the sign, and its power says how much lies in the tails.
    weights = generator.normal(size=len(ranks)) + np.eye(len(ranks))[0]
    powers = generator.choice([0.5, 1.0, 3.0], len(ranks))
    odds = sum(w * np.sign(r) * abs(2 * r) ** p for w, r, p in zip(weights, ranks, powers, strict=True))
    if crossed:
        odds = 0.5 * odds + 8 * generator.choice([-1, 1]) * ranks[0] * ranks[1]
    odds = odds / odds.std() * generator.uniform(0.6, 1.8)
    low, high = -20.0, 20.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if expit(odds + middle).mean() < share else (low, middle)
    labels = (generator.random(n_rows) < expit(odds + low)).astype(int)
    return pl.DataFrame(frame), labels, Schema(columns, label=Label("y", [0, 1]))


def tables(seeds: int, n_rows: int) -> Iterator[tuple[str, tuple]]:
    """Yield the kind, and rows, labels and schema."""
    for seed in range(seeds):
        for at, share in enumerate(SHARES):
            for crossed in (False, True):
                generator = np.random.default_rng([seed, at, crossed])
                yield f"{'crossed' if crossed else 'additive'}, {share:g}", few(generator, n_rows, share, crossed)


def main(seeds: int = 3, n_rows: int = 20_000) -> None:
    warnings.simplefilter("ignore")
    LEARNERS["additive"] = partial(BoostedTreesClassifier, structure="additive")
    found = defaultdict(list)
    for kind, (frame, labels, schema) in tables(seeds, n_rows + N_SCORED):
        held_out = frame[-N_SCORED:], labels[-N_SCORED:]
        for signal in SIGNALS:
            budget = signal * len(schema.names) / n_rows, DELTA
            given = frame[:n_rows], labels[:n_rows]
            found[kind, signal].append([scores_of(one, schema, given, held_out, budget) for one in COMPARED])
    print_gains(found, COMPARED)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
