"""Shares of a boosted tree's budget for its choice, its curvatures and its gradients, on synthetic tables alone.

    python benchmarks/tree_shares.py [tables of each kind, 2 if not given] [rows, 4,000 if not given] [pure] [classes]

Tables of ``auto_bound``, of two classes or of three to seven, everything private, simulated noise, delta 1e-5 or none;
as many trees, as deep, by the rule. By rows times epsilon a column: with the first shares the mean accuracy,
area under the ROC curve and minus the logarithmic loss, in points (hundredths), over kinds of tables, and what other
shares add, with the standard error over tables.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from dataclasses import replace

import auto_rules
import numpy as np
from auto_bound import of_classes, tables
from noisy_gradient_rules import trained
from sklearn.metrics import log_loss, roc_auc_score

from tacit.boosting.boosted_trees import TreeShares
from tacit.boosting.tree_sizes import sized
from tacit.privacy import Budget
from tacit.table import Table, read_rows

SHARES = ((0.25, 0.15), (0.25, 0.05), (0.2, 0.05), (0.15, 0.15), (0.15, 0.08), (0.15, 0.05), (0.15, 0.03), (0.1, 0.05))
SIGNALS = {False: (500, 1_000, 3_000), True: (1_000, 3_000, 10_000)}


def measured(likely: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return accuracy, area and minus log-loss, in points and hundredths."""
    likely = np.clip(likely, auto_rules.CLIPPED, 1 - auto_rules.CLIPPED)
    likely /= likely.sum(axis=1, keepdims=True)
    found = [k for k in range(likely.shape[1]) if (truth == k).any()]
    area = np.mean([roc_auc_score(truth == k, likely[:, k]) for k in found])
    loss = log_loss(truth, likely, labels=range(likely.shape[1]))
    return 100 * np.asarray([np.mean(likely.argmax(axis=1) == truth), area, -loss])


def main(seeds: int = 2, n_rows: int = 4_000, *, pure: bool = False, classes: bool = False) -> None:
    warnings.simplefilter("ignore")
    found: dict[float, dict[str, list[np.ndarray]]] = defaultdict(lambda: defaultdict(list))
    for kind, frame, labels, schema in (of_classes if classes else tables)(seeds, n_rows):
        truth = np.searchsorted(sorted(schema.label.classes), labels[n_rows:])
        rows = read_rows(frame[n_rows:], schema, on_invalid="coerce")
        own = Table.from_frame(frame[:n_rows], labels[:n_rows], schema, on_invalid="coerce")
        for signal in SIGNALS[pure]:
            budget = Budget(signal * len(schema.names) / n_rows, 0.0 if pure else 1e-5)
            usual = sized(schema, own.unit, budget, n_rows)
            tried = [replace(usual, shares=TreeShares(one, two, 1 - one - two)) for one, two in SHARES]
            likely = [trained(each, own, budget, seed=0).probabilities(rows, schema) for each in tried]
            found[signal][kind].append(np.asarray([measured(each, truth) for each in likely]))
    for signal, kinds in found.items():
        gains = {kind: np.asarray(each) - np.asarray(each)[:, :1] for kind, each in kinds.items()}
        base = np.mean([np.mean(each, axis=0)[0] for each in kinds.values()], axis=0)
        print(signal, SHARES[0], *base.round(1), sep="\t")
        mean = np.mean([each.mean(axis=0) for each in gains.values()], axis=0)
        every = np.concatenate(list(gains.values()))
        error = every.std(axis=0, ddof=1) / len(every) ** 0.5
        for at in range(1, len(SHARES)):
            print("", SHARES[at], *(f"{m:+.2f} +- {e:.2f}" for m, e in zip(mean[at], error[at], strict=True)), sep="\t")


if __name__ == "__main__":
    words = sys.argv[1:]
    main(*(int(each) for each in words if each.isdecimal()), pure="pure" in words, classes="classes" in words)
