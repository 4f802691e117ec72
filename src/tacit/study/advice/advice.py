"""Recommended learner and predicted accuracy loss, before a private row is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.study.advice.past_studies import PastStudies
from tacit.study.advice.prediction import Prediction, intervals, predict
from tacit.study.advice.query import Query
from tacit.study.advice.similarity import Outside, outside_range, uncovered_trait, weight_by_source

MOST_NAMED = 5  # nearest experiments that are named: as many lines as a person reads
LEAST_WEIGHT = 0.03  # a source of less moves the prediction by less than its rounding in the output


@dataclass(frozen=True)
class Forecast:
    """Predicted accuracy loss of one learner with its default parameters."""

    learner: str
    loss: float
    """Accuracy lost against the best non-private baseline on as many rows."""
    low: float
    high: float
    """Ends of the 80 % prediction interval."""
    useful: float
    """The share of similar past experiments where it beat the majority class, among those where anything could be
    learned without privacy."""


@dataclass(frozen=True)
class NearestExperiment:
    """The past experiment of a source that is most similar to the query."""

    table: str
    privacy: str
    rows: int
    epsilon: float
    delta: float
    ceiling: float
    majority: float
    """Accuracy of the best non-private baseline, and of the majority class."""
    learner: str
    loss: float
    """The advised learner, and what it lost there."""
    best: str
    least_loss: float
    """The best private learner there, in hindsight, and what it lost."""
    weight: float
    """Of the whole source in the prediction."""


@dataclass(frozen=True)
class Advice:
    """Predictions of past studies for a query."""

    query: Query
    forecasts: tuple[Forecast, ...]
    """Of every learner, the least predicted loss first: the first is advised."""
    nearest: tuple[NearestExperiment, ...]
    """One a source, the most similar source first."""
    sources: float
    """Effective number of independent tables behind the prediction."""
    outside: tuple[Outside, ...]
    """Quantities outside the range of past experiments."""
    uncovered: str | None
    """The trait in which no past experiment is similar to the query, if there is one."""

    @property
    def advised(self) -> Forecast:
        """The learner to take."""
        return self.forecasts[0]

    @property
    def covered(self) -> bool:
        """Whether past experiments cover the query."""
        return not self.outside and self.uncovered is None


def advise(query: Query, past: PastStudies | None = None) -> Advice:
    """Return advice on a table of which only the schema and the number of rows are known.

    Parameters
    ----------
    query : Query
    past : PastStudies, optional
        Those of the package if not given.

    Notes
    -----
    Privacy: no row is read; schema, number of rows and budget are public, and past studies are of public tables. So
    choosing a learner by this costs nothing and is covered by the certificate of a later fit.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric, Schema
    >>> schema = Schema([Numeric("age", 0, 90), Numeric("pulse", 20, 250)], label=Label("ill", ["no", "yes"]))
    >>> advice = advise(Query.of(schema, rows=30_000, epsilon=0.1))
    >>> advice.covered, advice.advised.low <= advice.advised.loss <= advice.advised.high
    (True, True)
    """
    past = past or PastStudies.packaged()
    frame = query.frame()
    prediction = predict(past, frame)
    weights = weight_by_source(prediction.weights[0], past.sources)
    named = [(source, weight) for source, weight in weights.items() if weight >= LEAST_WEIGHT][:MOST_NAMED]
    return Advice(
        query=query,
        forecasts=_forecasts(past, prediction),
        nearest=tuple(_nearest(past, prediction, source, weight) for source, weight in named),
        sources=1.0 / sum(weight**2 for weight in weights.values()),  # Kish's effective sample size
        outside=outside_range(past, frame),
        uncovered=uncovered_trait(past, frame),
    )


def _forecasts(past: PastStudies, prediction: Prediction) -> tuple[Forecast, ...]:
    low, high = intervals(past, prediction)
    order = prediction.loss[0].argsort(kind="stable")
    rows = zip(past.learners, prediction.loss[0], low[0], high[0], prediction.useful[0], strict=True)
    found = [Forecast(learner, *map(float, numbers)) for learner, *numbers in rows]
    return tuple(found[at] for at in order)


def _nearest(past: PastStudies, prediction: Prediction, source: str, weight: float) -> NearestExperiment:
    """Return the nearest experiment of a source."""
    own = np.flatnonzero(past.sources == source)
    at = int(own[prediction.distances[0, own].argmin()])
    experiment: dict[str, Any] = past.frame.row(at, named=True)
    losses, best = past.losses[at], int(past.losses[at].argmin())
    advised = int(prediction.best[0])
    return NearestExperiment(
        **{name: experiment[name] for name in ("table", "privacy", "rows", "epsilon", "delta", "ceiling", "majority")},
        learner=past.learners[advised],
        loss=float(losses[advised]),
        best=past.learners[best],
        least_loss=float(losses[best]),
        weight=weight,
    )
