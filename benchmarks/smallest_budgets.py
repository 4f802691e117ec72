"""What the smallest budgets are best spent on, by rows times epsilon a column, on synthetic tables alone.

    python benchmarks/smallest_budgets.py [tables of each kind, 2 if not given] [rows to fit, 1,000] [classes]

Tables of two classes of ``auto_bound``, ``rule_tables``, ``few_columns`` and ``drawn``, or with "classes" of more of
``drawn_classes``; everything private, simulated noise, without a delta and with 1e-5. By whether all columns are
categories and rows times epsilon a column: accuracy, area under the ROC curve and minus the logarithmic loss, in points
(hundredths), of a tree without a question, which has released the classes' counts alone, and what a tree of one
question, the tree by its rule, and logistic regression add, with the standard error over tables.
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
from drawn_classes import tables_of_classes
from few_columns import SHARES, few
from rule_tables import answers, two_valued, varied

from tacit import TreeClassifier
from tacit.schema import Categorical, Schema

SIGNALS = (0.1, 0.25, 0.5, 1, 2, 4, 8, 16)
COMPARED = ("no question", "one question", "tree", "logistic")
DELTAS = (0.0, 1e-5)


def tables(seeds: int, n_rows: int) -> Iterator[tuple[pl.DataFrame, np.ndarray, Schema]]:
    """Yield rows, labels and schema of each table of two classes."""
    for _, *one in auto_bound.tables(seeds, n_rows - auto_rules.N_SCORED):
        yield tuple(one[:3])
    for seed in range(4 * seeds):
        yield varied(seed, n_rows)
        yield few(np.random.default_rng(seed), n_rows, SHARES[seed % len(SHARES)], crossed=bool(seed % 2))
        for distribution in (two_valued, answers):
            yield distribution(seed, n_rows)
        for draw in (drawn.species, drawn.telling):
            schema, frame, labels = draw(seed, n_rows)
            yield frame, np.asarray(labels), schema


def main(seeds: int, n_rows: int, classes: bool) -> None:
    warnings.simplefilter("ignore")
    for count, name in enumerate(COMPARED[:2]):
        auto_rules.LEARNERS[name] = partial(TreeClassifier, max_splits=count)
    found: dict[tuple[str, float], list[list[np.ndarray]]] = defaultdict(list)
    whole = n_rows + auto_rules.N_SCORED
    many = (one[1:] for one in tables_of_classes(whole, seeds))
    for frame, labels, schema in many if classes else tables(seeds, whole):
        truth = np.searchsorted(sorted(schema.label.classes), labels[-auto_rules.N_SCORED :])
        given, held_out = (frame[:n_rows], labels[:n_rows]), (frame[-auto_rules.N_SCORED :], truth)
        kind = "categories alone" if all(isinstance(each, Categorical) for each in schema.columns) else "numbers too"
        for signal in SIGNALS:
            for delta in DELTAS:
                budget = signal * len(schema.names) / n_rows, delta
                scores = [auto_rules.scores_of(one, schema, given, held_out, budget) for one in COMPARED]
                found[f"{kind}, delta {delta:g}", signal].append(scores)
    auto_rules.print_gains(found, COMPARED)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    main(*numbers, *(2, 1_000)[len(numbers) :], classes="classes" in sys.argv)
