"""Ranks of numbers between their column's knots."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.features.number_scale import knots, rank_of, scaled
from tacit.schema import Numeric

HUGE = 8e307


def reference(values, column):
    """Return ranks by NumPy's interpolation, of a column of no cut point or two and more."""
    return np.interp(scaled(values, column), *knots(column))


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("n_cuts", [0, 2, 3, 8, 31, 254, 255, 400])
def test_ranks_are_those_of_numpys_interpolation_to_the_bit(n_cuts, scale):
    generator = np.random.default_rng(n_cuts)
    for spread in (1.0, 6.0):
        # Quantiles of skewed columns are uneven: no grid has one of them in a cell.
        cuts = np.unique(1000 * generator.uniform(size=n_cuts) ** spread).tolist()
        column = Numeric("x", 0, 1000, cuts=cuts or None, scale=scale)
        between = np.concatenate([1000 * generator.uniform(size=4000) ** spread, cuts, np.nextafter(cuts, np.inf)])
        values = np.concatenate([between, np.nextafter(cuts, -np.inf), [0, 1000, -5, 2000, np.inf, -np.inf, np.nan]])
        assert rank_of(values, column).tobytes() == reference(values, column).tobytes()
        assert rank_of(values[-9:], column).tobytes() == rank_of(values, column)[-9:].tobytes()


def test_ranks_of_knots_too_close_or_too_far_for_a_slope_are_numpys_too():
    close = Numeric("x", 0, 1, cuts=[5e-324, 1e-323, 0.5])
    far = Numeric("x", -HUGE, HUGE, cuts=[-1e300, 0, 1e-300, 1e300])
    for column in (close, far):
        values = np.tile([0.0, 5e-324, 1e-323, 1e-310, 1e-300, 0.3, 0.5, 1.0, -1e300, 1e300, HUGE, -HUGE], 200)
        with np.errstate(all="ignore"):
            assert rank_of(values, column).tobytes() == reference(values, column).tobytes()


def test_beside_one_cut_point_half_of_the_rank_is_the_side():
    column = Numeric("x", 0, 10, cuts=[4])
    # By hand: knots at 0, 4 and 10 have the ranks -1, 0 and 1; 4 itself is below.
    found = rank_of(np.tile([0.0, 2.0, 4.0, 7.0, 10.0], 400), column)[:5]
    assert found.tolist() == [-0.75, -0.5, -0.25, 0.5, 0.75]
