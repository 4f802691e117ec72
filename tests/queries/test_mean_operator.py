"""The mean operator: by hand, and its largest movement in the gauge."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from harness.neighbors import all_pairs, table_of
from tacit.features import LinearEncoding
from tacit.queries import Design, LinearProblem, Offset, residual_sums
from tacit.schema import Categorical, Label, Numeric, Schema

COLUMNS = [Numeric("x", -1, 1), Categorical("c", ["a", "b"])]


def problem_of(table, offset=None):
    design = Design(LinearEncoding(table.schema, table.schema.names, "one-hot"))
    empty = LinearEncoding(table.schema, ())
    return LinearProblem(table, design, None if offset is None else Offset(empty, np.zeros(0), offset))


def test_by_hand():
    schema = Schema(COLUMNS, label=Label("y", [0, 1]))
    table = table_of(((0.5, "a", 1), (-1.0, "b", 0)), schema)
    assert residual_sums(problem_of(table)).unreleased_value == pytest.approx([0.75, 0.5, -0.5, 0.0])
    shifted = residual_sums(problem_of(table, 1.0))
    residuals = np.asarray([1, 0]) - expit(1.0)
    assert shifted.unreleased_value == pytest.approx([0.5 * residuals[0] - residuals[1], *residuals, residuals.sum()])


@pytest.mark.parametrize("label", [True, False])
@pytest.mark.parametrize("offset", [None, -1.5])
def test_the_largest_movement_is_the_sensitivity(label, offset):
    schema = Schema(COLUMNS, label=Label("y", [0, 1], private=label))
    worst = 0.0
    for pair in all_pairs(schema, 2):
        one, two = (residual_sums(problem_of(table, offset)) for table in pair.tables())
        worst = max(worst, one.ball.gauge(one.unreleased_value - two.unreleased_value) / one.sensitivity)
        assert one.sensitivity == two.sensitivity
    assert 0.999 < worst <= 1 + 1e-12


def test_the_error_counts_each_strip_of_each_block():
    """20 rows: by default one strip; in blocks of one row 20, whose sums are added one after the other."""
    schema = Schema(COLUMNS, label=Label("y", [0, 1]))
    rows = ((0.5, "a", 1), (-1.0, "b", 0)) * 10
    whole, single = (residual_sums(problem_of(table_of(rows, schema, block_rows=size))) for size in (100, 1))
    per_addition = 20 * 3**0.5 * 2.0**-53  # n R u
    assert whole.error == pytest.approx((4096 + 1 + 4096 + 16) * per_addition)
    assert single.error == pytest.approx((4096 + 20 + 4096 + 16) * per_addition)
