"""Tables of some of the rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import ParameterError, TableError
from tacit.features import BinEncoding, LinearEncoding
from tacit.schema import Label, Numeric, Schema
from tacit.table import Table

SCHEMA = Schema([Numeric("a", 0, 16)], label=Label("y", ["no", "yes"]))
FEATURES = LinearEncoding(SCHEMA, ("a",))


def table(n_rows=8, block_rows=3):
    values = np.arange(float(n_rows))
    return Table.from_frame(values[:, None], np.where(values % 3 == 0, "yes", "no"), SCHEMA, block_rows=block_rows)


def numbers(rows):
    return ((rows.gather(lambda block: block.features(FEATURES)[:, 0]) + 1) * 8).tolist()


def test_slices_by_position_hold_their_rows_and_labels():
    first, second = table().slices([4, 3])
    assert (numbers(first), numbers(second)) == ([0, 1, 2, 3], [4, 5, 6])
    assert first.gather(lambda block: block.labels).tolist() == [1, 0, 0, 1]
    assert second.gather(lambda block: block.labels).tolist() == [0, 0, 1]
    assert (first.n_rows, second.n_rows) == (4, 3)


def test_a_permutation_says_who_is_where_and_not_in_which_order():
    first, second = table().slices([2, 6], order=np.asarray([7, 1, 0, 2, 3, 4, 5, 6]))
    assert (numbers(first), numbers(second)) == ([1, 7], [0, 2, 3, 4, 5, 6])


@given(st.permutations(range(11)), st.integers(1, 10), st.integers(1, 11))
def test_slices_divide_the_rows_whatever_the_blocks(order, size, block_rows):
    rows = table(11, block_rows)
    parts = rows.slices([size, 11 - size], order=np.asarray(order))
    assert [numbers(part) for part in parts] == [sorted(order[:size]), sorted(order[size:])]
    for part in parts:  # blocks are numbered from zero on, none of them is empty
        seen = []
        part.visit(lambda block, seen=seen: seen.append((block.index, block.n_rows > 0)))
        assert seen == [(at, True) for at in range(len(seen))]
    whole = rows.sum(lambda block: np.bincount(block.codes(BinEncoding(SCHEMA, ("a",), 4))[:, 0], minlength=4))
    counts = [p.sum(lambda b: np.bincount(b.codes(BinEncoding(SCHEMA, ("a",), 4))[:, 0], minlength=4)) for p in parts]
    assert (whole == sum(counts)).all()


def test_each_slice_has_a_unit_of_its_own_that_its_tables_keep():
    rows = table()
    first, second = rows.slices([4, 4])
    assert len({rows.unit, first.unit, second.unit}) == 3
    assert first.unit.slice.partition is second.unit.slice.partition
    assert first.one_against_rest(1).unit == first.unit
    assert rows.slices([4, 4])[0].unit != first.unit  # made another time, they may overlap
    inner, _ = first.slices([1, 3])
    assert inner.unit.slice.parent is first.unit.slice
    assert str(inner.unit.slice) == "slice 1 of 2 of slice 1 of 2"


def test_a_slice_of_an_encoded_table_keeps_its_encoding():
    encoded = Table.from_encoded(
        np.arange(6, dtype=np.float32)[:, None] / 8, ["no", "yes"] * 3, SCHEMA, FEATURES, block_rows=2
    )
    part, _ = encoded.slices([3, 3], order=np.asarray([5, 0, 2, 1, 3, 4]))
    assert part.gather(lambda block: block.features(FEATURES))[:, 0].tolist() == [0, 0.25, 0.625]


@pytest.mark.parametrize("sizes", [[], [0, 3], [5, 4], [-1, 2], [2**63 - 1, 1], [6, 2**63 - 1, 2**63 - 1]])
def test_sizes_that_do_not_fit_are_refused(sizes):
    with pytest.raises(TableError, match="sizes"):
        table().slices(sizes)


@pytest.mark.parametrize("sizes", [[4.0, 4], [True, 3], ["4"], [None], [[4], 4], np.asarray([2.0])])
def test_sizes_that_are_no_whole_numbers_are_refused(sizes):
    with pytest.raises(ParameterError, match="whole numbers of rows, got sizes="):
        table().slices(sizes)


def test_whole_numbers_of_every_kind_are_sizes():
    assert [part.n_rows for part in table().slices(np.asarray([3, 4], dtype=np.uint8))] == [3, 4]


@pytest.mark.parametrize("order", [[0] * 8, range(7), range(1, 9), np.arange(8.0)])
def test_orders_that_would_put_a_row_into_two_slices_are_refused(order):
    with pytest.raises(TableError, match="order"):
        table().slices([4, 4], order=np.asarray(order))
