"""Cells of distances from a released number: edges, order, extremes, and that a row's cell is its own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.features import DistanceEncoding
from tacit.schema import Label, Numeric, Schema
from tacit.table.rows import Rows

LABEL = Label("y", [0, 1])


def cells(encoding, numbers):
    numbers = np.asarray(numbers, dtype=np.float64)
    return encoding.transform(Rows({encoding.column: numbers}, len(numbers))).tolist()


def test_cells_by_hand():
    # Two bits are four cells: of a reach of 2^32 around zero their upper edges are 2^8, 2^16, 2^24 and 2^32.
    schema = Schema([Numeric("x", -(2.0**32), 2.0**32)], label=LABEL)
    encoding = DistanceEncoding(schema, "x", 0.0, bits=2)
    assert cells(encoding, [0, 1, 256, -257, 2**16, 2**16 + 1, -(2**24), 2**27, 2**32]) == [0, 0, 0, 1, 1, 2, 2, 3, 3]
    assert [encoding.around(cell) for cell in range(3)] == [(-edge, 0.0, edge) for edge in (2.0**8, 2.0**16, 2.0**24)]
    assert encoding.around(3) == (0.0,)  # the bounds are no cut points


def test_only_numbers_between_the_bounds_are_cut_points():
    encoding = DistanceEncoding(Schema([Numeric("x", 0, 100)], label=LABEL), "x", 10.0)
    below, middle, above = encoding.around(encoding.n_cells // 2)
    assert middle - below == pytest.approx(above - middle)
    assert encoding.around(encoding.n_cells - 2)[0] == 10.0
    days = Schema([Numeric("x", "2020-01-01", "2021-01-01")], label=LABEL)
    low, high = days.column("x").lower, days.column("x").upper
    cuts = DistanceEncoding(days, "x", float((low + high) // 2)).around(3_900)
    assert len(cuts) == 3
    assert all(cut == int(cut) for cut in cuts)  # whole days


@given(
    st.floats(-1e308, 1e308),
    st.floats(0.0, 1.0),
    st.lists(st.floats(0.0, 1.0), min_size=2, max_size=9),
    st.sampled_from(["linear", "log"]),
)
def test_farther_numbers_have_later_cells_whatever_the_bounds(low, width, shares, scale):
    high = min(1.7e308, low + max(abs(low) * width, 1e-3))
    if not low < high:
        return
    column = Numeric("x", low, high, scale=scale)
    numbers = np.clip(low + np.asarray(shares) * (high - low), low, high)
    encoding = DistanceEncoding(Schema([column], label=LABEL), "x", float(numbers[0]))
    with np.errstate(all="raise"):
        found = cells(encoding, numbers)
    assert found[0] == 0
    assert all(0 <= cell < encoding.n_cells for cell in found)
    place = np.log1p(np.abs(numbers)) * np.sign(numbers) if scale == "log" else numbers
    order = np.argsort(np.abs(place / 2 - place[0] / 2), kind="stable")
    assert (np.diff(np.asarray(found)[order]) >= -1).all()  # but for rounding at an edge
    assert [cells(encoding, [number])[0] for number in numbers] == found
    for cell in (0, encoding.n_cells // 2, encoding.n_cells - 1):
        cuts = encoding.around(cell)
        assert (np.diff(cuts) > 0).all()
        assert all(low < cut < high for cut in cuts)


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_what_is_beyond_the_widest_bounds_is_never_computed(scale):
    column = Numeric("x", -0.8e308, 0.8e308, scale=scale)
    encoding = DistanceEncoding(Schema([column], label=LABEL), "x", 1e300)
    with np.errstate(all="raise"):
        found = [encoding.around(cell) for cell in (0, encoding.n_cells // 2, encoding.n_cells - 1)]
    assert all(1e300 in cuts and np.isfinite(cuts).all() for cuts in found)
