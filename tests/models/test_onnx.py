"""Exported models give the same labels and probabilities on onnxruntime as here."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest

from tacit import (
    BoostedTreesClassifier,
    BRCClassifier,
    Categorical,
    Label,
    LazyBBClassifier,
    LogisticClassifier,
    NaiveBayesClassifier,
    Numeric,
    Schema,
    TreeClassifier,
)
from tacit.errors import ParameterError
from tacit.models.links import Link
from tacit.models.literal_votes import ConstantRule, LiteralVoteModel

onnxruntime = pytest.importorskip("onnxruntime")

COLUMNS = [
    Numeric("age", 0, 100, missing=30),
    Numeric("gain", -50, 1e6, center=0, scale="log", whole=True),
    Categorical("sky", ["clear", "gray", "red"], other=True),
    Categorical("job", ["a", "b", "c"], missing="b"),
    Categorical("code", [1, 2, 5]),
    Numeric("day", "2020-01-01", "2021-12-31"),
]
N = 600
LEARNERS = {
    "logistic": (LogisticClassifier, {}),
    "logistic-ordinal": (LogisticClassifier, {"encoding": "ordinal"}),
    "logistic-one-hot": (LogisticClassifier, {"encoding": "one-hot"}),
    "logistic-ranked": (LogisticClassifier, {"encoding": "ranked", "delta": 1e-4}),
    "logistic-no-cuts": (LogisticClassifier, {"encoding": "ranked", "delta": 1e-4, "epsilon": 0.1}),
    "logistic-pure-ranks": (LogisticClassifier, {"encoding": "ranked"}),
    "logistic-places": (LogisticClassifier, {"encoding": "ranked", "cut_points": "grid"}),
    "naive-bayes": (NaiveBayesClassifier, {}),
    "naive-bayes-normal": (NaiveBayesClassifier, {"numeric": "gaussian"}),
    "tree": (TreeClassifier, {}),
    "lazybb": (LazyBBClassifier, {}),
    "lazybb-trees": (LazyBBClassifier, {"weak_learner": "tree"}),
    "lazybb-links": (LazyBBClassifier, {"calibration": 0.2}),
    "boosted-trees": (BoostedTreesClassifier, {}),
    "boosted-trees-of-ranks": (BoostedTreesClassifier, {"delta": 1e-5}),
}


def drawn(n_classes):
    generator = np.random.default_rng(n_classes)
    frame = pl.DataFrame(
        {
            "age": generator.uniform(-5, 105, N),
            "gain": np.where(generator.random(N) < 0.5, 0.0, generator.normal(0, 1e4, N)),
            "sky": generator.choice(["clear", "gray", "red", "blue"], N),
            "job": generator.choice(["a", "b", "c"], N),
            "code": generator.choice([1, 2, 5], N),
            "day": np.datetime64("2020-01-01") + generator.integers(0, 700, N).astype("timedelta64[D]"),
        }
    )
    places = np.clip(frame["age"].to_numpy() / 100 * n_classes + generator.normal(0, 0.4, N), 0, n_classes - 1e-9)
    classes = ["high", "low", "mid"][:n_classes]
    return frame, np.asarray(classes)[places.astype(int)], Label("y", classes)


@pytest.mark.parametrize("learner", [LogisticClassifier, BoostedTreesClassifier])
@pytest.mark.parametrize("settings", [{}, {"epsilon": 2.0, "delta": 1e-5}])
def test_curves_of_ranks_are_ours_too(learner, settings):
    frame, labels, label = drawn(2)
    columns = [Numeric("age", 0, 100, missing="indicator"), *COLUMNS[1:]]
    schema, monotone = Schema(columns, label=label), {"age": -1, "gain": 1}
    given = {"epsilon": 20.0, "monotone": monotone, "on_invalid": "coerce", "random_state": 0, **settings}
    model = learner(schema, **given).fit(frame, labels).model_
    session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString())
    for rows in (frame, with_gaps(frame)):
        [likely] = session.run(["probabilities"], inputs(rows, Schema(COLUMNS, label=label)))
        assert likely == pytest.approx(model.predict_proba(rows), abs=1e-6)


def with_gaps(frame):
    """Cells that are missing, not listed, or outside their bounds."""
    gaps = np.arange(N) % 7 == 0
    return frame.with_columns(
        age=pl.when(gaps).then(None).otherwise(pl.col("age")),
        job=pl.when(gaps).then(None).otherwise(pl.col("job")),
        sky=pl.when(np.roll(gaps, 1)).then(pl.lit("green")).otherwise(pl.col("sky")),
        code=pl.when(np.roll(gaps, 2)).then(9).otherwise(pl.col("code")),
    )


def inputs(frame, schema):
    given = {}
    for column in schema.columns:
        values = frame[column.name]
        if isinstance(column, Numeric):
            days = values.cast(pl.Date).to_physical() if column.is_date else values
            given[column.name] = days.cast(pl.Float64).to_numpy()[:, None]
        elif isinstance(column.categories[0], str):
            given[column.name] = values.fill_null("").to_numpy().astype(object)[:, None]
        else:
            given[column.name] = values.cast(pl.Float64).to_numpy()[:, None]
    return given


@pytest.mark.parametrize("link", [None, Link(0.5, 2.0, (0.5, 0.5))])
def test_votes_that_ask_nothing_answer_every_row(link):
    frame, labels, label = drawn(2)
    schema = Schema(COLUMNS, label=label)
    model = LazyBBClassifier(schema, epsilon=20.0, on_invalid="coerce", random_state=0).fit(frame, labels).model_
    model = replace(model, scorers=(LiteralVoteModel((ConstantRule(True),) * 3, link=link),))
    session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString())
    found, likely = session.run(["label", "probabilities"], inputs(frame, schema))
    assert len(found) == N and likely == pytest.approx(model.predict_proba(frame), abs=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_runtime_gives_what_we_give(name, n_classes):
    learner, settings = LEARNERS[name]
    frame, labels, label = drawn(n_classes)
    schema = Schema(COLUMNS, label=label)
    model = (
        learner(schema, on_invalid="coerce", random_state=0, **{"epsilon": 20.0, **settings}).fit(frame, labels).model_
    )
    session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString())
    for rows in (frame, with_gaps(frame)):
        found, likely = session.run(["label", "probabilities"], inputs(rows, schema))
        assert likely == pytest.approx(model.predict_proba(rows), abs=1e-6)
        assert found.tolist() == model.predict(rows).tolist()
    assert len(set(model.predict(frame).tolist())) == n_classes


@pytest.mark.parametrize(("name", "n_classes"), [(name, 2 + at % 2) for at, name in enumerate(LEARNERS)])
def test_calibrated_probabilities_are_ours_too(name, n_classes):
    learner, settings = LEARNERS[name]
    frame, labels, label = drawn(n_classes)
    schema = Schema(COLUMNS, label=label)
    given = {"epsilon": 20.0, **settings} | ({"delta": 1e-6} if "delta" in settings else {})
    estimator = learner(schema, on_invalid="coerce", random_state=0, holdout=0.5, **given)
    # Noise on few rows would hide each class's scores, at the smallest epsilon on thousands.
    times = 100 if given["epsilon"] < 1 else 10
    fitted = estimator.fit(pl.concat([frame] * times), np.tile(labels, times)).model_
    model = replace(fitted, held_out=with_fewer(fitted.held_out))
    session = onnxruntime.InferenceSession(model.to_onnx(calibrated=True).SerializeToString())
    for rows in (frame, with_gaps(frame)):
        found, likely = session.run(["label", "probabilities"], inputs(rows, schema))
        assert likely == pytest.approx(model.predict_proba(rows, calibrated=True), abs=1e-6)
        assert np.abs(likely - model.predict_proba(rows)).max() > 1e-3
        assert found.tolist() == model.predict(rows).tolist()


def with_fewer(held):
    """Half of each class's rows in other classes: probabilities that come true would stay as they are."""
    if held.n_classes == 2:
        rest, own = np.asarray(held.counts)
        return replace(held, counts=tuple(map(tuple, [rest + own / 2, own / 2])))
    counts = [[np.add(rest, np.divide(own, 2)), np.divide(own, 2)] for rest, own in held.by_class.counts]
    moved = tuple(tuple(map(tuple, each)) for each in counts)
    return replace(held, by_class=replace(held.by_class, counts=moved))


def test_nothing_is_calibrated_without_held_out_rows():
    frame, labels, label = drawn(2)
    model = TreeClassifier(Schema(COLUMNS, label=label), epsilon=1.0, on_invalid="coerce").fit(frame, labels).model_
    with pytest.raises(ParameterError, match="Expected held-out rows"):
        model.to_onnx(calibrated=True)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_public_margins_are_added_to_ranks(n_classes):
    frame, labels, label = drawn(n_classes)
    columns = [Numeric("age", 0, 100, missing=30, cuts=[40]), *COLUMNS[1:]]  # one cut point gives half a rank
    schema = Schema(columns, label=label).with_private(["age", "sky"], label=False)
    estimator = LogisticClassifier(schema, epsilon=5.0, delta=1e-4, encoding="ranked", on_invalid="coerce")
    model = estimator.fit(frame, labels).model_
    assert len(model.scorers[0].public) == (1 if n_classes == 2 else n_classes) and model.scorers[0].bends
    session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString())
    _, likely = session.run(["label", "probabilities"], inputs(frame, schema))
    assert likely == pytest.approx(model.predict_proba(frame), abs=1e-6)


@pytest.mark.parametrize("quadratic", [False, True])
def test_features_of_columns_that_were_not_chosen_are_short(quadratic):
    frame, labels, label = drawn(2)
    schema = Schema(COLUMNS, label=label)
    settings = {"epsilon": 5.0, "delta": 1e-4, "encoding": "ranked", "on_invalid": "coerce", "cut_points": "grid"}
    ranked = LogisticClassifier._ranked
    with patch.object(
        LogisticClassifier, "_ranked", lambda self, table: replace(ranked(self, table), quadratic=quadratic)
    ):
        model = LogisticClassifier(schema, **settings).fit(frame, labels).model_
    [scorer] = model.scorers
    model = replace(model, scorers=(replace(scorer, short=("age", "job", "sky"), radius=scorer.radius / 2),))
    session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString())
    for rows in (frame, with_gaps(frame)):
        _, likely = session.run(["label", "probabilities"], inputs(rows, schema))
        assert likely == pytest.approx(model.predict_proba(rows), abs=1e-6)
        assert np.abs(likely - replace(model, scorers=(scorer,)).predict_proba(rows)).max() > 0.01


def test_cells_are_what_the_entry_makes_of_them():
    generator = np.random.default_rng(0)
    pay, month, sex = generator.integers(0, 9999, N), generator.integers(1, 13, N), generator.choice(["f", "m", "F"], N)
    code = generator.choice([1, 2, 7], N)
    schema = Schema(
        [
            Numeric("pay", 0, 10_000, thousands=".", decimal=",", missing=0),
            Numeric("month", 1, 12, dates="%d.%m.%Y", date_part="month"),
            Categorical("sex", ["female", "male"], missing="male", replace={"f": "female", "F": "female", "m": ""}),
            Categorical("code", [1, 2], replace={"7": "2", "two": "2"}),
        ],
        label=Label("y", ["no", "yes"]),
    )
    written = {"pay": [f"{each:,}".replace(",", ".") for each in pay], "month": [f"1.{each}.2000" for each in month]}
    frame = pl.DataFrame(written | {"sex": sex, "code": code})
    labels = np.where(pay + 2000 * (sex == "m") + 1000 * (code == 7) + 300 * month > 7500, "yes", "no")
    model = LogisticClassifier(schema, epsilon=50.0, random_state=0).fit(frame, labels).model_
    numbers = {"pay": pay, "month": month, "code": code}
    given = {name: values.astype(float)[:, None] for name, values in numbers.items()}
    session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString())
    found, likely = session.run(["label", "probabilities"], given | {"sex": sex.astype(object)[:, None]})
    assert likely == pytest.approx(model.predict_proba(frame), abs=1e-6)
    assert found.tolist() == model.predict(frame).tolist()


def test_the_certificate_goes_with_it():
    frame, labels, label = drawn(2)
    model = TreeClassifier(Schema(COLUMNS, label=label), epsilon=1.0, on_invalid="coerce").fit(frame, labels).model_
    properties = {each.key: each.value for each in model.to_onnx().metadata_props}
    assert properties["certificate"] == str(model.guarantee) and properties["learner"] == "tree"


def test_what_is_not_exported_is_refused():
    frame, labels, label = drawn(2)
    model = BRCClassifier(Schema(COLUMNS, label=label), epsilon=1.0, rounds=2, on_invalid="coerce").fit(frame, labels)
    with pytest.raises(ParameterError, match="which is not exported"):
        model.model_.to_onnx()


def test_a_column_that_is_called_as_an_output_is_refused():
    schema = Schema([Numeric("label", 0, 1)], label=Label("y", ["no", "yes"]))
    model = TreeClassifier(schema, epsilon=1.0).fit(pl.DataFrame({"label": [0.0, 1.0]}), ["no", "yes"])
    with pytest.raises(ParameterError, match="neither label nor probabilities"):
        model.model_.to_onnx()
