"""How often prediction sets hold the class, and how large they are: `python benchmarks/prediction_sets.py [FITS]`.

Seven public and three drawn tables, three of more than two classes, one with a class of 3 %; logistic regression with a
fifth of the rows kept back, everything private, a delta of 1e-6. Each table and budget has four trained models; each is
counted five times (20 fits), on held-out rows and noise of its own, by a fit's own releases. Sets are counted on all
other rows. Beside them is split conformal prediction by class without privacy (Vovk 2012, Mondrian), written out below,
on the same scores of the same held-out rows; its sets have the predicted class, too, as ours have ("bare": without).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl

from tacit import Label, LogisticClassifier, Numeric, Schema
from tacit.datasets import load
from tacit.estimators.holdout import measured
from tacit.measures.prediction_sets import left_out, marginal_bounds, set_bounds
from tacit.measures.score_cells import TIE_BITS, class_cells, score_cells
from tacit.mechanisms import SimulatedNoise
from tacit.models import Model
from tacit.privacy import Accountant, Budget
from tacit.table import Table

NAMES = ["adult", "bank-marketing", "credit-default", "magic-gamma", "cod-rna", "skin-segmentation", "nursery"]
EPSILONS, DELTA, COVERAGES, MOST_ROWS, HOLDOUT, COUNTED = (0.3, 1.0), 1e-6, (0.8, 0.9, 0.95), 30_000, 0.2, 5

DRAWN = {
    "drawn, 3 % of a class": (0.97, 0.03),
    "drawn, 3 classes": (0.4, 0.35, 0.25),
    "drawn, 4 classes": (0.4, 0.3, 0.2, 0.1),
}
"""Shares of the classes of drawn tables."""


@dataclass(frozen=True)
class Scored:
    """Rows with their classes, what a model makes of them, and its scores of each class, larger being likelier."""

    table: pl.DataFrame
    labels: np.ndarray
    truth: np.ndarray
    favored: np.ndarray
    cells: np.ndarray

    def part(self, at: np.ndarray) -> Scored:
        """Return the rows at these places."""
        rows = self.table[at], self.labels[at]
        return Scored(*rows, self.truth[at], self.favored[at], self.cells[at])

    @property
    def odds(self) -> np.ndarray:
        """Each class's own score, in steps: of two classes, both ways."""
        steps = self.cells >> TIE_BITS
        return np.hstack([-steps, steps]) if steps.shape[1] == 1 else steps

    def with_favored(self, sets: np.ndarray) -> np.ndarray:
        """Return the sets with the predicted class in each."""
        sets = sets.copy()
        sets[np.arange(len(sets)), self.favored] = True
        return sets


def tables() -> Iterator[tuple[str, pl.DataFrame, np.ndarray, Schema]]:
    """Yield all tables, of 60,000 rows at most."""
    for name in NAMES:
        known = load(name)
        some = np.random.default_rng(0).permutation(len(known.frame))[: 2 * MOST_ROWS]
        yield name, known.frame[some], known.target.to_numpy()[some], known.schema
    for name, shares in DRAWN.items():
        draw = np.random.default_rng(1)
        labels = draw.choice(len(shares), 2 * MOST_ROWS, p=shares)
        means = draw.normal(size=(len(shares), 6)) * (0.6 if len(shares) > 2 else 0.7)
        X = (means[labels] + draw.normal(size=(len(labels), 6))).clip(-5, 5)
        # Public, as it is where a rate is known to everybody.
        prevalence = shares if len(shares) == 2 else None
        columns = [Numeric(f"x{at}", -5, 5) for at in range(6)]
        frame = pl.DataFrame(dict(zip((each.name for each in columns), X.T, strict=True)))
        yield name, frame, labels, Schema(columns, label=Label("y", list(range(len(shares))), prevalence=prevalence))


def scored(model: Model, frame: pl.DataFrame, labels: np.ndarray) -> Scored:
    """Return rows with the scores by which held-out rows are counted."""
    rows = model.read(frame)
    likely, favored = model.predict_proba(rows), np.searchsorted(model.classes, model.predict(rows))
    cells = score_cells(likely, favored) if likely.shape[1] == 2 else class_cells(likely)
    return Scored(frame, labels, np.searchsorted(model.classes, labels), favored, cells)


def fits(table: tuple[pl.DataFrame, np.ndarray, Schema], epsilon: float, n_fits: int) -> Iterator[list[Counts]]:
    """Yield for each fit what is counted, coverage after coverage."""
    frame, labels, schema = table
    schema, n_rows = schema.all_private(), min(MOST_ROWS, int(0.8 * len(labels)))
    budget = Budget(epsilon, DELTA)
    for seed in range(n_fits):
        draw = np.random.default_rng(seed)
        if seed % COUNTED == 0:
            order = draw.permutation(len(labels))
            train, rest = np.split(order, [n_rows - int(HOLDOUT * n_rows)])
            fitted = LogisticClassifier(schema, epsilon=epsilon, delta=DELTA, random_state=seed)
            model = fitted.fit(frame[train], labels[train]).model_
            others = scored(model, frame[rest], labels[rest])
        own = draw.permutation(len(rest))
        held, new = others.part(own[: int(HOLDOUT * n_rows)]), others.part(own[int(HOLDOUT * n_rows) :])
        counted = Table.from_frame(held.table, held.labels, schema)
        accountant = Accountant(budget, counted.unit, SimulatedNoise(draw), n_rows=counted.n_persons)
        yield list(_sets(measured(model, counted, accountant, origin="evaluation"), held, new))


Counts = tuple[np.ndarray, float, float, float, float, float, float]
"""Coverage of each class; mean size, share of full sets, size without privacy, with and without the predicted class;
size and coverage of marginal sets."""


def _sets(held_out: object, held: Scored, new: Scored) -> Iterator[Counts]:
    steps, n_classes = new.cells >> TIE_BITS, new.odds.shape[1]
    for coverage in COVERAGES:
        sets = new.with_favored(~left_out(set_bounds(held_out, 1 - coverage, None), steps))
        exact = _without_privacy(held, new, 1 - coverage)
        sizes = [each.sum(axis=1).mean() for each in (new.with_favored(exact), exact)]
        marginal = new.with_favored(~left_out(marginal_bounds(held_out, 1 - coverage, None), steps))
        right = marginal[np.arange(len(marginal)), new.truth].mean()
        own = np.asarray(
            [sets[new.truth == at, at].mean() if (new.truth == at).any() else 1 for at in range(n_classes)]
        )
        full = (sets.sum(axis=1) == n_classes).mean()
        yield own, sets.sum(axis=1).mean(), full, *sizes, marginal.sum(axis=1).mean(), right


def _without_privacy(held: Scored, new: Scored, misses: float) -> np.ndarray:
    """Return sets of split conformal prediction by class: of n rows the (misses (n + 1))-th smallest score is in."""
    sets = np.ones(new.odds.shape, dtype=bool)
    for at in range(sets.shape[1]):
        own = np.sort(held.odds[held.truth == at, at])
        last = int(misses * (len(own) + 1))
        if last:
            sets[:, at] = new.odds[:, at] >= own[last - 1]
    return sets


def main(n_fits: int = 20) -> None:
    """Print a line for each table, budget and coverage, and what holds of all of them."""
    warnings.simplefilter("ignore")
    print("table, rows | epsilon | nominal | least mean coverage | fits 2 below | size | full | no privacy | ratio")
    for (name, *table), epsilon in product(tables(), EPSILONS):
        found = list(fits(tuple(table), epsilon, n_fits))
        n_rows = min(MOST_ROWS, int(0.8 * len(table[1])))
        for at, coverage in enumerate(COVERAGES):
            own = np.asarray([each[at][0] for each in found])
            size, full, exact, bare, marginal, right = np.mean([each[at][1:] for each in found], axis=0)
            low = (own < coverage - 0.02).mean()
            print(
                f"{name}, {n_rows:,} | {epsilon:g} | {100 * coverage:g} | {100 * own.mean(axis=0).min():.1f}",
                f"{100 * low:.1f} % | {size:.2f} | {100 * full:.0f} % | {exact:.2f} | {size / exact:.2f}",
                f"bare {bare:.2f} | marginal {marginal:.2f}, {100 * right:.1f}",
                sep=" | ",
                flush=True,
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
