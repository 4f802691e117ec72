"""How many rounds of BRC are best, on synthetic tables alone.

    python benchmarks/brc_rounds.py [tables of each kind, 3 if not given] [rows to fit, 3,000 and 30,000 if not given]

Tables of two classes of ``rule_tables``, and some of few columns; simulated noise. Everything private, without and with
a delta of 1e-6; and with a public label and every second column public, from which classifiers are learned exactly.
By rows times epsilon: accuracy and area under the ROC curve of 25 rounds, and what other numbers of rounds add, in
points, with the standard error over tables.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import polars as pl
from few_columns import few
from rule_tables import half_public, synthetic_tables, varied
from sklearn.metrics import roc_auc_score

from tacit import BRCClassifier
from tacit.schema import Schema

ROUNDS = {"everything private": (25, 50, 100, 200, 300, 600), "half public": (25, 50, 100)}
PRODUCTS = {"everything private": (100, 300, 1_000, 3_000, 10_000, 30_000), "half public": (300, 3_000)}
"""Rows times epsilon. Less of half public ones, where each round may fit a classifier, which takes most of the time."""

MAX_EPSILON = 5.0
DELTAS = (0.0, 1e-6)
N_SCORED = 4_000


def tables(seeds: int, n_rows: int) -> Iterator[tuple[pl.DataFrame, np.ndarray, Schema]]:
    """Yield rows, labels and schema of each table of two classes."""
    for seed in range(seeds):
        for name, *one in synthetic_tables(n_rows, seed + 1):
            if name.endswith(str(seed)):
                yield tuple(one)
        for at in range(4):
            yield varied(4 * seed + at, n_rows)
        yield few(np.random.default_rng(seed), n_rows, 0.3, crossed=False)


def main(seeds: int = 3, *sizes: int) -> None:
    """Print a line for each privacy and product of rows and epsilon."""
    warnings.simplefilter("ignore")
    found: dict[tuple[str, int], list[np.ndarray]] = defaultdict(list)
    sizes = sizes or (3_000, 30_000)
    for n_rows in sizes:
        for frame, labels, schema in tables(seeds, n_rows + N_SCORED):
            if len(schema.label.classes) > 2:
                continue
            truth = labels[n_rows:] == sorted(schema.label.classes)[1]
            for privacy, own in (("everything private", schema), ("half public", half_public(schema))):
                for product in PRODUCTS[privacy]:
                    if product / n_rows > MAX_EPSILON or (own is not schema and n_rows > min(sizes)):
                        continue
                    for delta in DELTAS:
                        scores = []
                        for rounds in ROUNDS[privacy]:
                            model = BRCClassifier(
                                own, epsilon=product / n_rows, delta=delta, rounds=rounds, random_state=0
                            )
                            model.set_params(on_invalid="coerce").fit(frame[:n_rows], labels[:n_rows])
                            area = roc_auc_score(truth, model.decision_function(frame[n_rows:]))
                            scores.append((model.score(frame[n_rows:], labels[n_rows:]), area))
                        found[f"{privacy}, delta {delta:g}", product].append(100 * np.asarray(scores))
    for (kind, product), values in sorted(found.items()):
        each = np.asarray(values)
        gains = each - each[:, :1]
        mean, error = gains.mean(axis=0), gains.std(axis=0) / len(gains) ** 0.5
        print(f"{kind}, rows times epsilon {product}: {len(each)} tables, 25 rounds", *each[:, 0].mean(axis=0).round(1))
        for at, rounds in list(enumerate(ROUNDS[kind.split(",")[0]]))[1:]:
            said = " / ".join(f"{m:+.2f} +- {e:.2f}" for m, e in zip(mean[at], error[at], strict=True))
            print(f"  {rounds:4d} rounds {said}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
