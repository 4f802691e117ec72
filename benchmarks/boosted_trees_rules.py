"""Settings of boosted trees, one changed at a time, on synthetic tables alone.

    python benchmarks/boosted_trees_rules.py [tables of each kind, 2 if not given] [pure] [steps] [rows ...]

Five kinds of tables (four of ``rule_tables``, and one whose classes are clusters), everything private, simulated noise,
delta 1e-6 or none; trees alone, without ranks before them. For each number of rows and epsilon: mean accuracy, area
under the ROC curve and log-loss of the defaults, and for each change what it adds, in points (hundredths), with the
standard error over tables. With "steps": other ways from released sums to the values of leaves; "ridge" is each leaf by
itself, with a prior deviation of one.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import polars as pl
from rule_tables import synthetic_tables
from scipy.special import log_expit
from sklearn.metrics import roc_auc_score

from tacit.boosting import leaf_steps
from tacit.boosting.boosted_trees import BoostedTrees
from tacit.boosting.tree_sizes import sized
from tacit.mechanisms import announce, noise_source
from tacit.privacy import Accountant, Budget
from tacit.schema import Label, Numeric, Schema
from tacit.table import Table, read_rows

EPSILONS = (0.05, 0.2, 1.0)
N_ROWS = (4_000, 24_000, 100_000)
N_SCORED = 8_000
CHANGES = {
    "n_trees": (5, 10, 20, 40, 80, 160),
    "depth": (-1, 1),
    "candidates": (1, 4, 16, 32),
    "learning_rate": (0.15, 0.5),
    "structure": ("oblivious", "additive"),
}


def clustered(seed: int, n_rows: int) -> tuple[pl.DataFrame, np.ndarray, Schema]:
    """Draw eight numbers from forty clusters, each with a class, and some noise."""
    generator = np.random.default_rng(300 + seed)
    centers, classes = generator.normal(size=(40, 8)), generator.integers(0, 2, 40)
    of_row = generator.integers(0, 40, n_rows)
    numbers = centers[of_row] + 0.6 * generator.normal(size=(n_rows, 8))
    y = np.where(generator.random(n_rows) < 0.95, classes[of_row], 1 - classes[of_row])
    schema = Schema([Numeric(f"n{at}", -5, 5) for at in range(8)], label=Label("y", [0, 1]))
    return pl.DataFrame({f"n{at}": np.clip(numbers[:, at], -5, 5) for at in range(8)}), y, schema


def tables(n_rows: int, seeds: int) -> Iterator[tuple[pl.DataFrame, np.ndarray, Schema]]:
    for _, *drawn in synthetic_tables(n_rows, seeds):
        yield tuple(drawn)
    for seed in range(seeds):
        yield clustered(seed, n_rows)


def ridge(
    design: np.ndarray, gradient: np.ndarray, curvature: np.ndarray, deviation: float
) -> tuple[np.ndarray, leaf_steps.Slopes]:
    """Return steps of leaves by themselves, each with the noise's variance over its curvature as a ridge."""
    total = curvature + deviation**2 / curvature
    return gradient / total, leaf_steps.Slopes.alone(1 / total)


STEPS: dict[str, dict[str, object]] = {
    "ridge": {"newton_steps": ridge},
    "leaves 0.2": {"LEAF_DEVIATION": 0.2},
    "leaves 1": {"LEAF_DEVIATION": 1.0},
    "tests 0.004 to 0.7": {"OF_TESTS": np.geomspace(0.004, 0.7, 5)},
    "tests 0.001": {"OF_TESTS": leaf_steps.OF_TESTS[:1]},
}


def variants(schema: Schema, table: Table, budget: Budget) -> Iterator[tuple[str, BoostedTrees]]:
    """Yield the defaults and each change; the depth follows its rule unless it is what changes."""
    usual = sized(schema, table.unit, budget, table.n_rows, start="balance")
    yield "defaults", usual
    for name, values in CHANGES.items():
        for value in values:
            if name == "n_trees":
                yield f"{name} {value}", sized(schema, table.unit, budget, table.n_rows, start="balance", n_trees=value)
            elif name == "depth":
                yield f"{name} {value:+}", replace(usual, depth=min(max(usual.depth + value, 1), 8))
            else:
                yield f"{name} {value}", replace(usual, **{name: value})


def tries(schema: Schema, table: Table, budget: Budget, steps: bool) -> Iterator[tuple[str, BoostedTrees]]:
    """Yield the defaults and each change, of settings or, while it is yielded, of steps."""
    if not steps:
        yield from variants(schema, table, budget)
        return
    usual = sized(schema, table.unit, budget, table.n_rows, start="balance")
    yield "defaults", usual
    for name, changes in STEPS.items():
        with patch.multiple(leaf_steps, **changes):
            yield name, usual


def main(seeds: int, delta: float, sizes: tuple[int, ...], steps: bool) -> None:
    for n_rows in sizes:
        found: dict[tuple[float, str], list[tuple[float, ...]]] = defaultdict(list)
        for frame, y, schema in tables(n_rows + N_SCORED, seeds):
            table = Table.from_frame(frame[:n_rows], y[:n_rows], schema, on_invalid="coerce")
            rows = read_rows(frame[n_rows:], schema, on_invalid="coerce")
            truth = y[n_rows:] == sorted(schema.label.classes)[1]
            for epsilon in EPSILONS:
                budget = Budget(epsilon, delta)
                for name, settings in tries(schema, table, budget, steps):
                    accountant = Accountant(budget, table.unit, noise_source(0), n_rows=n_rows)
                    releases = announce(accountant, settings.plan(table.unit))
                    model = settings.train(table, releases, np.random.default_rng(0))
                    scores = model.scores(rows, schema)
                    loss = -log_expit(np.where(truth, scores, -scores)).mean()
                    values = np.mean((scores > 0) == truth), roc_auc_score(truth, scores), -loss
                    found[epsilon, name].append((*(100 * np.asarray(values)), settings.n_trees, settings.depth))
        report(n_rows, found)


def report(n_rows: int, found: dict[tuple[float, str], list[tuple[float, ...]]]) -> None:
    for (epsilon, name), values in found.items():
        base, mine = np.asarray(found[epsilon, "defaults"]), np.asarray(values)
        if name == "defaults":
            usual = base[:, 3:].mean(axis=0)
            print(f"\n{n_rows} rows, epsilon {epsilon:g}: {usual[0]:.0f} trees, depth {usual[1]:.1f};", end=" ")
            print("accuracy, area, minus log-loss", *np.round(base[:, :3].mean(axis=0), 2))
            continue
        gain = (mine - base)[:, :3]
        mean, error = gain.mean(axis=0), gain.std(axis=0, ddof=1) / len(gain) ** 0.5
        said = "   ".join(f"{m:+6.2f} +- {e:.2f}" for m, e in zip(mean, error, strict=True))
        print(f"  {name:20s} {said}", flush=True)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    main(
        numbers[0] if numbers else 2,
        0.0 if "pure" in sys.argv else 1e-6,
        tuple(numbers[1:]) or N_ROWS,
        "steps" in sys.argv,
    )
