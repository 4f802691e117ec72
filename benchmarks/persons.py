"""What it costs, and gains, to protect persons with several rows: held-out accuracy, rows of other persons tested.

    python benchmarks/persons.py [draws]

Each table is fitted three times at one epsilon: ``rows`` without an identifier (a weaker promise: one row), ``mean``
(each person weighs one, all rows protected), ``one row`` (one row of each person, by chance). Tables:

- ``drawn``: 100,000 rows of 70,000 people, whose rows are alike but for a little noise;
- ``cod-rna``, ``adult``: 100,000 rows of 70,000, and 40,000 of 28,000 of a data set's rows, which are taken as people
  and repeated at random;
- ``drifting``: 8,000 people of 1 to 50 rows, whose features drift from row to row, and labels with them;
- ``repeated``: as many people, whose rows are all the same.

Simulated noise, everything private.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from tacit.datasets import load
from tacit.estimators import (
    AutoClassifier,
    LogisticClassifier,
    NaiveBayesClassifier,
    PrivateClassifier,
    TreeClassifier,
)
from tacit.schema import Identifier, Label, Numeric, Schema

LEARNERS: dict[str, tuple[type[PrivateClassifier], float]] = {
    "auto, delta 1e-6": (AutoClassifier, 1e-6),
    "logistic": (LogisticClassifier, 0.0),
    "naive Bayes": (NaiveBayesClassifier, 0.0),
    "tree": (TreeClassifier, 0.0),
}
EPSILONS = (0.1, 1.0)
TESTED = 0.25
"""Of the persons."""

Drawn = tuple[Schema, pl.DataFrame, np.ndarray, np.ndarray]
"""Schema, rows, labels, and the number of each row's person."""


def numbers(features: np.ndarray, odds: np.ndarray, persons: np.ndarray, generator: np.random.Generator) -> Drawn:
    """Return rows of numbers within [-4, 4], labeled by their log-odds."""
    labels = np.where(odds + generator.logistic(size=len(odds)) > 0, "yes", "no")
    names = [f"n{at}" for at in range(features.shape[1])]
    schema = Schema([Numeric(name, -4, 4) for name in names], label=Label("y", ["no", "yes"]))
    return schema, pl.DataFrame(dict(zip(names, features.T, strict=True))), labels, persons


def drawn(seed: int) -> Drawn:
    """Draw people most of whom have one row and some a few more, alike."""
    generator = np.random.default_rng(seed)
    persons = np.concatenate([np.arange(70_000), generator.integers(0, 70_000, 30_000)])
    own = generator.normal(size=(70_000, 8))
    features = own[persons] + 0.3 * generator.normal(size=(len(persons), 8))
    odds = (
        1.2 * features[:, 0]
        - features[:, 1]
        + 1.5 * (np.abs(features[:, 2]) > 1)
        + features[:, 3] * features[:, 4]
        - 0.5
    )
    return numbers(features, odds, persons, generator)


def packaged(name: str, n_persons: int, seed: int) -> Drawn:
    """Take a data set's rows as people, and three in seven more rows of some of them."""
    generator, data = np.random.default_rng(seed), load(name)
    chosen = generator.permutation(data.frame.height)[:n_persons]
    more = generator.integers(0, n_persons, 3 * n_persons // 7)
    persons = np.concatenate([np.arange(n_persons), more])
    rows = chosen[persons]
    return data.schema.all_private(), data.frame[rows.tolist()], data.target.to_numpy()[rows], persons


def drifting(seed: int, drift: float = 1.0) -> Drawn:
    """Draw people of 1 to 50 rows whose features walk away from where they began."""
    generator = np.random.default_rng(seed)
    counts = generator.integers(1, 51, 8_000)
    persons = np.repeat(np.arange(8_000), counts)
    features = generator.normal(size=(8_000, 8))[persons] + drift * generator.normal(size=(len(persons), 8))
    odds = features @ np.asarray([1.2, -1.0, 0.8, 0, 0, 0.5, 0, -0.5])
    schema, frame, labels, _ = numbers(features, odds, persons, generator)
    if drift == 0:  # a person's rows have one label, too
        labels = labels[np.concatenate([[0], np.cumsum(counts)[:-1]])][persons]
    return schema, frame, labels, persons


def repeated(seed: int) -> Drawn:
    """Draw people of 1 to 50 equal rows."""
    return drifting(seed, drift=0.0)


TABLES: dict[str, Callable[[int], Drawn]] = {
    "drawn": drawn,
    "cod-rna": partial(packaged, "cod-rna", 70_000),
    "adult": partial(packaged, "adult", 28_000),
    "drifting": drifting,
    "repeated": repeated,
}


def ways(schema: Schema, persons: np.ndarray, seed: int) -> Iterator[tuple[str, Schema, np.ndarray]]:
    """Yield how a table is fitted: its name, the schema, and which rows."""
    generator = np.random.default_rng(seed)
    mixed = generator.permutation(len(persons))
    first = mixed[np.unique(persons[mixed], return_index=True)[1]]
    yield "rows", schema, np.arange(len(persons))
    yield "mean", replace(schema, identifier=Identifier("person")), np.arange(len(persons))
    yield "one row", schema, np.sort(first)


def accuracy(estimator: PrivateClassifier, train: Any, test: Any) -> float:
    """Return the held-out accuracy, each person's rows together counting one."""
    frame, labels, _ = train
    tested, right, persons = test
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hits = estimator.fit(frame, labels).predict(tested) == right
    weights = 1 / np.bincount(persons)[persons]
    return float(np.average(hits, weights=weights))


def compared(name: str, draws: int) -> Iterator[tuple[str, float, dict[str, list[float]]]]:
    """Yield learner, epsilon and accuracies of each way."""
    for learner, (cls, delta) in LEARNERS.items():
        for epsilon in EPSILONS:
            found: dict[str, list[float]] = {}
            for seed in range(draws):
                schema, frame, labels, persons = TABLES[name](seed)
                frame = frame.with_columns(pl.Series("person", persons))
                held = np.random.default_rng(seed).permutation(persons.max() + 1) < TESTED * (persons.max() + 1)
                test = np.flatnonzero(held[persons])
                train = np.flatnonzero(~held[persons])
                tested = frame[test.tolist()], labels[test], persons[test]
                for way, declared, rows in ways(schema, persons[train], seed):
                    taken = train[rows]
                    estimator = cls(declared, epsilon=epsilon, delta=delta, random_state=seed)
                    score = accuracy(estimator, (frame[taken.tolist()], labels[taken], persons[taken]), tested)
                    found.setdefault(way, []).append(score)
            yield learner, epsilon, found


def main(draws: int) -> None:
    """Print a line for each table, learner and epsilon: accuracies in points, and their mean difference."""
    print("| table | learner | epsilon | rows | mean | one row | mean - rows | mean - one row |")
    print("|---|---|---|---|---|---|---|---|")
    for name in TABLES:
        for learner, epsilon, found in compared(name, draws):
            rows, mean, one = (100 * np.asarray(found[way]) for way in ("rows", "mean", "one row"))
            print(
                f"| {name} | {learner} | {epsilon:g} | {rows.mean():.1f} | {mean.mean():.1f} | {one.mean():.1f} "
                f"| {(mean - rows).mean():+.2f} | {(mean - one).mean():+.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
