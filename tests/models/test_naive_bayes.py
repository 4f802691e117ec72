"""A released naive Bayes: right scores, whole files, damage refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tacit.errors import ModelFileError
from tacit.models import BinTable, Model, NaiveBayesModel, NormalTable, from_json, to_json
from tacit.privacy import Guarantee
from tacit.schema import Categorical, Label, Numeric, Schema

PUBLIC = Guarantee("public", (), False, 10, 0.0, 0.0, "pure", None, (), "none", (), (), ())
SCHEMA = Schema(
    [Numeric("x", -1, 1), Categorical("c", ["a", "b"])], label=Label("y", ["no", "yes"], private=False)
).with_private([], label=False)
SCORER = NaiveBayesModel(
    intercepts=(0.0, 0.25),
    slope=0.5,
    tables=(NormalTable("x", (-0.5, 0.5), (0.25, 0.25)), BinTable("c", ((0.0, 1.0), (0.0, -2.0)))),
    n_bins=8,
)
MODEL = Model("naive-bayes", SCHEMA, (SCORER,), PUBLIC, "coerce")
ROWS = np.asarray([[0.5, "a"], [-0.25, "b"], [0.0, "other"]], dtype=object)


def test_scores_by_hand():
    # evidence of x: ((x + 0.5)^2 - (x - 0.5)^2) / (2 * 0.25) = 4 x
    assert MODEL.decision_function(ROWS) == pytest.approx([0.25 + 0.5 * (2 + 1), 0.25 + 0.5 * (-1 - 2), 0.25], abs=1e-5)
    assert MODEL.predict(ROWS).tolist() == ["yes", "no", "yes"]


def test_a_variance_of_which_twice_is_no_float_says_next_to_nothing_without_a_warning():
    wide = replace(SCORER, tables=(NormalTable("x", (-0.5, 0.5), (1.5e308, 1.5e308)),))
    scores = replace(MODEL, scorers=(wide,)).decision_function(ROWS)
    assert scores == pytest.approx([0.25] * 3)


def test_probabilities_are_those_of_the_scores():
    assert MODEL.predict_proba(ROWS)[:, 1] == pytest.approx(1 / (1 + np.exp(-MODEL.decision_function(ROWS))))


def test_a_file_gives_the_same_scores():
    again = from_json(to_json(MODEL))
    assert again == MODEL
    assert (again.decision_function(ROWS) == MODEL.decision_function(ROWS)).all()


def test_three_classes_have_one_score_each():
    schema = Schema([SCHEMA.column("c")], label=Label("y", ["l", "m", "n"], private=False))
    scorer = NaiveBayesModel((0.0, 1.0, 0.0), 1.0, (BinTable("c", ((0.0, 0.0, 5.0), (0.0, 0.0, 0.0))),), 8)
    model = Model("naive-bayes", schema, (scorer,), PUBLIC)
    assert model.decision_function(ROWS[:2, 1:]).tolist() == [[0.0, 1.0, 5.0], [0.0, 1.0, 0.0]]
    assert model.predict(ROWS[:2, 1:]).tolist() == ["n", "m"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"intercepts": (0.0,)},
        {"slope": float("nan")},
        {"n_bins": 1},
        {"tables": SCORER.tables * 2},
        {"tables": (BinTable("d", ((0.0, 0.0),)),)},
        {"tables": (BinTable("c", ((0.0, 0.0),)),)},
        {"tables": (BinTable("c", ((0.0,), (0.0,))),)},
        {"tables": (NormalTable("x", (0.0, 0.0), (0.0, 1.0)),)},
        {"tables": (NormalTable("c", (0.0, 0.0), (1.0, 1.0)),)},
        {"tables": (NormalTable("x", (0.0,), (1.0, 1.0)),)},
    ],
)
def test_damage_is_refused(wrong):
    with pytest.raises(ModelFileError):
        Model("naive-bayes", SCHEMA, (replace(SCORER, **wrong),), PUBLIC)


def test_words_by_hand():
    # x: 4 x at slope 1/2 reaches from -2 to 2; the category reaches 1.
    assert SCORER.words(SCHEMA) == (
        "x, scaled to [-1, 1]: no: mean -0.50, deviation 0.50; yes: mean 0.50, deviation 0.50",
        "c is a: +0.50 for yes",
        "c is b: -1.00 for yes",
    )


def test_words_of_three_classes_name_the_one_that_leads():
    schema = Schema([SCHEMA.column("c")], label=Label("y", ["l", "m", "n"], private=False))
    scorer = NaiveBayesModel((0.0, 0.0, 0.0), 1.0, (BinTable("c", ((0.0, 0.0, 6.0), (3.0, 0.0, 0.0))),), 8)
    assert scorer.words(schema) == ("c is a: +4.00 for n", "c is b: +2.00 for l")
