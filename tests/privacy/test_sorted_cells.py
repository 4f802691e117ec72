"""Cells that are computed when they are asked for, against all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.privacy.sorted_cells import SortedCells, in_order_of_cells

NUMBERS = st.lists(st.integers(-40, 40), max_size=60).map(lambda found: np.sort(np.asarray(found, dtype=np.float64)))


def halves(numbers):
    """Cells of two numbers each: some rows of a cell have different numbers."""
    return np.floor(numbers / 2).astype(np.int64)


@given(NUMBERS, st.lists(st.integers(-25, 25), min_size=1, max_size=9), st.lists(st.integers(-3, 70), min_size=2))
def test_a_search_finds_what_all_cells_say_whatever_is_guessed(numbers, wanted, guesses):
    lazy, wanted = SortedCells(numbers, halves), np.asarray(wanted)[:, None]
    tries = [np.resize(guesses[at:], wanted.shape) for at in (0, 1)]
    expected = np.searchsorted(halves(numbers), wanted)
    assert np.array_equal(lazy.below(wanted), expected)
    assert np.array_equal(lazy.below(wanted, tries), expected)
    assert np.array_equal(SortedCells(halves(numbers)).below(wanted), expected)


@given(NUMBERS.filter(len), st.lists(st.integers(0, 10**6), min_size=1))
def test_the_rows_of_a_cell_are_found_from_one_of_them(numbers, rows):
    rows = np.asarray([rows]) % len(numbers)
    all_cells = halves(numbers)
    for sorted_cells in (SortedCells(numbers, halves), SortedCells(all_cells)):
        first, after = sorted_cells.extents(rows, sorted_cells.of(rows))
        assert np.array_equal(sorted_cells.of(rows), all_cells[rows])
        assert np.array_equal(first, np.searchsorted(all_cells, all_cells[rows], "left"))
        assert np.array_equal(after, np.searchsorted(all_cells, all_cells[rows], "right"))


def test_few_cells_of_many_rows_are_computed():
    asked = []
    numbers = np.arange(2.0**20)
    lazy = SortedCells(numbers, lambda some: asked.append(len(some)) or halves(some))
    assert lazy.below(np.asarray([1_000, 5])).tolist() == [2_000, 10]
    assert lazy.extents(np.asarray([77]), np.asarray([38]))[0].tolist() == [76]
    assert sum(asked) < 4_000


def stumbling(numbers):
    """Cells that fall from 3 to its next float: what rounding might do."""
    found = np.floor(numbers).astype(np.int64)
    found[numbers == np.nextafter(3.0, 4)] = 2
    return found


@pytest.mark.parametrize("tolerance", [1e-9, np.inf])
def test_close_numbers_whose_cells_fall_are_put_in_the_order_of_their_cells(tolerance):
    numbers = np.asarray([3.5, np.nextafter(3.0, 4), 1.0, 3.0, 3.0, 2.0])
    found, cells_of = in_order_of_cells(numbers.copy(), stumbling, tolerance)
    assert found.tolist() == [1, 2, 2, 3, 3, 3] and found.dtype == np.int64 and cells_of is None
    found, cells_of = in_order_of_cells(numbers.copy(), halves, tolerance)
    assert found.tolist() == sorted(numbers) and cells_of is halves


def shuffled(numbers):
    """Cells that rise with whole numbers, and anyhow with tenths."""
    whole = np.floor(numbers)
    return (6 * whole).astype(np.int64) + np.asarray([3, 0, 5, 1, 4, 2])[np.rint((numbers - whole) * 10).astype(int)]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=12))
def test_the_rows_of_a_cell_are_found_where_rounding_broke_the_order(given):
    numbers = np.asarray([whole + tenth / 10 for whole, tenth in given])
    lazy = SortedCells(*in_order_of_cells(numbers.copy(), shuffled, 0.55))
    cells, rows = np.sort(shuffled(numbers)), np.arange(len(numbers))
    assert np.array_equal(lazy.of(rows), cells)
    first, after = lazy.extents(rows, cells)
    assert np.array_equal(first, np.searchsorted(cells, cells, "left"))
    assert np.array_equal(after, np.searchsorted(cells, cells, "right"))
    assert np.array_equal(lazy.below(np.arange(25)), np.searchsorted(cells, np.arange(25)))


def test_only_cells_of_close_numbers_are_computed_to_put_them_in_order():
    asked = []
    numbers = np.asarray([0.5, 0.1, 0.1 + 1e-12, 0.3, 0.3])
    in_order_of_cells(numbers, lambda some: asked.extend(some) or np.zeros(len(some), dtype=np.int64), 1e-9)
    assert sorted(asked) == [0.1, 0.1 + 1e-12]
