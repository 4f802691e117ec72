"""Where the defaults of LazyBB over trees come from: held-out accuracy on drawn tables and public ones.

    python benchmarks/lazybb_rules.py [repetitions, 3 if not given]

The four kinds of ``drawn`` and eight public tables, none of them of the thesis, everything private, a fifth
held out, simulated noise. For each strength s = n epsilon / ln(number of rules): the mean loss in points against the
best of the grid, first by splits of a tree and by the constant c of c s^0.7 splits in all, then by density and learning
rate at three splits.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from itertools import pairwise
from math import log
from typing import Any

import numpy as np
from drawn import KINDS

from tacit.datasets import load
from tacit.estimators import LazyBBClassifier
from tacit.features import BinEncoding
from tacit.features.literals import literals
from tacit.schema import Label, Schema

PUBLIC = (
    "nursery",
    "bank-marketing",
    "credit-default",
    "skin-segmentation",
    "magic-gamma",
    "abalone",
    "wine-white",
    "breast-cancer-wisconsin",
)
EPSILONS = (0.1, 0.3, 1.0, 3.0)
SPLITS, CONSTANTS = (1, 2, 3, 5, 7), (0.03, 0.06, 0.12, 0.24)
DENSITIES, RATES = (0.3, 0.45, 0.65), (0.4, 0.7, 1.0)
MAX_ROWS = 60_000
STRENGTHS = (0, 400, 1000, 3000, np.inf)

Split = tuple[Schema, Any, np.ndarray, Any, np.ndarray]


def main(repetitions: int) -> None:
    warnings.simplefilter("ignore")
    names = [*KINDS, *PUBLIC]
    sizes = [(splits, constant) for splits in SPLITS for constant in CONSTANTS]
    smooth = [(density, rate) for density in DENSITIES for rate in RATES]
    _print_losses("splits, constant", sizes, names, repetitions, _size)
    _print_losses(
        "density, rate", smooth, names, repetitions, lambda s, one: {"density": one[0], "learning_rate": one[1]}
    )


def _size(strength: float, one: tuple[float, float]) -> dict[str, Any]:
    splits, constant = one
    rounds = 2 * (int(constant * strength**0.7 / splits) // 2) + 1
    return {"max_splits": splits, "rounds": min(rounds, 99)}


def _print_losses(
    title: str,
    grid: list[tuple[float, float]],
    names: list[str],
    repetitions: int,
    settings: Callable[[float, tuple[float, float]], dict[str, Any]],
) -> None:
    found: list[tuple[float, np.ndarray]] = []
    for name in names:
        splits = [_split(name, seed) for seed in range(repetitions)]
        schema, _, y, _, _ = splits[0]
        rules = 2 * len(literals(BinEncoding(schema, schema.names), "thresholds")) + 2
        for epsilon in EPSILONS:
            strength = len(y) * epsilon / log(rules)
            row = [_accuracy(splits, epsilon, settings(strength, one)) for one in grid]
            found.append((strength, 100 * (max(row) - np.asarray(row))))
    between = list(pairwise(STRENGTHS))
    print(title, *(f"s from {low}" for low, _ in between), "all", sep="\t")
    bands = [[losses for strength, losses in found if low <= strength < high] for low, high in between]
    means = [np.mean(band, axis=0) for band in [*bands, [losses for _, losses in found]]]
    for at, one in enumerate(grid):
        print(one, *(f"{mean[at]:.2f}" for mean in means), sep="\t", flush=True)


def _accuracy(splits: list[Split], epsilon: float, settings: dict[str, Any]) -> float:
    scores = []
    for seed, (schema, X, y, X_test, y_test) in enumerate(splits):
        model = LazyBBClassifier(schema, epsilon=epsilon, weak_learner="tree", random_state=seed, **settings)
        scores.append(model.fit(X, y).score(X_test, y_test))
    return float(np.mean(scores))


def _split(name: str, seed: int) -> Split:
    if name in KINDS:
        n_rows = KINDS[name].n_rows
        schema, rows, labels = KINDS[name].draw(seed, n_rows + 4000)
        return schema, rows[:n_rows], labels[:n_rows], rows[n_rows:], labels[n_rows:]
    data = load(name)
    schema, labels = data.schema.all_private(), data.target.to_numpy()
    if name == "nursery":  # one class of five against the others
        labels = np.where(labels == "spec_prior", "yes", "no")
        schema = Schema(schema.columns, label=Label("y", ["no", "yes"]))
    order = np.random.default_rng(seed).permutation(len(labels))[:MAX_ROWS]
    test, train = np.split(order, [len(order) // 5])
    return schema, data.frame[train], labels[train], data.frame[test], labels[test]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
