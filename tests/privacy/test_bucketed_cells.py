"""Rows that are counted by buckets, against all of their cells in order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.privacy import bucketed_cells
from tacit.privacy.bucketed_cells import BucketedCells, UnorderedCells
from tacit.privacy.sorted_cells import SortedCells

NUMBERS = st.lists(st.floats(-40, 40, width=32), min_size=2, max_size=60, unique=True).map(np.asarray)
PLACES = st.lists(st.floats(-50, 50), min_size=1, max_size=9).map(np.asarray)


def fine(numbers):
    """Many cells of a bucket."""
    return np.floor(numbers * 2.0**30).astype(np.int64)


def coarse(numbers):
    """Cells of many buckets each."""
    return np.floor(numbers / 3).astype(np.int64)


def bucketed(numbers, cells_of):
    return BucketedCells(numbers, cells_of, float(numbers.min()), float(numbers.max()))


@pytest.mark.parametrize("cells_of", [fine, coarse])
@given(numbers=NUMBERS, places=PLACES)
def test_rows_below_a_cell_are_those_that_counting_all_finds(cells_of, numbers, places):
    found, wanted = bucketed(numbers, cells_of), cells_of(np.concatenate([numbers, places]))[:, None]
    expected = np.searchsorted(np.sort(cells_of(numbers)), wanted)
    assert np.array_equal(found.below(wanted), expected)
    least, most = found.bounds(wanted)
    assert (least <= expected).all()
    assert (expected <= most).all()


@pytest.mark.parametrize("cells_of", [fine, coarse])
@given(numbers=NUMBERS, rows=st.lists(st.integers(0, 10**6), min_size=1))
def test_landmarks_have_no_more_rows_below_and_no_fewer_up_to_them(cells_of, numbers, rows):
    rows = np.asarray(rows) % len(numbers)
    ordered, (cells, below, up_to) = np.sort(cells_of(numbers)), bucketed(numbers, cells_of).landmarks(rows)
    assert (ordered.searchsorted(cells, "left") <= below).all()
    assert (ordered.searchsorted(cells, "right") >= up_to).all()
    # Next to the row itself: of a bucket that has it.
    assert (up_to <= rows).all()
    assert (rows < below).all()


def test_few_cells_of_many_rows_are_computed():
    asked, numbers = [], np.random.default_rng(0).uniform(0, 1, 2**18)
    rows = UnorderedCells(numbers.copy(), lambda some: asked.append(len(some)) or fine(some), 1e-12)
    median = fine(np.asarray([0.5]))
    assert rows.within(100).below(median).tolist() == [np.count_nonzero(fine(numbers) < median)]
    assert isinstance(rows.within(100), BucketedCells)
    assert sum(asked) < 2 * bucketed_cells.N_BUCKETS
    # The rows that were found are looked at again, not looked for.
    assert rows.within(100).below(median + 1).tolist() == [np.count_nonzero(fine(numbers) <= median)]
    assert len(asked) == 2


def spread(n_rows=2**17):
    return np.random.default_rng(0).uniform(-1, 1, n_rows)


@pytest.mark.parametrize(
    "numbers",
    [
        spread(1_000),
        np.concatenate([spread(), np.zeros(2**12)]),
        1.0 + 1e-12 * spread(),
        np.zeros(2**17),
        1e308 * spread(),
        np.append(spread(), 1e9),
    ],
    ids=["few", "a value of many", "near each other", "constant", "too far apart", "one far away"],
)
def test_other_rows_are_sorted(numbers):
    rows = UnorderedCells(numbers.copy(), lambda some: np.sign(some).astype(np.int64), 1e-12)
    found = rows.within(100.0)
    assert isinstance(found, SortedCells)
    assert found.of(slice(None)).tolist() == np.sort(np.sign(numbers)).tolist()


def test_rows_are_sorted_when_finer_landmarks_are_asked_for_or_many_were_looked_for(monkeypatch):
    for most, looked_for in ((100.0, 3), (1.0, 0)):
        monkeypatch.setattr(bucketed_cells, "_MAX_SEARCHED", 2)
        rows, numbers = UnorderedCells(spread(), fine, 1e-12), spread()
        cells = rows.within(100.0)
        assert isinstance(cells, BucketedCells)
        cells.below(fine(np.linspace(-0.9, 0.9, 3)[:looked_for]))
        assert isinstance(rows.within(most), SortedCells)
        assert np.array_equal(rows.sorted.of(slice(None)), np.sort(fine(numbers)))
