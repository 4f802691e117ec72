"""Recommended learner and predicted accuracy loss, before a private row is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.study.advice.past_studies import LEAST_R2, WORST, Measure, PastStudies, by_measure
from tacit.study.advice.prediction import Prediction, intervals, predict
from tacit.study.advice.query import Query
from tacit.study.advice.similarity import Outside, outside_range, uncovered_trait, weight_by_source

MAX_NAMED = 5  # nearest experiments that are named: as many lines as a person reads
MIN_WEIGHT = 0.03  # a source of less moves the prediction by less than its rounding in the output


@dataclass(frozen=True)
class Loss:
    """A predicted loss by another measure than accuracy or R2, and its 80 % prediction interval."""

    loss: float
    low: float
    high: float


@dataclass(frozen=True)
class Forecast:
    """Predicted loss of one learner with its default parameters."""

    learner: str
    loss: float
    """Accuracy lost against the best non-private baseline on as many rows; where a number is predicted, R2 lost."""
    low: float
    high: float
    """Ends of the 80 % prediction interval."""
    useful: float
    """The share of similar past experiments where it beat the majority class, or the mean, among those where anything
    could be learned without privacy."""
    auc: Loss | None = None
    """Area under the ROC curve lost; of more than two classes, the mean over pairs (Hand and Till 2001)."""
    log_loss: Loss | None = None
    """Logarithmic loss added, nats, where the learner gives probabilities."""
    balanced_accuracy: Loss | None = None
    """Lost, of the mean share of each class's rows that are predicted right."""
    brier: Loss | None = None
    """Brier score added: half the squared error of the probabilities of all classes."""
    rmse: Loss | None = None
    """Where a number is predicted: its root mean square error over that of the mean alone."""


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
    """Accuracy of the best non-private baseline, and of the majority class; or R2 of both, of the mean 0."""
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
    advised: Forecast
    """Of the learner to take: what ``tacit fit`` takes, or where that is not known, the least predicted loss."""
    why: str
    """Why this learner; empty where it is that of least predicted loss."""
    forecasts: tuple[Forecast, ...]
    """Of every learner at the query's delta, the least predicted loss of accuracy or R2 first."""
    nearest: tuple[NearestExperiment, ...]
    """One a source, the most similar source first."""
    sources: float
    """Effective number of independent tables behind the prediction."""
    outside: tuple[Outside, ...]
    """Quantities outside the range of past experiments."""
    uncovered: str | None
    """The trait in which no past experiment is similar to the query, if there is one."""

    @property
    def covered(self) -> bool:
        """Whether past experiments cover the query."""
        return not self.outside and self.uncovered is None


OTHER_MEASURES: tuple[Measure, ...] = ("auc", "log-loss", "balanced-accuracy", "brier", "rmse")


def advise(query: Query, past: PastStudies | None = None, *, measures: Sequence[Measure] = OTHER_MEASURES) -> Advice:
    """Return advice on a table of which only the schema and the number of rows are known.

    Parameters
    ----------
    query : Query
    past : PastStudies, optional
        Those of the package if not given.
    measures : sequence of {"auc", "log-loss", "balanced-accuracy", "brier", "rmse"}
        What to predict besides the loss of accuracy or R2; what is of the other kind of outcome has no effect.

    Raises
    ------
    ParameterError
        If past studies predict classes and the query's schema a number, or the reverse.

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
    past = PastStudies.suited(query.outcome, past)
    prediction = predict(past, query.frame(past.deltas))
    forecasts = _forecasts(past, query, measures)
    choice = query.choice
    advised = next((each for each in forecasts if choice and each.learner == choice.learner), forecasts[0])
    weights = weight_by_source(prediction.weights[0], past.sources)
    named = [(source, weight) for source, weight in weights.items() if weight >= MIN_WEIGHT][:MAX_NAMED]
    at = past.learners.index(advised.learner)
    return Advice(
        query=query,
        advised=advised,
        why=choice.why if choice and advised.learner == choice.learner else "",
        forecasts=forecasts,
        nearest=tuple(_nearest(past, prediction, at, source, weight) for source, weight in named),
        sources=1.0 / sum(weight**2 for weight in weights.values()),  # Kish's effective sample size
        outside=outside_range(past, query.frame(past.deltas)),
        uncovered=uncovered_trait(past, query.frame(past.deltas)),
    )


def _forecasts(past: PastStudies, query: Query, measures: Sequence[Measure]) -> tuple[Forecast, ...]:
    prediction = predict(past, query.frame(past.deltas))
    low, high = intervals(past, prediction)
    others = {measure: _losses(past, query, measure) for measure in measures}
    order = prediction.loss[0].argsort(kind="stable")
    rows = zip(past.learners, prediction.loss[0], low[0], high[0], prediction.useful[0], strict=True)
    found = [
        Forecast(
            learner,
            float(loss),
            float(least),
            float(most),
            float(useful),
            *(others.get(measure, {}).get(learner) for measure in OTHER_MEASURES),
        )
        for learner, loss, least, most, useful in rows
    ]
    return tuple(found[at] for at in order)


def _losses(past: PastStudies, query: Query, measure: Measure) -> dict[str, Loss]:
    """Return predicted losses by another measure, by learner."""
    of_error = measure == "rmse"
    measured = by_measure(past, "error" if of_error else measure) if of_error == (past.outcome == "number") else None
    # An area is that of pairs of classes: of two classes it says nothing of more.
    many = query.meta_features.classes > 2
    if measured is None or (measure == "auc" and many and (measured.frame["classes"] == 2).all()):
        return {}
    unit = WORST.get(measure, 1.0)
    prediction = predict(measured, query.frame(past.deltas))
    ends = intervals(measured, prediction)
    found = unit * np.stack([prediction.loss[0], ends[0][0], ends[1][0]])
    if of_error:  # 1 - R2 is the square of it
        found = np.sqrt(np.clip(found, 0.0, 1.0 - LEAST_R2))
    return {learner: Loss(*numbers) for learner, numbers in zip(measured.learners, found.T.tolist(), strict=True)}


def _nearest(past: PastStudies, prediction: Prediction, advised: int, source: str, weight: float) -> NearestExperiment:
    """Return the nearest experiment of a source."""
    own = np.flatnonzero(past.sources == source)
    at = int(own[prediction.distances[0, own].argmin()])
    experiment: dict[str, Any] = past.frame.row(at, named=True)
    losses, best = past.losses[at], int(past.losses[at].argmin())
    return NearestExperiment(
        **{name: experiment[name] for name in ("table", "privacy", "rows", "epsilon", "delta", "ceiling", "majority")},
        learner=past.learners[advised],
        loss=float(losses[advised]),
        best=past.learners[best],
        least_loss=float(losses[best]),
        weight=weight,
    )
