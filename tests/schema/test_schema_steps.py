import sys

import pytest

from tacit.schema.guesses.bounds import outward_bounds, rounded_midpoint


@pytest.mark.parametrize(
    ("data", "bounds"),
    [
        ((17, 90), (10, 100)),
        ((1, 2), (1, 2)),
        ((21, 49), (20, 50)),
        ((-3, 3), (-5, 5)),
        ((-17, -3), (-20, -2)),
        ((0, 1), (0, 1)),
        ((-0.0, 7.5), (0, 10)),
        ((-7, 0), (-10, 0)),
        ((0.03, 0.05), (0.02, 0.05)),
        ((0.1, 0.3), (0.1, 0.4)),
        ((2005, 2014), (2000, 2020)),
        ((1990, 2022), (1950, 2050)),
        ((-1013.4, -1002.1), (-1020, -1000)),
        ((36.1, 39.9), (35, 40)),
        ((98.2, 98.9), (98, 99)),
        ((0.051, 0.9999), (0.05, 1)),
        ((3e-9, 4e22), (2e-9, 5e22)),
        ((0, 0), (0, 1)),
        ((5, 5), (2, 10)),
        ((-1, -1), (-2, -0.5)),
        ((7, 7), (5, 10)),
        ((-0.3, -0.3), (-0.5, -0.2)),
        ((2**63 - 1, 2**64 - 1), (5e18, 2e19)),
        ((sys.float_info.max, sys.float_info.max), (1e308, sys.float_info.max)),
        ((5e-324, 1.0), (5e-324, 1)),
        ((-5e-324, -5e-324), (-1e-323, 0.0)),
    ],
)
def test_bounds_by_hand(data, bounds):
    assert outward_bounds(*data) == bounds
    assert [str(bound) for bound in outward_bounds(*data)] == [str(bound) for bound in bounds]


@pytest.mark.parametrize(
    ("bounds", "middle"),
    [((10, 100), 55), ((0, 1), 0.5), ((-5, 5), 0), ((1e-5, 1e6), 500_000), ((0.1, 0.5), 0.3), ((1e300, 1e308), 5e307)],
)
def test_midpoint_by_hand(bounds, middle):
    assert rounded_midpoint(*bounds) == middle
    assert str(rounded_midpoint(*bounds)) == str(middle)
