"""Where the constants of the pure linear learners' rules come from: held-out accuracy on synthetic tables alone.

    python benchmarks/linear_rules.py [tables of each kind, 3 if not given]

Twelve tables (``rule_tables``), everything private, simulated noise; accuracy in points (hundredths). First, for each
ratio n * epsilon / d, K-norm objective perturbation with lambda equal to the least one times 1 + s * d / (n * epsilon),
by s, and the mean operator; then the same for the SVM's Huber loss; then the two methods where half of each table is
public. Last, for each n * epsilon, what bins of a number other than eight add, with the standard error of the
difference over tables.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from rule_tables import half_public, synthetic_tables

from tacit.convex import HuberLoss, LogisticLoss, Loss
from tacit.estimators import LogisticClassifier, SVMClassifier
from tacit.estimators.linear import LinearFit
from tacit.features.feature_encoding import named_encoding
from tacit.mechanisms.objective_perturbation import ObjectivePerturbation
from tacit.privacy import PureDP
from tacit.queries import Design
from tacit.queries.linear_objective import row_geometry
from tacit.schema import Schema

RATIOS, PARTIAL_RATIOS = (2, 5, 8, 15, 50, 200), (0.5, 2, 8, 15)
SHRINKAGES = (0, 4, 16, 64, 256)
PARTS, USUAL = (4, 6, 8, 12, 16, 24), 8
BUDGETS = (1_600, 6_250, 12_500, 25_000, 50_000, 100_000)
"""n * epsilon at which numbers of bins are compared."""

N_ROWS, N_FITTED, REPEATS = 20_000, 16_000, 3


def main(seeds: int) -> None:
    warnings.simplefilter("ignore")
    tables = list(synthetic_tables(N_ROWS, seeds))
    for loss in (LogisticLoss(), HuberLoss(0.05)):
        print(type(loss).__name__)
        print("n epsilon/d", *(f"s={s}" for s in SHRINKAGES), *["mean operator"] * loss.self_bounded, sep="\t")
        for ratio in RATIOS:
            scores = np.mean([_by_lambda(*table, ratio, loss) for _, *table in tables], axis=0)
            print(ratio, *np.round(scores, 2), sep="\t", flush=True)
    print("A public label, every second column public\nn epsilon/d\tK-norm\tmean operator")
    for ratio in PARTIAL_RATIOS:
        scores = np.mean([_by_method(*table, ratio) for _, *table in tables], axis=0)
        print(ratio, *np.round(scores, 2), sep="\t", flush=True)
    print("\nn epsilon", "8 bins", *(f"{parts}" for parts in PARTS if parts != USUAL), sep="\t")
    for budget in BUDGETS:
        scores = np.array([_by_parts(*table, budget / N_FITTED) for _, *table in tables])
        usual = scores[:, [PARTS.index(USUAL)]]
        gain = np.delete(scores - usual, PARTS.index(USUAL), axis=1)
        errors = gain.std(axis=0, ddof=1) / len(gain) ** 0.5
        cells = [f"{mean:+.2f} +- {error:.2f}" for mean, error in zip(gain.mean(axis=0), errors, strict=True)]
        print(budget, f"{usual.mean():.2f}", *cells, sep="\t", flush=True)


def _by_lambda(frame: Any, labels: np.ndarray, schema: Schema, ratio: float, loss: Loss) -> list[float]:
    encoding = named_encoding(schema, schema.names, "binned", USUAL)
    epsilon = ratio * encoding.n_features / N_FITTED
    rows = row_geometry(Design(encoding, intercept=False), loss)
    least = ObjectivePerturbation(PureDP(epsilon)).least_regularization(rows) * (1 + 1e-9)
    kind = LogisticClassifier if loss.self_bounded else SVMClassifier
    settings: list[dict[str, Any]] = [
        {"method": "k-norm", "regularization": max(least * (1 + s / ratio), 1.0)} for s in SHRINKAGES
    ]
    settings += [{"method": "mean-operator"}] * loss.self_bounded
    return [_accuracy(kind, frame, labels, schema, epsilon, n_bins=USUAL, **setting) for setting in settings]


def _by_method(frame: Any, labels: np.ndarray, drawn: Schema, ratio: float) -> list[float]:
    schema = half_public(drawn)
    epsilon = ratio * named_encoding(schema, schema.private_columns, "binned", USUAL).n_features / N_FITTED
    return [
        _accuracy(LogisticClassifier, frame, labels, schema, epsilon, method=method, n_bins=USUAL)
        for method in ("k-norm", "mean-operator")
    ]


def _by_parts(frame: Any, labels: np.ndarray, schema: Schema, epsilon: float) -> list[float]:
    return [
        _accuracy(LogisticClassifier, frame, labels, schema, epsilon, method="k-norm", n_bins=parts) for parts in PARTS
    ]


def _accuracy(
    kind: type[LinearFit], frame: Any, labels: np.ndarray, schema: Schema, epsilon: float, **setting: Any
) -> float:
    scores = []
    for seed in range(REPEATS):
        order = np.random.default_rng(seed).permutation(N_ROWS)
        train, test = order[:N_FITTED], order[N_FITTED:]
        model = kind(schema, epsilon=epsilon, random_state=seed, **setting)
        scores.append(model.fit(frame[train], labels[train]).score(frame[test], labels[test]))
    return 100 * float(np.mean(scores))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
