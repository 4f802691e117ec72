"""Trees of literals as a model writes them: rows find their leaves, words say so, damage is refused."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit.errors import ModelFileError
from tacit.features import BinEncoding
from tacit.features.literals import Literal
from tacit.models import Leaf, LiteralTree, LiteralTreeRule, Question
from tacit.models.literal_tree import DEEPEST
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import read_rows

SCHEMA = Schema(
    [Numeric("age", 0, 100, cuts=[18, 65]), Categorical("sky", ["clear", "gray", "red"])],
    label=Label("y", ["no", "yes"]),
)
NODES = (
    Question(Literal("age", 0, 0), 1, 2),
    Leaf((1.0, 0.0)),
    Question(Literal("sky", 1, 1), 3, 4),
    Leaf((0.25, 0.75)),
    Leaf((0.5, 0.5)),
)
ROWS = read_rows(pl.DataFrame({"age": [18.0, 18.5, 90.0], "sky": ["gray", "gray", "red"]}), SCHEMA)


def test_rows_find_their_leaves():
    tree = LiteralTree(NODES)
    assert tree.scores(ROWS, SCHEMA).tolist() == [-1.0, 0.5, 0.0]
    assert tree.probabilities(ROWS, SCHEMA).tolist() == [[1, 0], [0.25, 0.75], [0.5, 0.5]]
    assert (tree.depth, tree.reach) == (2, 1.0)


def test_a_rule_decides_as_its_leaves_do():
    encoding = BinEncoding(SCHEMA, SCHEMA.names)
    assert LiteralTreeRule(NODES).decide(encoding.transform(ROWS), encoding).tolist() == [False, True, False]
    LiteralTreeRule(NODES).check(encoding)


def test_words():
    assert LiteralTree(NODES).words(SCHEMA) == (
        "age at most 18: no (1.00)",
        "age above 18:",
        "  sky is gray: yes (0.75)",
        "  sky is not gray: no (0.50)",
    )
    assert LiteralTree((Leaf((0.1, 0.9)),)).words(SCHEMA) == ("always: yes (0.90)",)


@pytest.mark.parametrize(
    "nodes",
    [
        (),
        (Question(Literal("age", 0, 0), 0, 1), Leaf((1.0, 0.0))),
        (Question(Literal("age", 0, 0), 1, 1), Leaf((1.0, 0.0))),
        (Question(Literal("age", 0, 0), 1, 5), Leaf((1.0, 0.0))),
        (Leaf((1.0, 0.0)), Leaf((1.0, 0.0))),
    ],
)
def test_nodes_that_are_no_tree_are_refused(nodes):
    with pytest.raises(ModelFileError, match="earlier parent"):
        LiteralTree(nodes)


def chain(depth):
    asked = [
        node for at in range(depth) for node in (Question(Literal("age", 0, 0), 2 * at + 1, 2 * at + 2), Leaf((1, 0)))
    ]
    return (*asked, Leaf((0.0, 1.0)))


def test_a_tree_deeper_than_any_that_is_grown_is_refused():
    assert LiteralTree(chain(DEEPEST)).depth == DEEPEST
    assert len(LiteralTree(chain(DEEPEST)).words(SCHEMA)) == 2 * DEEPEST
    for make in (LiteralTree, LiteralTreeRule):
        with pytest.raises(ModelFileError, match=f"at most {DEEPEST} questions.*depth={DEEPEST + 1}"):
            make(chain(DEEPEST + 1))


@pytest.mark.parametrize(
    "node",
    [
        Question(Literal("wind", 0, 0), 1, 2),
        Question(Literal("age", 0, 2), 1, 2),
        Question(Literal("age", 2, 1), 1, 2),
        Question(Literal("sky", 4, 4), 1, 2),
    ],
)
def test_questions_that_do_not_fit_are_refused(node):
    with pytest.raises(ModelFileError, match="fit the schema"):
        LiteralTree((node, Leaf((1.0, 0.0)), Leaf((1.0, 0.0)))).check(SCHEMA)


@pytest.mark.parametrize("shares", [(1.0,), (0.5, 0.25, 0.25), (-0.1, 1.1)])
def test_leaves_that_do_not_fit_are_refused(shares):
    with pytest.raises(ModelFileError, match="fit the schema"):
        LiteralTree((Leaf(shares),)).check(SCHEMA)


def test_probabilities_of_a_weightless_leaf_stay_finite():
    assert np.isfinite(LiteralTree(NODES).probabilities(ROWS, SCHEMA)).all()
