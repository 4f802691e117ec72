"""Losses of a number: residuals by hand, that none is above one half, and what a loss's minimum is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.convex import QuantileLoss, SquaredLoss

NUMBERS = st.floats(-1e12, 1e12)
SHARES = st.floats(1e-9, 1 - 1e-9)
WIDTHS = st.floats(1e-6, 1e6)


def test_residuals_by_hand():
    asked = np.asarray([-9.0, -1.0, 0.0, 0.05, 2.0])
    assert SquaredLoss(4.0).residuals(asked, np.zeros(5)).tolist() == [-0.5, -0.125, 0.0, 0.00625, 0.25]
    # Above its score a number counts 0.8, below 0.2 the other way, half way between them 0.3; over twice 0.8.
    found = QuantileLoss(0.8, 0.1, 1.0).residuals(asked, np.zeros(5))
    assert found == pytest.approx([-0.125, -0.125, 0.1875, 0.34375, 0.5])
    assert QuantileLoss(0.5, 0.1, 1.0).residuals(asked, np.zeros(5)) == pytest.approx([-0.5, -0.5, 0, 0.25, 0.5])


def test_slopes_by_hand():
    # A quarter is that of logistic loss at even classes; 0.3989 the normal density in its middle, 0.1755 at 1.2816.
    assert (SquaredLoss(2.0).slope, SquaredLoss(1.0).usual) == pytest.approx((0.25, 0.5 * 0.6827), rel=1e-4)
    assert QuantileLoss(0.5, 0.1, 1.0).slope == pytest.approx(0.39894, rel=1e-4)
    assert QuantileLoss(0.9, 0.1, 2.0).slope == pytest.approx(0.17550 / 1.8 / 2, rel=1e-3)


@given(number=NUMBERS, score=NUMBERS, share=SHARES, width=WIDTHS)
def test_no_residual_is_above_one_half_or_falls_with_its_number(number, score, share, width):
    for loss in (SquaredLoss(width), QuantileLoss(share, width, 1.0)):
        one, other = loss.residuals(np.asarray([number, number + 1.0]), np.asarray([score, score]))
        assert -0.5 <= one <= other <= 0.5


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5, 0.95])
def test_residuals_add_up_to_zero_at_the_quantile(share):
    numbers = np.random.default_rng(0).exponential(size=200_000)
    loss = QuantileLoss(share, 0.01, 1.0)
    at = -np.log(1 - share)
    assert abs(loss.residuals(numbers, np.full(len(numbers), at)).mean()) < 0.003
    assert loss.residuals(numbers, np.full(len(numbers), at - 0.3)).mean() > 0.003
