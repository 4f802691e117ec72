"""Tables drawn at random, with a number to predict: many kinds of them, as public ones are few."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.advice.public_tables import KnownTable
from tacit.schema import Categorical, Column, Numeric, Schema, Target

DRAWN = "drawn"
"""What tasks call them, with a number behind."""

N_TABLES = 20
SHAPES = ("additive", "crossed", "steps")
TAILS = ("even", "long", "mostly zero", "counts")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DrawnTable(KnownTable):
    """A table whose size, columns, shape and noise follow from its number.

    Parameters
    ----------
    data : str
        "drawn 7", say. Each is a source of its own; people read "synthetic 7".

    Examples
    --------
    >>> table = DrawnTable("drawn 7")
    >>> table.source, table.rows()[0].height == table.n_rows
    ('synthetic 7', True)
    """

    target: str | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        """What to call it."""
        return f"synthetic {self._seed}"

    @property
    def source(self) -> str:
        """It has no rows in common with another."""
        return self.name

    @property
    def n_rows(self) -> int:
        """Number of rows: 1,300 to 56,000, as many from any factor of them."""
        return round(10 ** np.random.default_rng([self._seed, 0]).uniform(3.1, 4.75))

    @property
    def known(self) -> Schema:
        """What is public of it."""
        return _drawn(self._seed, self.n_rows)[0]

    def rows(self) -> tuple[Any, Any]:
        """Return the features as a polars frame, and the number to predict."""
        return _drawn(self._seed, self.n_rows)[1:]

    @property
    def _seed(self) -> int:
        return int(self.data.removeprefix(DRAWN))


def drawn_tables() -> tuple[DrawnTable, ...]:
    """Return all drawn tables: each shape with each tail, and some of them twice."""
    return tuple(DrawnTable(f"{DRAWN} {seed}") for seed in range(N_TABLES))


@lru_cache(maxsize=2)
def _drawn(seed: int, n_rows: int) -> tuple[Schema, pl.DataFrame, pl.Series]:
    generator = np.random.default_rng([seed, 1])
    n_numbers, n_texts = int(generator.integers(2, 20)), int(generator.integers(0, 9))
    trait = generator.normal(size=n_rows)  # what columns share
    numbers = [generator.uniform(0, 1) * trait + generator.normal(size=n_rows) for _ in range(n_numbers)]
    sizes = generator.choice([2, 2, 3, 4, 6, 9, 15, 30], n_texts)
    texts = [_codes(generator, trait, int(size)) for size in sizes]
    mean = _mean(generator, SHAPES[seed % len(SHAPES)], np.column_stack(numbers), texts)
    y = _around(generator, TAILS[seed % len(TAILS)], (mean - mean.mean()) / mean.std(), generator.uniform(0.1, 0.95))
    skewed = generator.random(n_numbers) < 0.3  # amounts: a few are large
    shown = [np.exp(each) if skew else each for each, skew in zip(numbers, skewed, strict=True)]
    frame = {f"n{at}": each for at, each in enumerate(shown)}
    frame |= {f"c{at}": each.astype(str) for at, each in enumerate(texts)}
    columns: list[Column] = [Numeric(name, *_bounds(generator, frame[name])) for name in frame if name[0] == "n"]
    columns += [Categorical(f"c{at}", [str(code) for code in range(size)]) for at, size in enumerate(sizes)]
    schema = Schema(columns, label=Target("y", *_bounds(generator, y)))
    return schema, pl.DataFrame(frame), pl.Series("y", y)


def _codes(generator: np.random.Generator, trait: Floats, size: int) -> NDArray[np.intp]:
    """Return categories of uneven sizes, some of which go with the trait."""
    shares = np.cumsum(generator.dirichlet(np.full(size, 0.8)))[:-1]
    height = generator.uniform(0, 1) * trait + generator.normal(size=len(trait))
    return generator.permutation(size)[np.searchsorted(np.quantile(height, shares), height)]


def _mean(generator: np.random.Generator, shape: str, x: Floats, texts: list[NDArray[np.intp]]) -> Floats:
    """Return means by row: a few columns say most."""
    weights = generator.gamma(0.5, size=x.shape[1]) * generator.choice([-1, 1], x.shape[1])
    center = x @ weights + np.abs(weights).max() * np.sin(2 * x[:, 0])
    for codes in texts:
        center += generator.gamma(0.5) * generator.normal(size=codes.max() + 1)[codes]
    a, b = (x[:, each] for each in generator.choice(x.shape[1], 2, replace=False))
    if shape == "crossed":
        center += center.std() * a * b
    if shape == "steps":
        center += 2 * center.std() * (a > 0.2) * (1 + (b > -0.3))
    return np.asarray(center)


def _around(generator: np.random.Generator, tail: str, mean: Floats, r2: float) -> Floats:
    """Return numbers whose conditional means have so much R2: variance of means over that of numbers."""
    odds, n_rows = (1 - r2) / r2, len(mean)  # variance about the means over that of the means
    if tail == "long":
        mean = np.exp(0.7 * mean)
        shape = (mean**2).mean() / (odds * mean.var())  # a gamma variable of mean m has variance m^2 over its shape
        return generator.gamma(shape, mean / shape)
    if tail == "counts":
        mean = np.exp(0.7 * mean)
        return generator.poisson(mean * mean.mean() / (odds * mean.var())).astype(float)
    if tail == "mostly zero":
        some = mean > 0.7
        mean = np.where(some, mean, 0.0)
        return np.where(some, mean + np.sqrt(odds * mean.var() / some.mean()) * generator.normal(size=n_rows), 0.0)
    return mean + np.sqrt(odds) * generator.normal(size=n_rows)


def _bounds(generator: np.random.Generator, values: Floats) -> tuple[float, float]:
    """Return bounds around the values: up to ten times as wide as need be, as people write them."""
    room = 10 ** generator.uniform(-1, 1) * float(np.ptp(values))
    low = 0.0 if values.min() >= 0 else float(values.min()) - room / 2
    return low, float(values.max()) + room / 2
