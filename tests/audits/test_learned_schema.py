"""Audits of learning a schema: replays on neighbors, broken releases that they find, and what leaves beside answers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import pytest

from tacit import Categorical, Identifier, Kinds, Label, Numeric, Schema, Target, learn_bounds, learn_schema
from tacit.audit.mutants import half_noise, half_sensitivity
from tacit.audit.neighbors import Pair
from tacit.audit.replay import replay_pair
from tacit.mechanisms.stability import Stability

JOBS = ["clerk", "smith", "baker", "judge"]
DESCRIBED = Schema([Numeric("age", 0, 1e6), Categorical("job", JOBS)], label=Label("ill", ["no", "yes", "unsure"]))
KINDS = Kinds({"age": "number", "job": "category", "ill": "category"})
COMMON = tuple((20.0 + at % 50, JOBS[at % 2], "yes" if at % 3 else "no") for at in range(240))

PAIRS = {
    "every count moves": ((25.0, "clerk", "no"), (65.0, "smith", "yes")),
    "new values on both sides": ((1e6, "baker", "unsure"), (0.0, "judge", "yes")),
    "one table has a new class": ((25.0, "clerk", "unsure"), (25.0, "clerk", "no")),
    "nothing moves": ((25.0, "clerk", "no"), (25.0, "clerk", "no")),
}


@dataclass
class Learning:
    """What a replay can fit: an object that learns a schema, and shows all of it."""

    delta: float = 1e-3
    random_state: int = 0
    schema_: Schema | None = field(default=None)

    def fit(self, X, y):
        rows = X.with_columns(ill=np.asarray(y))
        given = {"label": "ill", "epsilon": 6.0, "delta": self.delta, "random_state": self.random_state}
        self.schema_ = learn_schema(rows, KINDS, **given)
        return self


def pair_of(name: str) -> Pair:
    mine, its = PAIRS[name]
    return Pair(DESCRIBED, (mine, *COMMON), (its, *COMMON))


@cache
def replayed(name: str, mutant=None):
    return replay_pair(Learning, pair_of(name), seed=3, delta=1e-3, mutant=mutant)


class TooLow(Stability):
    def threshold(self, statistic):
        return super().threshold(statistic) - max(1, round(self.noise_scale(statistic) / 2))


def too_low(pending):
    """A threshold that is lower by half a scale."""
    if not isinstance(pending.mechanism, Stability):
        return pending
    return replace(pending, mechanism=TooLow(pending.mechanism.share))


@pytest.mark.parametrize("name", PAIRS)
def test_neighbors_are_within_the_budget_and_leave_the_same(name):
    found = replayed(name)
    assert not found.refuted, found.differences
    assert len(found.steps) == 4
    assert found.epsilon <= 6.0
    reached = max(step.reached for step in found.steps)
    # The worst pair uses a share up, so that a stronger claim would be refuted.
    assert reached == pytest.approx({"every count moves": 1.0, "nothing moves": 0.0}.get(name, reached), rel=1e-6)


NUMBERS = Kinds({"age": "number", "job": "category", "ill": "ignored"})


@dataclass
class LearningTarget:
    """The same, where the label is a number."""

    schema_: Schema | None = field(default=None)

    def fit(self, X, y):
        rows = X.with_columns(ill=np.asarray(y))
        self.schema_ = learn_schema(rows, NUMBERS, label="age", epsilon=6.0, delta=1e-3, random_state=0)
        return self


@pytest.mark.parametrize("mutant", [None, half_noise], ids=["honest", "half the noise"])
def test_learning_with_a_target_is_within_the_budget(mutant):
    found = replay_pair(LearningTarget, pair_of("every count moves"), seed=3, delta=1e-3, mutant=mutant)
    assert found.refuted == (mutant is not None), found.differences
    assert len(found.steps) == 3


@pytest.mark.parametrize("mutant", [half_noise, half_sensitivity], ids=lambda each: each.__name__)
def test_half_the_noise_is_found(mutant):
    assert replayed("every count moves", mutant).refuted


def test_a_threshold_that_is_too_low_is_found_where_a_value_is_new_and_only_there():
    assert replayed("new values on both sides", too_low).refuted
    assert replayed("one table has a new class", too_low).refuted
    assert not replayed("every count moves", too_low).refuted


OPEN = Schema([Numeric("age"), Numeric("height")], label=DESCRIBED.label)
PERSONS = replace(OPEN, identifier=Identifier("person"))
MEASURED = Schema([Numeric("age", 0, 1e6), Numeric("height", -1e6, 1e6)], label=DESCRIBED.label)
HEIGHTS = tuple((20.0 + at % 50, 1.5 + at % 5 / 10, "no") for at in range(240))


@dataclass
class LearningBounds:
    """The same for open bounds; of persons, the first three rows are of one, and all others of one each."""

    schema: Schema = OPEN
    random_state: int = 0
    schema_: Schema | None = field(default=None)

    def fit(self, X, y):
        rows = X.with_columns(person=np.maximum(np.arange(len(X)), 2))
        self.schema_ = learn_bounds(rows, self.schema, epsilon=6.0, random_state=self.random_state)
        return self


TARGET = Schema([Numeric("height", 0, 3)], label=Target("age"))
OF_PERSON = replace(TARGET, identifier=Identifier("person"))

MIXED = "a person with other cells in each row"
BOUNDS_PAIRS = {
    "a target, one row": (TARGET, ((25.0, 1.6, "no"),), ((1e6, 1.6, "no"),)),
    "a target, all rows of a person": (OF_PERSON, ((25.0, 1.6, "no"),) * 3, ((65.0, 1.9, "no"),) * 3),
    "one row": (OPEN, ((25.0, 1.6, "no"),), ((1e6, -1e6, "no"),)),
    "all rows of a person": (PERSONS, ((25.0, 1.6, "no"),) * 3, ((65.0, 1.9, "no"),) * 3),
    MIXED: (PERSONS, ((25.0, 1.6, "no"),) * 3, ((1e6, 0.0, "no"), *HEIGHTS[:2])),
}


def replayed_bounds(name: str, mutant=None):
    schema, mine, its = BOUNDS_PAIRS[name]
    pair = Pair(MEASURED, (*mine, *HEIGHTS), (*its, *HEIGHTS))
    return replay_pair(lambda: LearningBounds(schema), pair, seed=3, mutant=mutant)


@pytest.mark.parametrize("name", BOUNDS_PAIRS)
def test_bounds_alone_are_within_the_budget_and_leave_the_same(name):
    found = replayed_bounds(name)
    assert not found.refuted, found.differences
    assert len(found.steps) == 2 * len(BOUNDS_PAIRS[name][0].open)
    assert found.epsilon <= 6.0
    if name != MIXED:
        assert max(step.reached for step in found.steps) == pytest.approx(1.0, rel=1e-6)
        assert replayed_bounds(name, half_noise).refuted
