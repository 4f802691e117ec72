"""What private cut points gain and cost, by learner: held-out accuracy on synthetic tables alone.

    python benchmarks/cut_points.py [learner ...]

Tables of numbers with bounds 1, 10, 1,000 and a million times as wide as the rows reach, of long tails, of ties and
constants, everything private, simulated noise. For each learner, budget and levels that a tenth of the budget pays for:
accuracy in points (hundredths) on an even grid, and what cut points by private quantiles add, by width of the bounds.
Where the rule (``tacit.cut_points.rule``) begins is read off the column of tight bounds, where an even grid is at its
best; levels are those that "auto" takes, 0 being the grid.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from drawn import curved

from tacit.cut_points import worthwhile_levels
from tacit.estimators import (
    LazyBBClassifier,
    LogisticClassifier,
    NaiveBayesClassifier,
    PrivateClassifier,
    TreeClassifier,
)
from tacit.schema import Label, Numeric, Schema

WIDTHS = (1.0, 10.0, 1e3, 1e6)
BUDGETS = (250, 1_000, 4_000, 16_000)
"""n * epsilon."""
N_FITTED, N_TEST, SEEDS = 8_000, 8_000, 2

LEARNERS: dict[str, tuple[type[PrivateClassifier], dict[str, Any]]] = {
    "logistic": (LogisticClassifier, {}),
    "logistic-delta": (LogisticClassifier, {"delta": 1e-5, "encoding": "binned"}),
    "naive-bayes": (NaiveBayesClassifier, {}),
    "tree": (TreeClassifier, {}),
    "lazybb": (LazyBBClassifier, {}),
}

Drawn = tuple[Schema, np.ndarray, np.ndarray]


def tailed(seed: int, n_rows: int) -> Drawn:
    """Draw six log-normal numbers, one of mostly zeros, one of four values and one constant; additive log-odds."""
    generator = np.random.default_rng(300 + seed)
    tails = np.exp(generator.normal(size=(n_rows, 6)))
    rare = np.where(generator.random(n_rows) < 0.8, 0.0, np.exp(generator.normal(1, 1, n_rows)))
    few = generator.integers(0, 4, n_rows).astype(float)
    numbers = np.column_stack([tails, rare, few, np.full(n_rows, 2.0)])
    slopes = generator.normal(0, 1.2, 6)
    odds = np.log(tails) @ slopes + 1.5 * (rare > 0) + np.where(few == 2, 1.0, -0.4)
    labels = np.where(odds + generator.logistic(size=n_rows) > np.median(odds), "y", "n")
    highs = [*np.ceil(np.quantile(tails, 0.9995, axis=0)), 100, 3, 4]
    numbers = np.clip(numbers, 0, highs)
    return (
        Schema([Numeric(f"n{at}", 0, high) for at, high in enumerate(highs)], label=Label("y", ["n", "y"])),
        numbers,
        labels,
    )


def additive(seed: int, n_rows: int) -> Drawn:
    """Draw eight numbers of bell and U shapes; log-odds smooth in each, two of them not monotone."""
    generator = np.random.default_rng(400 + seed)
    shapes = [(2, 2), (2, 5), (1, 1), (0.6, 0.6), (5, 2), (2, 8), (3, 3), (1, 3)]
    numbers = np.column_stack([generator.beta(*shape, n_rows) for shape in shapes])
    odds = numbers @ generator.normal(0, 2.5, 8) + 4 * np.abs(numbers[:, 0] - 0.5) + 2 * np.sin(6 * numbers[:, 2])
    labels = np.where(odds + generator.logistic(size=n_rows) > np.median(odds), "y", "n")
    return Schema([Numeric(f"n{at}", 0, 1) for at in range(8)], label=Label("y", ["n", "y"])), numbers, labels


def widened(schema: Schema, times: float) -> Schema:
    """Return the schema with bounds so many times as far apart: upward, or both ways, a third as far down as up."""
    columns = []
    for at, column in enumerate(schema.columns):
        assert isinstance(column, Numeric)
        more = (times - 1) * (column.upper - column.lower)
        # Not evenly both ways: the middle of the bounds would be a cut point of the grid, and a good one.
        down = 0.0 if at % 2 else more / 4
        columns.append(replace(column, low=column.lower - down, high=column.upper + more - down))
    return replace(schema, columns=tuple(columns))


def tables() -> Iterator[Drawn]:
    for seed in range(SEEDS):
        for draw in (curved, tailed, additive):
            schema, rows, labels = draw(seed, N_FITTED + N_TEST)
            yield schema, rows.astype(float), labels


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore")
    drawn = list(tables())
    for name in names or list(LEARNERS):
        print(f"{name}\nn epsilon\tlevels", *(f"bounds x {width:g}: grid, gain" for width in WIDTHS), sep="\t")
        for budget in BUDGETS:
            found = defaultdict(list)
            for schema, rows, labels in drawn:
                for width in WIDTHS:
                    wide = widened(schema, width)
                    grid, private = (_accuracy(name, wide, rows, labels, budget, kind) for kind in ("grid", "private"))
                    found[width].append((100 * grid, 100 * (private - grid)))
            delta = LEARNERS[name][1].get("delta", 0.0)
            levels = [worthwhile_levels(N_FITTED, budget / N_FITTED, delta, len(one[0].columns)) for one in drawn]
            cells = [_cell(np.asarray(found[width])) for width in WIDTHS]
            print(budget, f"{min(levels)}-{max(levels)}", *cells, sep="\t", flush=True)


def _accuracy(name: str, schema: Schema, rows: np.ndarray, labels: np.ndarray, budget: float, kind: str) -> float:
    estimator, options = LEARNERS[name]
    model = estimator(schema, epsilon=budget / N_FITTED, cut_points=kind, random_state=0, **options)
    return float(model.fit(rows[:N_FITTED], labels[:N_FITTED]).score(rows[N_FITTED:], labels[N_FITTED:]))


def _cell(found: np.ndarray) -> str:
    error = found[:, 1].std(ddof=1) / len(found) ** 0.5
    return f"{found[:, 0].mean():.1f} {found[:, 1].mean():+.1f} +- {error:.1f}"


if __name__ == "__main__":
    main(sys.argv[1:])
