"""NaiveBayesClassifier: certificates, files, four kinds of privacy, scikit-learn's ways."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from tacit.errors import ParameterError
from tacit.estimators import NaiveBayesClassifier
from tacit.models import read_model
from tacit.schema import Categorical, Label, Numeric, Schema

SCHEMA = Schema(
    [Numeric("x", -1, 1), Categorical("c", ["a", "b"], private=False)], label=Label("y", ["no", "yes"], private=False)
)
CASES = [SCHEMA, SCHEMA.all_private(), SCHEMA.with_private([], label=True), SCHEMA.with_private([], label=False)]


def rows(n_rows=400):
    generator = np.random.default_rng(0)
    x = generator.uniform(-1, 1, n_rows)
    frame = np.empty((n_rows, 2), dtype=object)
    frame[:, 0], frame[:, 1] = x, np.where(x + generator.normal(0, 1, n_rows) > 0, "a", "b")
    return frame, np.where(x > 0, "yes", "no")


@pytest.mark.parametrize("schema", CASES, ids=["partial", "all", "label only", "nothing"])
@pytest.mark.parametrize("numeric", ["binned", "gaussian"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_it_learns_in_all_four_cases(schema, numeric, delta):
    X, y = rows()
    model = NaiveBayesClassifier(schema, epsilon=5.0, delta=delta, numeric=numeric, cut_points="grid", random_state=0)
    model.fit(X, y)
    assert model.score(X, y) > 0.85
    assert model.privacy_.status == ("simulated" if schema is not CASES[3] else "public")
    assert len(model.privacy_.releases) == (0 if schema is CASES[3] else 2)
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1)


def test_secure_noise_makes_a_private_certificate_and_a_file(tmp_path):
    X, y = rows()
    model = NaiveBayesClassifier(SCHEMA, epsilon=2.0).fit(X, y)
    assert model.privacy_.status == "private"
    assert {line.currency for line in model.privacy_.releases} == {"epsilon"}
    assert "medians of" in model.privacy_.releases[0].query
    assert model.model_.scorers[0].cuts
    assert sum(line.loss for line in model.privacy_.releases) <= 2.0
    model.save(tmp_path / "model.json")
    assert (read_model(tmp_path / "model.json").decision_function(X) == model.decision_function(X)).all()
    assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()


def test_a_seed_repeats_the_fit():
    X, y = rows()
    one, two, other = (
        NaiveBayesClassifier(SCHEMA, epsilon=1.0, random_state=seed).fit(X, y).model_ for seed in (0, 0, 1)
    )
    assert one == two != other


def test_any_number_of_classes_is_one_model():
    generator = np.random.default_rng(0)
    schema = Schema([Numeric("x", -1, 1)], label=Label("y", [0, 1, 2, 3, 4], private=True))
    X = generator.uniform(-1, 1, (2000, 1))
    y = np.clip((X[:, 0] + 1) * 2, 0, 3).astype(int)  # the last class has no rows
    model = NaiveBayesClassifier(schema, epsilon=5.0, cut_points="grid", random_state=0).fit(X, y)
    assert len(model.model_.scorers) == 1
    assert len(model.privacy_.releases) == 2  # of the five the slope alone is calibrated
    assert model.decision_function(X).shape == (2000, 5)
    assert model.score(X, y) > 0.9


def test_unlisted_categories_are_coded_when_asked():
    X, y = rows()
    X[:50, 1] = "elsewhere"
    model = NaiveBayesClassifier(SCHEMA, epsilon=5.0, on_invalid="coerce", random_state=0).fit(X, y)
    assert len(model.model_.scorers[0].tables[1].log_ratios) == 3
    assert model.score(X, y) > 0.85


def test_parameters_are_checked_at_fit_and_kept_by_clone():
    model = NaiveBayesClassifier(SCHEMA, epsilon=1.0, numeric="cubic", n_bins=7)
    assert clone(model).get_params()["n_bins"] == 7
    with pytest.raises(ParameterError, match="numeric"):
        model.fit(*rows())
