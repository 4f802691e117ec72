"""Which learner to take and what it will cost in accuracy, before a private row is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.study.advice.expectation import Expectation, expected
from tacit.study.advice.hull import Outside, lonely, outside
from tacit.study.advice.interval import intervals
from tacit.study.advice.likeness import by_source
from tacit.study.advice.past_studies import PastStudies
from tacit.study.advice.situation import Situation

MOST_PRECEDENTS = 5
LEAST_SHARE = 0.03
"""A source that counts less is not named."""


@dataclass(frozen=True)
class Forecast:
    """What to expect of one learner, its settings at their defaults.

    Attributes
    ----------
    learner : str
    loss : float
        Accuracy lost against the best without privacy on as many rows.
    low, high : float
        The loss lies between them in four of five cases.
    useful : float
        The share of like past settings where it was better than a constant answer, among those where anything could
        be learned without privacy.
    """

    learner: str
    loss: float
    low: float
    high: float
    useful: float


@dataclass(frozen=True)
class Precedent:
    """What happened in the past setting of a source that is most like the one asked for.

    Attributes
    ----------
    table, privacy : str
    rows : int
    epsilon, delta : float
    ceiling, majority : float
        Accuracy without privacy, and of a constant answer.
    learner, loss : str, float
        The advised learner, and what it lost there.
    best, least_loss : str, float
        The best private learner there, in hindsight, and what it lost.
    share : float
        How much the whole source counts here.
    """

    table: str
    privacy: str
    rows: int
    epsilon: float
    delta: float
    ceiling: float
    majority: float
    learner: str
    loss: float
    best: str
    least_loss: float
    share: float


@dataclass(frozen=True)
class Advice:
    """What past studies say about a situation.

    Attributes
    ----------
    situation : Situation
    forecasts : tuple of Forecast
        Of every learner, the least expected loss first: the first is advised.
    precedents : tuple of Precedent
        The most like first.
    sources : float
        On how many independent tables this rests, in effect.
    outside : tuple of Outside
        Quantities beyond what was tried.
    unlike : str or None
        The trait in which nothing that was tried is like this, if there is one.
    """

    situation: Situation
    forecasts: tuple[Forecast, ...]
    precedents: tuple[Precedent, ...]
    sources: float
    outside: tuple[Outside, ...]
    unlike: str | None

    @property
    def advised(self) -> Forecast:
        """The learner to take."""
        return self.forecasts[0]

    @property
    def inside(self) -> bool:
        """Whether settings like this were tried."""
        return not self.outside and self.unlike is None


def advise(situation: Situation, past: PastStudies | None = None) -> Advice:
    """Return advice on a table of which only the schema and the number of rows are known.

    Parameters
    ----------
    situation : Situation
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
    >>> advice = advise(Situation.of(schema, rows=30_000, epsilon=0.1))
    >>> advice.inside, advice.advised.low <= advice.advised.loss <= advice.advised.high
    (True, True)
    """
    past = past or PastStudies.packaged()
    asked = situation.frame()
    expectation = expected(past, asked)
    counted = by_source(expectation.shares[0], past.sources)
    return Advice(
        situation=situation,
        forecasts=_forecasts(past, expectation),
        precedents=tuple(_precedent(past, expectation, source, share) for source, share in _named(counted)),
        sources=1.0 / sum(share**2 for share in counted.values()),
        outside=outside(past, asked),
        unlike=lonely(past, asked),
    )


def _forecasts(past: PastStudies, expectation: Expectation) -> tuple[Forecast, ...]:
    low, high = intervals(past, expectation)
    order = expectation.loss[0].argsort(kind="stable")
    rows = zip(past.learners, expectation.loss[0], low[0], high[0], expectation.useful[0], strict=True)
    found = [Forecast(learner, *map(float, numbers)) for learner, *numbers in rows]
    return tuple(found[at] for at in order)


def _named(counted: dict[str, float]) -> list[tuple[str, float]]:
    return [(source, share) for source, share in counted.items() if share >= LEAST_SHARE][:MOST_PRECEDENTS]


def _precedent(past: PastStudies, expectation: Expectation, source: str, share: float) -> Precedent:
    """Return what happened in the nearest setting of a source."""
    own = np.flatnonzero(past.sources == source)
    at = int(own[expectation.distances[0, own].argmin()])
    setting: dict[str, Any] = past.frame.row(at, named=True)
    losses, best = past.losses[at], int(past.losses[at].argmin())
    advised = int(expectation.best[0])
    return Precedent(
        **{name: setting[name] for name in ("table", "privacy", "rows", "epsilon", "delta", "ceiling", "majority")},
        learner=past.learners[advised],
        loss=float(losses[advised]),
        best=past.learners[best],
        least_loss=float(losses[best]),
        share=share,
    )
