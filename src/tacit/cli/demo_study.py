"""What the demo measures: one table, private and public columns, accuracy over epsilon."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.datasets import load
from tacit.errors import PrivacyWarning
from tacit.estimators import BRCClassifier
from tacit.models import Model
from tacit.report.figures import privacy_curve
from tacit.report.layout import Figure
from tacit.schema import Schema
from tacit.study.baselines import BASELINES
from tacit.study.splits import Split
from tacit.table import Table, read_labels, read_rows

EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
REPETITIONS = 20
CHOSEN = 1.0
"""Epsilon of the model that is saved."""

_N_TRAIN = 400
_SPLIT_SEED = 2024


@dataclass(frozen=True)
class Curve:
    """A private model's accuracies on the same test rows: one for each repetition, for each epsilon."""

    name: str
    epsilons: tuple[float, ...]
    accuracies: tuple[tuple[float, ...], ...]

    @property
    def means(self) -> tuple[float, ...]:
        """The mean accuracy at each epsilon."""
        return tuple(fmean(runs) for runs in self.accuracies)


@dataclass(frozen=True)
class Reference:
    """A model without privacy and its accuracy on the test rows."""

    name: str
    accuracy: float


@dataclass(frozen=True)
class Parts:
    """A table split once, at random, into training rows and test rows."""

    schema: Schema
    train: pl.DataFrame
    train_labels: pl.Series
    test: pl.DataFrame
    test_labels: pl.Series

    def accuracy(self, model: Any) -> float:
        """Return the part of the test rows that a model gets right."""
        return float(np.mean(model.predict(self.test) == self.test_labels.to_numpy()))


def parts() -> Parts:
    """Return the demo's table, cut into its parts."""
    data = load("breast-cancer")
    order = _order(data.frame.height)
    train, test = order[:_N_TRAIN], order[_N_TRAIN:]
    return Parts(data.schema, data.frame[train], data.target[train], data.frame[test], data.target[test])


def _order(n_rows: int) -> NDArray[np.intp]:
    return np.random.default_rng(_SPLIT_SEED).permutation(n_rows)


def curves(cut: Parts, tick: Callable[[], None]) -> list[Curve]:
    """Return the accuracies of private models, their noise simulated; `tick` is called after each."""
    cases = (
        ("private: some columns", cut.schema),
        ("private: everything", cut.schema.all_private()),
    )
    return [Curve(name, EPSILONS, tuple(_runs(cut, schema, e, tick) for e in EPSILONS)) for name, schema in cases]


def references(cut: Parts) -> list[Reference]:
    """Return the accuracies of models without privacy."""
    split = _split(cut)

    def accuracy(baseline: str, **parameters: Any) -> float:
        scores = BASELINES[baseline](split, 0, **parameters)(split.test)
        return float(np.mean((scores > 0) == split.test_labels))

    return [
        Reference("no privacy: all columns", accuracy("logistic", encoding="ordinal")),
        Reference("no privacy: public columns", accuracy("logistic-public", encoding="ordinal")),
        Reference("majority class", accuracy("majority")),
    ]


def picture(curves: Iterable[Curve], references: Iterable[Reference]) -> Figure:
    """Describe accuracy over epsilon, as a picture of a study does."""
    points = [
        _point(curve.name, epsilon, runs)
        for curve in curves
        for epsilon, runs in zip(curve.epsilons, curve.accuracies, strict=True)
    ]
    points += [_point(each.name, None, (each.accuracy,)) for each in references]
    return privacy_curve(pl.DataFrame(points, infer_schema_length=None))


def _point(name: str, epsilon: float | None, runs: Sequence[float]) -> dict[str, Any]:
    deviation = stdev(runs) if len(runs) > 1 else None
    price = {"name": name, "epsilon": epsilon, "delta": None if epsilon is None else 0.0}
    spread = {"mean": fmean(runs), "deviation": deviation, "least": min(runs), "most": max(runs), "runs": len(runs)}
    return price | spread


def _split(cut: Parts) -> Split:
    train, test = (read_rows(frame, cut.schema) for frame in (cut.train, cut.test))
    labels, test_labels = (read_labels(each, cut.schema.label) for each in (cut.train_labels, cut.test_labels))
    table = Table.from_rows(train, labels, cut.schema)
    order = _order(train.n_rows + test.n_rows)
    return Split(cut.schema, table, train, test, labels, test_labels, order[:_N_TRAIN], order[_N_TRAIN:])


def private_model(cut: Parts) -> Model:
    """Return one model with secure noise, which may be published."""
    return _fitted(BRCClassifier(cut.schema, epsilon=CHOSEN), cut)


def _runs(cut: Parts, schema: Schema, epsilon: float, tick: Callable[[], None]) -> tuple[float, ...]:
    accuracies = []
    for seed in range(REPETITIONS):
        accuracies.append(cut.accuracy(_fitted(BRCClassifier(schema, epsilon=epsilon, random_state=seed), cut)))
        tick()
    return tuple(accuracies)


def _fitted(estimator: BRCClassifier, cut: Parts) -> Model:
    with warnings.catch_warnings():
        # The demo says itself that its noise is simulated and that fits add up.
        warnings.simplefilter("ignore", PrivacyWarning)
        return estimator.fit(cut.train, cut.train_labels).model_
