"""How the constants of noisy gradient descent were chosen: one at a time, on part of Adult's training rows.

    python benchmarks/noisy_gradient_rules.py [Adult | synthetic]

Four fifths of the training rows fit, one fifth scores; the test file is not read. Epsilon is raised by 1.25 to make up
for the missing fifth. "synthetic" does the same on a table drawn from a logistic law of correlated columns.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import polars as pl
from sklearn.metrics import roc_auc_score

from tacit.datasets import load
from tacit.learners.linear.noisy_gradient import NoisyGradient, suited_parts
from tacit.mechanisms import noise_source
from tacit.privacy import Accountant, Budget
from tacit.queries import Design, LinearProblem
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Table, read_rows
from tacit.table.named_encoding import named_encoding

CHOICES = {
    "defaults": {},
    "steps 8": {"steps": 8},
    "steps 32": {"steps": 32},
    "clip 0.35": {"clip": 0.35},
    "clip 0.7": {"clip": 0.7},
    "step size 0.4": {"step_size": 0.4},
    "counting 0.02": {"counting": 0.02},
    "counting 0.15": {"counting": 0.15},
    "spread 0.15": {"spread": 0.15},
    "spread 0.6": {"spread": 0.6},
    "level 0.15": {"level": 0.15},
    "level 0.6": {"level": 0.6},
    "smoothness 1/64": {"smoothness": 1 / 64},
    "smoothness 1/16": {"smoothness": 1 / 16},
}
PARTS = (8, 12, 16, 32)
DELTA = 1e-5


def adult_training_rows() -> tuple[pl.DataFrame, np.ndarray, Schema]:
    data = load("adult")
    train = data.split == "train"
    return data.frame.filter(train), data.target.filter(train).to_numpy(), data.schema.all_private()


def synthetic_rows(n_rows: int = 30_000) -> tuple[pl.DataFrame, np.ndarray, Schema]:
    generator = np.random.default_rng(0)
    hidden = generator.normal(size=(n_rows, 3))
    loads = generator.normal(size=(3, 12))
    signals = hidden @ loads / 2 + generator.normal(size=(n_rows, 12))
    score = 1.5 * hidden[:, 0] + np.tanh(signals[:, 0]) + 0.5 * signals[:, 7] - 1
    y = np.where(generator.random(n_rows) < 1 / (1 + np.exp(-score)), "yes", "no")
    names = [f"x{i}" for i in range(12)]
    frame = {name: signals[:, i] for i, name in enumerate(names[:6])}
    frame |= {name: np.digitize(signals[:, i], np.linspace(-2, 2, i - 2)) for i, name in enumerate(names[6:], 6)}
    columns = [Numeric(name, -5, 5) for name in names[:6]]
    columns += [Categorical(name, list(range(i - 1))) for i, name in enumerate(names[6:], 6)]
    return pl.DataFrame(frame), y, Schema(columns, label=Label("y", ["no", "yes"]))


def measure(frame: pl.DataFrame, y: np.ndarray, schema: Schema, repeats: int = 8) -> None:
    order = np.random.default_rng(5).permutation(len(y))
    fitted, held = np.split(order, [len(y) * 4 // 5])
    table = Table.from_frame(frame[fitted], y[fitted], schema, on_invalid="code")
    rows = read_rows(frame[held], schema, on_invalid="code")
    for epsilon in (0.01, 0.05, 0.1, 0.5, 1.0):
        suited = suited_parts(table.n_rows, 1.25 * epsilon, DELTA)
        tries = [(name, replace(NoisyGradient(), **changes), suited) for name, changes in CHOICES.items()]
        tries += [(f"parts {parts}", NoisyGradient(), parts) for parts in PARTS]
        for name, learner, parts in tries:
            design = Design(named_encoding(schema, schema.names, "binned", parts), intercept=False)
            features = design.encoding.transform(rows)
            scores = [
                features @ weights(table, design, learner, Budget(1.25 * epsilon, DELTA), seed)
                for seed in range(repeats)
            ]
            truth = y[held] == sorted(schema.label.classes)[1]
            found = [(np.mean((score > 0) == truth), roc_auc_score(truth, score)) for score in scores]
            accuracy, area = np.mean(found, axis=0)
            print(f"{epsilon:5g} {name:18s} accuracy {accuracy:.4f}  ROC AUC {area:.4f}", flush=True)


def weights(table: Table, design: Design, learner: NoisyGradient, budget: Budget, seed: int) -> np.ndarray:
    accountant = Accountant(budget, table.unit, noise_source(seed), n_rows=table.n_rows)
    shares = accountant.split(learner.plan(design, table.unit))
    return learner.weights(LinearProblem(table, design), shares, accountant)


if __name__ == "__main__":
    measure(*(synthetic_rows() if "synthetic" in sys.argv else adult_training_rows()))
