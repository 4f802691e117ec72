"""Tables of many classes drawn at random: categories by class, ratings, rules, crowds of numbers, and both kinds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from tacit.schema import Categorical, Label, Numeric, Schema

Drawn = tuple[pl.DataFrame, np.ndarray, Schema]


def by_class(generator: np.random.Generator, n_rows: int, n_classes: int, columns: int = 10) -> Drawn:
    """Draw categories that are independent within a class."""
    labels = generator.choice(n_classes, n_rows, p=generator.dirichlet(np.full(n_classes, 2.0)))
    frame = {}
    for at in range(columns):
        usual = generator.dirichlet(np.ones(generator.integers(2, 7)))
        distributions = generator.dirichlet(usual * len(usual) * 4.5 + 0.05, n_classes)
        frame[f"c{at}"] = (generator.random((n_rows, 1)) > np.cumsum(distributions, axis=1)[labels][:, :-1]).sum(axis=1)
    return _table(frame, labels, n_classes)


def ratings(generator: np.random.Generator, n_rows: int, n_classes: int) -> Drawn:
    """Draw categories in order whose weighted sum, with some noise, decides."""
    frame, score = {}, np.zeros(n_rows)
    for at in range(8):
        size = generator.integers(2, 6)
        frame[f"c{at}"] = generator.integers(0, size, n_rows)
        score += (generator.exponential() * np.sort(generator.random(size)))[frame[f"c{at}"]]
    score += 0.15 * score.std() * generator.normal(size=n_rows)
    return _table(frame, _cut(score, n_classes, generator), n_classes)


def rules(generator: np.random.Generator, n_rows: int, n_classes: int) -> Drawn:
    """Draw categories that decide by the best, the worst and the mean of their groups, and by one veto."""
    frame, parts = {}, []
    for at in range(8):
        size = generator.integers(2, 6)
        frame[f"c{at}"] = generator.integers(0, size, n_rows)
        order = generator.permutation(size) if generator.random() < 0.3 else np.arange(size)
        parts.append(order[frame[f"c{at}"]] / (size - 1))
    score = 2 * np.maximum(parts[0], parts[1]) + (parts[2] + parts[3]) / 2
    score += 1.5 * np.minimum(parts[4], parts[5]) + 0.5 * parts[6]
    score = np.where(parts[7] == 0, 0.3 * score, score) + 0.05 * generator.normal(size=n_rows)
    return _table(frame, _cut(score, n_classes, generator), n_classes)


def crowds(generator: np.random.Generator, n_rows: int, n_classes: int) -> Drawn:
    """Draw numbers around two centers for each class."""
    centers = 0.8 * generator.normal(size=(2 * n_classes, 10))
    center = generator.choice(2 * n_classes, n_rows, p=generator.dirichlet(np.full(2 * n_classes, 3.0)))
    numbers = centers[center] + generator.normal(size=(n_rows, 10)) * generator.uniform(0.5, 1.5, 10)
    return _table({f"x{at}": numbers[:, at] for at in range(10)}, center // 2, n_classes)


def mixed(generator: np.random.Generator, n_rows: int, n_classes: int) -> Drawn:
    """Draw five categories and five numbers that are independent within a class."""
    frame, labels, _ = by_class(generator, n_rows, n_classes, columns=5)
    numbers = 0.7 * generator.normal(size=(n_classes, 5))[labels] + generator.normal(size=(n_rows, 5))
    added = {f"x{at}": numbers[:, at] for at in range(5)}
    return _table({name: frame[name].to_numpy() for name in frame.columns} | added, labels, n_classes)


def tables_of_classes(n_rows: int, seeds: int) -> Iterator[tuple[str, pl.DataFrame, np.ndarray, Schema]]:
    """Yield name, rows, labels and schema of ``seeds`` tables of each kind and of three, five and seven classes."""
    for seed in range(seeds):
        for n_classes in (3, 5, 7):
            for draw in (by_class, ratings, rules, crowds, mixed):
                generator = np.random.default_rng([seed, n_classes])
                yield f"{draw.__name__} {n_classes} {seed}", *draw(generator, n_rows, n_classes)


def _cut(score: np.ndarray, n_classes: int, generator: np.random.Generator) -> np.ndarray:
    shares = np.sort(generator.dirichlet(np.full(n_classes, 2.0)).cumsum()[:-1])
    return np.searchsorted(np.quantile(score, shares), score)


def _table(frame: dict, labels: np.ndarray, n_classes: int) -> Drawn:
    columns = [
        Categorical(name, list(range(int(np.max(column)) + 1))) if name[0] == "c" else Numeric(name, -20, 20)
        for name, column in frame.items()
    ]
    return pl.DataFrame(frame), labels, Schema(columns, label=Label("y", list(range(n_classes))))
