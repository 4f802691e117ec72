"""Cells of the public grid: by hand, monotone, fine where rows may be, and back to numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.features import GridEncoding
from tacit.schema import Label, Numeric, Schema
from tacit.table import Rows

NUMBERS = st.floats(-1e300, 1e300)


def grid(column, bits=48):
    return GridEncoding(Schema([column], label=Label("y", [0, 1])), column.name, bits)


def cells(encoding, numbers):
    return encoding.transform(Rows({"x": np.asarray(numbers, dtype=float)}, len(numbers)))


def test_cells_of_a_logarithmic_scale_by_hand():
    encoding = grid(Numeric("x", 0, np.expm1(8), scale="log"), bits=3)
    assert cells(encoding, [0, np.expm1(0.9), np.expm1(1.1), np.expm1(8)]).tolist() == [0, 0, 1, 7]
    assert encoding.cuts(np.asarray([0, 4])) == pytest.approx((np.expm1(1), np.expm1(5)))


def test_half_of_the_cells_are_even_and_half_logarithmic():
    encoding = grid(Numeric("x", 0, 1), bits=20)
    share = cells(encoding, [0.25, 0.5])[:] / 2**20
    logarithmic = np.log1p(2**30 * np.asarray([0.25, 0.5])) / np.log1p(2**30)
    assert share == pytest.approx((np.asarray([0.25, 0.5]) + logarithmic) / 2, abs=2**-19)


@pytest.mark.parametrize(
    "column", [Numeric("x", 0, 1e9), Numeric("x", -1e9, 3e9), Numeric("x", 5, 1e9, center=1_000)], ids=str
)
def test_a_millionth_of_the_bounds_has_a_fair_share_of_the_cells(column):
    start = column.middle if column.center else max(column.lower, 0)
    low, high = cells(grid(column), [start + 100, start + 1_000])
    assert (high - low) / 2**48 > 0.02


@given(NUMBERS, NUMBERS, st.lists(st.floats(0, 1), min_size=2, max_size=9), st.sampled_from(["linear", "log"]))
def test_cells_follow_the_numbers_and_cuts_their_cells(one, other, shares, scale):
    low, high = sorted((one, other))
    if not (low < high and np.isfinite(high - low)):
        return
    column = Numeric("x", low, high, scale=scale)
    numbers = np.sort(np.clip([low + share * (high - low) for share in shares], low, high))
    found, encoding = cells(grid(column), numbers), grid(column)
    assert (np.diff(found) >= 0).all()
    assert ((found >= 0) & (found < encoding.n_cells)).all()
    cuts = encoding.cuts(found)
    assert (np.diff(cuts) > 0).all()
    if scale == "linear":
        # At most a cut is at most its cell: rows fall on the side that they were counted on.
        for cell in np.unique(found[found < encoding.n_cells - 1]):
            for cut in encoding.cuts(np.asarray([cell])):
                assert ((numbers <= cut) == (found <= cell)).all()


@given(
    st.sampled_from([(-1.0, 1.0), (0.0, 1e9), (5.0, 6.0), (-3e5, 1e-3), (1e300, 1.5e300)]),
    st.floats(0, 1),
    st.sampled_from(["linear", "log"]),
    st.integers(1, 4),
)
def test_numbers_beyond_the_blur_are_never_out_of_order(bounds, share, scale, steps):
    encoding = grid(Numeric("x", *bounds, scale=scale))
    low, high = encoding.numbers(Rows({"x": np.asarray(bounds)}, 2))
    # A hundredth of the tolerance would do.
    start = low + share * (high - low)
    numbers = start + np.arange(-50, 50) * steps * encoding.tolerance / 100
    found = encoding.cells(numbers)
    assert (np.diff(found) >= 0).all()
    assert encoding.tolerance >= 2 * 2.0**-48 * (high - low)


def test_cells_are_those_of_the_numbers_on_the_scale():
    column = Numeric("x", -5, 100, scale="log")
    rows = Rows({"x": np.asarray([-4.0, 0.0, 77.0])}, 3)
    encoding = grid(column)
    assert encoding.numbers(rows).tolist() == pytest.approx([-np.log(5), 0, np.log(78)])
    assert encoding.cells(encoding.numbers(rows)).tolist() == encoding.transform(rows).tolist()


@pytest.mark.parametrize(
    "column",
    [
        Numeric("x", 0, 100), Numeric("x", -1e6, 3), Numeric("x", 0, 1e9, center=5.0), Numeric("x", -1e300, 1e300),
        Numeric("x", -7, -5), Numeric("x", 1e300, 1.1e300), Numeric("x", 0, 1e5, scale="log"),
    ],
    ids=str,
)  # fmt: skip
def test_places_of_shares_are_the_last_floats_with_at_most_such_shares(column):
    encoding, asked = grid(column), np.concatenate([np.arange(1, 256) / 256, np.random.default_rng(0).random(40)])
    asked = asked[np.abs(asked - encoding.even_anchor) > 1e-3]  # next to the anchor there are more floats than steps
    low, high = encoding.numbers(Rows({"x": np.asarray([column.low, column.high])}, 2))
    places = encoding._places(asked)
    share = lambda numbers: encoding._shares(numbers, np.empty((2, len(numbers))))  # noqa: E731
    assert (share(places) <= asked).all() and (share(np.nextafter(places, np.inf)) > asked).all()
    # What needs no side of an edge is found without a search.
    assert encoding.even_places(asked) == pytest.approx((places - low) / (high - low), abs=1e-14)
    found = encoding._about(asked)
    assert (found[1] - found[0] < (high - low) * 1e-11).all(), "the search begins next to each place"


@pytest.mark.parametrize("bounds", [(-1e300, 1e300), (1, float(np.nextafter(1, 2))), (0, 5e-324), (-3.0, 1e-300)])
def test_where_the_search_cannot_begin_next_to_a_place_it_begins_at_the_bounds(bounds):
    encoding, asked = grid(Numeric("x", *bounds)), np.linspace(0, 1, 101)[:-1]
    share = lambda numbers: encoding._shares(numbers, np.empty((2, len(numbers))))  # noqa: E731
    asked = np.concatenate([asked, share(np.linspace(*bounds, 50))[:-1]])
    below, above = encoding._about(asked)
    assert ((share(below) <= asked) & ((asked < share(above)) | (above == bounds[1]))).all()
    assert (share(encoding._places(asked)) <= asked).all()
