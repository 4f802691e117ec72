"""Meta-features of schemas, and which queries are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tacit import Categorical, Label, Numeric, Schema
from tacit.errors import ParameterError
from tacit.study.advice import MetaFeatures, Query

SCHEMA = Schema(
    [
        Numeric("age", 0, 90),
        Numeric("hours", 0, 99, cuts=[20, 40]),
        Categorical("sex", ["F", "M"]),
        Categorical("work", ["a", "b", "c"], other=True, private=False),
    ],
    label=Label("ill", ["no", "some", "yes"]),
)


def test_under_a_private_label_every_column_is_protected():
    meta_features = MetaFeatures.of(SCHEMA)
    assert (meta_features.columns, meta_features.private_columns, meta_features.protected_columns) == (4, 3, 4)
    assert (meta_features.public_label, meta_features.classes, meta_features.categorical_columns) == (False, 3, 2)
    assert meta_features.width == 8 + 3 + 2 + 4
    assert meta_features.literals == 31 + 2 + 1 + 4


def test_under_a_public_label_only_private_columns_are_protected():
    meta_features = MetaFeatures.of(SCHEMA.with_private(SCHEMA.private_columns, label=False))
    assert (meta_features.private_columns, meta_features.protected_columns, meta_features.categorical_columns) == (
        3,
        3,
        1,
    )
    assert (meta_features.width, meta_features.literals) == (8 + 3 + 2, 31 + 2 + 1)
    assert meta_features.public_label


def test_columns_that_tell_nothing_have_no_literals():
    schema = Schema([Categorical("only", ["one"])], label=Label("y", [0, 1]))
    assert MetaFeatures.of(schema).literals == 0


def test_too_many_categories_are_named():
    schema = Schema([Categorical("zip", range(70_000))], label=Label("y", [0, 1]))
    with pytest.raises(ParameterError, match="'zip'"):
        MetaFeatures.of(schema)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rows": 0}, r"a whole number from 1 to 1e\+12, got rows="),
        ({"rows": -5}, r"a whole number from 1 to 1e\+12, got rows="),
        ({"rows": True}, r"a whole number from 1 to 1e\+12, got rows="),
        ({"rows": 10**13}, r"a whole number from 1 to 1e\+12, got rows="),
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"epsilon": 1e7}, r"to 1e\+06"),
        ({"delta": 0.001}, "below 1/n_rows"),
        ({"delta": -1.0}, "delta"),
    ],
)
def test_absurd_queries_are_refused(query, changes, words):
    with pytest.raises(ParameterError, match=words):
        replace(query, **changes)


def test_nothing_protected_needs_no_advice():
    public = SCHEMA.with_private((), label=False)
    with pytest.raises(ParameterError, match="take any learner"):
        Query.of(public, rows=100, epsilon=1.0)
    labels_alone = SCHEMA.with_private((), label=True)
    assert Query.of(labels_alone, rows=100, epsilon=1.0).meta_features.protected_columns == 4
