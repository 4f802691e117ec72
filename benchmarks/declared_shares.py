"""What declared class shares add to logistic regression on ranks, on synthetic tables alone.

    python benchmarks/declared_shares.py [tables of each kind, 2 if not given] [rows to fit, 1,000 if not given]

Tables of ``auto_bound``, ``rule_tables``, ``few_columns``, ``drawn`` and, of more classes, ``drawn_classes``;
everything private, delta 1e-5, simulated noise. By how even the classes are and rows times epsilon a column: accuracy,
area under the ROC curve and minus the logarithmic loss without declared shares, in points (hundredths), and what
``Label(prevalence=)`` adds with the table's shares, and with odds that are twice as large (of two classes), with the
standard error over tables.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import auto_bound
import auto_rules
import drawn
import numpy as np
import polars as pl
from auto_rules import N_SCORED
from drawn_classes import tables_of_classes
from few_columns import SHARES, few
from rule_tables import answers, two_valued, varied

from tacit import LogisticClassifier
from tacit.schema import Schema

SIGNALS = (2, 4, 8, 16, 32, 64, 150)
MAX_EPSILON = 8.0
MIN_SHARE = 0.002
COMPARED = ("none", "declared", "odds twice as large")


def tables(seeds: int, n_rows: int) -> Iterator[tuple[pl.DataFrame, np.ndarray, Schema]]:
    """Yield rows, labels and schema."""
    for _, *one in auto_bound.tables(1, n_rows - N_SCORED):
        yield tuple(one[:3])
    for seed in range(seeds):
        for at in range(6):
            yield varied(6 * seed + at, n_rows)
        for at, share in enumerate(SHARES):
            yield few(np.random.default_rng([seed, at]), n_rows, share, crossed=bool(seed % 2))
        for distribution in (answers, two_valued):
            yield distribution(seed, n_rows)
        for draw in (drawn.species, drawn.telling):
            schema, frame, labels = draw(seed, n_rows)
            yield frame, np.asarray(labels), schema
    for _, *one in tables_of_classes(n_rows, seeds):
        yield tuple(one)


def declaring(schema: Schema, shares: np.ndarray) -> Schema:
    """Return the schema with these shares of the sorted classes."""
    kept = np.maximum(shares, MIN_SHARE) / np.maximum(shares, MIN_SHARE).sum()
    place = {each: at for at, each in enumerate(sorted(schema.label.classes))}
    return replace(
        schema, label=replace(schema.label, prevalence=[float(kept[place[one]]) for one in schema.label.classes])
    )


def main(seeds: int = 2, n_rows: int = 1_000) -> None:
    warnings.simplefilter("ignore")
    auto_rules.LEARNERS["logistic"] = LogisticClassifier
    found: dict[tuple[str, float], list[list[np.ndarray]]] = defaultdict(list)
    for frame, labels, schema in tables(seeds, n_rows + N_SCORED):
        codes = np.searchsorted(sorted(schema.label.classes), labels)
        shares = np.bincount(codes, minlength=len(schema.label.classes)) / len(codes)
        most = shares.max()
        kind = "three or more" if len(shares) > 2 else "even" if most < 0.6 else "uneven" if most < 0.8 else "rare"
        schemas = [schema, declaring(schema, shares)]
        if len(shares) == 2:
            schemas.append(declaring(schema, shares * [1, 2]))
        given, held_out = (frame[:n_rows], labels[:n_rows]), (frame[-N_SCORED:], codes[-N_SCORED:])
        for signal in SIGNALS:
            budget = signal * len(schema.names) / n_rows, 1e-5
            if budget[0] <= MAX_EPSILON:
                scores = [auto_rules.scores_of("logistic", each, given, held_out, budget) for each in schemas]
                found[kind, signal].append(scores)
    for key, values in sorted(found.items()):
        auto_rules.print_gains({key: values}, COMPARED[: len(values[0])])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
