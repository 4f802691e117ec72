"""Shares of the classes of every learner: released ones, exact ones of a public label, or none; and what needs them."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from tacit import Identifier, Label, Numeric, Schema, load_model
from tacit.errors import ModelFileError, ParameterError
from tacit.estimators import (
    AutoClassifier,
    BoostedTreesClassifier,
    BRCClassifier,
    LazyBBClassifier,
    LogisticClassifier,
    NaiveBayesClassifier,
    PaidSearch,
    RadoBoostClassifier,
    SVMClassifier,
    TreeClassifier,
)
from tacit.models import to_json
from tacit.models.document import canonical, digest
from tacit.models.file import from_json

LEARNERS = [
    AutoClassifier,
    BoostedTreesClassifier,
    BRCClassifier,
    LazyBBClassifier,
    LogisticClassifier,
    NaiveBayesClassifier,
    RadoBoostClassifier,
    SVMClassifier,
    TreeClassifier,
]
TELLS = {
    BoostedTreesClassifier,
    BRCClassifier,
    LazyBBClassifier,
    NaiveBayesClassifier,
    RadoBoostClassifier,
    SVMClassifier,
    TreeClassifier,
}
"""Learners whose releases say how frequent the classes are."""
WEIGHED = [BoostedTreesClassifier, LogisticClassifier, SVMClassifier, TreeClassifier]
FEW = {
    BRCClassifier: {"rounds": 5, "calibration": 0.1},
    LazyBBClassifier: {"rounds": 5, "calibration": 0.1},
    RadoBoostClassifier: {"rounds": 5, "count": 20, "calibration": 0.1},
    SVMClassifier: {"calibration": 0.1},
}
CLASSES = {2: ["no", "yes"], 3: ["a", "b", "c"]}


def schema(n_classes=2, *, label=True, **others):
    columns = [Numeric(name, -1, 1, cuts=[-0.5, 0.0, 0.5], private=True) for name in "xz"]
    return Schema(columns, label=Label("y", CLASSES[n_classes], private=label), **others)


def rows(n_classes=2, n=1500):
    """A tenth of the rows is of the last class, and more of those where x is large."""
    draw = np.random.default_rng(3)
    X = draw.uniform(-1, 1, (n, 2))
    rare = draw.random(n) < 0.1 * (1 + X[:, 0])
    rest = (draw.random(n) < 0.4).astype(int) if n_classes == 3 else np.zeros(n, dtype=int)
    return X, np.asarray(CLASSES[n_classes])[np.where(rare, n_classes - 1, rest)]


def fitted(learner, n_classes=2, *, label=True, epsilon=5.0, **given):
    X, y = rows(n_classes)
    return learner(
        schema(n_classes, label=label), epsilon=epsilon, random_state=0, **FEW.get(learner, {}), **given
    ).fit(X, y)


def exact(n_classes=2):
    _, y = rows(n_classes)
    return [float((y == each).mean()) for each in CLASSES[n_classes]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("learner", LEARNERS)
def test_classes_of_a_public_label_are_counted_exactly(learner, n_classes):
    if learner is RadoBoostClassifier and n_classes == 3:
        pytest.skip("of two classes only")
    model = fitted(learner, n_classes, label=False).model_
    assert model.class_shares == pytest.approx(exact(n_classes), rel=1e-12)
    X, _ = rows(n_classes)
    # Probabilities of RadoBoost are a public link, and those of so few rows or rounds hardly apart.
    assert len(set(model.predict(X, threshold="balanced"))) > learner._has_likelihood
    again = from_json(to_json(model, allow=model.guarantee.status))
    assert again == model
    assert again.class_shares.tolist() == model.class_shares.tolist()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("learner", LEARNERS)
def test_of_a_private_label_shares_are_those_that_were_released(learner, n_classes):
    if learner is RadoBoostClassifier and n_classes == 3:
        pytest.skip("of two classes only")
    found = fitted(learner, n_classes)
    X, _ = rows(n_classes)
    if found.model_.learner in {each._learner for each in TELLS}:
        # Boosted trees release them for 2 % of the budget: Laplace noise of scale 20 on counts of 1,500 rows.
        assert found.model_.class_shares == pytest.approx(exact(n_classes), abs=0.06)
        assert found.model_.class_shares.tolist() != exact(n_classes)
        assert len(set(found.predict(X, threshold="balanced"))) > learner._has_likelihood
        return
    assert found.model_.class_shares is None
    with pytest.raises(ParameterError, match="class_weight='balanced' or holdout"):
        found.predict(X, threshold="balanced")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("label", [True, False])
@pytest.mark.parametrize("learner", WEIGHED)
def test_balanced_class_weights_leave_the_shares_that_they_were_made_of(learner, label):
    model = fitted(learner, label=label, class_weight="balanced").model_
    inverse = 1 / np.asarray(model.class_weights)
    assert model.class_shares == pytest.approx(inverse / inverse.sum())
    assert model.class_shares == pytest.approx(exact(), abs=0.06 if label else 1e-12)
    X, _ = rows()
    # Weighed rows of all classes are equally frequent already.
    assert (model.predict(X, threshold="balanced") == model.predict(X)).mean() > 0.8


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", WEIGHED)
def test_given_class_weights_tell_no_shares(learner):
    model = fitted(learner, class_weight={"yes": 5}).model_
    if learner in TELLS:  # of released counts, the weights taken off again
        assert model.class_shares == pytest.approx(exact(), abs=0.06)
    else:
        assert model.class_shares is None
    public = fitted(learner, label=False, class_weight={"yes": 5}).model_
    assert public.class_shares == pytest.approx(exact(), rel=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_a_search_and_a_holdout_keep_them():
    X, y = rows()
    search = PaidSearch(
        LogisticClassifier(schema(label=False)), {"regularization": [0.01, 0.1]}, epsilon=8.0, random_state=0
    ).fit(X, y)
    # Of the slice that trained.
    assert search.model_.class_shares == pytest.approx(exact(), abs=0.02)
    held = fitted(LogisticClassifier, label=False, holdout=0.2).model_
    assert held.released_shares is not None
    assert held.class_shares == pytest.approx(exact(), abs=0.02)


@pytest.mark.filterwarnings("ignore")
def test_public_labels_of_persons_are_counted_in_persons():
    X, y = rows()
    described = schema(label=False, identifier=Identifier("id", rows="mean"))
    frame = {"x": X[:, 0], "z": X[:, 1], "id": np.arange(len(y)) // 3}
    model = LogisticClassifier(described, epsilon=1.0, random_state=0).fit(pl.DataFrame(frame), y).model_
    assert model.class_shares == pytest.approx(exact(), rel=1e-3)  # a third of a person is rounded


@pytest.mark.filterwarnings("ignore")
def test_a_class_without_rows_may_still_occur():
    X, _ = rows(n=100)
    given = {"epsilon": 1.0, "on_invalid": "coerce", "random_state": 0}
    model = LogisticClassifier(schema(label=False), **given).fit(X, np.full(100, "no")).model_
    assert model.class_shares == pytest.approx([100 / 101, 1 / 101])
    assert len(model.predict(X, threshold="balanced")) == 100


def written(model, change):
    """Return a file of the model whose content was changed, with a digest that fits."""
    document = json.loads(to_json(model, allow=model.guarantee.status))
    change(document["model"])
    document["digest"] = digest(canonical(document["model"]))
    return json.dumps(document)


def put(where, value):
    def change(body):
        (body if where == "released_shares" else body["scorers"][0])[where] = value

    return change


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", [NaiveBayesClassifier, TreeClassifier])
@pytest.mark.parametrize("where", ["released_shares", "class_shares"])
@pytest.mark.parametrize("wrong", [[1.0], [0.5, 0.6], [0.0, 1.0], [1.5, -0.5], [0.2, 0.3, 0.5]])
def test_files_with_other_shares_are_refused(learner, where, wrong):
    model = fitted(learner).model_
    with pytest.raises(ModelFileError, match="share"):
        from_json(written(model, put(where, wrong)))


@pytest.mark.filterwarnings("ignore")
def test_files_without_shares_are_read(tmp_path):
    def without(body):
        del body["released_shares"], body["scorers"][0]["class_shares"]

    (tmp_path / "old.json").write_text(written(fitted(NaiveBayesClassifier).model_, without), encoding="utf-8")
    assert load_model(tmp_path / "old.json").class_shares is None
