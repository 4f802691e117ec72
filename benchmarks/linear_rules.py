"""Where the constants of the linear learners' rules come from: held-out accuracy on public and synthetic tables.

    python benchmarks/linear_rules.py

For each table and each ratio n * epsilon / d, the mean accuracy of K-norm objective perturbation with lambda equal to
the least one times 1 + s * d / (n * epsilon), by s, and of the mean operator. Adult and the other tables of Shen and
others (2022) do not take part. Everything is private, noise is simulated.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import polars as pl

from tacit.datasets import load
from tacit.estimators import LogisticClassifier
from tacit.mechanisms.mask import density_and_mask
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table.named_encoding import named_encoding

TABLES = ("cod-rna", "skin-segmentation")
RATIOS = (2, 5, 15, 50, 200)
SHRINKAGES = (0, 4, 16, 64)
REPEATS = 4
MOST_ROWS = 20_000


def synthetic(seed: int, n_rows: int = 20_000) -> tuple[pl.DataFrame, np.ndarray, Schema]:
    """Six numbers and six categories of different sizes; log-odds are smooth in numbers and scattered in categories."""
    generator = np.random.default_rng(seed)
    numbers = {f"x{i}": generator.beta(2, 2 + i, n_rows) for i in range(6)}
    sizes = (2, 3, 5, 8, 12, 20)
    words = {
        f"c{i}": generator.choice(size, n_rows, p=generator.dirichlet(np.ones(size))) for i, size in enumerate(sizes)
    }
    odds = sum(generator.normal() * 2 * (column - column.mean()) for column in numbers.values())
    odds = odds + sum(generator.normal(0, 0.5, size)[words[f"c{i}"]] for i, size in enumerate(sizes))
    labels = (generator.random(n_rows) < 1 / (1 + np.exp(-odds))).astype(int)
    columns = [Numeric(name, 0, 1) for name in numbers]
    columns += [Categorical(f"c{i}", list(range(size))) for i, size in enumerate(sizes)]
    return pl.DataFrame(numbers | words), labels, Schema(columns, label=Label("y", [0, 1]))


def tables() -> Iterator[tuple[str, pl.DataFrame, np.ndarray, Schema]]:
    for name in TABLES:
        data = load(name)
        yield name, data.frame, data.target.to_numpy(), data.schema.all_private()
    for seed in range(4):
        yield f"synthetic {seed}", *synthetic(seed)


def main() -> None:
    warnings.simplefilter("ignore")
    print("table", "ratio", *(f"s={s}" for s in SHRINKAGES), "mean-operator", sep="\t")
    totals: dict[int, list[list[float]]] = {ratio: [] for ratio in RATIOS}
    for name, frame, labels, schema in tables():
        encoding = named_encoding(schema, schema.names, "binned", 8)
        for ratio in RATIOS:
            row = np.mean([one_repeat(frame, labels, schema, encoding, ratio, seed) for seed in range(REPEATS)], axis=0)
            totals[ratio].append(row.tolist())
            print(name, ratio, *np.round(row, 4), sep="\t", flush=True)
    for ratio, rows in totals.items():
        print("mean", ratio, *np.round(np.mean(rows, axis=0), 4), sep="\t")


def one_repeat(frame, labels, schema, encoding, ratio, seed) -> list[float]:
    order = np.random.default_rng(seed).permutation(len(labels))[:MOST_ROWS]
    cut = len(order) * 4 // 5
    train, test = order[:cut], order[cut:]
    epsilon = ratio * encoding.n_features / cut
    least = 2 * len(encoding.columns) / density_and_mask(epsilon)[0] * (1 + 1e-9)
    settings = [{"regularization": least * (1 + s / ratio)} for s in SHRINKAGES] + [{"method": "mean-operator"}]
    scores = []
    for setting in settings:
        model = LogisticClassifier(schema, epsilon=epsilon, random_state=seed, **setting)
        scores.append(model.fit(frame[train], labels[train]).score(frame[test], labels[test]))
    return scores


if __name__ == "__main__":
    main()
