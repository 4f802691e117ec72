"""Quantities of a query outside the range of past experiments."""

from __future__ import annotations

import pytest

from study.advice.hand_made import asked, past_studies
from tacit import Label, Numeric, Schema
from tacit.privacy import zcdp_rho
from tacit.study.advice import Query
from tacit.study.advice.similarity import outside_range, uncovered_trait

PAST = past_studies({}, {"rows": 10_000, "epsilon": 0.1, "classes": 3}, {"delta": 1e-5})


def quantities(**changes):
    return [each.quantity for each in outside_range(PAST, asked(**changes))]


def test_between_what_was_tried_is_inside():
    assert quantities() == []
    assert quantities(rows=5000, epsilon=0.2) == []
    assert quantities(rows=10_000, epsilon=0.1, classes=3) == []


def test_each_quantity_is_named_with_its_ends():
    assert quantities(rows=100_000, epsilon=0.01) == ["rows", "epsilon"]
    assert quantities(rows=10_000, epsilon=1.0) == ["rows x epsilon"]
    assert quantities(protected_columns=11) == ["protected columns"]
    assert quantities(width=7, literals=5000) == ["one-hot width", "literals"]
    (found,) = outside_range(PAST, asked(classes=12))
    assert str(found) == "classes = 12 is above 3"
    assert str(outside_range(PAST, asked(epsilon=0.5, rows=1000))[0]) == "rows x epsilon = 500 is below 1,000"


def test_budgets_with_a_delta_are_compared_with_such():
    assert quantities(delta=1e-5) == []
    assert quantities(delta=1e-5, classes=3) == ["classes"]  # three classes were tried without a delta alone


def test_a_budget_of_another_delta_counts_as_that_of_the_same_rho():
    assert PAST.deltas == [1e-5]
    schema = Schema([Numeric("a", 0, 1)], label=Label("y", [0, 1]))
    for delta in (1e-8, 1e-6, 1e-4):
        described = Query.of(schema, rows=1000, epsilon=1.0, delta=delta).frame(PAST.deltas)
        assert described["delta"].item() == 1e-5
        assert zcdp_rho(described["epsilon"].item(), 1e-5) == pytest.approx(zcdp_rho(1.0, delta), rel=1e-6)
        assert (described["epsilon"].item() < 1) == (delta < 1e-5)
    for delta in (0.0, 1e-5):
        described = Query.of(schema, rows=1000, epsilon=1.0, delta=delta).frame(PAST.deltas)
        assert described["epsilon", "delta"].row(0) == (1.0, delta)


def test_a_combination_that_is_like_none_names_its_trait():
    assert uncovered_trait(PAST, asked()) is None
    assert uncovered_trait(PAST, asked(rows=2000, epsilon=0.5)) is None
    apart = past_studies(
        {"categorical_columns": 0, "public_label": True, "columns": 20}, {"rows": 10**6, "epsilon": 1e-3, "columns": 20}
    )
    mixed = asked(categorical_columns=10, columns=10)
    assert uncovered_trait(apart, mixed) == "share of categorical columns"
    assert outside_range(apart, mixed) == ()


def test_where_one_kind_of_budget_was_never_tried_that_is_what_is_said():
    with_delta = past_studies({"delta": 1e-5}, {"delta": 1e-5, "source": "b"})
    assert (
        outside_range(with_delta, asked())
        == outside_range(PAST.where(PAST.frame["delta"].to_numpy() == 0), asked(delta=1e-5))
        == ()
    )
    assert uncovered_trait(with_delta, asked()) == "kind of budget (with a delta, or without)"
    assert uncovered_trait(with_delta, asked(delta=1e-5)) is None
