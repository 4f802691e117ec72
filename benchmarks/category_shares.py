"""What noisy counts of categories say of their shares, for logistic regression on ranks, on synthetic tables alone.

    python benchmarks/category_shares.py [tables of each kind, 2 if not given]

Tables with categories of ``rule_tables`` and ``drawn``, of more classes (``drawn_classes``), and such as have columns
of many categories, a few of them frequent; 6,000 rows, everything private, delta 1e-5, simulated noise. By rows times
epsilon a column: accuracy, area under the ROC curve (mean over classes) and minus the logarithmic loss in hundredths of
the usual settings, and what is added, with the standard error over tables, by shares that are known, by each count for
itself, drawn toward even shares, and by other concentrations.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from math import pi, sqrt
from unittest.mock import patch

import numpy as np
import polars as pl
from auto_rules import LEARNERS, N_SCORED, print_gains, scores_of
from drawn import species, telling
from drawn_classes import tables_of_classes
from rule_tables import additive, answers, correlated, two_valued
from scipy.special import erfcx

from tacit import LogisticClassifier
from tacit.features.ranked_encoding import RankedEncoding
from tacit.learners.linear import category_shares, rank_moments
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import read_rows

N_ROWS, DELTA = 6_000, 1e-5
SIGNALS = (5, 10, 20, 60, 100, 300)
Drawn = tuple[str, pl.DataFrame, np.ndarray, Schema]


def tables(seeds: int) -> Iterator[Drawn]:
    """Yield tables with categories, and what kind they are of."""
    for seed in range(3 * seeds):
        yield "two classes, many categories", *codes(seed, N_ROWS + N_SCORED)
    for seed in range(seeds):
        for draw in (additive, correlated, two_valued, answers):
            yield "two classes", *draw(seed, N_ROWS + N_SCORED)
        for draw in (species, telling):
            schema, rows, labels = draw(seed, N_ROWS + N_SCORED)
            yield "two classes", pl.DataFrame(rows.astype(str), schema=list(schema.names)), labels, schema
    for _, *drawn in tables_of_classes(N_ROWS + N_SCORED, seeds):
        if any(isinstance(column, Categorical) for column in drawn[2].columns):
            yield "more classes", *drawn


def codes(seed: int, n_rows: int) -> tuple[pl.DataFrame, np.ndarray, Schema]:
    """Draw columns of two to 60 categories, as countries or trades, of which a few have most rows, and six numbers."""
    generator = np.random.default_rng(seed)
    frame, odds, columns = {}, np.zeros(n_rows), []
    for at, size in enumerate(generator.choice((2, 5, 8, 15, 40, 60), 8)):
        shares = generator.dirichlet(np.full(size, generator.uniform(1, 4) / size))
        drawn = generator.choice(size, n_rows, p=shares)
        frame[f"c{at}"], odds = drawn, odds + generator.normal(0, 0.7, size)[drawn]
        columns.append(Categorical(f"c{at}", list(range(size))))
    for at in range(6):
        frame[f"x{at}"] = generator.gamma(2, 1, n_rows)
        odds += generator.normal() * (frame[f"x{at}"] - 2) / 2
        columns.append(Numeric(f"x{at}", 0, 20))
    labels = (odds - np.quantile(odds, generator.choice((0.5, 0.75))) + generator.logistic(size=n_rows) > 0).astype(int)
    return pl.DataFrame(frame), labels, Schema(columns, label=Label("y", [0, 1]))


def one_by_one(encoding: RankedEncoding, counted: np.ndarray, deviation: float) -> tuple[np.ndarray, np.ndarray]:
    """Return shares each by its own count: around even ones, as uncertain as large, and above zero."""
    columns, _ = category_shares._columns(encoding)
    places = np.concatenate(columns) if columns else np.zeros(0, dtype=int)
    usual = np.concatenate([np.full(len(each), 1 / len(each)) for each in columns]) if columns else np.zeros(0)
    trust = usual**2 / (usual**2 + deviation**2)
    mean, scale = usual + trust * (counted[places] - usual), np.maximum(usual * np.sqrt(1 - trust), 1e-9)
    return places, np.clip(mean + scale * sqrt(2 / pi) / erfcx(-mean / scale / sqrt(2)), 0.0, 1.0)


def known(frame: pl.DataFrame, schema: Schema) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    """Return what knows the shares of a table."""
    rows = read_rows(frame[:N_ROWS], schema)

    def shares(encoding: RankedEncoding, counted: np.ndarray, deviation: float) -> tuple[np.ndarray, np.ndarray]:
        columns, _ = category_shares._columns(encoding)
        names = [name for name in encoding.columns if isinstance(schema.column(name), Categorical)]
        own = [np.bincount(rows.columns[name], minlength=schema.column(name).n_codes) / N_ROWS for name in names]
        return np.concatenate(columns), np.concatenate(own)

    return shares


def changes(frame: pl.DataFrame, schema: Schema) -> Iterator[tuple[str, AbstractContextManager[object]]]:
    """Yield what is compared, the usual settings first."""
    yield "usual", nullcontext()
    yield "known", patch.object(rank_moments, "likely_shares", known(frame, schema))
    yield "one by one", patch.object(rank_moments, "likely_shares", one_by_one)
    for concentrations in ((2.0,), (20.0,), (200.0,)):
        yield str(concentrations), patch.object(category_shares, "CONCENTRATIONS", concentrations)


def main(seeds: int) -> None:
    warnings.simplefilter("ignore")
    LEARNERS["ranked"] = partial(LogisticClassifier, encoding="ranked")
    found: dict[tuple[str, int], list[list[list[float]]]] = defaultdict(list)
    names: list[str] = []
    for kind, frame, labels, schema in tables(seeds):
        truth = np.searchsorted(sorted(schema.label.classes), labels[N_ROWS:])
        for signal in SIGNALS:
            budget = signal * len(schema.names) / N_ROWS, DELTA
            own, given = [], (frame[:N_ROWS], labels[:N_ROWS])
            for name, change in changes(frame, schema):
                with change:
                    own.append((name, scores_of("ranked", schema, given, (frame[N_ROWS:], truth), budget)))
            names = [name for name, _ in own]
            found[kind, signal].append([score for _, score in own])
    print_gains(found, names)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
