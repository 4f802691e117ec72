"""Ranks, places within the bounds, bins and a tree without a delta, by what kinds of columns a table has.

    python benchmarks/pure_ranks.py [tables of each kind, 4 if not given] [rows to fit, 4,000 if not given]

Where the bounds of logistic regression between ranks and bins are, and those of auto between a tree and logistic
regression. Tables of two classes of ``auto_bound`` and, of categories alone, of ``drawn``; everything private,
simulated noise. By rows times epsilon a column: what each has in accuracy, area under the ROC curve and minus the
logarithmic loss, in points (hundredths), beyond logistic regression on bins: means over tables of categories alone, of
both, of numbers alone, and of all, with the standard error over all.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from functools import partial

import auto_bound
import auto_rules
import drawn
import numpy as np
import polars as pl

from tacit import LogisticClassifier, TreeClassifier
from tacit.schema import Numeric, Schema

SIGNALS = (3, 10, 30, 60, 100, 150, 200, 400, 600, 1_000, 2_000)
LEARNERS = {
    "bins": partial(LogisticClassifier, encoding="binned"),
    "ranks": partial(LogisticClassifier, encoding="ranked"),
    "places": partial(LogisticClassifier, encoding="one-hot"),
    "tree": TreeClassifier,
}


def tables(seeds: int, n_rows: int) -> Iterator[tuple[pl.DataFrame, np.ndarray, Schema]]:
    """Yield rows, labels and schema of each table of two classes."""
    for _, *one in auto_bound.tables(seeds, n_rows):
        yield one[0], one[1], one[2]
    for seed in range(2 * seeds):
        for distribution in (drawn.species, drawn.telling):
            schema, frame, labels = distribution(seed, n_rows + auto_rules.N_SCORED)
            yield frame, np.asarray(labels), schema


def main(seeds: int = 4, n_rows: int = 4_000) -> None:
    """Print for each learner but bins a line for each kind of table."""
    warnings.simplefilter("ignore")
    auto_rules.LEARNERS.update(LEARNERS)
    found: dict[str, list[np.ndarray]] = defaultdict(list)
    for frame, labels, schema in tables(seeds, n_rows):
        truth = np.searchsorted(sorted(schema.label.classes), labels[-auto_rules.N_SCORED :])
        given, held_out = (frame[:n_rows], labels[:n_rows]), (frame[-auto_rules.N_SCORED :], truth)
        budgets = [(signal * len(schema.names) / n_rows, 0.0) for signal in SIGNALS]
        base, *others = (
            np.asarray([auto_rules.scores_of(one, schema, given, held_out, budget) for budget in budgets])
            for one in LEARNERS
        )
        numbers = np.mean([isinstance(column, Numeric) for column in schema.columns])
        kind = {0.0: "categories alone", 1.0: "numbers alone"}.get(float(numbers), "both")
        found[kind].append(np.asarray(others) - base)
    every = [each for own in found.values() for each in own]
    for at, name in enumerate([*LEARNERS][1:]):
        print(f"{name:26s}", *(f"{signal:>17,}" for signal in SIGNALS))
        for kind, own in [*sorted(found.items()), ("all", every)]:
            mean = np.mean(own, axis=0)[at]
            print(f"{kind:20s} {len(own):5d}", *("/".join(f"{each:+5.1f}" for each in cell) for cell in mean))
        error = np.std(every, axis=0, ddof=1)[at] / len(every) ** 0.5
        print(f"{'standard error':26s}", *("/".join(f"{each:5.1f}" for each in cell) for cell in error))


if __name__ == "__main__":
    main(*(int(each) for each in sys.argv[1:]))
