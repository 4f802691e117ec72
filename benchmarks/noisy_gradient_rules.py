"""Constants of noisy gradient descent, one changed at a time, and bins by rows and budget, on synthetic tables alone.

    python benchmarks/noisy_gradient_rules.py [tables of each kind, 3 if not given] [partial]

Twelve tables (``rule_tables``), 24,000 rows to fit and 8,000 to score, everything private or, with "partial", the label
and every second column public; simulated noise. Printed are
the mean accuracy and area under the ROC curve of the defaults, and for each change what it adds, with the standard
error of that difference over tables and seeds, in points (hundredths).
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import replace

import numpy as np
from rule_tables import half_public, synthetic_tables
from sklearn.metrics import roc_auc_score

from tacit.convex import LogisticLoss
from tacit.learners.linear.defaults import gradient_bins
from tacit.learners.linear.linear import Linear
from tacit.learners.linear.noisy_gradient import NoisyGradient
from tacit.mechanisms import announce, noise_source
from tacit.models import LinearModel, LogisticModel
from tacit.privacy import Accountant, Budget
from tacit.table import Table, read_rows

CHOICES = {
    "steps": (8, 12, 24),
    "clip": (0.35, 0.7),
    "step_size": (0.4, 1.0),
    "counting": (0.01, 0.06),
    "spread": (0.15, 0.6),
    "level": (0.15, 0.6),
    "smoothness": (1 / 64, 1 / 16),
    "hopeless": (30.0, 1e9),
}
PARTS = (4, 5, 6, 8, 12, 16, 32)
EPSILONS = (0.001, 0.01, 0.05, 0.1, 0.5, 1.0)
DELTA = 1e-5
N_ROWS, N_FITTED, REPEATS = 32_000, 24_000, 2


def main(seeds: int, partial: bool) -> None:
    found: dict[tuple[float, str], list[tuple[float, float]]] = defaultdict(list)
    for _, frame, y, drawn in synthetic_tables(N_ROWS, seeds):
        schema = half_public(drawn) if partial else drawn
        table = Table.from_frame(frame[:N_FITTED], y[:N_FITTED], schema, on_invalid="coerce")
        rows = read_rows(frame[N_FITTED:], schema, on_invalid="coerce")
        truth = y[N_FITTED:] == sorted(schema.label.classes)[1]
        for epsilon in EPSILONS:
            usual = gradient_bins(N_FITTED, epsilon, DELTA)
            tries = [("defaults", NoisyGradient(), usual)]
            for name, values in CHOICES.items():
                tries += [(f"{name} {value:g}", replace(NoisyGradient(), **{name: value}), usual) for value in values]
            tries += [(f"parts {parts}", NoisyGradient(), parts) for parts in PARTS]
            for name, method, parts in tries:
                learner = Linear(schema, LogisticLoss(), method, n_bins=parts)
                for seed in range(REPEATS):
                    score = trained(learner, table, Budget(epsilon, DELTA), seed).scores(rows, schema)
                    accuracy, area = np.mean((score > 0) == truth), roc_auc_score(truth, score)
                    found[epsilon, name].append((100 * accuracy, 100 * area))
    for (epsilon, name), values in found.items():
        base, mine = np.array(found[epsilon, "defaults"]), np.array(values)
        if name == "defaults":
            bins = gradient_bins(N_FITTED, epsilon, DELTA)
            print(f"\nepsilon {epsilon:g}, {bins} bins: accuracy, area", *np.round(base.mean(axis=0), 2))
            continue
        gain = (mine - base).reshape(-1, REPEATS, 2).mean(axis=1)  # one for each table
        mean, error = gain.mean(axis=0), gain.std(axis=0, ddof=1) / len(gain) ** 0.5
        print(f"  {name:20s} {mean[0]:+6.2f} +- {error[0]:.2f}   {mean[1]:+6.2f} +- {error[1]:.2f}")


def trained(learner: Linear, table: Table, budget: Budget, seed: int) -> LinearModel | LogisticModel:
    accountant = Accountant(budget, table.unit, noise_source(seed), n_rows=table.n_rows)
    releases = announce(accountant, learner.plan(table.unit))
    return learner.train(table, releases, np.random.default_rng(seed))


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    main(*(numbers or [3]), partial="partial" in sys.argv)
