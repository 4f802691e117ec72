"""Merged models in ONNX: the mean of log-odds that a runtime gives is ours."""

from __future__ import annotations

import pytest

from tacit import BoostedTreesRegressor, LinearRegressor, Schema, Target, merge
from tests.models.test_onnx import COLUMNS, LEARNERS, drawn, inputs, with_gaps

onnxruntime = pytest.importorskip("onnxruntime")

MERGED = (
    ("logistic", "naive-bayes"),
    ("tree", "boosted-trees-of-ranks", "logistic-ranked"),
    ("lazybb", "lazybb-links", "boosted-trees"),
)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("names", MERGED, ids="-".join)
def test_a_runtime_gives_what_we_give(names, n_classes):
    frame, labels, label = drawn(n_classes)
    schema, parts = Schema(COLUMNS, label=label), []
    for name in names:
        learner, settings = LEARNERS[name]
        given = {"epsilon": 20.0, **settings}
        parts.append(learner(schema, on_invalid="coerce", random_state=0, **given).fit(frame, labels).model_)
    model = merge(parts)
    session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString())
    for rows in (frame, with_gaps(frame)):
        found, likely = session.run(["label", "probabilities"], inputs(rows, schema))
        assert likely == pytest.approx(model.predict_proba(rows), abs=1e-6)
        assert found.tolist() == model.predict(rows).tolist()
    assert len(set(model.predict(frame).tolist())) == n_classes


def test_a_runtime_gives_the_mean_number():
    frame, *_ = drawn(2)
    schema = Schema(COLUMNS, label=Target("y", 0, 100))
    numbers = frame["age"].clip(0, 100).to_numpy()
    parts = [
        learner(schema, epsilon=20.0, delta=1e-4, on_invalid="coerce").fit(frame, numbers).model_
        for learner in (LinearRegressor, BoostedTreesRegressor)
    ]
    model = merge(parts)
    session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString())
    (found,) = session.run(["prediction"], inputs(frame, schema))
    assert found[:, 0] == pytest.approx(model.predict(frame), abs=1e-4)
