"""Audits are made under the schema's unit: one row, several, or all rows of one person, in each form of the command."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import polars as pl
import pytest

from benchmarks.audits.every_case import CASES
from tacit import Categorical, Label, LogisticClassifier, NaiveBayesClassifier, Schema
from tacit.audit import Auditor, Claim, Effort, Pair, audit, audit_learner
from tacit.audit.person_pairs import with_identifier
from tacit.audit.units import claim_for, extreme_pairs_of_unit, object_pairs, pairs_of_unit
from tacit.audit.verdict import claim_words
from tacit.errors import ParameterError
from tacit.table.persons import Members

ROWS = CASES["everything private"]
PERSONS, THREE = with_identifier(ROWS), replace(ROWS, rows_per_person=3)


def test_the_claim_follows_the_schema():
    assert claim_for(Claim(1.0), ROWS) == claim_for(Claim(1.0), None) == Claim(1.0)
    for schema in (PERSONS, THREE):
        assert claim_for(Claim(1.0), schema).relation == "replace-person"
        with pytest.raises(ParameterError, match="rows are of persons"):
            claim_for(Claim(1.0, relation="add-remove"), schema)
    [found] = (each for each in audit(NaiveBayesClassifier(PERSONS, epsilon=1.0), minutes=0.01).findings[:1])
    assert claim_words(found) == "epsilon 1, all rows of one person replaced"


@pytest.mark.parametrize("case", ["everything private", "a public column and label"])
def test_pairs_of_persons_differ_in_the_rows_of_one(case):
    schema = with_identifier(CASES[case])
    for pair in [*islice(pairs_of_unit(schema), 10), *extreme_pairs_of_unit(schema)]:
        kept = [
            sorted((name, repr(row)) for row, name in zip(rows, names, strict=True))
            for rows, names in zip((pair.first, pair.second), pair.persons, strict=True)
        ]
        assert len({name for name, _ in set(kept[0]) ^ set(kept[1])}) <= 1
    more = any(len(pair.first) != len(pair.second) for pair in extreme_pairs_of_unit(schema))
    assert more == (case == "everything private")


def test_repeated_pairs_are_of_as_many_persons():
    [pair] = extreme_pairs_of_unit(PERSONS)[:1]
    twice = pair.times(2)
    assert len(twice.first) == 2 * len(pair.first) and len(set(twice.persons[0])) == 2 * len(set(pair.persons[0]))
    assert Pair(ROWS, pair.first, pair.first).times(3).second == pair.first * 3


def test_declared_rows_differ_together():
    pairs = [*islice(pairs_of_unit(THREE), 40), *extreme_pairs_of_unit(THREE)]
    differing = [
        sum(repr(one) != repr(other) for one, other in zip(pair.first, pair.second, strict=True)) for pair in pairs
    ]
    assert max(differing) == 3 and set(differing) <= {0, 3}


@pytest.mark.parametrize("schema", [PERSONS, THREE])
def test_replay_comes_close_for_persons(schema):
    found = Auditor(Claim(1.0), schema, minutes=0.02).replay(
        lambda: NaiveBayesClassifier(schema, epsilon=1.0, on_invalid="coerce")
    )
    assert found.verdict == "not refuted" and 0.9 < found.bound <= 1 + 1e-9 < found.half_noise


def careless(self, unit_weight):
    return np.full(len(self), float(unit_weight))


def test_a_learner_that_protects_a_row_only_is_refuted_by_replay(monkeypatch):
    monkeypatch.setattr(Members, "weights", careless)
    found = Auditor(Claim(1.0), PERSONS, minutes=0.02).replay(
        lambda: LogisticClassifier(PERSONS, epsilon=1.0, on_invalid="coerce")
    )
    assert found.verdict == "refuted"


@pytest.mark.audit
def test_a_learner_that_protects_a_row_only_is_refuted_by_sampling(monkeypatch):
    schema = with_identifier(Schema([Categorical("c", ["x", "y"])], label=Label("y", ["no", "yes"])))
    monkeypatch.setattr(Members, "weights", careless)
    found = audit_learner(
        "brc", schema=schema, settings={"rounds": 1, "calibration": 0}, effort=Effort(minutes=1, most=338)
    )
    assert found.verdict == "refuted" and found.claim.relation == "replace-person"


class SumOfPersons:
    """Publishes, with noise, the sum of each person's mean, or of all rows."""

    def __init__(self, epsilon, *, by_person):
        self.epsilon, self.by_person = epsilon, by_person

    def fit(self, X, y):
        column = X.group_by("person").agg(pl.col("b").mean())["b"] if self.by_person else X["b"]
        self.sum_ = float(column.sum() + np.random.default_rng().laplace(0, 10 / self.epsilon))
        return self

    def predict(self, X):
        return np.zeros(len(X))


# What is refuted ends early, and on a busy machine a second is too few runs for it.
@pytest.mark.parametrize(("by_person", "refuted", "minutes"), [(True, False, 0.02), (False, True, 2.0)])
def test_objects_get_the_identifier(by_person, refuted, minutes):
    found = Auditor(Claim(1.0), PERSONS, minutes=minutes).sample(
        lambda epsilon: SumOfPersons(epsilon, by_person=by_person)
    )
    assert (found.verdict == "refuted") == refuted


def test_objects_get_arrays_of_declared_rows():
    [pair] = object_pairs(THREE, Claim(1.0))[:1]
    assert pair.first[0].shape == (3, 3) and pair.first[0].dtype == np.float64
