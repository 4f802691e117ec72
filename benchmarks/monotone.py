"""What monotone curves change where the truth is monotone, on synthetic tables alone.

    python benchmarks/monotone.py [repetitions, 8 if not given] [learners, all if not given]

Twelve tables of two to eight numbers, some with categories: log-odds rise or fall with each number, as a sum of curves
(roots, lines, cubes, steps), or with products of ranks that are monotone, too; some numbers say nothing. Everything is
private, delta 1e-5, simulated noise, the same with and without. By table and epsilon the log-loss of unseen rows in
thousandths, what `monotone` of all numbers adds to it, with its standard error over repetitions, and how many times
a score goes the wrong way along a number, over pairs of rows that differ in that number alone, without and with.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy.special import expit
from sklearn.metrics import log_loss

from tacit import AutoClassifier, BoostedTreesClassifier, LogisticClassifier
from tacit.schema import Categorical, Label, Numeric, Schema

EPSILONS = (0.1, 0.3, 1.0)
DELTA = 1e-5
N_SCORED = 20_000
N_PAIRS = 2_000
LEARNERS: dict[str, Callable[..., Any]] = {
    "auto": AutoClassifier,
    "logistic": LogisticClassifier,
    "boosted-trees": BoostedTreesClassifier,
    "additive": partial(BoostedTreesClassifier, structure="additive"),
}


class Drawn(NamedTuple):
    """A kind of table."""

    name: str
    n_rows: int
    n_numbers: int
    shape: str
    silent: int = 0
    """Numbers that say nothing."""
    crossed: bool = False
    share: float = 0.5
    categories: int = 0


TABLES = (
    Drawn("2 lines", 3_000, 2, "line"),
    Drawn("2 cubes", 3_000, 2, "cube"),
    Drawn("3 roots", 10_000, 3, "root"),
    Drawn("3 steps", 10_000, 3, "step"),
    Drawn("4 curves", 5_000, 4, "any"),
    Drawn("4 curves, crossed", 20_000, 4, "any", crossed=True),
    Drawn("4 curves, 10 %", 20_000, 4, "any", share=0.1),
    Drawn("5 curves, 3 silent", 5_000, 5, "any", silent=3),
    Drawn("8 curves", 10_000, 8, "any"),
    Drawn("8 curves, crossed", 30_000, 8, "any", crossed=True),
    Drawn("4 curves, categories", 10_000, 4, "any", categories=2),
    Drawn("6 steps, 5 %", 30_000, 6, "step", share=0.05),
)


def curve(rank: np.ndarray, shape: str, generator: np.random.Generator) -> np.ndarray:
    """Return a rising function of ranks from -1 to 1."""
    shape = generator.choice(["line", "cube", "root", "step"]) if shape == "any" else shape
    if shape == "step":
        return np.sign(rank - generator.uniform(-0.7, 0.7))
    return np.sign(rank) * abs(rank) ** {"line": 1.0, "cube": 3.0, "root": 0.5}[shape]


def drawn(kind: Drawn, seed: int) -> tuple[pl.DataFrame, np.ndarray, Schema, dict[str, int]]:
    """Draw rows, labels, schema and signs; the truth is the table's own, rows are the seed's."""
    truth, generator = np.random.default_rng(TABLES.index(kind)), np.random.default_rng([TABLES.index(kind), seed])
    n = kind.n_rows + N_SCORED
    frame, ranks, signs = {}, [], {}
    for at in range(kind.n_numbers):
        values = generator.gamma(2.0, 1.0, n) if at % 2 else generator.normal(4.0, 1.0, n)
        ranks.append(2 * np.argsort(np.argsort(values)) / n - 1)
        frame[f"x{at}"] = np.clip(values, 0, 20)
        signs[f"x{at}"] = -1 if at % 3 == 2 else 1
    told = kind.n_numbers - kind.silent
    weights = truth.uniform(0.3, 1.5, told)
    curves = [curve(rank, kind.shape, truth) for rank in ranks[:told]]
    odds = sum(w * s * c for w, s, c in zip(weights, signs.values(), curves, strict=False))
    if kind.crossed:
        # Of two that are not negative and rise, the product rises with both.
        odds = odds + 2 * (1 + signs["x0"] * ranks[0]) * (1 + signs["x1"] * ranks[1]) / 4
    for at in range(kind.categories):
        codes = generator.integers(4, size=n)
        frame[f"c{at}"] = codes
        odds = odds + truth.normal(size=4)[codes]
    odds = (odds - odds.mean()) / odds.std() * 1.2
    odds += np.interp(kind.share, *_shares(odds))
    labels = (generator.random(n) < expit(odds)).astype(int)
    columns = [Numeric(name, 0, 20) if name in signs else Categorical(name, list(range(4))) for name in frame]
    return pl.DataFrame(frame), labels, Schema(columns, label=Label("y", [0, 1])), signs


def _shares(odds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return shares of the second class, rising, and what is added to the log-odds for each."""
    added = np.linspace(-8, 8, 161)
    return np.asarray([expit(odds + each).mean() for each in added]), added


def violations(model: Any, frame: pl.DataFrame, signs: dict[str, int], generator: np.random.Generator) -> int:
    """Return how many pairs of rows that differ in one number alone have scores in the wrong order."""
    found = 0
    for name, sign in signs.items():
        low, high = np.sort(generator.uniform(0, 20, (2, frame.height)), axis=0)
        pair = [model.decision_function(frame.with_columns(pl.Series(name, values))) for values in (low, high)]
        found += int((sign * (pair[1] - pair[0]) < 0).sum())
    return found


def compared(learner: Callable[..., Any], kind: Drawn, epsilon: float, seed: int) -> tuple[float, float, int, int]:
    """Return log-losses without and with, and violations without and with."""
    frame, labels, schema, signs = drawn(kind, seed)
    n, losses, wrong = kind.n_rows, [], []
    for monotone in (None, signs):
        model = learner(schema, epsilon=epsilon, delta=DELTA, random_state=seed, monotone=monotone)
        model.fit(frame[:n], labels[:n])
        losses.append(log_loss(labels[n:], model.predict_proba(frame[n:])[:, 1]))
        wrong.append(violations(model, frame[n : n + N_PAIRS], signs, np.random.default_rng(seed)))
    return losses[0], losses[1], wrong[0], wrong[1]


def cells(learner: str, repetitions: int) -> Iterator[tuple[str, float, np.ndarray]]:
    """Yield table, epsilon, and what each repetition has, (n_repetitions, 4)."""
    for kind in TABLES:
        for epsilon in EPSILONS:
            found = [compared(LEARNERS[learner], kind, epsilon, seed) for seed in range(repetitions)]
            yield kind.name, epsilon, np.asarray(found)


def main(repetitions: int = 8, *learners: str) -> None:
    warnings.simplefilter("ignore")
    for learner in learners or LEARNERS:
        worse, gains = 0, []
        for name, epsilon, found in cells(learner, repetitions):
            added = 1000 * (found[:, 1] - found[:, 0])
            error = added.std(ddof=1) / np.sqrt(repetitions)
            worse, gains = worse + bool(added.mean() > 2 * error), [*gains, added.mean()]
            print(
                f"{learner:14} {name:22} {epsilon:4g}  {1000 * found[:, 0].mean():6.1f} {added.mean():+6.2f} ± "
                f"{error:.2f}  {int(found[:, 2].sum()):6,} {int(found[:, 3].sum()):,}",
                flush=True,
            )
        print(f"{learner}: {np.mean(gains):+.2f} on average; in {worse} of {len(gains)} cells above two errors\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 8, *sys.argv[2:])
