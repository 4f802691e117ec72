"""Sampling audits of this package's learners, each on a pair of neighbors where its loss is nearly all spent."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from tacit.audit.findings import Claim, Finding
from tacit.audit.neighbors import Pair
from tacit.audit.objects import How, audit_samplers
from tacit.audit.outputs import as_outputs, collected
from tacit.audit.samplers import Outputs
from tacit.audit.trade_offs import ApproximateTradeOff, ConcentratedTradeOff, TradeOff
from tacit.audit.units import claim_for, extreme_pairs_of_unit
from tacit.errors import ParameterError
from tacit.estimators import (
    BoostedTreesClassifier,
    BRCClassifier,
    LazyBBClassifier,
    LogisticClassifier,
    NaiveBayesClassifier,
    RadoBoostClassifier,
    SVMClassifier,
    TreeClassifier,
)
from tacit.privacy.conversions import zcdp_epsilon, zcdp_rho
from tacit.privacy.release import ObservedRelease, observing
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Table


@dataclass(frozen=True)
class Subject:
    """A learner with few releases, and a pair on which they lose nearly all that they may.

    Parameters
    ----------
    make : callable
        Returns the estimator of a schema.
    settings : dict
        Few rounds, as the loss of many is nearly all spent in so few runs that no sampling finds it.
    pair : Pair
    """

    make: Callable[..., Any]
    settings: Mapping[str, Any]
    pair: Pair


def _schema(*columns: Any, label: bool = True) -> Schema:
    return Schema(list(columns), label=Label("y", ["no", "yes"], private=label))


_X, _Z = Categorical("x", ["a", "b"]), Categorical("z", ["a", "b"])
_ONE = _schema(_X)
_FLIPPED = Pair(_ONE, (("a", "no"),), (("a", "yes"),), "one row, label flipped")
# At a tie one question of two is chosen with probability 1/2, and exp(-epsilon)/2 after a full range's change.
_TIED = Pair(_ONE, (("a", "yes"), ("a", "no")), (("a", "yes"), ("a", "yes")), "two rules tied")
_REST = (("a", "b", "yes"), ("b", "a", "no"), ("b", "a", "no"), ("b", "b", "no"))
_SPLIT = Pair(
    _schema(_X, _Z), (*_REST, ("a", "a", "no")), (*_REST, ("a", "a", "yes")), "two questions tied, label flipped"
)
# Counts stay clear of zero, where they would be clipped.
_COUNTED = Pair(
    _schema(_X, label=False), (("a", "no"),) * 40 + (("b", "yes"),) * 40 + (("a", "no"),),
    (("a", "no"),) * 40 + (("b", "yes"),) * 40 + (("b", "no"),), "one of 81 rows, in its column",
)  # fmt: skip
_NUMBER = Pair(_schema(Numeric("x", -1, 1)), ((1.0, "no"),), ((1.0, "yes"),), "one row, label flipped")

SUBJECTS: dict[str, Subject] = {
    "boosted-trees": Subject(BoostedTreesClassifier, {"n_trees": 1, "candidates": 1}, _FLIPPED),
    "brc": Subject(BRCClassifier, {"rounds": 1}, _FLIPPED),
    "lazybb": Subject(LazyBBClassifier, {"rounds": 1}, _TIED),
    "logistic": Subject(LogisticClassifier, {}, _FLIPPED),
    "naive-bayes": Subject(NaiveBayesClassifier, {}, _COUNTED),
    "radoboost": Subject(RadoBoostClassifier, {"count": 10, "rounds": 10, "intercept": "none"}, _NUMBER),
    "svm": Subject(SVMClassifier, {}, _FLIPPED),
    "tree": Subject(TreeClassifier, {"max_splits": 1}, _SPLIT),
}
"""By the learner's name."""


@dataclass(frozen=True, eq=False)
class LearnerFits:
    """A sampler whose runs are fits, which show all released answers and the scores of every row of both tables.

    Parameters
    ----------
    estimator : PrivateClassifier
    pair : Pair
    """

    estimator: Any
    pair: Pair

    def draw(self, side: int, count: int, seed: int) -> Outputs:
        """Return what so many fits of one table show; noise is the operating system's, whatever the seed."""
        table = self.pair.tables()[side]
        probes = [row[:-1] for row in dict.fromkeys((*self.pair.first, *self.pair.second))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return as_outputs([self._run(table, probes) for _ in range(count)])

    def _run(self, table: Table, probes: Sequence[Sequence[Any]]) -> dict[str, float]:
        seen: list[ObservedRelease] = []
        with observing(seen.append):
            model = self.estimator.fit_table(table).model_
        answers = [release.answer for release in seen]
        return {**collected("answers", answers), **collected("scores", model.decision_function(probes))}


def audit_learner(
    learner: str,
    *,
    epsilon: float = 1.0,
    delta: float = 0.0,
    schema: Schema | None = None,
    settings: Mapping[str, Any] | None = None,
    **how: Unpack[How],
) -> Finding:
    """Return what sampling finds about a learner's guarantee, and about the same learner with half the noise.

    Parameters
    ----------
    learner : {"boosted-trees", "brc", "lazybb", "logistic", "naive-bayes", "radoboost", "svm", "tree"}
    epsilon, delta : float
        The budget of each fit, which is the claim.
    schema : Schema, optional
        Pairs are made from it; else the pair in ``SUBJECTS`` is taken.
    settings : mapping, optional
        Of the estimator; else those in ``SUBJECTS``.
    **how
        Effort, store of runs and progress, as of ``audit_object``.

    Raises
    ------
    ParameterError
        If there is no such learner, or it refuses the settings.
    """
    if learner not in SUBJECTS:
        raise ParameterError(f"Expected one of {', '.join(SUBJECTS)}, got learner={learner!r}. Choose one of them.")
    subject = SUBJECTS[learner]
    chosen = dict(subject.settings if settings is None else settings)
    pairs = [subject.pair] if schema is None else extreme_pairs_of_unit(schema)
    schema = pairs[0].schema
    estimator = subject.make(schema, epsilon=epsilon, delta=delta, **chosen)
    trade_off = _trade_off(estimator, pairs[0], delta)
    louder = subject.make(schema, epsilon=_of_half_noise(epsilon, delta, trade_off), delta=delta, **chosen)
    shown = ", ".join([f"{name}={value!r}" for name, value in chosen.items()])
    return audit_samplers(
        [LearnerFits(estimator, pair) for pair in pairs],
        [LearnerFits(louder, pair) for pair in pairs],
        claim_for(Claim(epsilon, delta), schema),
        subject=f"{learner} ({shown})" if shown else learner,
        trade_off=trade_off,
        **how,
    )


def _of_half_noise(epsilon: float, delta: float, trade_off: TradeOff) -> float:
    """Return the budget for which noise is half as wide: twice the epsilon, or four times the rho."""
    if isinstance(trade_off, ConcentratedTradeOff):
        return zcdp_epsilon(4 * zcdp_rho(epsilon, delta), delta)
    return 2 * epsilon


def _trade_off(estimator: Any, pair: Pair, delta: float) -> TradeOff:
    """Return the test of the composition that the learner's accountant chooses for this plan."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        guarantee = estimator.fit_table(pair.tables()[0]).privacy_
    if (
        guarantee.composition == "zcdp"
        and guarantee.gaussian is None
        and not any(line.delta for line in guarantee.releases)
    ):
        return ConcentratedTradeOff(delta)
    return ApproximateTradeOff(delta)
