"""Rows of linear problems: within their ball, and sums by counting equal to matrix products."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.neighbors import neighbors
from tacit.features.feature_encoding import named_encoding
from tacit.privacy.statistic import ProductOfBalls
from tacit.queries import Design, LinearProblem
from tacit.queries.linear_rows import DenseRows, linear_rows


@given(pair=neighbors(), name=st.sampled_from(["binned", "ranked", "one-hot", "ordinal"]), intercept=st.booleans())
@settings(max_examples=60, deadline=None)
def test_every_row_lies_in_the_ball(pair, name, intercept):
    design = Design(named_encoding(pair.schema, pair.schema.names, name, 5), intercept)
    ball = ProductOfBalls(design.widths)

    rows = LinearProblem(pair.tables()[0], design).rows
    counted = [len(design.encoding.positions((name,))) for name in design.encoding.columns]
    assert design.widths == (*counted, *[1] * intercept)

    def check(block):
        for strip in rows.strips(block):
            features = np.asarray([added(rows, strip, one) for one in np.eye(block.n_rows)])
            assert max(ball.gauge(row) for row in features) <= 1
            assert max(sum(Fraction(float(x)) ** 2 for x in row) for row in features) <= design.squared_radius
            assert features.shape[1] == design.n_features == ball.dimension
        return np.zeros(1)

    pair.tables()[0].sum(check)


def added(rows, strip, factors):
    sums = rows.no_sums()
    strip.add(factors, sums)
    return rows.features(sums)


@given(pair=neighbors(), intercept=st.booleans(), data=st.data())
@settings(max_examples=40, deadline=None)
def test_counting_is_the_matrix_product(pair, intercept, data):
    """One-hot sums by counting, against the same features written out."""
    encoding, table = named_encoding(pair.schema, pair.schema.names, "binned", 4), pair.tables()[0]
    generator = np.random.default_rng(data.draw(st.integers(0, 99)))

    def check(rows, block):
        Z = block.features(encoding).astype(float)
        Z = np.column_stack([Z, np.ones(len(Z))]) if intercept else Z
        w, r = generator.normal(size=Z.shape[1]), generator.normal(size=len(Z))
        for strip in rows.strips(block):
            assert strip.times(rows.prepared(w)) == pytest.approx(Z @ w)
            assert added(rows, strip, r) == pytest.approx(r @ Z)
            bends = np.where(r > 0, r, 0)
            assert strip.moments(bends) == pytest.approx((Z * bends[:, None]).T @ Z)
            squares = rows.no_sums()
            strip.add_squares(bends, squares)
            assert rows.features(squares) == pytest.approx(bends @ Z**2)
        return np.zeros(1)

    for rows in (linear_rows(table, encoding, intercept), DenseRows(encoding, intercept)):
        table.sum(partial(check, rows))
