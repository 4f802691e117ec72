"""How many levels of private cut points LazyBB takes at most: held-out accuracy on drawn tables with four and five.

    python benchmarks/lazybb_levels.py [tables of a kind, 12 if not given] [rows: 8000, 40000 or 300000, or several]

Everything private, simulated noise, 20,000 rows held out, bounds as wide as the rows reach and a thousand times as
wide. By weak learner, rows, n epsilon and delta: the mean of what four levels add to five, in points, where the two are
not the same.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict

import numpy as np
from drawn import curved, people

from cut_points import additive, tailed, widened
from tacit.cut_points import worthwhile_levels
from tacit.estimators import LazyBBClassifier, lazybb
from tacit.schema import Numeric, Schema

KINDS = {"curved": curved, "tailed": tailed, "additive": additive, "people": people}
BUDGETS = {
    8_000: ((4_000, 1e-5), (8_000, 1e-5), (8_000, 0.0), (16_000, 0.0), (64_000, 0.0)),
    40_000: ((16_000, 0.0), (64_000, 0.0), (256_000, 0.0)),
    300_000: ((300_000, 0.0), (1_000_000, 0.0)),
}
"""n epsilon and delta, by rows."""
N_TEST = 20_000


def main(tables: int, sizes: tuple[int, ...]) -> None:
    warnings.simplefilter("ignore")
    gains = defaultdict(list)
    for kind, draw in KINDS.items():
        for seed, n_rows in ((seed, n_rows) for seed in range(tables) for n_rows in sizes):
            schema, rows, labels = draw(seed, n_rows + N_TEST)
            for width in (1.0,) if kind == "people" else (1.0, 1e3):
                wide = schema if width == 1.0 else widened(schema, width)
                for budget, delta in BUDGETS[n_rows]:
                    if _differ(schema, n_rows, budget / n_rows, delta):
                        for learner in ("one-rule", "tree"):
                            five, four = (
                                _accuracy(wide, rows, labels, n_rows, levels, budget, delta, learner, seed)
                                for levels in (5, 4)
                            )
                            gains[learner, n_rows, budget, delta].append(100 * (four - five))
    for cell, found in sorted(gains.items()):
        error = np.std(found, ddof=1) / len(found) ** 0.5
        print(*cell, f"{np.mean(found):+.2f} +- {error:.2f}", sep="\t")


def _differ(schema: Schema, n_rows: int, epsilon: float, delta: float) -> bool:
    columns = sum(isinstance(column, Numeric) for column in schema.columns)
    five, four = (worthwhile_levels(n_rows, epsilon, delta, columns, most=most) for most in (5, 4))
    return five != four


def _accuracy(
    schema: Schema,
    rows: np.ndarray,
    labels: np.ndarray,
    n_rows: int,
    levels: int,
    budget: float,
    delta: float,
    learner: lazybb.WeakLearnerName,
    seed: int,
) -> float:
    lazybb.LEVELS_OF_ONE_RULES = lazybb.MAX_LEVELS = levels
    model = LazyBBClassifier(schema, epsilon=budget / n_rows, delta=delta, weak_learner=learner, random_state=seed)
    return float(model.fit(rows[:n_rows], labels[:n_rows]).score(rows[n_rows:], labels[n_rows:]))


if __name__ == "__main__":
    given = [int(one) for one in sys.argv[1:]]
    main(given[0] if given else 12, tuple(given[1:]) or (8_000, 40_000))
