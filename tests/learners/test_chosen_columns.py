"""Columns of categories that are chosen before ranks are learned: which, at what cost, and what a model keeps of it."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest

import tacit.learners.linear.rank_moments as rank_moments
from tacit import Categorical, Identifier, Label, LogisticClassifier, Numeric, Schema
from tacit.audit import Claim, replay
from tacit.audit.neighbors import random_pairs
from tacit.features.ranked_encoding import SHORT, RankedEncoding
from tacit.learners.linear.known_shares import KnownShares
from tacit.models import from_json, to_json
from tacit.table.rows import Rows

WORDS = Schema([Categorical(f"c{at}", ["x", "y", "z"]) for at in range(12)], label=Label("y", ["no", "yes"]))


def of_words(n_rows, seed=1):
    """Draw twelve columns of three categories, of which the sixth tells nine labels of ten and the others little."""
    generator = np.random.default_rng(seed)
    yes = generator.random(n_rows) < 0.4
    frame = {name: generator.choice(["x", "y", "z"], n_rows, p=[0.6, 0.3, 0.1]) for name in WORDS.names}
    frame["c5"] = np.where(yes ^ (generator.random(n_rows) < 0.1), "y", "x")
    return pl.DataFrame(frame), np.where(yes, "yes", "no")


def test_the_column_that_tells_is_chosen_and_others_are_short():
    frame, labels = of_words(1_000)
    # 90 rows times epsilon for each that is chosen, from 270 on of two classes; 1,080 pay for all.
    for epsilon, chosen in ((0.269, 12), (0.27, 3), (0.99, 11), (1.08, 12)):
        model = LogisticClassifier(WORDS, epsilon=epsilon, delta=1e-5, calibration=0, random_state=0).fit(frame, labels)
        [scorer] = model.model_.scorers
        assert len(scorer.short) == 12 - chosen
        choices = [one for one in model.privacy_.releases if one.query.startswith("rows that a column")]
        assert len(choices) == (chosen if chosen < 12 else 0)
        # A fifth of the budget where few are chosen of many, as the exact distribution of Gaussian noise counts it.
        spent = sum(one.loss for one in choices) / sum(one.loss for one in model.privacy_.releases)
        assert spent == pytest.approx(0.2 * (1 - chosen / 12), rel=1e-3)
        assert "c5" not in scorer.short
    longest = scorer.encoding(WORDS).longest
    model = LogisticClassifier(WORDS, epsilon=0.27, delta=1e-5, random_state=0).fit(frame, labels)
    encoding = model.model_.scorers[0].encoding(WORDS)
    # A row of three categories of each column has squares of 3/4; those of short ones are a twenty-fifth.
    assert encoding.longest == pytest.approx(np.sqrt(0.25 + 0.75 * (3 + 9 * SHORT**2)))
    assert encoding.radius == pytest.approx(encoding.longest / 4)
    assert encoding.longest < longest


def test_of_more_classes_one_is_chosen_from_fewer_rows_on():
    frame, labels = of_words(1_000)
    three = Schema(WORDS.columns, label=Label("y", ["p", "q", "r"]))
    labels = np.where(labels == "yes", "q", np.where(frame["c0"] == "x", "p", "r"))
    model = LogisticClassifier(three, epsilon=0.09, delta=1e-5, encoding="ranked", random_state=0).fit(frame, labels)
    assert len(model.model_.scorers[0].short) == 11


def test_of_more_classes_a_number_that_nearly_tells_is_chosen_with_its_empty_cells():
    generator = np.random.default_rng(3)
    classes = generator.integers(3, size=4_000)
    numbers = generator.normal(size=(4_000, 30))
    numbers[:, 4] += 4.0 * classes
    empty = generator.random((4_000, 30)) < 0.1
    frame = pl.DataFrame({f"n{at}": np.where(empty[:, at], np.nan, numbers[:, at]) for at in range(30)}).fill_nan(None)
    schema = Schema([Numeric(name, -5, 15, missing="indicator") for name in frame.columns], label=Label("y", [0, 1, 2]))
    right = []
    for seed in range(3):
        ranked = LogisticClassifier(schema, epsilon=0.12, delta=1e-6, random_state=seed)
        [scorer] = ranked.fit(frame, classes).model_.scorers
        assert len(scorer.short) == 25 and "n4" not in scorer.short  # 90 rows times epsilon for each of five
        with patch("tacit.estimators.logistic.n_selected_columns", return_value=0):
            right.append((ranked.score(frame, classes), ranked.fit(frame, classes).score(frame, classes)))
    chosen, without = np.mean(right, axis=0)
    assert chosen > without + 0.08


def test_columns_are_told_apart_where_classes_are_uneven():
    """Three of twenty columns tell a little, and one class has 80 % of the rows: no category has more of the other."""

    def chosen_right(label, seed):
        generator = np.random.default_rng(seed)
        codes = generator.choice(3, (2_000, 20), p=[0.5, 0.3, 0.2])
        odds = codes[:, :3].sum(axis=1) + generator.logistic(size=2_000)
        frame = pl.DataFrame({f"c{at}": codes[:, at].astype(str) for at in range(20)})
        labels = np.where(odds > np.quantile(odds, 0.8), "yes", "no")
        schema = Schema([Categorical(name, ["0", "1", "2"]) for name in frame.columns], label=label)
        model = LogisticClassifier(schema, epsilon=0.6, delta=1e-5, encoding="ranked", random_state=seed)
        [scorer] = model.fit(frame, labels).model_.scorers
        return len({"c0", "c1", "c2"} - set(scorer.short))

    for settings in ({}, {"prevalence": [0.8, 0.2]}, {"private": False}):
        # By chance 13 of 20 columns would hold 1.95 of the three.
        found = [chosen_right(Label("y", ["no", "yes"], **settings), seed) for seed in range(8)]
        assert np.mean(found) > 2.5


def test_a_choice_is_worth_its_budget():
    frame, labels = of_words(1_500, seed=2)
    given, rest = (frame[:500], labels[:500]), (frame[500:], labels[500:])

    def accuracy(chosen):
        with patch("tacit.estimators.logistic.n_selected_columns", return_value=chosen):
            settings = {"epsilon": 0.2, "delta": 1e-5, "encoding": "ranked"}
            fits = (LogisticClassifier(WORDS, random_state=seed, **settings).fit(*given) for seed in range(16))
            return np.mean([model.score(*rest) for model in fits])

    assert accuracy(1) > accuracy(0) + 0.05


@pytest.mark.parametrize("label", [Label("y", ["no", "yes"]), Label("y", ["p", "q", "r"])])
def test_a_model_of_chosen_columns_is_kept_whole(label):
    frame, labels = of_words(1_000)
    labels = (
        labels if len(label.classes) == 2 else np.where(labels == "yes", "q", np.where(frame["c0"] == "x", "p", "r"))
    )
    schema = Schema(WORDS.columns, label=label)
    model = LogisticClassifier(schema, epsilon=0.3, delta=1e-5, random_state=0).fit(frame, labels)
    assert model.model_.scorers[0].short
    again = from_json(to_json(model.model_, allow="simulated"))
    assert (again.decision_function(frame) == model.decision_function(frame)).all()
    parts = model.model_.explain(frame[:50]).group_by("row", "class").agg(pl.col("contribution").sum())
    scores = model.decision_function(frame[:50])
    if len(label.classes) == 2:
        told = parts.filter(pl.col("class") == "yes").sort("row")["contribution"]
        assert told.to_numpy() == pytest.approx(scores)
    else:
        told = parts.sort("row", "class")["contribution"].to_numpy().reshape(50, 3)
        assert told == pytest.approx(scores)


def test_moments_of_short_columns_are_those_of_drawn_rows():
    generator = np.random.default_rng(3)
    codes = {name: generator.choice(3, 20_000, p=[0.6, 0.3, 0.1]) for name in WORDS.names}
    encoding = replace(RankedEncoding(WORDS, WORDS.names, 1.0), short=WORDS.names[4:])
    encoding = replace(encoding, radius=encoding.longest / 4)
    rows = encoding.transform(Rows(codes, 20_000)).astype(float)
    squares = np.concatenate([np.bincount(codes[name], minlength=3) / 20_000 for name in WORDS.names])
    found = rank_moments.independent_moments(encoding, np.zeros(0), squares)
    assert found == pytest.approx(rows.T @ rows / 20_000, abs=2e-4)


@pytest.mark.parametrize(("columns", "label"), [(["a", "b", "c", "d"], True), (["a", "b", "c"], False)])
def test_choices_are_replayed_within_their_shares(columns, label):
    names = ["a", "b", "c", "d"]
    schema = Schema([Categorical(name, ["x", "y"]) for name in names], label=Label("y", ["u", "v"]))
    schema = schema.with_private(columns, label=label)
    with patch("tacit.estimators.logistic.n_selected_columns", return_value=1):
        found = replay(
            lambda: LogisticClassifier(schema, epsilon=2.0, delta=1e-3, encoding="ranked", calibration=0),
            islice(random_pairs(schema), 8),
            claim=Claim(2.0, 1e-3),
            search=8,
        )
    assert found.verdict == "not refuted"
    assert all(control.caught for control in found.controls if control.broken)


def test_classes_of_persons_with_several_rows_are_weighed_by_their_rows():
    frame, labels = of_words(3_000)
    frame = frame.with_columns(who=pl.Series(np.repeat(np.arange(1_000), 3)))
    schema = Schema(WORDS.columns, label=WORDS.label, identifier=Identifier("who", rows=3))
    weights = []

    own = KnownShares.weights.fget

    def keeping(known):
        weights.append(own(known))
        return weights[-1]

    with patch.object(KnownShares, "weights", property(keeping)):
        for seed in range(8):
            settings = {"epsilon": 0.7, "delta": 1e-5, "encoding": "ranked", "random_state": seed}
            LogisticClassifier(schema, **settings).fit(frame, labels)
    # 60 % say no: of each a little more than two thirds count, as noise of three percent draws shares toward even ones.
    assert np.mean(weights, axis=0) == pytest.approx([0.71, 1.0], abs=0.08)


def test_a_base_rate_is_not_put_down_to_columns_that_tell_nothing():
    listed = []
    for seed in range(8):
        generator = np.random.default_rng(seed)
        rates = np.exp(generator.uniform(np.log(0.005), np.log(0.5), 20))
        yes, labels = generator.random((4_000, 20)) < rates, (generator.random(4_000) < 0.1).astype(int)
        frame = pl.DataFrame({f"c{at}": np.where(yes[:, at], "yes", "no") for at in range(20)})
        schema = Schema([Categorical(name, ["no", "yes"]) for name in frame.columns], label=Label("y", [0, 1]))
        model = LogisticClassifier(schema, epsilon=0.25, delta=1e-5, encoding="ranked", random_state=seed)
        listed.append((model.fit(frame, labels).model_.explain()["verdict"] == "finding").sum())
        assert any("column alone" in release.query for release in model.privacy_.releases)
    # With 4 % of the budget for means half of such fits listed a finding, most of them several.
    assert sum(count > 0 for count in listed) <= 2
