"""Losses of logarithms: counts and costs, whose predictions are means in the target's own unit."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import BoostedTreesRegressor, Categorical, LinearRegressor, Numeric, Schema, Target, merge
from tacit.audit.neighbors import Pair
from tacit.audit.replay import replay_pair
from tacit.convex import LogLoss
from tacit.errors import ModelFileError, ParameterError, SchemaError
from tacit.models.file import from_json
from tacit.models.writing import to_json
from tacit.queries.leaf_sums import STEPS, residual_sum
from tacit.verify import recomputed, written_of

COLUMNS = [Numeric("x", -1, 1), Categorical("c", ["a", "b"])]
TARGETS = {"poisson": Target("y", 0, 100, whole=True), "gamma": Target("y", 0.01, 100)}
EACH = pytest.mark.parametrize("cls", [LinearRegressor, BoostedTreesRegressor])
FAMILIES = pytest.mark.parametrize("loss", TARGETS)


def drawn(loss, n=5000):
    generator = np.random.default_rng(0)
    x, c = generator.uniform(-1, 1, n), generator.integers(2, size=n)
    mean = np.exp(0.5 + x + c)
    y = generator.poisson(mean) if loss == "poisson" else np.clip(mean * generator.gamma(2, 0.5, n), 0.01, 100)
    return pl.DataFrame({"x": x, "c": np.asarray(["a", "b"])[c]}), y.astype(float), mean


def schema_of(loss):
    return Schema(COLUMNS, label=TARGETS[loss])


def test_residuals_by_hand():
    # Scores of 0 and 1 are means of 1 and 2 of the start, cut at four of it.
    numbers, scores = np.asarray([3.0, 3.0, 0.5, 100.0]), np.asarray([0.0, 1.0, 1.0, 0.0])
    poisson, gamma = (LogLoss(each, np.log(2), 4.0, (0.1, 100.0)) for each in TARGETS)
    assert poisson.residuals(numbers, scores) == pytest.approx([2 / 8, 1 / 8, -1.5 / 8, 0.5])
    assert gamma.residuals(numbers, scores) == pytest.approx([2 / 8, 0.5 / 8, -0.75 / 8, 0.5])
    assert gamma.slope == pytest.approx(np.log(2) / 8)
    far = np.asarray([-1e9, 1e9])
    assert (np.abs(gamma.residuals(np.asarray([0.1, 100.0]), far)) <= 0.5).all()


@EACH
@FAMILIES
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_means_are_found_in_the_unit_of_the_target(cls, loss, delta):
    frame, y, mean = drawn(loss)
    model = cls(schema_of(loss), epsilon=5.0, delta=delta, loss=loss, random_state=0).fit(frame, y)
    found = model.predict(frame)
    assert found.mean() == pytest.approx(y.mean(), rel=0.1)
    assert np.corrcoef(np.log(found), np.log(mean))[0, 1] > 0.9
    assert (found > 0).all() and (found <= 100).all()
    sums = model.explain(frame).group_by("row", maintain_order=True).agg(pl.col("contribution").sum())
    assert np.exp(sums["contribution"].to_numpy()) == pytest.approx(found, rel=1e-6)


@EACH
@FAMILIES
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_what_is_certified_is_recomputed_from_the_file(cls, loss, delta):
    frame, y, _ = drawn(loss, 1000)
    model = cls(schema_of(loss), epsilon=1.0, delta=delta, loss=loss).fit(frame, y).model_
    written = written_of(to_json(model).encode())
    found = recomputed(written.certificate, written.model)
    assert (found.faults, found.unknown) == ((), ())
    back = from_json(to_json(model))
    assert back.scale.link == "log" and (back.predict(frame) == model.predict(frame)).all()


@pytest.mark.parametrize("delta", [0.0, 1e-3])
@pytest.mark.parametrize("private", [(["x", "c"], True), (["x"], False), ([], True)])
@FAMILIES
def test_no_release_is_above_its_share_and_nothing_else_differs(loss, private, delta):
    schema = schema_of(loss).with_private(private[0], label=private[1])
    low = schema.target.low
    rows = ((0.5, "a", 3.0), (0.0, "b", 1.0), (-1.0, "b", 50.0))
    for fresh in ((-1.0 if private[0] else 0.5, "a", 3.0), (0.5, "a", 100.0 if private[1] else 3.0), (0.5, "a", low)):
        if fresh[2] != 3.0 and not private[1]:
            continue
        pair = Pair(schema, rows, (fresh, *rows[1:]))
        for cls, own in (
            (LinearRegressor, {}),
            (BoostedTreesRegressor, {"n_trees": 1, "depth": 1, "start": "balance"}),
        ):
            fit = lambda cls=cls, own=own: cls(schema, epsilon=2.0, delta=delta, loss=loss, **own)  # noqa: E731
            found = replay_pair(fit, pair, seed=0, delta=delta)
            assert found.differences == ()
            assert max((step.reached for step in found.steps), default=0.0) <= 1 + 1e-9


def test_the_sum_of_residuals_moves_by_one():
    from tacit.audit.neighbors import table_of
    from tacit.convex import SquaredLoss

    schema = schema_of("poisson")
    one, other = (
        residual_sum(table_of(((0.0, "a", number), (0.0, "a", 2.0)), schema).scaled(0.0, 1.0, SquaredLoss(4.0)))
        for number in (100.0, 0.0)
    )
    # 2 / 8 is that of the row that stays; the other counts one half, or nothing.
    assert one.unreleased_value.item() / STEPS == 0.75
    assert other.unreleased_value.item() / STEPS == 0.25
    far = residual_sum(table_of(((0.0, "a", 0.0), (0.0, "a", 2.0)), schema).scaled(50.0, 1.0, SquaredLoss(4.0)))
    near = residual_sum(table_of(((0.0, "a", 100.0), (0.0, "a", 2.0)), schema).scaled(50.0, 1.0, SquaredLoss(4.0)))
    assert (near.unreleased_value - far.unreleased_value).item() / STEPS == 1.0
    assert far.l1 == far.l2 == pytest.approx(STEPS)


def test_a_logarithmic_scale_is_learned_by_a_gamma_likelihood(tmp_path):
    schema = Schema(COLUMNS, label=Target("y", 0.01, 100, scale="log"))
    frame, y, _ = drawn("gamma", 1000)
    model = LinearRegressor(schema, epsilon=1.0, random_state=0).fit(frame, y)
    plain = LinearRegressor(schema_of("gamma"), epsilon=1.0, loss="gamma", random_state=0).fit(frame, y)
    assert (model.predict(frame) == plain.predict(frame)).all() and model.model_.loss == "gamma"
    (tmp_path / "schema.toml").write_text(schema.to_toml())
    assert Schema.from_toml(tmp_path / "schema.toml") == schema
    with pytest.raises(ParameterError, match="scale is logarithmic"):
        LinearRegressor(schema, epsilon=1.0, loss="absolute").fit(frame, y)
    with pytest.raises(SchemaError, match="low above 0"):
        Target("y", 0, 100, scale="log")


@pytest.mark.parametrize(("loss", "low", "said"), [("poisson", -1, "at least 0"), ("gamma", 0, "above 0")])
def test_bounds_below_are_refused_before_anything_is_spent(loss, low, said):
    frame, y, _ = drawn("poisson", 100)
    with pytest.raises(ParameterError, match=said):
        LinearRegressor(Schema(COLUMNS, label=Target("y", low, 100)), epsilon=1.0, loss=loss).fit(frame, y)


def test_models_of_logarithms_are_exported_and_not_merged():
    frame, y, _ = drawn("gamma", 2000)
    fits = [
        LinearRegressor(schema_of("gamma"), epsilon=1.0, loss="gamma").fit(frame[at::2], y[at::2]).model_
        for at in (0, 1)
    ]
    with pytest.raises(ModelFileError, match="logarithms"):
        merge(fits)
    ort = pytest.importorskip("onnxruntime")
    session = ort.InferenceSession(fits[0].to_onnx().SerializeToString())
    given = {name: frame[name].to_numpy().astype(object if name == "c" else np.float64)[:, None] for name in "xc"}
    [found] = session.run(["prediction"], given)
    assert found[:, 0] == pytest.approx(fits[0].predict(frame), rel=1e-9)


@pytest.mark.parametrize("loss", TARGETS)
@pytest.mark.parametrize("number", [0.01, 1e307])
def test_bounds_near_the_largest_float_give_a_model(loss, number):
    schema = Schema([Numeric("x", -1, 1)], label=Target("y", 1e-300, 1.7e308))
    frame = pl.DataFrame({"x": np.linspace(-1, 1, 400)})
    for delta in (0.0, 1e-6):
        model = LinearRegressor(schema, epsilon=1.0, delta=delta, loss=loss).fit(frame, np.full(400, number))
        assert np.isfinite(model.predict(frame)).all()
