"""State beside the rows, and the operations that visit blocks."""

from __future__ import annotations

import copy
import pickle
import weakref

import numpy as np
import pytest

from tacit.errors import PrivacyError
from tacit.features import BinEncoding, LinearEncoding
from tacit.schema import Label, Numeric, Schema
from tacit.table import Table
from tacit.table.blocks import KEPT_ENCODINGS

SCHEMA = Schema([Numeric("a", 0, 8)], label=Label("y", [0, 1]))
ROWS = np.arange(5.0)[:, None]


def table(block_rows=2):
    return Table.from_frame(ROWS, [0, 1, 1, 0, 1], SCHEMA, block_rows=block_rows)


def numbers(block):
    return (block.features(LinearEncoding(SCHEMA, ("a",)))[:, 0] + 1) * 4  # back from [-1, 1]


def test_blocks_are_visited_in_row_order():
    seen = []
    table().visit(lambda block: seen.append((block.index, numbers(block).tolist())))
    assert seen == [(0, [0, 1]), (1, [2, 3]), (2, [4])]


def test_a_gathered_function_has_a_value_for_each_row_in_order():
    assert table().gather(lambda block: 10 * numbers(block)).tolist() == [0, 10, 20, 30, 40]


def test_first_rows_follow_from_the_blocks_before():
    rows, starts = table(), []
    rows.visit(lambda block: starts.append(rows.first_row(block)))
    assert starts == [0, 2, 4]


def test_a_blocks_state_is_made_once_and_only_when_it_is_asked_for():
    made, rows = [], table()
    kept = rows.per_block(lambda block: made.append(block.index) or block.n_rows)
    assert made == []
    rows.visit(lambda block: kept[block] if block.index != 1 else None)
    assert made == [0, 2]
    assert int(rows.sum(lambda block: np.asarray([kept[block]]))[0]) == 5
    assert made == [0, 2, 1]


@pytest.mark.parametrize("block_rows", [1, 2, 5])
def test_state_advances_in_every_block_asked_for_or_not(block_rows):
    rows = table(block_rows)
    totals = rows.per_block(lambda block: numbers(block) * 0)
    totals.advance(lambda block, total: total + numbers(block))
    totals.advance(lambda block, total: total * 2 + block.labels)
    assert rows.gather(lambda block: totals[block]).tolist() == [0, 3, 5, 6, 9]


def test_an_update_may_change_the_state_in_place():
    rows = table()
    kept = rows.per_block(lambda block: np.zeros(block.n_rows))

    def raised(block, value):
        value += 1
        return value

    kept.advance(raised)
    kept.advance(raised)
    assert rows.gather(lambda block: kept[block]).tolist() == [2] * 5


def test_no_one_copies_or_prints_state():
    rows = table()
    kept = rows.per_block(lambda block: "a cell")
    rows.visit(lambda block: kept[block])
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(PrivacyError):
            attempt(kept)
    assert "cell" not in repr(kept)


def test_many_fits_of_the_same_rows_keep_few_encodings():
    rows, seen = table(block_rows=8), {}

    def look(block, n_bins):
        codes = block.codes(BinEncoding(SCHEMA, ("a",), n_bins))
        seen.setdefault(n_bins, []).append((weakref.ref(codes), codes.ravel().tolist()))

    for n_bins in [*range(2, 32), 2]:
        rows.visit(lambda block, n_bins=n_bins: look(block, n_bins))
    kept = [n_bins for n_bins, found in seen.items() if found[-1][0]() is not None]
    assert sorted(kept) == [2, *range(33 - KEPT_ENCODINGS, 32)]
    assert seen[2][0][1] == seen[2][1][1] == [0, 0, 0, 0, 0]
    assert seen[8][0][1] == [0, 0, 1, 2, 3]
