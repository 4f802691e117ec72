"""Losses of regressors: medians and quantiles of skewed numbers, how they move, and what is refused."""

from __future__ import annotations

from inspect import signature

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

from tacit import AutoRegressor, BoostedTreesRegressor, Categorical, LinearRegressor, Numeric, Schema, Target, merge
from tacit.errors import ModelFileError, ParameterError
from tacit.ledger import Account, Ledger
from tacit.models.file import from_json
from tacit.models.writing import to_json
from tacit.privacy import Budget
from tacit.verify import recomputed, written_of

COLUMNS = [Numeric("x", -1, 1), Categorical("c", ["a", "b"])]
SCHEMA = Schema(COLUMNS, label=Target("y", -20, 20))
EACH = pytest.mark.parametrize("cls", [LinearRegressor, BoostedTreesRegressor])
LOSSES = pytest.mark.parametrize(
    "asked",
    [{"loss": "absolute"}, {"loss": "huber"}, {"loss": "quantile", "quantiles": (0.1, 0.9)}],
    ids=["absolute", "huber", "quantile"],
)
THREE = {"loss": "quantile", "quantiles": (0.1, 0.5, 0.9)}


def drawn(n=4000, seed=0):
    """Return rows whose numbers are skewed about 2 x + c."""
    generator = np.random.default_rng(seed)
    x, c = generator.uniform(-1, 1, n), generator.integers(2, size=n)
    return pl.DataFrame({"x": x, "c": np.asarray(["a", "b"])[c]}), 2 * x + c + generator.exponential(size=n)


@EACH
def test_medians_and_means_of_skewed_numbers(cls):
    frame, y = drawn(10_000)
    center = 2 * frame["x"].to_numpy() + (frame["c"] == "b").to_numpy()
    absolute, squared = (cls(SCHEMA, epsilon=30.0, loss=loss, random_state=0) for loss in ("absolute", "squared"))
    found = [np.mean(each.fit(frame, y).predict(frame) - center) for each in (absolute, squared)]
    # Of an exponential distribution the median is ln 2, and the mean 1.
    assert found == pytest.approx([np.log(2), 1.0], abs=0.06)


@EACH
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_quantiles_have_their_shares_below_and_never_cross(cls, delta):
    frame, y = drawn()
    model = cls(SCHEMA, epsilon=10.0, delta=delta, random_state=0, **THREE).fit(frame, y)
    found = model.predict_quantiles(frame)
    assert found.shape == (len(y), 3)
    assert (np.diff(found, axis=1) >= 0).all() and (np.abs(found) <= 20).all()
    assert (y[:, None] < found).mean(axis=0) == pytest.approx([0.1, 0.5, 0.9], abs=0.05 if delta else 0.09)
    assert (model.predict(frame) == found[:, 1]).all()


@EACH
@LOSSES
@pytest.mark.parametrize("shift", [100.0, -1e6])
def test_predictions_follow_numbers_and_bounds(cls, asked, shift):
    frame, y = drawn(2000)
    y = np.round(y * 64) / 64  # so that adding is exact
    there = Schema(COLUMNS, label=Target("y", -20 + shift, 20 + shift))
    one = cls(SCHEMA, epsilon=1.0, random_state=3, **asked).fit(frame, y)
    other = cls(there, epsilon=1.0, random_state=3, **asked).fit(frame, y + shift)
    assert other.predict(frame) - shift == pytest.approx(one.predict(frame), abs=1e-4)


@EACH
@LOSSES
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_what_is_certified_is_recomputed_from_the_file(cls, asked, delta):
    frame, y = drawn(1000)
    model = cls(SCHEMA, epsilon=1.0, delta=delta, **asked).fit(frame, y).model_
    text = to_json(model)
    written = written_of(text.encode())
    found = recomputed(written.certificate, written.model)
    assert (found.faults, found.unknown) == ((), ())
    back = from_json(text)
    assert to_json(back) == text and back.loss == asked["loss"]
    assert (back.predict(frame) == model.predict(frame)).all()


def test_files_of_squared_loss_stay_as_they_were():
    frame, y = drawn(500)
    kept = [set(LinearRegressor(SCHEMA, epsilon=1.0, **asked).fit(frame, y).model_.body()) for asked in ({}, THREE)]
    assert kept[1] - kept[0] == {"loss", "quantiles"}


def test_what_columns_add_is_of_the_quantile_that_is_predicted():
    frame, y = drawn()
    model = LinearRegressor(SCHEMA, epsilon=30.0, random_state=0, **THREE).fit(frame, y)
    added = model.explain(frame)
    sums = added.group_by("row", maintain_order=True).agg(pl.col("contribution").sum())["contribution"].to_numpy()
    # But where sorting put another quantile in its place.
    assert np.quantile(np.abs(sums - model.predict(frame)), 0.95) < 1e-9
    assert set(model.explain()["class"]) == {"y"}


def test_the_choice_among_regressors_passes_the_loss_on():
    frame, y = drawn(1000)
    model = AutoRegressor(SCHEMA, epsilon=1.0, random_state=0, **THREE).fit(frame, y)
    assert [share for share, _ in model.model_.quantiles] == [0.1, 0.5, 0.9]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"loss": "quantile"}, "Expected quantiles for loss='quantile', got none"),
        ({"quantiles": (0.5,)}, "Expected no quantiles for loss='squared'"),
        ({"loss": "absolute", "quantiles": (0.5,)}, "Expected no quantiles"),
        ({"loss": "quantile", "quantiles": ()}, "ascending and each once"),
        ({"loss": "quantile", "quantiles": (0.0, 0.5)}, "between 0 and 1"),
        ({"loss": "quantile", "quantiles": (0.5, 1.0)}, "between 0 and 1"),
        ({"loss": "quantile", "quantiles": (0.9, 0.1)}, "ascending"),
        ({"loss": "quantile", "quantiles": (0.5, 0.5)}, "each once"),
        ({"loss": "quantile", "quantiles": "0.5"}, "ascending"),
        ({"loss": "quantile", "quantiles": ("a",)}, "ascending"),
        ({"loss": "quantile", "quantiles": (float("nan"),)}, "between 0 and 1"),
        ({"loss": "quantile", "quantiles": tuple(np.linspace(0.01, 0.99, 17))}, "up to 16"),
        ({"loss": "mean"}, "'squared'"),
    ],
)
def test_bad_losses_are_one_error_before_anything_is_spent(asked, said, tmp_path):
    frame, y = drawn(100)
    Ledger(tmp_path / "ledger.db").open(Account.of("people", Budget(1.0, 0.0)))
    with pytest.raises(ParameterError, match=said):
        LinearRegressor(SCHEMA, epsilon=0.5, delta=0.0, ledger=tmp_path / "ledger.db", **asked).fit(frame, y)
    assert len(Ledger(tmp_path / "ledger.db").lines()) == 2  # the ledger and the account


def test_quantiles_that_no_loss_learned_need_held_out_rows():
    frame, y = drawn(1000)
    model = LinearRegressor(SCHEMA, epsilon=1.0, random_state=0).fit(frame, y)
    with pytest.raises(ParameterError, match="Expected a list of numbers between 0 and 1"):
        model.predict_quantiles(frame)


@pytest.mark.parametrize(
    "damage",
    [
        lambda body: body.update(loss="squared"),
        lambda body: body.update(quantiles=body["quantiles"][::-1]),
        lambda body: body.update(quantiles=body["quantiles"][:2]),
        lambda body: body["quantiles"][0].__setitem__(1, 21.0),
    ],
)
def test_damaged_quantiles_are_refused(damage):
    frame, y = drawn(1000)
    model = LinearRegressor(SCHEMA, epsilon=1.0, **THREE).fit(frame, y).model_
    body = model.body()
    damage(body)
    from tacit.models.document import canonical, validated
    from tacit.models.regression import RegressionModel

    with pytest.raises(ModelFileError):
        validated(RegressionModel, canonical(body))


def test_merged_models_are_of_one_loss_and_the_same_quantiles():
    frame, y = drawn(2000)
    asked = {
        "squared": {},
        "absolute": {"loss": "absolute"},
        "quantile": THREE,
        "others": THREE | {"quantiles": (0.2, 0.5, 0.9)},
    }
    fits = {
        name: [LinearRegressor(SCHEMA, epsilon=1.0, **given).fit(frame[at::2], y[at::2]).model_ for at in (0, 1)]
        for name, given in asked.items()
    }
    both = merge(fits["absolute"])
    assert both.loss == "absolute"
    assert both.predict(frame) == pytest.approx(np.mean([each.predict(frame) for each in fits["absolute"]], axis=0))
    counts = Schema(SCHEMA.columns, label=Target("y", 0, 40))
    logs = [LinearRegressor(counts, epsilon=1.0, loss="poisson").fit(frame[at::2], y[at::2] + 20) for at in (0, 1)]
    fits["poisson"] = [each.model_ for each in logs]
    mixed = [fits["squared"][0], fits["absolute"][1]], [fits["quantile"][0], fits["others"][1]]
    for parts in (fits["poisson"], *mixed):
        with pytest.raises(ModelFileError, match="one loss and the same quantiles"):
            merge(parts)


def test_merged_quantiles_are_means_of_each_that_never_cross():
    frame, y = drawn(2000)
    halves = (frame[:1500], y[:1500]), (frame[1500:], y[1500:])
    # Of other noise a part's lines may cross, so that its own answers are no longer those of its lines.
    fits = [LinearRegressor(SCHEMA, epsilon=9.0, random_state=seed, **THREE) for seed in (0, 1)]
    parts = [fit.fit(*half).model_ for fit, half in zip(fits, halves, strict=True)]
    both = merge(parts)
    assert [share for share, _ in both.quantiles] == [share for share, _ in parts[0].quantiles]
    found, [first, second] = both.predict_quantiles(frame), [each.predict_quantiles(frame) for each in both.parts]
    weights = [each.weight / part.scale.unit for each, part in zip(both.scorers[0].parts, both.parts, strict=True)]
    assert sorted(weights) == pytest.approx([0.25, 0.75], abs=0.03)
    assert found == pytest.approx(weights[0] * first + weights[1] * second, abs=1e-6)
    assert (np.diff(found, axis=1) >= 0).all()
    assert both.predict(frame) == pytest.approx(found[:, 1])
    assert len(both.explain(frame[:2])) > 2
    again = from_json(to_json(both, allow="simulated"))
    assert again.predict_quantiles(frame) == pytest.approx(found)


def test_one_number_is_exported_and_several_quantiles_in_one_output():
    ort = pytest.importorskip("onnxruntime")
    frame, y = drawn(1000)
    given = {name: frame[name].to_numpy().astype(object if name == "c" else np.float64)[:, None] for name in "xc"}
    for asked in ({"loss": "absolute"}, {"loss": "quantile", "quantiles": (0.9,)}):
        model = LinearRegressor(SCHEMA, epsilon=3.0, random_state=0, **asked).fit(frame, y)
        session = ort.InferenceSession(model.to_onnx().SerializeToString())
        [found] = session.run(["prediction"], given)
        assert found[:, 0] == pytest.approx(model.predict(frame), abs=1e-6)
    # Of so little that quantiles cross before they are sorted.
    model = BoostedTreesRegressor(SCHEMA, epsilon=0.2, random_state=0, **THREE).fit(frame, y)
    [found] = ort.InferenceSession(model.to_onnx().SerializeToString()).run(["prediction"], given)
    assert found == pytest.approx(model.predict_quantiles(frame), abs=1e-6)


@pytest.mark.parametrize("cls", [LinearRegressor, BoostedTreesRegressor, AutoRegressor])
def test_weights_of_classes_are_refused_with_the_reason(cls):
    # As scikit-learn refuses parameters that nothing has, and as we do.
    for error in (TypeError, ParameterError):
        with pytest.raises(error, match="has no classes that could have weights"):
            cls(SCHEMA, epsilon=1.0, class_weight="balanced")
        with pytest.raises(error, match="has no classes that could have weights"):
            cls(SCHEMA, epsilon=1.0).fit([[0.0]], [1.0], class_weight="balanced")
    with pytest.raises(TypeError, match="all held-out rows together"):
        cls(SCHEMA, epsilon=1.0, holdout=0.2, holdout_by="c")
    assert list(signature(cls).parameters) == list(signature(cls.__init__).parameters)[1:]
    assert "class_weight" not in clone(cls(SCHEMA, epsilon=1.0)).get_params(deep=False)
