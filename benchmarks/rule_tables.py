"""Synthetic tables on which the rules of the linear learners are chosen: none has a row of a data set in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl
from drawn import curved, people

from tacit.schema import Categorical, Column, Label, Numeric, Schema


def additive(seed: int, n_rows: int) -> tuple[pl.DataFrame, np.ndarray, Schema]:
    """Draw six numbers and six categories of different sizes; log-odds: smooth in numbers, not in categories."""
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


def correlated(seed: int, n_rows: int) -> tuple[pl.DataFrame, np.ndarray, Schema]:
    """Draw six numbers and six ordered categories that share three hidden factors."""
    generator = np.random.default_rng(seed)
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


def two_valued(seed: int, n_rows: int) -> tuple[pl.DataFrame, np.ndarray, Schema]:
    """Draw six to 29 columns of yes and no that share one to three hidden factors; 20 to 50 % of the labels are 1."""
    generator = np.random.default_rng(5000 + seed)
    n_columns, hidden = int(generator.integers(6, 30)), generator.normal(size=(n_rows, int(generator.integers(1, 4))))
    loads = generator.normal(size=(hidden.shape[1], n_columns)) * generator.gamma(1, 0.7)
    rare = generator.normal(size=n_columns) * generator.uniform(0.2, 1.2)
    yes = hidden @ loads + rare + generator.normal(size=(n_rows, n_columns)) > 0
    score = hidden[:, 0] * generator.uniform(1, 3) + yes @ generator.normal(size=n_columns) * 0.3
    score += 0.7 * generator.logistic(size=n_rows)
    labels = (score > np.quantile(score, 1 - generator.choice([0.5, 0.4, 0.3, 0.2]))).astype(int)
    frame = pl.DataFrame({f"c{at}": np.where(yes[:, at], "y", "n") for at in range(n_columns)})
    return frame, labels, Schema([Categorical(name, ["n", "y"]) for name in frame.columns], label=Label("y", [0, 1]))


def answers(seed: int, n_rows: int) -> tuple[pl.DataFrame, np.ndarray, Schema]:
    """Draw ten to 39 columns of yes and no that one trait makes likelier, mostly no; 10 to 50 % of the labels are 1."""
    generator = np.random.default_rng(7000 + seed)
    n_columns, trait = int(generator.integers(10, 40)), generator.normal(size=n_rows)
    levels = generator.uniform(-2.5, -0.5) + 0.4 * generator.normal(size=n_columns)
    loads = np.outer(trait, generator.gamma(2, 0.4, n_columns))
    yes = loads + levels + generator.logistic(size=(n_rows, n_columns)) > 0
    # The rare class goes with the rare answer as often as with the other one.
    score = generator.choice([-1, 1]) * trait * generator.uniform(0.5, 2) + yes @ generator.normal(size=n_columns) * 0.3
    score += 0.7 * generator.logistic(size=n_rows)
    labels = (score > np.quantile(score, 1 - generator.choice([0.5, 0.3, 0.2, 0.1]))).astype(int)
    frame = pl.DataFrame({f"c{at}": np.where(yes[:, at], "yes", "no") for at in range(n_columns)})
    return frame, labels, Schema([Categorical(name, ["no", "yes"]) for name in frame.columns], label=Label("y", [0, 1]))


def varied(seed: int, n_rows: int) -> tuple[pl.DataFrame, np.ndarray, Schema]:
    """Draw numbers of many shapes and scales within bounds one to 30 times as wide, categories, 5 to 50 % ones."""
    generator = np.random.default_rng(900 + seed)
    hidden = generator.normal(size=(n_rows, int(generator.integers(1, 5))))
    frame, columns, odds = dict[str, np.ndarray](), list[Column](), np.zeros(n_rows)
    for at in range(int(generator.integers(2, 13))):
        trait = _trait(generator, hidden, 0.7)
        values, low, high = _shaped(generator, trait)
        wide, below = 10 ** generator.uniform(0, 1.5), generator.random() if low < 0 else 0.0
        low, high = low - below * (wide - 1) * (high - low), high + (1 - below) * (wide - 1) * (high - low)
        unit = 10 ** generator.uniform(-3, 4)
        frame[f"x{at}"] = np.clip(values, low, high) * unit
        columns.append(Numeric(f"x{at}", float(low * unit), float(high * unit)))
        effects = np.clip(trait, -2, 2), trait > generator.normal(), -np.abs(trait)
        effect = effects[generator.choice(3, p=[0.6, 0.2, 0.2])]
        odds += generator.gamma(0.7) * generator.choice([-1, 1]) * (effect - np.mean(effect))
    for at in range(int(generator.integers(0, 13))):
        size, trait = int(generator.choice([2, 2, 3, 4, 6, 9, 14])), _trait(generator, hidden, 0.5)
        edges = np.quantile(trait, np.cumsum(generator.dirichlet(np.full(size, 0.7)))[:-1].clip(0, 1))
        codes = generator.permutation(size)[np.searchsorted(edges, trait)]
        frame[f"c{at}"] = codes.astype(str)
        columns.append(Categorical(f"c{at}", [str(code) for code in range(size)]))
        odds += generator.gamma(0.7) * generator.normal(size=size)[codes]
    odds = odds / odds.std() * generator.uniform(0.8, 4) + generator.logistic(size=n_rows)
    labels = (odds > np.quantile(odds, 1 - generator.choice([0.5, 0.4, 0.3, 0.2, 0.1, 0.05]))).astype(int)
    return pl.DataFrame(frame), labels, Schema(columns, label=Label("y", [0, 1]))


def _trait(generator: np.random.Generator, hidden: np.ndarray, shared: float) -> np.ndarray:
    trait = hidden @ generator.normal(size=hidden.shape[1]) * generator.gamma(1, shared)
    trait += generator.normal(size=len(hidden))
    return np.asarray((trait - trait.mean()) / trait.std())


def _shaped(generator: np.random.Generator, trait: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Return numbers of one of five shapes, and bounds that hold nearly all of them."""
    shape = generator.choice(["normal", "even", "long tail", "mostly zero", "counts"])
    if shape == "normal":
        return trait, -4.0, 4.0
    if shape == "even":
        return np.argsort(np.argsort(trait)) / len(trait), 0.0, 1.0
    if shape == "long tail":
        values = np.exp(trait * generator.uniform(0.5, 1.3))
    elif shape == "counts":
        values = np.floor(np.exp(0.6 * trait + 1))
    else:
        values = np.where(trait < generator.uniform(-0.5, 1), 0, np.exp(trait))
    return values, 0.0, float(np.quantile(values, 0.999))


def synthetic_tables(n_rows: int, seeds: int = 3) -> Iterator[tuple[str, pl.DataFrame, np.ndarray, Schema]]:
    """Yield name, rows, labels and schema of ``seeds`` tables of each of four kinds."""
    for seed in range(seeds):
        yield f"additive {seed}", *additive(seed, n_rows)
        yield f"correlated {seed}", *correlated(seed, n_rows)
        for name, draw in (("people", people), ("curved", curved)):
            schema, rows, labels = draw(seed, n_rows)
            columns = {
                column.name: rows[:, at].astype(float) if isinstance(column, Numeric) else rows[:, at].astype(str)
                for at, column in enumerate(schema.columns)
            }
            yield f"{name} {seed}", pl.DataFrame(columns), labels, schema


def half_public(schema: Schema) -> Schema:
    """Return the schema with a public label and every second column public."""
    columns = [replace(column, private=bool(at % 2)) for at, column in enumerate(schema.columns)]
    return Schema(columns, label=replace(schema.label, private=False))
