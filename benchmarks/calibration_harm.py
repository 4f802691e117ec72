"""In how many fits calibration makes log-loss worse: `python benchmarks/calibration_harm.py [FIRST SEED] [TABLES]`.

For each kind of table the number of fits that offer calibrated probabilities, how log-loss on 5,000 other rows changes
by them, in nats: in the mean, in the worst fit, and the share of fits in which it rises by more than 0.02; and in how
many fits nothing moves. Everything private, simulated noise. TABLES are "two", "many" or "messy", by default all: drawn
tables of two classes, of three to seven, and the tests' messy one.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import tacit
from tacit.errors import ParameterError

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import rule_tables

from benchmarks.drawn_classes import by_class, crowds, mixed, ratings, rules
from harness.messy_tables import messy_table

N_TEST = 5_000

LEARNERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("NaiveBayesClassifier", {}),
    ("NaiveBayesClassifier", {"delta": 1e-6}),
    ("LogisticClassifier", {}),
    ("LogisticClassifier", {"delta": 1e-6}),
    ("LazyBBClassifier", {}),
    ("TreeClassifier", {}),
    ("BoostedTreesClassifier", {}),
    ("BoostedTreesClassifier", {"delta": 1e-6}),
)

SETTINGS = {
    "two": ((5_000, 0.5, 0.1), (10_000, 0.2, 0.1), (20_000, 0.3, 0.1), (20_000, 1.0, 0.1)),
    "many": ((10_000, 1.0, 0.15), (20_000, 0.5, 0.15), (20_000, 1.0, 0.15), (20_000, 4.0, 0.15)),
    "messy": ((5_000, 0.5, 0.1), (10_000, 0.3, 0.1), (10_000, 1.0, 0.1), (20_000, 0.2, 0.1), (40_000, 0.1, 0.1)),
}
"""Rows, epsilon, and share that is kept back."""

SEEDS = {"two": 2, "many": 1, "messy": 4}

Drawn = tuple[Any, np.ndarray, tacit.Schema]


def tables(kind: str, seed: int, n_rows: int) -> Iterator[Drawn]:
    """Yield rows, labels and schema of each table of a kind."""
    if kind == "messy":
        messy = messy_table(n_rows, seed=seed)
        yield messy.frame, messy.labels.to_numpy(), tacit.Schema(messy.schema.columns, label=messy.schema.label)
        return
    for n_classes in (2,) if kind == "two" else (3, 5, 7):
        for draw in (by_class, ratings, rules, crowds, mixed):
            yield draw(np.random.default_rng([seed, n_classes]), n_rows, n_classes)
    if kind == "two":
        for of_two in (rule_tables.additive, rule_tables.correlated, rule_tables.varied):
            yield of_two(seed, n_rows)


def change(name: str, settings: dict[str, Any], drawn: Drawn, n_rows: int, seed: int) -> tuple[float, bool] | None:
    """Return by how much log-loss rises, and whether any probability moves; None where nothing can be calibrated."""
    frame, labels, schema = drawn
    make = getattr(tacit, name)(schema, on_invalid="coerce", random_state=seed, **settings)
    try:
        model = make.fit(frame.head(n_rows), labels[:n_rows]).model_
    except ParameterError:  # too few rows to keep any back
        return None
    if not model.held_out.calibrates:
        return None
    of_class = {name: at for at, name in enumerate(model.classes)}
    own = np.asarray([of_class[label] for label in labels[n_rows:].tolist()])
    both = [model.predict_proba(frame.tail(N_TEST), calibrated=how) for how in (False, True)]
    losses = [-np.log(np.maximum(likely[np.arange(N_TEST), own], 1e-12)).mean() for likely in both]
    return losses[1] - losses[0], not np.allclose(*both)


def main(first: int = 70, *kinds: str) -> None:
    """Print a line for each kind of table."""
    warnings.simplefilter("ignore")
    for kind in kinds or SETTINGS:
        found = []
        for n_rows, epsilon, holdout in SETTINGS[kind]:
            for seed in range(first, first + SEEDS[kind]):
                for drawn in tables(kind, seed, n_rows + N_TEST):
                    for name, settings in LEARNERS:
                        given = {"epsilon": epsilon, "holdout": holdout, **settings}
                        found.append(change(name, given, drawn, n_rows, seed))
        changes, moved = (np.asarray(each) for each in zip(*filter(None, found), strict=True))
        shares = f"above 0.02 in {(changes > 0.02).mean():.1%}, unmoved {(~moved).sum()}"
        print(
            f"{kind:6} {len(changes)} fits: mean {changes.mean():+.4f}, worst {changes.max():+.3f}, {shares}",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:])
