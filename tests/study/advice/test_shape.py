"""What a schema comes to in numbers, and which situations are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tacit import Categorical, Label, Numeric, Schema
from tacit.errors import ParameterError
from tacit.study.advice import Shape, Situation

SCHEMA = Schema(
    [
        Numeric("age", 0, 90),
        Numeric("hours", 0, 99, cuts=[20, 40]),
        Categorical("sex", ["F", "M"]),
        Categorical("work", ["a", "b", "c"], other=True, private=False),
    ],
    label=Label("ill", ["no", "some", "yes"]),
)


def test_under_a_private_label_every_column_is_charged():
    shape = Shape.of(SCHEMA)
    assert (shape.columns, shape.private_columns, shape.charged_columns) == (4, 3, 4)
    assert (shape.public_label, shape.classes, shape.categorical_columns) == (False, 3, 2)
    assert shape.width == 8 + 3 + 2 + 4
    assert shape.literals == 31 + 2 + 1 + 4


def test_under_a_public_label_only_private_columns_are_charged():
    shape = Shape.of(SCHEMA.with_private(SCHEMA.private_columns, label=False))
    assert (shape.private_columns, shape.charged_columns, shape.categorical_columns) == (3, 3, 1)
    assert (shape.width, shape.literals) == (8 + 3 + 2, 31 + 2 + 1)
    assert shape.public_label


def test_columns_that_tell_nothing_have_no_literals():
    schema = Schema([Categorical("only", ["one"])], label=Label("y", [0, 1]))
    assert Shape.of(schema).literals == 0


def test_too_many_categories_are_named():
    schema = Schema([Categorical("zip", range(300))], label=Label("y", [0, 1]))
    with pytest.raises(ParameterError, match="'zip'"):
        Shape.of(schema)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rows": 0}, "rows from 1"),
        ({"rows": -5}, "rows from 1"),
        ({"rows": True}, "rows from 1"),
        ({"rows": 10**13}, "rows from 1"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"epsilon": 1e7}, r"to 1e\+06"),
        ({"delta": 0.001}, "below 1/n_rows"),
        ({"delta": -1.0}, "delta"),
    ],
)
def test_absurd_situations_are_refused(situation, changes, words):
    with pytest.raises(ParameterError, match=words):
        replace(situation, **changes)


def test_nothing_protected_needs_no_advice():
    public = SCHEMA.with_private((), label=False)
    with pytest.raises(ParameterError, match="take any learner"):
        Situation.of(public, rows=100, epsilon=1.0)
    labels_alone = SCHEMA.with_private((), label=True)
    assert Situation.of(labels_alone, rows=100, epsilon=1.0).shape.charged_columns == 4
