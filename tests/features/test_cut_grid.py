"""Bins by arithmetic are those of a binary search, whatever the cut points and the numbers."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.features.cut_grid import CutPoints

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
MANY = 1_100
HOSTILE = [0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1.0, 1 + 2.0**-52, 2.0**53, 1.7e308, -1.7e308]


def bins(cuts, values):
    """Bins of so few numbers that each is searched for, which are those of as many that they are compared."""
    few, many = np.asarray(values, dtype=np.float64), np.resize(values, len(values) + MANY)
    found = [np.full(len(each), 99, dtype=np.uint8) for each in (few, many)]
    for each, out in zip((few, many), found, strict=True):
        CutPoints(cuts).bins(each, out)
    assert found[1].tolist() == np.resize(found[0], len(many)).tolist()
    return found[0].tolist()


def searched(cuts, values):
    return np.searchsorted(np.asarray(cuts, dtype=np.float64), values, side="left").tolist()


def around(cuts):
    """Each cut, its neighbors among floats, and numbers beyond all of them."""
    with np.errstate(over="ignore"):
        return np.concatenate(
            [cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), HOSTILE, [np.inf, -np.inf, np.nan]]
        )


@st.composite
def grids(draw):
    """Cuts at even steps of any size anywhere, some moved by up to 0.7 steps, so that some are close."""
    start, step = draw(FLOATS), draw(st.floats(5e-324, 1e308))
    count = draw(st.integers(2, 255))
    moved = draw(st.lists(st.floats(-0.7, 0.7), max_size=8))
    with np.errstate(over="ignore", invalid="ignore"):
        offsets = np.arange(count) + np.pad(np.asarray(moved[:count]), (0, count - len(moved[:count])))
        cuts = start + step * offsets
    return np.unique(cuts[np.isfinite(cuts)])


@given(grids(), st.lists(FLOATS, max_size=20))
@settings(max_examples=400, deadline=None)
def test_as_a_binary_search_near_grids(cuts, values):
    values = np.concatenate([around(cuts), values])
    assert bins(cuts, values) == searched(cuts, values)


@given(st.lists(FLOATS | st.sampled_from(HOSTILE), max_size=12, unique=True), st.lists(FLOATS, max_size=20))
@settings(max_examples=400, deadline=None)
def test_as_a_binary_search_at_any_cuts(cuts, values):
    cuts = np.unique(cuts)
    values = np.concatenate([around(cuts), values])
    assert bins(cuts, values) == searched(cuts, values)


@pytest.mark.parametrize(
    "cuts",
    [
        np.linspace(-1, 1, 33)[1:-1],
        np.linspace(1e6, 1e6 + 1e-6, 257)[1:-1],
        1.7e308 * np.linspace(-1, 1, 9),  # the distance of the ends overflows
        np.arange(17.0, 90.0),
        [0.0, 1.4, 1.6, 3.0],
        [0.0, 0.1, 10.0],
        [0.0, 1e-6, 10.0],
        np.geomspace(1e-3, 10, 100),
        [0.0, 5e-324],
    ],
)
def test_as_a_binary_search_in_many_strips(cuts):
    generator = np.random.default_rng(0)
    spread = float(cuts[-1]) / 4 - float(cuts[0]) / 4
    random = float(cuts[0]) + spread * 4.8 * (generator.random(30_000) - 0.1)
    values = np.concatenate([random, around(np.asarray(cuts))])
    assert bins(cuts, values) == searched(cuts, values)


EVEN = np.linspace(0.0, 12.0, 13)


@pytest.mark.parametrize("cuts", [EVEN, [*EVEN, 12.0 + 1e-9], [0.0, 1e-9, 10.0]], ids=["grid", "no grid", "few"])
def test_few_cuts_and_those_with_a_grid_are_not_searched(cuts, monkeypatch):
    points, out = CutPoints(cuts), np.zeros(MANY, dtype=np.uint8)
    monkeypatch.setattr(np, "searchsorted", None)
    points.bins(np.resize([-1.0, cuts[1], np.nextafter(cuts[1], 9), 99.0], MANY), out)
    assert out[:4].tolist() == [0, 1, 2, len(cuts)]
    with pytest.raises(TypeError):
        CutPoints([*np.linspace(0.0, 1.0, 130), 1.0 + 1e-9]).bins(np.asarray([0.3]), out)


def test_quantiles_of_a_bell_have_a_grid(monkeypatch):
    cuts = NormalDist().inv_cdf
    points = CutPoints([cuts(share / 32) for share in range(1, 32)])
    monkeypatch.setattr(np, "searchsorted", None)
    points.bins(np.zeros(1), out := np.zeros(1, dtype=np.uint8))
    assert out.tolist() == [15]
