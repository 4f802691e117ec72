"""`monotone=`: no score goes the wrong way, nothing more is released, and what cannot be is refused beforehand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import (
    AutoClassifier,
    AutoRegressor,
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    Categorical,
    Label,
    LinearRegressor,
    LogisticClassifier,
    Numeric,
    PaidSearch,
    Schema,
    SVMClassifier,
    Target,
    TreeClassifier,
)
from tacit.audit.neighbors import random_pairs
from tacit.audit.replay import replay_pair
from tacit.errors import ParameterError
from tacit.estimators.auto import choose
from tacit.estimators.search.candidates import candidates_of, head_starts
from tacit.ledger import Account, Ledger
from tacit.models import from_json, to_json
from tacit.models.document import as_plain
from tacit.models.released import NOISE_BEFORE
from tacit.privacy import Budget
from tacit.verify.released_parts import contradictions

COLUMNS = [
    Numeric("age", 0, 100, missing="indicator"),
    Numeric("gain", 0, 1e5, scale="log", whole=True),
    Numeric("day", "2020-01-01", "2021-12-31"),
    Categorical("sky", ["clear", "gray", "red"]),
]
SCHEMA = Schema(COLUMNS, label=Label("y", ["no", "yes"]))
NUMBER = Schema(COLUMNS, label=Target("y", -10, 10))
SIGNS = {"age": 1, "gain": -1}
N = 3000


def _drawn():
    generator = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "age": generator.uniform(0, 100, N),
            "gain": np.round(np.exp(generator.uniform(0, 11, N))),
            "day": np.datetime64("2020-01-01") + generator.integers(0, 700, N).astype("timedelta64[D]"),
            "sky": generator.choice(["clear", "gray", "red"], N),
        }
    ).with_columns(age=pl.when(np.arange(N) % 9 > 0).then(pl.col("age")))
    # Against both signs for the most part, so that projections have something to do.
    score = np.sin(frame["age"].fill_null(50).to_numpy() / 12) + np.log1p(frame["gain"].to_numpy()) / 5 - 1
    return frame, score + generator.normal(0, 0.5, N)


FRAME, SCORE = _drawn()
FITS = {
    "auto": (AutoClassifier, {}),
    "logistic": (LogisticClassifier, {}),
    "ranks": (LogisticClassifier, {"encoding": "ranked", "delta": 1e-6}),
    "gradients": (LogisticClassifier, {"encoding": "binned", "delta": 1e-6}),
    "pure ranks": (LogisticClassifier, {"encoding": "ranked"}),
    "mean operator": (LogisticClassifier, {"method": "mean-operator", "encoding": "ordinal"}),
    "explained": (LogisticClassifier, {"explain_share": 0.2}),
    "svm": (SVMClassifier, {}),
    "trees": (BoostedTreesClassifier, {}),
    "trees of ranks": (BoostedTreesClassifier, {"delta": 1e-6}),
    "deep trees": (BoostedTreesClassifier, {"structure": "oblivious", "depth": 7, "n_trees": 20}),
    "curves": (BoostedTreesClassifier, {"structure": "additive", "delta": 1e-6}),
    "linear": (LinearRegressor, {}),
    "trees of numbers": (BoostedTreesRegressor, {}),
    "number": (AutoRegressor, {}),
}


def fitted(name, **others):
    cls, settings = FITS[name]
    is_number = hasattr(cls, "_of_number") and cls._of_number
    labels = np.clip(SCORE * 3, -10, 10) if is_number else np.where(SCORE > 0, "yes", "no")
    given = {"epsilon": 3.0, "random_state": 0, "monotone": SIGNS, **settings, **others}
    return cls(NUMBER if is_number else SCHEMA, **given).fit(FRAME, labels)


def wrong(model, seed=1):
    """Of pairs of rows that differ in one number, how many predictions are in the wrong order, and how many differ."""
    generator, wrong, apart = np.random.default_rng(seed), 0, 0
    for name, sign in SIGNS.items():
        low, high = np.sort(generator.uniform(0, 1, (2, N)), axis=0)
        ends = [low * 100, high * 100] if name == "age" else [np.round(np.exp(11 * each)) for each in (low, high)]
        both = [FRAME.with_columns(pl.Series(name, each)) for each in ends]
        for ask in (getattr(model, each, None) for each in ("decision_function", "predict_proba", "predict")):
            if ask is not None and (found := [ask(rows) for rows in both])[0].dtype.kind == "f":
                first, second = (each[:, 1] if each.ndim == 2 else each for each in found)
                wrong, apart = wrong + (sign * (second - first) < 0).sum(), apart + (second != first).sum()
    return wrong, apart


@pytest.mark.parametrize("name", FITS)
def test_no_score_goes_the_wrong_way(name):
    model = fitted(name).model_
    assert model.monotone == (("age", 1), ("gain", -1))
    # The truth goes against "gain", so that it may say nothing.
    assert wrong(model)[0] == 0
    assert from_json(to_json(model, allow="simulated")) == model
    assert list(contradictions(as_plain(model), model.guarantee)) == []
    assert wrong(fitted(name, monotone=None).model_)[0] > 0


def test_what_agrees_with_the_truth_is_kept():
    agreeing = {"gain": 1}
    for name in ("ranks", "trees of ranks", "logistic", "curves"):
        found, apart = fitted(name, monotone=agreeing), 0
        rows = [FRAME.with_columns(gain=pl.lit(float(each))) for each in (1, 60_000)]
        apart = found.decision_function(rows[1]) - found.decision_function(rows[0])
        assert apart.min() > 0.5, name


@pytest.mark.parametrize("name", ["ranks", "trees of ranks", "gradients", "linear"])
def test_nothing_more_is_released(name):
    with_signs, without = (fitted(name, monotone=each).privacy_ for each in (SIGNS, None))
    assert [(line.query, line.loss) for line in with_signs.releases] == [
        (line.query, line.loss) for line in without.releases
    ]


@pytest.mark.parametrize("name", ["trees of ranks", "ranks", "svm"])
def test_replayed_no_release_is_above_its_share_and_nothing_else_differs(name):
    cls, settings = FITS[name]
    small = {"n_trees": 2, "depth": 2, "candidates": 2} if cls is BoostedTreesClassifier else {}
    settings = {**settings, **small, "epsilon": 2.0, "on_invalid": "coerce", "monotone": {"x": 1}}
    settings |= {"delta": 1e-3} if "delta" in settings else {}
    schema = Schema([Numeric("x", -1, 1), Categorical("c", ["a", "b"])], label=Label("y", ["no", "yes"]))
    for seed, pair in zip(range(4), random_pairs(schema, n_rows=6, seed=0), strict=False):
        found = replay_pair(lambda: cls(schema, **settings), pair, seed=seed, delta=settings.get("delta", 0.0))
        assert found.differences == () and all(step.reached <= 1 + 1e-9 for step in found.steps)


def test_what_it_says_of_itself():
    model, plain = (fitted("curves", monotone=each).model_ for each in (SIGNS, None))
    assert (
        model.monotone_words
        == "All else equal, the score of yes never falls as age rises, and never rises as gain rises."
    )
    assert NOISE_BEFORE in model.caution and NOISE_BEFORE not in plain.caution
    assert plain.monotone == () and plain.monotone_words == ""
    assert NOISE_BEFORE not in fitted("explained").model_.caution  # predictions of rows were counted
    assert NOISE_BEFORE in fitted("linear").model_.caution
    effects = model.explain().filter(pl.col("column") == "age")
    assert effects["deviation"].min() > 0


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"height": 1}, "no column of it.*'age', 'gain', 'day'"),
        ({"sky": 1}, "no number of it"),
        ({"age is missing": 1}, "no number of it"),
        ({"age": 2}, "1 or -1"),
        ({"age": 0}, "1 or -1"),
        ({"age": True}, "1 or -1"),
        ({"age": "+1"}, "1 or -1"),
        (["age"], "1 or -1"),
    ],
)
@pytest.mark.parametrize("cls", [AutoClassifier, LogisticClassifier])
def test_others_are_refused_before_anything_is_spent(cls, asked, said, tmp_path):
    book = Ledger(tmp_path / "book.ledger")
    book.open(Account.of("people", Budget(10.0)))
    learner = cls(SCHEMA, epsilon=1.0, delta=0.0, monotone=asked, ledger=book.path)
    with pytest.raises(ParameterError, match=said):
        learner.fit(FRAME, np.where(SCORE > 0, "yes", "no"))
    assert book.balance().spent == 0


def test_more_classes_are_refused():
    schema = Schema(COLUMNS, label=Label("y", ["no", "so", "yes"]))
    with pytest.raises(ParameterError, match="two classes for monotone, got 3"):
        BoostedTreesClassifier(schema, epsilon=1.0, monotone={"age": 1}).fit(FRAME, np.where(SCORE > 0, "yes", "no"))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_auto_takes_learners_that_can_be_monotone(delta):
    schemas = SCHEMA, Schema([Categorical("c", ["a", "b"]), *COLUMNS[:1]], label=SCHEMA.label)
    for schema in (*schemas, Schema([*COLUMNS, Categorical("many", list(range(2000)))], label=SCHEMA.label)):
        for n_rows in (1, 10, 100, 10_000, 10**6):
            taken = choose(schema, Budget(0.1, delta), n_rows, monotone=True)
            assert hasattr(taken.estimator, "monotone"), taken
    assert choose(SCHEMA, Budget(0.01, delta), 100).learner == "tree"
    assert fitted("auto", epsilon=0.01).choice_.learner == "logistic"


def test_a_search_tries_learners_that_can_be_monotone():
    listed = candidates_of(AutoClassifier(SCHEMA, monotone=SIGNS), "auto", "log-loss")
    assert len(listed) > 2 and all(each.estimator.monotone == SIGNS for each in listed)
    assert sum(head_starts(listed)) == 1
    assert any(
        isinstance(each.estimator, TreeClassifier) for each in candidates_of(AutoClassifier(SCHEMA), "auto", "log-loss")
    )
    labels = np.where(SCORE > 0, "yes", "no")
    found = PaidSearch(AutoClassifier(SCHEMA, monotone=SIGNS), "auto", epsilon=3.0, random_state=0).fit(FRAME, labels)
    assert wrong(found.model_)[0] == 0 and found.model_.monotone == (("age", 1), ("gain", -1))


def test_holdouts_keep_the_order_when_they_calibrate():
    model = fitted("ranks", holdout=0.3).model_
    rows = [FRAME.with_columns(age=pl.lit(each)) for each in (5.0, 90.0)]
    low, high = (model.predict_proba(each, calibrated=True)[:, 1] for each in rows)
    assert (high >= low).all()
