"""Public links of scores that are no log-odds: right order, no certainty, and the class that is predicted."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import Categorical, Label, LazyBBClassifier, Numeric, Schema, SVMClassifier
from tacit.features.literals import Literal
from tacit.models.literal_votes import LiteralRule, LiteralVoteModel
from tacit.rules.measures import MAX_LOG_ODDS
from tacit.table import Rows

SKY = Schema([Categorical("sky", ["clear", "gray"])], label=Label("rain", ["no", "yes"]))


def test_a_few_votes_by_hand_and_many_without_certainty():
    rows = Rows({"sky": np.asarray([0, 1], dtype=np.int32)}, 2)
    rule = LiteralRule(Literal("sky", 1, 1))
    odds = 3 * np.tanh(0.4 / 3)
    one = LiteralVoteModel((rule,)).probabilities(rows, SKY)
    assert one[:, 1] == pytest.approx([1 / (1 + np.exp(odds)), 1 / (1 + np.exp(-odds))])
    many = LiteralVoteModel((rule,) * 99).probabilities(rows, SKY)
    assert many[:, 1] == pytest.approx([1 / (1 + np.exp(MAX_LOG_ODDS)), 1 / (1 + np.exp(-MAX_LOG_ODDS))], abs=1e-6)


@pytest.mark.parametrize("learner", [LazyBBClassifier, SVMClassifier])
def test_of_three_classes_the_likeliest_is_predicted(learner):
    x = np.random.default_rng(0).uniform(-1, 1, 3_000)
    labels = np.asarray(["a", "b", "c"])[np.digitize(x, [-0.3, 0.3])]
    schema = Schema([Numeric("x", -1, 1)], label=Label("y", ["a", "b", "c"]))
    model = learner(schema, epsilon=20.0).fit(pl.DataFrame({"x": x}), labels)
    likely = model.predict_proba(pl.DataFrame({"x": x}))
    assert likely.sum(axis=1) == pytest.approx(1)
    assert (model.classes_[likely.argmax(axis=1)] == model.predict(pl.DataFrame({"x": x}))).all()
