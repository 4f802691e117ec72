"""Fitted classifiers have importances and coefficients as scikit-learn's do, of what was released."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import tacit
from tacit import Categorical, Label, Numeric, Schema
from tacit.errors import PrivacyError

N = 600
GENERATOR = np.random.default_rng(0)
FRAME = pl.DataFrame(
    {
        "pay": [None if at % 3 else float(at % 10) for at in range(N)],
        "sex": ["f", "m"] * (N // 2),
        "age": np.arange(N) % 90,
    }
)
SCHEMA = Schema(
    [Numeric("pay", 0, 9, missing="indicator"), Categorical("sex", ["f", "m"]), Numeric("age", 0, 90, cuts=[30, 60])],
    label=Label("y", ["no", "yes"]),
)
TWO = np.where((FRAME["sex"] == "m").to_numpy() ^ (GENERATOR.random(N) < 0.1), "yes", "no")
THREE = np.where(GENERATOR.random(N) < 0.3, "maybe", TWO)
pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.PrivacyWarning")


def fitted(learner, y=TWO, **settings):
    label = Label("y", sorted(set(y.tolist())))
    given = {"epsilon": 5.0, "random_state": 0} | settings
    return learner(Schema(SCHEMA.columns, label=label), **given).fit(FRAME, y)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("learner", [tacit.NaiveBayesClassifier, tacit.LogisticClassifier, tacit.TreeClassifier])
def test_importances_are_of_the_tables_columns_in_their_order(learner, y):
    model = fitted(learner, y)
    found = model.feature_importances_
    assert found.shape == (model.n_features_in_,) == (3,)
    own = dict(model.importances().group_by("column").agg(pl.col("importance").mean()).iter_rows())
    pay = np.hypot(own.get("pay", 0.0), own.get("pay is missing", 0.0))
    assert found == pytest.approx([pay, own.get("sex", 0.0), own.get("age", 0.0)])
    assert found.argmax() == 1


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("encoding", ["ordinal", "binned"])
def test_scores_are_coefficients_times_features(encoding, y):
    model = fitted(tacit.LogisticClassifier, y, encoding=encoding, delta=0.0)
    rows = model.model_.read(FRAME)
    scores = np.empty((N, len(model.coef_)))
    for at, scorer in enumerate(model.model_.scorers):
        own = dict(zip(model.coef_names_, model.coef_[at], strict=True))
        encodings = [encoding for encoding, _ in scorer.encoded(SCHEMA)]
        weights = [own[name] for each in encodings for name in each.feature_names]
        scores[:, at] = np.hstack([each.transform(rows) for each in encodings]) @ weights + model.intercept_[at]
    assert scores.shape == (N, 1 if y is TWO else 3)
    assert scores.reshape(model.decision_function(FRAME).shape) == pytest.approx(model.decision_function(FRAME))


def test_coefficients_of_ranks_move_the_score_as_words_say():
    model = fitted(tacit.LogisticClassifier, encoding="ranked", delta=1e-6)
    found = dict(zip(model.coef_names_.tolist(), model.coef_[0].tolist(), strict=True))
    lines = [line.split(" ", 1) for line in model.model_.scorers[0].words(model.model_.schema)]
    said = {name: weight for weight, name in lines if name != "always"}
    assert {name: f"{value:+.4g}" for name, value in found.items() if value} == said
    # What calibration adds has a line of its own.
    assert model.intercept_ == pytest.approx(
        [sum(float(weight) for weight, name in lines if name == "always")], abs=1e-3
    )


def test_what_is_not_linear_or_not_fitted_has_no_coefficients():
    tree = fitted(tacit.TreeClassifier)
    assert not hasattr(tree, "coef_") and not hasattr(tree, "intercept_")
    with pytest.raises(AttributeError, match="Expected a linear model"):
        tree.coef_  # noqa: B018
    for name in ("feature_importances_", "coef_"):
        assert not hasattr(clone(tree), name)
        with pytest.raises(NotFittedError):
            getattr(clone(tree), name)
    for verb in ("importances", "to_onnx"):
        with pytest.raises(NotFittedError):
            getattr(clone(tree), verb)()


def test_a_model_saves_itself(tmp_path):
    model = fitted(tacit.NaiveBayesClassifier)
    with pytest.raises(PrivacyError, match="simulated"):
        model.model_.save(tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()
    model.model_.save(tmp_path / "model.json", allow="simulated")
    assert tacit.load_model(tmp_path / "model.json") == model.model_
