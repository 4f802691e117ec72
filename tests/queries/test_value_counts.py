"""Counts of columns whose values nobody listed: by hand, and how far they move between neighbors."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import PrivacyError, TableError
from tacit.privacy import Persons
from tacit.queries.value_counts import cell_counts, value_counts
from tacit.schema import Identifier, Kinds
from tacit.table.raw import RawTable

KINDS = Kinds(
    {"age": "number", "job": "category", "ward": "code", "seen": "date", "dead": "boolean", "note": "ignored"}
)
EDGES = np.asarray([0.0, 10.0, 20.0])


def table_of(rows: list[tuple], persons: int = 1) -> RawTable:
    """Rows of a number and a text."""
    columns = {"age": [age for age, _ in rows], "job": [job for _, job in rows]}
    frame = pl.DataFrame(columns, schema={"age": pl.Float64, "job": pl.String}, strict=False)
    return RawTable(frame, Kinds({"age": "number", "job": "category"}), rows_per_person=persons)


def test_counts_by_hand():
    frame = pl.DataFrame(
        {
            "age": [" 10", "10.5", "none", None, "1e999"],
            "job": ["clerk", " clerk ", "", "smith", "x" * 300],
            "ward": ["007", "7", "7.5", "8", "eight"],
            "seen": ["1970-01-02", "yesterday", None, "1970-01-12", "1970-01-11T12:00"],
            "dead": ["true", "?", None, "false", "true"],
        }
    )
    table = RawTable(frame, KINDS)
    # A cell holds its upper edge; what is no finite number is far below.
    np.testing.assert_array_equal(cell_counts(table, "age", EDGES).unreleased_value, [3, 1, 1, 0])
    np.testing.assert_array_equal(cell_counts(table, "seen", EDGES).unreleased_value, [2, 1, 2, 0])
    assert value_counts(table, "job").counts == {"clerk": 2, "smith": 1}
    assert value_counts(table, "ward").counts == {7: 2, 8: 1}
    assert table.unit.columns == ("age", "job", "ward", "seen", "dead")


@pytest.mark.parametrize(
    ("cell", "text", "code"),
    [
        (3, "3", 3),
        (3.0, "3", 3),
        (True, "1", 1),
        (2.5, "2.5", None),
        (None, None, None),
        (2**60, str(2**60), None),
        (float("inf"), "inf", None),
        pytest.param(10**5000, None, None, id="a huge number"),
    ],
)
def test_a_cell_of_any_type_is_read_by_itself(cell, text, code):
    """Beside cells of other types, in a column of objects."""
    frame = pl.DataFrame({"job": pl.Series([cell, "a", object()], dtype=pl.Object)})
    read = {kind: value_counts(RawTable(frame, Kinds({"job": kind})), "job") for kind in ("category", "code")}
    assert set(read["category"].counts) == {"a", text} - {None}
    assert set(read["code"].counts) == {code} - {None}


CELLS = st.sampled_from([0.0, 5.0, 10.0, 15.0, 25.0, None])
TEXTS = st.sampled_from(["a", "b", "c", "d", ""])
ROWS = st.lists(st.tuples(CELLS, TEXTS), min_size=4, max_size=9)


@given(rows=ROWS, others=st.lists(st.tuples(CELLS, TEXTS), min_size=3, max_size=3), k=st.integers(1, 3))
def test_neighbors_are_no_farther_apart_than_stated(rows, others, k):
    one, two = table_of(rows, k), table_of(others[:k] + rows[k:], k)
    mine, its = (cell_counts(table, "age", EDGES) for table in (one, two))
    moved = (mine.unreleased_value - its.unreleased_value).astype(float)
    assert np.abs(moved).sum() <= mine.l1 == 2 * k
    assert np.linalg.norm(moved) <= mine.l2 == 2**0.5 * k
    mine, its = (value_counts(table, "job") for table in (one, two))
    counts = Counter(mine.counts)
    counts.subtract(its.counts)
    assert sum(map(abs, counts.values())) <= mine.l1 == 2 * k
    assert sum(each**2 for each in counts.values()) ** 0.5 <= mine.l2 + 1e-12
    lonely = [mine.counts[value] for value in mine.counts.keys() - its.counts.keys()]
    assert len(lonely) <= k == mine.moved
    assert sum(lonely) <= k


def test_the_bounds_are_attained():
    one, two = table_of([(5.0, "new")] * 3 + [(5.0, "a")], 3), table_of([(15.0, "other")] * 3 + [(5.0, "a")], 3)
    mine, its = (cell_counts(table, "age", EDGES) for table in (one, two))
    moved = (mine.unreleased_value - its.unreleased_value).astype(float)
    assert (np.abs(moved).sum(), np.linalg.norm(moved)) == (mine.l1, pytest.approx(mine.l2))
    assert value_counts(one, "job").counts.keys() - value_counts(two, "job").counts.keys() == {"new"}


def persons_of(rows: list[tuple], rows_of_each="mean") -> RawTable:
    """Rows of a person and a number."""
    columns = {"who": [who for who, _ in rows], "age": [age for _, age in rows]}
    frame = pl.DataFrame(columns, schema_overrides={"age": pl.Float64})
    return RawTable(frame, Kinds({"age": "number"}), identifier=Identifier("who", rows=rows_of_each))


def test_a_person_counts_one_or_with_the_first_rows_by_hand():
    rows = [("ann", 5.0), ("ann", 15.0), ("ben", 5.0), ("ann", None), ("ann", 15.0)]
    table = persons_of(rows)
    counts = cell_counts(table, "age", EDGES)
    np.testing.assert_array_equal(counts.unreleased_value / counts.unit_weight, [0.25, 1.25, 0.5, 0])
    assert (table.n_persons, table.unit.persons) == (2, Persons("who", "mean"))
    # Two of ann's four rows, whichever, and ben's.
    counts = cell_counts(persons_of(rows, 2), "age", EDGES)
    assert (counts.unreleased_value.sum(), counts.unit_weight, counts.l1) == (3, 1, 4)
    jobs = pl.DataFrame({"who": ["ann"], "job": ["a"]})
    with pytest.raises(PrivacyError, match="'job'"):
        RawTable(jobs, Kinds({"job": "category"}), identifier=Identifier("who"))


@given(
    rows=st.lists(st.tuples(st.sampled_from(["ann", "ben", "cid"]), CELLS), max_size=7),
    mine=st.lists(CELLS, min_size=1, max_size=5),
    its=st.lists(CELLS, min_size=1, max_size=5),
    rows_of_each=st.sampled_from(["mean", 1, 2, 3]),
)
def test_persons_are_no_farther_apart_than_stated(rows, mine, its, rows_of_each):
    """Neighbors: all rows of one person are others, and may be more or fewer."""
    tables = [persons_of([*rows, *(("dan", cell) for cell in own)], rows_of_each) for own in (mine, its)]
    one, two = (cell_counts(table, "age", EDGES) for table in tables)
    assert one.unit_weight == two.unit_weight
    moved = (one.unreleased_value - two.unreleased_value).astype(float)
    assert np.abs(moved).sum() <= one.l1
    assert np.linalg.norm(moved) <= one.l2 + 1e-9


@pytest.mark.parametrize("rows_of_each", ["mean", 1, 3])
def test_persons_attain_the_bounds(rows_of_each):
    tables = [persons_of([("ann", age)] * 3, rows_of_each) for age in (5.0, 15.0)]
    one, two = (cell_counts(table, "age", EDGES) for table in tables)
    moved = (one.unreleased_value - two.unreleased_value).astype(float)
    assert (np.abs(moved).sum(), np.linalg.norm(moved)) == (one.l1, pytest.approx(one.l2))


def test_the_order_of_values_does_not_depend_on_rows():
    forth, back = table_of([(1.0, "b"), (1.0, "a")]), table_of([(1.0, "a"), (1.0, "b")])
    assert value_counts(forth, "job").values == value_counts(back, "job").values == ("a", "b")


def test_values_that_a_type_lists_and_no_row_has_do_not_occur():
    frame = pl.DataFrame({"job": pl.Series(["b", "b"], dtype=pl.Enum(["a", "b"]))})
    assert value_counts(RawTable(frame, Kinds({"job": "category"})), "job").counts == {"b": 2}


def test_rows_stay_inside():
    table = table_of([(1.0, "sentinel")])
    assert "sentinel" not in repr(table)
    with pytest.raises(PrivacyError):
        pickle.dumps(table)


def test_types_and_names_are_refused_whatever_the_cells():
    with pytest.raises(TableError, match="'job'"):
        RawTable(pl.DataFrame({"age": [1]}), Kinds({"job": "category"}))
    with pytest.raises(TableError, match="'age'"):
        RawTable(pl.DataFrame({"age": [[1], [2]]}), Kinds({"age": "number"}))
    for ticks in (0, 2**62):  # beyond Python's last day
        moments = pl.DataFrame({"job": pl.Series([0, ticks]).cast(pl.Datetime("us"))})
        with pytest.raises(TableError, match="'job', got dates"):
            RawTable(moments, Kinds({"job": "category"}))
    with pytest.raises(TableError, match="at least one row"):
        RawTable(pl.DataFrame({"age": []}), Kinds({"age": "number"}))
    with pytest.raises(TableError, match="data frame"):
        RawTable(np.zeros((2, 2)), Kinds({"age": "number"}))
