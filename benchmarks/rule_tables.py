"""Synthetic tables on which the rules of the linear learners are chosen: none has a row of a data set in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl
from drawn import curved, people

from tacit.schema import Categorical, Label, Numeric, Schema


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
