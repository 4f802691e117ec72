"""Boosted trees as released: scores, probabilities, curves and words by hand, and what a file may not hold."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from scipy.special import expit, softmax

from tacit.errors import ModelFileError
from tacit.features.literals import Literal
from tacit.features.oblivious import Subset
from tacit.features.ranked_encoding import RankedEncoding
from tacit.models import BoostedTreesModel, ObliviousTree, RankedModel
from tacit.models.boosted_trees import MAX_VALUE, STEPS
from tacit.models.noise import ColumnNoise
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import read_rows

SCHEMA = Schema([Numeric("x", 0, 10, cuts=[2, 5]), Categorical("c", ["a", "b", "d"])], label=Label("y", ["no", "yes"]))
THREE = Schema(SCHEMA.columns, label=Label("y", ["p", "q", "r"]))
ROWS = [[1, "a"], [1, "b"], [7, "d"], [4, "b"]]
BOTH = ObliviousTree((Literal("x", 0, 0), Subset("c", (0, 2))), ((0, STEPS, 2 * STEPS, -4 * STEPS),))
BY_X = ObliviousTree((Literal("x", 0, 1), Literal("x", 0, 0)), ((STEPS, 7 * STEPS, -STEPS, 3 * STEPS),))
BY_C = ObliviousTree((Subset("c", (1,)),), ((0, STEPS // 2),))
RADIUS = RankedEncoding(SCHEMA, ("x",), inf).longest
NOISE = ColumnNoise("x", (0.5, 0.25, 0.25), ((0.1, 0.1, 0.1),), released=False)
RANKS = RankedModel(("x",), ((0.5, 3.0),), RADIUS)


def rows(schema=SCHEMA):
    return read_rows(ROWS, schema)


def test_scores_and_probabilities_by_hand():
    model = BoostedTreesModel((STEPS // 4,), (BOTH, BY_X))
    # Leaves of BOTH: (x at most 2, c in {a, d}) = 11, 10, 01, 00; of BY_X: 11, 11, 00, 10.
    expected = [0.25 - 4 + 3, 0.25 + 2 + 3, 0.25 + 1 + 1, 0.25 + 0 - 1]
    assert model.scores(rows(), SCHEMA).tolist() == expected
    assert model.probabilities(rows(), SCHEMA) == pytest.approx(
        np.stack([expit(-np.asarray(expected)), expit(expected)], 1)
    )
    stages = list(model.staged_scores(rows(), SCHEMA))
    assert [stage.tolist() for stage in stages] == [[-3.75, 2.25, 1.25, 0.25], expected]


def test_ranks_say_the_score_before_the_first_tree():
    model = BoostedTreesModel((7 * STEPS,), (BY_C,), first=RANKS)
    # Ranks are -1, -1/3, 1/3, 1 at 0, 2, 5, 10; the constant feature is a half.
    ranks = np.asarray([-2 / 3, -2 / 3, 0.6, 1 / 9])
    expected = 0.25 + 3 * ranks + [0, 0.5, 0, 0.5]
    assert model.scores(rows(), SCHEMA) == pytest.approx(expected, abs=1e-3)
    assert (model.scores(rows(), SCHEMA) * STEPS % 1 == 0).all()
    [stage] = model.staged_scores(rows(), SCHEMA)
    assert (stage == model.scores(rows(), SCHEMA)).all()
    assert model.class_shares[1] == pytest.approx(expit(7))
    assert not model.is_additive
    assert model.importances(SCHEMA) == {"x": 6.0, "c": 0.5}
    assert model.words(SCHEMA) == (
        "x moves the score by 6.00, in ranks", "c moves the score by 0.50, in ranks and 1 tree",
        "ranks: +3 x", "ranks: +0.5 always",
    )  # fmt: skip


def test_ranks_of_three_classes_come_first():
    first = RankedModel(("x",), ((0.0, 3.0), (0.0, 0.0), (1.0, -3.0)), RADIUS)
    found = BoostedTreesModel((0, 0, 0), (), first=first).scores(rows(THREE), THREE)
    assert found == pytest.approx(np.asarray([[-2, 0, 2.5], [-2, 0, 2.5], [1.8, 0, -1.3], [1 / 3, 0, 1 / 6]]), abs=1e-3)


def test_ranks_of_clipped_rows_move_the_score_as_far_as_those_of_usual_length():
    """The mean squared length of x and a constant of 1/2 is the root of 1/3 + 1/4."""
    short = replace(RANKS, radius=0.25 * RADIUS)
    moved = 6.0 * 0.25 * np.sqrt(1.25) / np.sqrt(1 / 3 + 1 / 4)
    assert BoostedTreesModel((0,), (), first=short).importances(SCHEMA)["x"] == pytest.approx(moved)


def test_a_quadratic_term_counts_in_how_far_a_column_moves_the_score():
    bent = RankedModel(
        ("x",), ((0.0, 0.0, 1.0),), RankedEncoding(SCHEMA, ("x",), inf, quadratic=True).longest, bends=True
    )
    assert BoostedTreesModel((0,), (), first=bent).importances(SCHEMA)["x"] == pytest.approx(0.9)  # from -0.3 to 0.6


def test_three_classes_by_hand():
    tree = ObliviousTree((Literal("x", 0, 0),), ((0, STEPS), (STEPS, 0), (0, -STEPS)))
    model = BoostedTreesModel((STEPS, 0, 0), (tree,))
    assert model.scores(rows(THREE), THREE).tolist() == [[2, 0, -1], [2, 0, -1], [1, 1, 0], [1, 1, 0]]
    assert model.probabilities(rows(THREE), THREE)[0] == pytest.approx(softmax([2, 0, -1]))


def test_importances_leave_out_leaves_that_no_row_reaches():
    model = BoostedTreesModel((0,), (BOTH, BY_X))
    # BOTH: x moves 2 where c is b, 5 elsewhere; c moves 1 and 6. BY_X: leaf 01, of 7, is out of reach.
    assert model.importances(SCHEMA) == {"x": 3.5 + 4.0, "c": 3.5}
    assert list(model.importances(SCHEMA)) == ["x", "c"]
    assert model.words(SCHEMA) == ("x moves the score by 7.50, in 2 trees", "c moves the score by 3.50, in 1 tree")


def test_an_additive_model_is_a_sum_of_curves():
    model = BoostedTreesModel((STEPS,), (BY_X, BY_C, BY_C))
    assert model.is_additive
    assert not BoostedTreesModel((0,), (BOTH,)).is_additive
    curves = model.curves(SCHEMA)
    assert curves["x"].tolist() == [[3, -1, 1]]
    assert curves["c"].tolist() == [[0, 1, 0, 0]]
    codes = model.encoding(SCHEMA).transform(rows())
    assert model.scores(rows(), SCHEMA) == pytest.approx(1 + curves["x"][0, codes[:, 0]] + curves["c"][0, codes[:, 1]])
    assert model.words(SCHEMA) == (
        "x moves the score by 4.00, in 1 tree", "c moves the score by 1.00, in 2 trees",
        "x at most 2: +3.00 for yes", "x above 2 and at most 5: -1.00 for yes", "x above 5: +1.00 for yes",
        "c is a: +0.00 for yes", "c is b: +1.00 for yes", "c is d: +0.00 for yes",
    )  # fmt: skip


def test_a_model_of_no_tree_says_and_scores_its_start():
    model = BoostedTreesModel((STEPS,), ())
    assert model.scores(rows(), SCHEMA).tolist() == [1.0] * 4
    assert model.words(SCHEMA) == ()


@pytest.mark.parametrize(
    "model",
    [
        BoostedTreesModel((0, 0), ()),
        BoostedTreesModel((MAX_VALUE + 1,), ()),
        BoostedTreesModel((0,), (replace(BY_C, values=((0, -MAX_VALUE - 1),)),)),
        BoostedTreesModel((0,), (replace(BY_C, values=((0, 10**19),)),)),
        BoostedTreesModel((0,), (replace(BY_C, values=((0, 1, 2),)),)),
        BoostedTreesModel((0,), (replace(BY_C, values=((0, 1), (0, 1))),)),
        BoostedTreesModel((0,), (replace(BY_C, values=()),)),
        BoostedTreesModel((0,), (replace(BY_C, tests=(), values=((0,),)),)),
        BoostedTreesModel((0,), (ObliviousTree(BY_C.tests * 9, ((0,) * 512,)),)),
        BoostedTreesModel((0,), (replace(BY_C, tests=(Literal("x", 0, 2),)),)),
        BoostedTreesModel((0,), (replace(BY_C, tests=(Literal("x", 1, 1),)),)),
        BoostedTreesModel((0,), (replace(BY_C, tests=(Literal("z", 0, 0),)),)),
        *(
            BoostedTreesModel((0,), (replace(BY_C, tests=(Subset("c", codes),)),))
            for codes in ((), (1, 0), (1, 1), (4,), (-1,))
        ),
        BoostedTreesModel((0,), (replace(BY_C, tests=(Subset("x", (0,)),)),)),
        BoostedTreesModel((0,), (BY_C,), cuts=(("c", (1.0,)),)),
        BoostedTreesModel((0,), (BY_C,), cuts=(("x", (5.0, 2.0)),)),
        BoostedTreesModel((0,), (BY_C,) * 1001),
        BoostedTreesModel((0,), (BY_C,), first=replace(RANKS, columns=("z",))),
        BoostedTreesModel((0,), (BY_C,), first=replace(RANKS, weights=((0.5,),))),
        BoostedTreesModel((0,), (BY_C,), first=replace(RANKS, weights=RANKS.weights * 3)),
        BoostedTreesModel((0,), (BY_C,), first=replace(RANKS, cuts=(("x", (5.0, 2.0)),))),
        BoostedTreesModel((0,), (BY_C,), first=replace(RANKS, noise=(NOISE,))),
    ],
)  # fmt: skip
def test_what_a_file_may_not_hold(model):
    with pytest.raises(ModelFileError):
        model.check(SCHEMA)


def test_what_a_file_may_hold():
    BoostedTreesModel((0,), (BY_C,), first=replace(RANKS, cuts=(("x", (3.0,)),))).check(SCHEMA)
    BoostedTreesModel((MAX_VALUE,), (BOTH, BY_X, BY_C) * 300, cuts=(("x", (3.0, 4.0)),)).check(SCHEMA)
