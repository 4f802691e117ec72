"""Estimators on persons with several rows: what they refuse, what they say, and what they keep to themselves."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pytest

from tacit import (
    AutoClassifier,
    Identifier,
    Label,
    LazyBBClassifier,
    LogisticClassifier,
    NaiveBayesClassifier,
    Numeric,
    RadoBoostClassifier,
    Schema,
    SVMClassifier,
    TreeClassifier,
    load_model,
    make_rados,
)
from tacit.errors import ParameterError
from tacit.estimators import learn_from_rados
from tacit.models import from_json, to_json
from tacit.privacy import Guarantee, Persons, observing

COLUMNS, LABEL = [Numeric("a", 0, 16), Numeric("b", 0, 16)], Label("y", ["no", "yes"])
SCHEMA = Schema(COLUMNS, label=LABEL, identifier=Identifier("person"))
N_PERSONS, ROWS_EACH = 211, 3


def people(rows_each=ROWS_EACH, seed=0):
    generator = np.random.default_rng(seed)
    names = np.repeat([f"p{number}" for number in range(N_PERSONS)], rows_each)
    a, b = generator.uniform(0, 16, (2, len(names)))
    return pl.DataFrame({"person": names, "a": a, "b": b}), np.where(a > 8, "yes", "no")


def test_a_learner_without_a_proof_refuses_before_anything_is_released():
    seen = []
    with observing(seen.append), pytest.raises(ParameterError, match="holds whole rows"):
        RadoBoostClassifier(SCHEMA, epsilon=1.0, delta=1e-5, protection="edges").fit(*people())
    assert seen == []


@pytest.mark.parametrize("persons", [{"identifier": Identifier("person", rows=2)}, {"rows_per_person": 2}])
@pytest.mark.parametrize(
    "make",
    [
        lambda s: LazyBBClassifier(s, epsilon=1.0), lambda s: LogisticClassifier(s, epsilon=1.0, method="k-norm"),
        lambda s: SVMClassifier(s, epsilon=1.0, delta=1e-5), lambda s: RadoBoostClassifier(s, epsilon=1.0),
    ],
)  # fmt: skip
def test_several_rows_that_count_one_each_are_refused_where_no_proof_covers_them(make, persons):
    with pytest.raises(ParameterError, match="rows='mean'"):
        make(Schema(COLUMNS, label=LABEL, **persons)).fit(*people())


@pytest.mark.parametrize("protection", ["edges", "marginal", "none"])
def test_rados_of_whole_rows_are_refused_for_persons(protection):
    budget = {"none": {}, "edges": {"epsilon": 1.0, "delta": 1e-5}, "marginal": {"epsilon": 1.0}}[protection]
    column = {"protected_column": "a"} if protection == "marginal" else {}
    with pytest.raises(ParameterError, match="holds whole rows"):
        make_rados(*people(), SCHEMA, protection=protection, **budget, **column)


@pytest.mark.parametrize("delta", [0.0, 1e-4])
def test_rados_of_persons_whose_rows_are_alike_are_those_of_one_row_each(delta):
    frame, labels = people(rows_each=1)
    given = {"epsilon": 3.0, "delta": delta, "count": 20, "random_state": 0}
    alone = make_rados(frame, labels, SCHEMA, **given)
    several = make_rados(frame[np.repeat(np.arange(N_PERSONS), 4)], np.repeat(labels, 4), SCHEMA, **given)
    assert "every person with all rows" in str(several)
    assert learn_from_rados(several, rounds=5).schema.identifier is None
    # The same noise: with a delta it is drawn in whole units, and rounds otherwise where others weigh 4,096.
    np.testing.assert_allclose(several.rados, alone.rados, rtol=1e-9)


@pytest.mark.parametrize("delta", [0.0, 1e-4])
@pytest.mark.parametrize("rows", ["mean", 2])
def test_auto_and_svm_take_what_protects_persons(rows, delta):
    schema = Schema(COLUMNS, label=LABEL, identifier=Identifier("person", rows=rows))
    assert AutoClassifier(schema, epsilon=2.0, delta=delta).fit(*people()).privacy_.n_rows == N_PERSONS
    if rows == "mean":
        lines = SVMClassifier(schema, epsilon=2.0, delta=delta, calibration=0).fit(*people()).privacy_.releases
        assert lines[-1].mechanism == ("Gaussian" if delta else "K-norm") + " objective perturbation"


def test_a_certificate_names_the_person_and_no_number_of_rows():
    # The noise of sums that calibrate follows from what was released before them.
    settings = {"epsilon": 1.0, "calibration": 0}
    model = NaiveBayesClassifier(SCHEMA, **settings).fit(*people())
    text = str(model.privacy_)
    assert model.privacy_.persons == Persons("person", "mean")
    assert "every person with all rows of that person: all rows of one 'person'" in text.replace("\n ", "")
    assert f"Persons: {N_PERSONS}; this number is public." in text
    assert "replacing all rows of one person" in text
    assert "Each person is in one row only" not in text
    # Word for word the same for the same persons with more rows.
    assert str(NaiveBayesClassifier(SCHEMA, **settings).fit(*people(rows_each=7)).privacy_) == text


def test_a_public_label_makes_the_rows_of_each_person_public():
    public = Schema(COLUMNS, label=Label("y", ["no", "yes"], private=False), identifier=Identifier("person"))
    text = str(NaiveBayesClassifier(public, epsilon=1.0).fit(*people()).privacy_)
    assert "how many rows each has" in " ".join(text.split())


def test_declared_rows_are_assumed_in_the_certificate():
    frame, labels = people()
    model = TreeClassifier(Schema(COLUMNS, label=LABEL, rows_per_person=4), epsilon=1.0).fit(frame, labels)
    text = " ".join(str(model.privacy_).split())
    assert "No person is in more than 4 rows" in text and f"Rows: {len(labels)}; this number is public." in text
    assert {line.sensitivity for line in model.privacy_.releases if line.query.startswith("rows of")} == {8.0}


def test_an_identifier_is_in_no_model_and_not_needed_to_predict(tmp_path):
    frame, labels = people()
    model = NaiveBayesClassifier(SCHEMA, epsilon=1.0).fit(frame, labels)
    assert model.model_.schema.identifier is None
    assert from_json(to_json(model.model_)).guarantee == model.privacy_
    assert "p17" not in to_json(model.model_) and b"p17" not in pickle.dumps(model)
    path = tmp_path / "model.json"
    model.save(path)
    read = load_model(path)
    assert (read.predict(frame.drop("person")) == model.predict(frame)).all()
    assert read.guarantee.persons == Persons("person", "mean")


def test_rows_of_one_person_cost_no_more_noise():
    """Under rows='mean' the same noise is added as for one row, and twice as much for two rows of each."""
    frame, labels = people()

    def scale(schema):
        lines = TreeClassifier(schema, epsilon=1.0, cut_points="grid").fit(frame, labels).privacy_.releases
        return next(line.noise_scale for line in lines if line.query == "rows of each class at each leaf")

    one = scale(Schema(COLUMNS, label=LABEL))
    assert scale(SCHEMA) == pytest.approx(4096 * one)
    assert scale(Schema(COLUMNS, label=LABEL, identifier=Identifier("person", rows=2))) == pytest.approx(2 * one)


def test_guarantees_of_files_without_persons_are_read():
    plain = Guarantee("public", (), False, 100, 0.0, 0.0, "pure", None, (), "none", (), (), ())
    assert plain.persons is None and plain.counted == "rows"
