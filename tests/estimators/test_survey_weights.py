"""Rows that count as a weight of the schema says: scikit-learn's fits, no weights to the bit, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression

from tacit import (
    AutoClassifier,
    AutoRegressor,
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    BRCClassifier,
    Categorical,
    Feature,
    Identifier,
    Label,
    LazyBBClassifier,
    LinearRegressor,
    LogisticClassifier,
    NaiveBayesClassifier,
    Numeric,
    RadoBoostClassifier,
    Schema,
    SideTable,
    SVMClassifier,
    Target,
    TreeClassifier,
    Weight,
    joined,
    load_model,
    make_rados,
    merge,
)
from tacit.errors import ParameterError, TableError
from tacit.models import write_model
from tacit.models.document import as_plain
from tacit.privacy.assumptions import OWN_WEIGHT
from tacit.verify import recomputed

COLUMNS = [Numeric("a", 0, 1), Categorical("c", ["u", "v"])]
BASE = Schema(COLUMNS, label=Label("y", ["no", "yes"]))
NUMBER = Schema(COLUMNS, label=Target("t", 0, 10))
WEIGHED = replace(BASE, weight=Weight("w", 4))
ONES = {
    "declared": Weight("w", 1, whole=True, mean=1),
    "public": Weight("w", 1, whole=True, private=False),
}

pytestmark = pytest.mark.filterwarnings("ignore::tacit.PrivacyWarning")


def rows(n=2000, seed=0):
    """A frame, and labels."""
    draw = np.random.default_rng(seed)
    frame = pl.DataFrame({"a": draw.random(n), "c": draw.choice(["u", "v"], n), "w": draw.exponential(1, n)})
    likely = 0.2 + 0.6 * frame["a"].to_numpy()
    return frame, np.where(draw.random(n) < likely, "yes", "no")


def _number(schema):
    return replace(schema, label=NUMBER.label)


def without_words(model):
    """The JSON of a model, without the schema's weight and the two sentences about it."""
    found = as_plain(model)
    del found["schema"]["weight"]
    about = [each for each in found["guarantee"]["assumptions"] if each.startswith("each row counts as its")]
    for each in (*about, *([OWN_WEIGHT] if about else [])):
        found["guarantee"]["assumptions"].remove(each)
    return json.dumps(found, sort_keys=True)


@pytest.mark.parametrize("ones", ONES)
@pytest.mark.parametrize("delta", [0.0, 1e-5])
@pytest.mark.parametrize(
    ("estimator", "settings"),
    [
        (LogisticClassifier, {}),
        (LogisticClassifier, {"encoding": "ordinal", "method": "k-norm"}),
        (LogisticClassifier, {"class_weight": "balanced"}),
        (SVMClassifier, {}),
        (TreeClassifier, {}),
        (TreeClassifier, {"explain_share": 0.1}),
        (BoostedTreesClassifier, {"n_trees": 5}),
        (NaiveBayesClassifier, {}),
        (NaiveBayesClassifier, {"numeric": "gaussian"}),
        (AutoClassifier, {}),
        (LinearRegressor, {}),
        (BoostedTreesRegressor, {"n_trees": 5}),
        (AutoRegressor, {}),
    ],
)
def test_with_cap_one_and_all_weights_one_the_model_is_that_without_weights(estimator, settings, delta, ones):
    if delta and settings.get("method") == "k-norm":
        pytest.skip("of pure epsilon alone")
    frame, y = rows()
    frame, base = frame.with_columns(w=1), BASE
    if estimator._of_number:
        base, y = NUMBER, 10 * frame["a"].to_numpy()
    given = {"epsilon": 1.0, "delta": delta, "random_state": 7, **settings}
    found = [estimator(each, **given).fit(frame, y).model_ for each in (base, replace(base, weight=ONES[ones]))]
    assert without_words(found[0]) == without_words(found[1])
    assert found[1].schema.weight == ONES[ones]


@pytest.mark.parametrize("private", [True, False])
def test_without_noise_coefficients_are_those_of_scikit_learn(private):
    frame, y = rows()
    schema = Schema([Numeric("a", 0, 1)], label=BASE.label, weight=Weight("w", 4, private=private))
    ours = LogisticClassifier(
        schema, epsilon=1e6, encoding="ordinal", regularization=1.0, method="k-norm", intercept=True, calibration=0,
        random_state=0,
    ).fit(frame, y)  # fmt: skip
    parts = np.minimum(frame["w"].to_numpy(), 4) / 4
    z = np.column_stack([2 * frame["a"].to_numpy() - 1, np.ones(len(frame))])
    theirs = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-10).fit(z, y, sample_weight=parts)
    model = ours.model_.scorers[0]
    assert [model.forms[0].weights[0], model.intercept] == pytest.approx(theirs.coef_[0], rel=5e-3)


@pytest.mark.parametrize(
    "estimator", [TreeClassifier, BoostedTreesClassifier, NaiveBayesClassifier, LogisticClassifier]
)
def test_weights_move_the_model_to_the_population(estimator):
    frame, y = rows(6000)
    weighed = frame.with_columns(w=pl.Series(np.where(y == "yes", 4.0, 0.4)))
    found = [
        float(estimator(schema, epsilon=5.0, random_state=0).fit(weighed, y).predict_proba(frame)[:, 1].mean())
        for schema in (BASE, WEIGHED)
    ]
    assert found[0] == pytest.approx(0.5, abs=0.04)
    assert found[1] == pytest.approx(10 / 11, abs=0.04)


def test_a_number_is_predicted_for_the_population():
    frame, _ = rows(6000)
    numbers = np.where(np.arange(6000) % 2, 2.0, 8.0)
    weighed = frame.with_columns(w=pl.Series(np.where(numbers > 5, 4.0, 0.4)))
    for estimator in (LinearRegressor, BoostedTreesRegressor):
        model = estimator(replace(NUMBER, weight=Weight("w", 4)), epsilon=5.0, random_state=0).fit(weighed, numbers)
        assert float(model.predict(frame).mean()) == pytest.approx((8 * 10 + 2) / 11, abs=0.5)


def test_weights_are_a_column_of_a_frame_or_file_or_given_beside_it(tmp_path):
    frame, y = rows(400)
    make = lambda: TreeClassifier(WEIGHED, epsilon=1.0, random_state=0)  # noqa: E731
    frame.with_columns(y=pl.Series(y)).write_csv(tmp_path / "rows.csv")
    frame.with_columns(y=pl.Series(y)).write_parquet(tmp_path / "rows.parquet")
    expected = make().fit(frame, y).model_
    bare = frame.drop("w")
    others = [
        make().fit(tmp_path / "rows.csv").model_,
        make().fit(tmp_path / "rows.parquet", storage="disk").model_,
        make().fit(bare, y, sample_weight=frame["w"]).model_,
        make().fit(bare.to_pandas(), y, sample_weight=frame["w"].to_list()).model_,
        make().fit(frame.with_columns(w=1.0), y, sample_weight=frame["w"].to_numpy()).model_,
    ]
    assert all(each == expected for each in others)
    assert expected.predict(bare).shape == (400,)


def test_rows_without_a_label_are_left_out_with_their_weights():
    frame, y = rows(400)
    schema = replace(WEIGHED, label=replace(BASE.label, missing="drop"))
    gone = np.arange(400) % 3 == 0
    cells = pl.Series(y).set(pl.Series(gone), None)
    odd = frame.with_columns(w=frame["w"].set(pl.Series(gone), -1.0))
    make = lambda: TreeClassifier(schema, epsilon=1.0, random_state=0)  # noqa: E731
    assert make().fit(odd, cells).model_ == make().fit(frame.filter(~gone), y[~gone]).model_


@pytest.mark.parametrize("bad", [-0.5, float("nan"), float("inf"), None])
def test_a_weight_that_is_none_is_one_error_and_counts_nothing_if_coerced(bad):
    frame, y = rows(400)
    odd = frame.with_columns(w=pl.Series([bad, *frame["w"][1:]]))
    with pytest.raises(TableError, match="finite number of at least 0 as the weight 'w'"):
        TreeClassifier(WEIGHED, epsilon=1.0).fit(odd, y)
    given = {"epsilon": 1.0, "random_state": 0, "on_invalid": "coerce"}
    zero = frame.with_columns(w=pl.Series([0.0, *frame["w"][1:]]))
    assert TreeClassifier(WEIGHED, **given).fit(odd, y).model_ == TreeClassifier(WEIGHED, **given).fit(zero, y).model_


def test_weights_beyond_the_cap_count_as_the_cap():
    frame, y = rows(400)
    make = lambda: TreeClassifier(WEIGHED, epsilon=1.0, random_state=0)  # noqa: E731
    beyond = frame.with_columns(w=pl.Series(np.where(frame["w"] >= 4, 4e9, frame["w"])))
    assert (frame["w"] >= 4).any()
    assert make().fit(frame, y).model_ == make().fit(beyond, y).model_


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda frame: (frame.drop("w"), {}), "a column named 'w'"),
        (lambda frame: (frame.drop("w"), {"sample_weight": frame["w"][:9]}), "one weight for each row"),
        (lambda frame: (frame.drop("w"), {"sample_weight": 3}), "one weight for each row"),
        (lambda frame: (frame.with_columns(w=pl.lit("heavy")), {}), "finite number of at least 0"),
    ],
)
def test_a_ledger_is_not_charged_for_weights_that_are_not_there(given, message):
    frame, y = rows(100)
    table, further = given(frame)
    with pytest.raises(TableError, match=message):
        TreeClassifier(WEIGHED, epsilon=1.0).fit(table, y, **further)


def test_public_weights_that_are_all_zero_are_refused():
    frame, y = rows(100)
    schema = replace(BASE, weight=Weight("w", 4, private=False))
    with pytest.raises(TableError, match="above 0 in some row"):
        TreeClassifier(schema, epsilon=1.0).fit(frame.with_columns(w=0.0), y)


def test_sample_weight_needs_the_schemas_entry():
    frame, y = rows(100)
    with pytest.raises(
        TypeError, match=r"its cap is public.*those of boosting, of reductions and balanced ones do not"
    ):
        TreeClassifier(BASE, epsilon=1.0).fit(frame, y, sample_weight=frame["w"])
    with pytest.raises(ValueError, match="doesn't support sample_weight"):
        AdaBoostClassifier(TreeClassifier(WEIGHED, epsilon=1.0)).fit(frame, y)


@pytest.mark.parametrize(
    "fit",
    [
        lambda schema, X, y: BRCClassifier(schema, epsilon=1.0).fit(X, y),
        lambda schema, X, y: LazyBBClassifier(schema, epsilon=1.0).fit(X, y),
        lambda schema, X, y: RadoBoostClassifier(schema, epsilon=1.0).fit(X, y),
        lambda schema, X, y: make_rados(X, y, schema, epsilon=1.0),
    ],
)
def test_what_counts_rows_as_one_refuses_a_weight(fit):
    frame, y = rows(100)
    with pytest.raises(ParameterError, match="Expected a schema without a weight for"):
        fit(WEIGHED, frame, y)


def test_the_certificate_says_how_rows_count_and_holds(tmp_path):
    frame, y = rows()
    model = TreeClassifier(WEIGHED, epsilon=1.0).fit(frame, y).model_
    assert model.guarantee.releases[0].query == "sum of weights"
    assert model.guarantee.releases[0].loss == pytest.approx(0.05, rel=1e-6)
    words = str(model.guarantee)
    assert "and the row's weight. All" in words
    assert "Each row counts as its 'w' over 4, at most one; that weight is protected." in words
    assert "No row's weight follows from other rows." in words
    assert recomputed(model.guarantee).holds
    write_model(model, tmp_path / "model.json")
    assert load_model(tmp_path / "model.json") == model
    public = TreeClassifier(replace(BASE, weight=Weight("w", 4, private=False)), epsilon=1.0).fit(frame, y).model_
    assert "that weight is public" in str(public.guarantee)
    assert "the row's weight" not in str(public.guarantee)
    assert "sum of weights" not in [line.query for line in public.guarantee.releases]


def test_a_model_that_hides_its_weights_is_refused():
    frame, y = rows()
    model = TreeClassifier(WEIGHED, epsilon=1.0).fit(frame, y).model_
    body, own = as_plain(model), model.guarantee
    assert recomputed(own, body).holds
    silent = replace(own, assumptions=tuple(each for each in own.assumptions if "counts as" not in each))
    assert any("does not say so" in fault for fault in recomputed(silent, body).faults)
    smaller = replace(own, columns=("a",))
    assert any("does not protect" in each for each in recomputed(smaller, body).faults)
    rest = tuple(replace(each, order=at) for at, each in enumerate(own.releases[1:], 1))
    limits = tuple(replace(each, released=len(rest)) for each in own.limits)
    less = replace(own, releases=rest, limits=limits)
    assert recomputed(less).holds  # the certificate by itself does not show it
    assert any("sum of weights" in fault for fault in recomputed(less, body).faults)


def test_weights_with_persons_side_tables_and_other_sites():
    frame, y = rows(400)
    owned = frame.with_columns(person=pl.Series(np.arange(400) // 4))
    schema = replace(WEIGHED, identifier=Identifier("person"))
    assert TreeClassifier(schema, epsilon=1.0).fit(owned, y).model_.guarantee.n_rows == 100
    visits = Numeric("visits", 0, 9, whole=True, from_table=Feature("visits", "count"))
    several = Schema([*COLUMNS, visits], label=BASE.label, weight=WEIGHED.weight,
                     tables=[SideTable("visits", [], key="person")])  # fmt: skip
    side = {"visits": pl.DataFrame({"person": [0, 0, 3]})}
    one = frame.with_columns(person=pl.Series(np.arange(400)))
    given = {"epsilon": 1.0, "random_state": 0}
    fitted = TreeClassifier(several, **given).fit(one, y, tables=side).model_
    assert fitted == TreeClassifier(several, **given).fit(joined(one, several, side), y).model_
    parts = [TreeClassifier(WEIGHED, epsilon=1.0).fit(frame, y).model_ for _ in range(2)]
    assert OWN_WEIGHT in merge(parts).guarantee.assumptions
