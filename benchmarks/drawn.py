"""Tables drawn at random, to which defaults are fitted: like data sets in kind, with none of their rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.errors import PrivacyWarning
from tacit.estimators import LazyBBClassifier
from tacit.schema import Categorical, Column, Label, Numeric, Schema

Drawn = tuple[Schema, np.ndarray, np.ndarray]
"""Schema, rows and labels."""


@dataclass(frozen=True)
class Kind:
    """How tables of one kind are drawn, and how many rows train on them."""

    draw: Callable[[int, int], Drawn]
    n_rows: int


def species(seed: int, n_rows: int) -> Drawn:
    """Draw 22 categorical columns from 23 species, each with a label and a few values of its own in each column."""
    generator = np.random.default_rng(seed)
    sizes = generator.choice([2, 2, 3, 4, 4, 5, 6, 7, 9, 9, 10, 12], 22)
    labels = generator.permutation(np.arange(23) % 2)
    of_row = generator.choice(23, n_rows, p=generator.dirichlet(np.ones(23)))
    popular = [generator.dirichlet(np.full(size, 0.5)) + 1e-3 for size in sizes]
    rows = np.empty((n_rows, 22), dtype=object)
    for column, (size, distribution) in enumerate(zip(sizes, popular, strict=True)):
        counts = np.minimum(generator.choice([1, 1, 2, 3], 23), size)
        own = [generator.choice(size, count, replace=False, p=distribution / distribution.sum()) for count in counts]
        rows[:, column] = [f"v{generator.choice(own[one])}" for one in of_row]
    columns = [Categorical(f"c{at}", [f"v{value}" for value in range(size)]) for at, size in enumerate(sizes)]
    return Schema(columns, label=Label("y", ["e", "p"])), rows, np.asarray(["e", "p"])[labels[of_row]]


def telling(seed: int, n_rows: int) -> Drawn:
    """Draw species, and one column of nine categories, three of them against six, that tells 98.5 % of the labels."""
    schema, rows, labels = species(1000 + seed, n_rows)
    generator = np.random.default_rng(seed)
    said = (labels == "p") ^ (generator.random(n_rows) < 0.015)
    first = generator.choice(3, n_rows, p=[0.84, 0.08, 0.08])
    second = 3 + generator.choice(6, n_rows, p=[0.55, 0.15, 0.15, 0.06, 0.05, 0.04])
    rows[:, 5] = [f"o{one}" for one in np.where(said, second, first)]
    columns = list(schema.columns)
    columns[5] = Categorical("c5", [f"o{one}" for one in range(9)])
    return Schema(columns, label=schema.label), rows, labels


def people(seed: int, n_rows: int) -> Drawn:
    """Draw eight categorical and six numeric columns that depend on one trait; labels are noisy, a quarter yes."""
    generator = np.random.default_rng(100 + seed)
    trait, total = generator.normal(size=n_rows), np.zeros(n_rows)
    rows, columns = np.empty((n_rows, 14), dtype=object), list[Column]()
    for at, size in enumerate([8, 16, 7, 14, 6, 5, 2, 20]):
        cumulated = np.cumsum(generator.dirichlet(np.full(size, 0.6)))[:-1]
        value = 0.7 * trait + generator.normal(size=n_rows)
        code = generator.permutation(size)[np.searchsorted(np.quantile(value, cumulated), value)]
        rows[:, at] = [f"v{one}" for one in code]
        columns.append(Categorical(f"c{at}", [f"v{one}" for one in range(size)]))
        total += generator.gamma(1, 0.6) * generator.normal(size=size)[code]
    for at in range(6):
        value = 0.4 * trait + generator.normal(size=n_rows)
        rare = np.where(generator.random(n_rows) < 0.9, 0, np.exp(7 + value))
        number = (50 + 15 * value, rare, np.round(10 + 3 * value))[at % 3]
        high = (100, 50_000, 20)[at % 3]
        number = np.clip(number, 0, high).astype(float)
        rows[:, 8 + at] = number
        columns.append(Numeric(f"n{at}", 0, high))
        slope = generator.gamma(1, 0.8) * generator.choice([-1, 1])
        total += slope * np.clip((number - np.median(number)) / (number.std() + 1e-9), -2, 2)
    noisy = total / total.std() * 2.6 + generator.logistic(size=n_rows)
    labels = np.where(noisy > np.quantile(noisy, 0.76), "y", "n")
    return Schema(columns, label=Label("y", ["n", "y"])), rows, labels


def curved(seed: int, n_rows: int) -> Drawn:
    """Draw eight dependent numbers; a third of the labels are yes, beyond a plane with a bend and some noise."""
    generator = np.random.default_rng(200 + seed)
    numbers = generator.normal(size=(n_rows, 8)) @ (generator.normal(size=(8, 8)) * 0.6 + np.eye(8))
    numbers /= numbers.std(axis=0)
    normal = generator.normal(size=8)
    height = numbers @ normal / np.linalg.norm(normal) + 0.4 * numbers[:, 0] * numbers[:, 1]
    height += 0.35 * generator.normal(size=n_rows) * height.std()
    labels = np.where(height > np.quantile(height, 0.667), "y", "n")
    schema = Schema([Numeric(f"n{at}", -6, 6) for at in range(8)], label=Label("y", ["n", "y"]))
    return schema, np.clip(numbers, -6, 6).astype(object), labels


KINDS = {
    "species": Kind(species, 7_312),
    "telling": Kind(telling, 7_312),
    "people": Kind(people, 29_000),
    "curved": Kind(curved, 53_000),
}
"""Roughly the sizes of mushroom's folds, Adult and cod-rna's folds."""


def drawn_accuracy(kind: str, epsilon: float, *, seeds: range = range(4), n_test: int = 4000, **options: Any) -> float:
    """Return the mean test accuracy of LazyBBClassifier on tables of one kind, with simulated noise.

    Parameters
    ----------
    kind : {"species", "telling", "people", "curved"}
    epsilon : float
    seeds : range
        One table for each.
    n_test : int
    options
        Of LazyBBClassifier.
    """
    n_rows, found = KINDS[kind].n_rows, []
    for seed in seeds:
        schema, rows, labels = KINDS[kind].draw(seed, n_rows + n_test)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)
            model = LazyBBClassifier(schema, epsilon=epsilon, random_state=seed, **options)
            model.fit(rows[:n_rows], labels[:n_rows])
        found.append(model.score(rows[n_rows:], labels[n_rows:]))
    return float(np.mean(found))
