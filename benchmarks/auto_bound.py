"""Logistic regression on ranks or boosted trees, by kind of table: where the upper bound of auto for two classes is.

    python benchmarks/auto_bound.py [tables of each kind, 3 if not given] [rows to fit, 4,000 if not given]

Tables of ``auto_rules`` and ``rule_tables``, and of clusters, everything private, delta 1e-5, simulated noise. By rows
times epsilon a column: what ranks have in accuracy and area under the ROC curve, in points, beyond boosted trees, the
mean over each kind of table, and over the kinds, without and with those whose columns were made to interact.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from functools import partial

import auto_rules
import numpy as np
import polars as pl
from boosted_trees_rules import clustered
from rule_tables import varied

from tacit import BoostedTreesClassifier, LogisticClassifier
from tacit.schema import Schema

SIGNALS = (200, 300, 500, 700, 1_000, 2_000)
LEARNERS = {"ranks": partial(LogisticClassifier, encoding="ranked"), "trees": BoostedTreesClassifier}


def tables(seeds: int, n_rows: int) -> Iterator[tuple[str, pl.DataFrame, np.ndarray, Schema]]:
    """Yield kind, rows, labels and schema of each table."""
    auto_rules.SIZES = (n_rows,)
    for name, frame, labels, schema in auto_rules.tables(seeds):
        kind = " ".join(word for word in name.split() if not word.isdecimal())
        yield kind, frame, labels, schema
    for seed in range(seeds):
        yield "clusters", *clustered(seed, n_rows + auto_rules.N_SCORED)
        for at in (2 * seed, 2 * seed + 1):
            yield "varied", *varied(at, n_rows + auto_rules.N_SCORED)


def main(seeds: int = 3, n_rows: int = 4_000) -> None:
    """Print a line for each kind of table, and two means."""
    warnings.simplefilter("ignore")
    auto_rules.LEARNERS.update(LEARNERS)
    found: dict[str, list[np.ndarray]] = defaultdict(list)
    for kind, frame, labels, schema in tables(seeds, n_rows):
        truth = np.searchsorted(sorted(schema.label.classes), labels[-auto_rules.N_SCORED :])
        given, held_out = (frame[:n_rows], labels[:n_rows]), (frame[-auto_rules.N_SCORED :], truth)
        budgets = [(signal * len(schema.names) / n_rows, 1e-5) for signal in SIGNALS]
        ranks, trees = (
            np.asarray([auto_rules.scores_of(one, schema, given, held_out, budget)[:2] for budget in budgets])
            for one in LEARNERS
        )
        found[kind].append(ranks - trees)
    means = {kind: np.mean(each, axis=0) for kind, each in found.items()}
    together = {kind: mean for kind, mean in means.items() if "crossed" not in kind}
    means["all but crossed"] = np.mean(list(together.values()), axis=0)
    means["all"] = np.mean([mean for kind, mean in means.items() if kind in found], axis=0)
    print(f"{'rows times epsilon a column':28s}", *(f"{signal:>13,}" for signal in SIGNALS))
    for kind, mean in means.items():
        print(f"{kind:28s}", *(f"{accuracy:+6.1f} {area:+6.1f}" for accuracy, area in mean))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
