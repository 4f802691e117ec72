"""How long steps of boosted trees are, by how much of the classes is explained, on synthetic tables alone.

    python benchmarks/learning_rates.py [tables of each kind, 3 if not given] [rows to fit, 12,000] [classes | pure]

Where the rule of ``LearningRates`` comes from. Tables of ``tree_numbers``, where much is chance; and of regions, where
the class is that of the nearest of some centers, all but 0 to 5 in 100, of two to four and of six to twelve numbers,
three times as many and twice as many rows. Everything private, delta 1e-5 or none, simulated noise. For each kind and
number of rows times epsilon a column: what each rule adds to a rate of 0.3 in accuracy, area under the ROC curve and
minus the logarithmic loss, in points (hundredths), and the standard error over tables. With "classes" the tables of
``drawn_classes`` in place of these.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from typing import Any
from unittest.mock import patch

import auto_rules
import numpy as np
import polars as pl
import tree_numbers
from drawn_classes import tables_of_classes

import tacit.boosting.learning_rates as rates
from tacit import BoostedTreesClassifier
from tacit.schema import Label, Numeric, Schema

Drawn = tuple[str, pl.DataFrame, np.ndarray, Schema]

RULES = {f"at least {least}": least for least in (0.2, 0.3, 0.4)}
GIVEN = {"0.4": 0.4, "0.5": 0.5}
SIGNALS = {False: (300, 1_000, 3_000, 10_000), True: (3_000, 10_000, 30_000)}
MAX_EPSILON = {False: 12.0, True: 40.0}


def regions(seed: int, n_rows: int, least: int, most: int) -> tuple[pl.DataFrame, np.ndarray, Schema]:
    """Draw numbers around centers; the class is that of the nearest center, but for a few rows."""
    draw = np.random.default_rng([seed, least])
    n_columns, n_centers = int(draw.integers(least, most + 1)), int(draw.integers(8, 30))
    centers, classes = draw.normal(size=(n_centers, n_columns)), draw.permutation(np.arange(n_centers) % 2)
    spread, wrong = draw.choice([0.2, 0.4, 0.7]), draw.choice([0.0, 0.02, 0.05])
    rows = centers[draw.integers(0, n_centers, n_rows)] + spread * draw.normal(size=(n_rows, n_columns))
    distances = -2 * rows @ centers.T + (centers**2).sum(axis=1)
    labels = classes[distances.argmin(axis=1)]
    labels = np.where(draw.random(n_rows) < wrong, 1 - labels, labels)
    schema = Schema([Numeric(f"n{at}", -6, 6) for at in range(n_columns)], label=Label("y", [0, 1]))
    return pl.DataFrame({f"n{at}": np.clip(rows[:, at], -6, 6) for at in range(n_columns)}), labels, schema


def tables(seeds: int, n_rows: int, classes: bool) -> Iterator[Drawn]:
    """Yield the kind, rows, labels and schema of each table; the last rows are held out."""
    held_out = auto_rules.N_SCORED
    if classes:
        for _, frame, labels, schema in tables_of_classes(n_rows + held_out, seeds):
            yield "more classes", frame, np.asarray(labels), schema
        return
    for one in tree_numbers.tables(seeds, n_rows + held_out):
        yield "much chance", *one
    for least, most in ((2, 4), (6, 12)):
        for seed in range(3 * seeds):
            yield f"regions of {least} to {most} numbers", *regions(seed, 2 * n_rows + held_out, least, most)


def scores(rule: float | None, given: float | str, *of_fit: Any) -> np.ndarray:
    """Return accuracy, area and minus the logarithmic loss of a fit with a rule, or a rate."""
    auto_rules.LEARNERS["trees"] = partial(BoostedTreesClassifier, learning_rate=given)
    with patch.object(rates, "MIN_RATE", rule or rates.MIN_RATE):
        return auto_rules.scores_of("trees", *of_fit)


def main(seeds: int = 3, n_rows: int = 12_000, *, words: list[str]) -> None:
    warnings.simplefilter("ignore")
    pure, found = "pure" in words, defaultdict(list)
    for kind, frame, labels, schema in tables(seeds, n_rows, "classes" in words):
        held_out = auto_rules.N_SCORED
        rest = frame[-held_out:], np.searchsorted(sorted(schema.label.classes), labels[-held_out:])
        given, fitted = (frame[:-held_out], labels[:-held_out]), len(labels) - held_out
        for signal in SIGNALS[pure]:
            epsilon = signal * len(schema.names) / fitted
            if epsilon > MAX_EPSILON[pure]:
                continue
            of_fit = schema, given, rest, (epsilon, 0.0 if pure else 1e-5)
            each = [scores(None, 0.3, *of_fit)]
            each += [scores(rule, "auto", *of_fit) for rule in RULES.values()]
            each += [scores(None, rate, *of_fit) for rate in GIVEN.values()]
            found[f"{kind}, rows times epsilon a column", float(signal)].append(each)
    auto_rules.print_gains(dict(sorted(found.items())), ["0.3", *RULES, *GIVEN])


if __name__ == "__main__":
    arguments = sys.argv[1:]
    main(*(int(word) for word in arguments if word.isdecimal()), words=arguments)
