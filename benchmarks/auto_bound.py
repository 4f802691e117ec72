"""Ranks, boosted trees that start from them, and boosted trees alone, by kind of table, under a delta.

    python benchmarks/auto_bound.py [tables of each kind, 3] [rows to fit, 4,000] [classes | pure | small [categories]]

Where the bounds of auto between ranks and boosted trees are, and what ranks that come first add to trees. Tables of two
classes of ``auto_rules``, ``rule_tables`` and ``few_columns``, and of clusters, or with "classes" of three to seven;
everything private, delta 1e-5, simulated noise. By rows times epsilon a column: what ranks alone and trees alone have
in accuracy, area under the ROC curve (mean over classes) and minus the logarithmic loss, in points (hundredths), beyond
boosted trees that start from ranks: the mean over each kind of table, and over the kinds, without and with those whose
columns were made to interact, and the standard error over tables. With "pure", what logistic regression has beyond
boosted trees without a delta; with "small", what a tree that takes no delta has beyond ranks.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import partial
from typing import Any

import auto_rules
import chosen_columns
import few_columns
import numpy as np
import polars as pl
from boosted_trees_rules import clustered
from drawn_classes import tables_of_classes
from rule_tables import varied

from tacit import BoostedTreesClassifier, LogisticClassifier, TreeClassifier
from tacit.schema import Categorical, Schema

SIGNALS = (200, 300, 500, 700, 1_000, 2_000, 5_000)
LEARNERS = {
    "both": partial(BoostedTreesClassifier, start="ranks"),
    "ranks alone": partial(LogisticClassifier, encoding="ranked"),
    "trees alone": partial(BoostedTreesClassifier, start="balance"),
}
PURE_SIGNALS = (300, 1_000, 2_000, 3_000, 5_000, 10_000)
PURE = {"boosted trees": BoostedTreesClassifier, "logistic regression": LogisticClassifier}


def tree(schema: Schema, *, delta: float, **others: Any) -> TreeClassifier:
    """Return a tree of these settings without the delta."""
    return TreeClassifier(schema, **others)


SMALL_SIGNALS = (0.1, 0.3, 0.5, 1, 2, 3, 10, 30)
SMALL = {"ranks": partial(LogisticClassifier, encoding="ranked"), "a tree": tree}


def tables(seeds: int, n_rows: int) -> Iterator[tuple[str, pl.DataFrame, np.ndarray, Schema]]:
    """Yield kind, rows, labels and schema of each table of two classes."""
    auto_rules.SIZES = (n_rows,)
    for name, frame, labels, schema in auto_rules.tables(seeds):
        kind = " ".join(word for word in name.split() if not word.isdecimal())
        yield kind, frame, labels, schema
    for seed in range(seeds):
        yield "clusters", *clustered(seed, n_rows + auto_rules.N_SCORED)
        for at in (2 * seed, 2 * seed + 1):
            yield "varied", *varied(at, n_rows + auto_rules.N_SCORED)
    for kind, drawn in few_columns.tables(seeds, n_rows + auto_rules.N_SCORED):
        yield "few columns" + (" crossed" if "crossed" in kind else ""), *drawn


def of_classes(seeds: int, n_rows: int) -> Iterator[tuple[str, pl.DataFrame, np.ndarray, Schema]]:
    """Yield the same of tables of three to seven classes."""
    for _, *drawn in tables_of_classes(n_rows + auto_rules.N_SCORED, seeds):
        categories = all(isinstance(column, Categorical) for column in drawn[2].columns)
        yield "categories alone" if categories else "numbers too", *drawn


def of_categories(seeds: int, n_rows: int) -> Iterator[tuple[str, pl.DataFrame, np.ndarray, Schema]]:
    """Yield the same of tables of categories alone, by how many rows are of the most frequent class."""
    for frame, labels, schema in chosen_columns.tables(seeds, n_rows + auto_rules.N_SCORED):
        if len(schema.label.classes) == 2 and len(np.unique(labels[:n_rows])) == 2:
            share = np.unique(labels, return_counts=True)[1].max() / len(labels)
            yield "even" if share < 0.6 else "uneven" if share < 0.75 else "a rare class", frame, labels, schema


def seeded(make: Any, at: int, schema: Schema, *, random_state: int, **others: Any) -> Any:
    """Return a learner with other noise for each table: with the same, errors over tables would say too little."""
    return make(schema, random_state=random_state + at, **others)


def main(seeds: int = 3, n_rows: int = 4_000, *, words: Collection[str] = ()) -> None:
    """Print a table for each comparison: a line for each kind, and two means."""
    warnings.simplefilter("ignore")
    compared, signals = LEARNERS, SIGNALS
    if "pure" in words or "small" in words:
        compared, signals = (PURE, PURE_SIGNALS) if "pure" in words else (SMALL, SMALL_SIGNALS)
    found: dict[str, list[np.ndarray]] = defaultdict(list)
    drawn = of_classes if "classes" in words else of_categories if "categories" in words else tables
    for number, (kind, frame, labels, schema) in enumerate(drawn(seeds, n_rows)):
        auto_rules.LEARNERS.update({name: partial(seeded, make, 1_000 * number) for name, make in compared.items()})
        truth = np.searchsorted(sorted(schema.label.classes), labels[-auto_rules.N_SCORED :])
        given, held_out = (frame[:n_rows], labels[:n_rows]), (frame[-auto_rules.N_SCORED :], truth)
        budgets = [(signal * len(schema.names) / n_rows, 0.0 if "pure" in words else 1e-5) for signal in signals]
        base, *others = (
            np.asarray([auto_rules.scores_of(one, schema, given, held_out, budget) for budget in budgets])
            for one in compared
        )
        found[kind].append(np.asarray(others) - base)
    for at, name in enumerate([*compared][1:]):
        means = {kind: np.mean(each, axis=0)[at] for kind, each in found.items()}
        together = [mean for kind, mean in means.items() if "crossed" not in kind]
        every = np.asarray([one[at] for each in found.values() for one in each])
        means |= {"all but crossed": np.mean(together, axis=0), "all": np.mean(list(means.values()), axis=0)}
        means["standard error"] = every.std(axis=0, ddof=1) / len(every) ** 0.5
        print(f"{name:20s}", *(f"{signal:>20,}" for signal in signals))
        for kind, mean in means.items():
            print(f"{kind:20s}", *("/".join(f"{each:+6.1f}" for each in cell) for cell in mean))


if __name__ == "__main__":
    main(*(int(each) for each in sys.argv[1:] if each.isdecimal()), words=sys.argv[1:])
