"""Rows that come some at a time: the same blocks as of rows that come together."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacit.schema import Identifier, Label, Numeric, Schema
from tacit.table import Rows, Table
from tacit.table.batches import Batch, in_blocks
from tacit.table.persons import Members


def batch(n_rows, start=0):
    numbers = np.arange(start, start + n_rows)
    members = Members(numbers, numbers + 1, numbers + 2, numbers.astype(np.uint64))
    return Batch(Rows({"a": numbers / 1}, n_rows), numbers.astype(np.uint8), members)


@given(sizes=st.lists(st.integers(0, 9), max_size=9), block_rows=st.integers(1, 12))
def test_batches_of_any_size_become_blocks_of_one_size_in_the_same_order(sizes, block_rows):
    starts = np.cumsum([0, *sizes])
    blocks = list(in_blocks(map(batch, sizes, starts[:-1].tolist()), block_rows))
    assert [len(each) for each in blocks[:-1]] == [block_rows] * (len(blocks) - 1)
    assert sum(map(len, blocks)) == sum(sizes)
    found = [[*each.labels, *each.rows.columns["a"], *each.members.person, *(each.members.rank - 1)] for each in blocks]
    for at, numbers in enumerate(found):
        first = at * block_rows
        assert numbers == [*range(first, first + len(blocks[at]))] * 4


def test_one_batch_is_not_copied():
    whole = batch(10)
    assert all(np.shares_memory(each.rows.columns["a"], whole.rows.columns["a"]) for each in in_blocks([whole], 4))


def test_first_rows_of_persons_fill_whole_blocks():
    names = ["p", "q", "p", "p", "q", "r", "r", "r"]
    schema = Schema([Numeric("a", 0, 9)], label=Label("y", [0, 1]), identifier=Identifier("person", rows=2))
    rows, labels = Rows({"a": np.arange(8.0)}, 8), np.zeros(8, dtype=np.uint8)
    table = Table.from_rows(rows, labels, schema, members=Members.of(names), block_rows=4)
    sizes = []
    table.visit(lambda block: sizes.append(block.n_rows))
    assert (sizes, table.n_persons) == ([4, 2], 3)
    kept = table.gather(lambda block: block._rows.columns["a"]).astype(int).tolist()
    assert sorted(names[at] for at in kept) == ["p", "p", "q", "q", "r", "r"]
