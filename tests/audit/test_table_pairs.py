"""Neighbors for any object: one row replaced or left out, of a table of any kind or of a schema."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tacit.audit import Claim, TablePair, pairs_of_schema, pairs_of_table
from tacit.audit.table_pairs import extreme_pairs
from tacit.errors import ParameterError
from tacit.schema import Categorical, Label, Numeric, Schema

NUMBERS = np.asarray([[0.0, 5.0], [1.0, 9.0], [7.0, 5.0], [2.0, -3.0], [3.0, 4.0]])
LABELS = np.asarray([0, 0, 0, 1, 0])
SCHEMA = Schema(
    [Numeric("age", 0, 90), Categorical("sky", ["blue", "grey"], private=False)], label=Label("y", ["no", "yes"])
)


def rows_of(table):
    X, y = table
    cells = X.to_numpy() if hasattr(X, "to_numpy") else np.asarray(X)
    return [(*row, label) for row, label in zip(cells.tolist(), list(y), strict=True)]


def differing(pair):
    """How many rows each has that the other lacks."""
    first, second = rows_of(pair.first), rows_of(pair.second)
    for row in list(first):
        if row in second:
            first.remove(row), second.remove(row)
    return len(first), len(second)


@pytest.mark.parametrize("kind", [np.asarray, np.ndarray.tolist, pd.DataFrame, lambda a: pl.DataFrame(a, ["a", "b"])])
@pytest.mark.parametrize(("relation", "expected"), [("replace-one", (1, 1)), ("add-remove", (1, 0))])
def test_neighbors_of_a_table_differ_in_one_row(kind, relation, expected):
    X = kind(NUMBERS)
    pairs = pairs_of_table(X, LABELS, Claim(1.0, relation=relation))
    assert {differing(pair) for pair in pairs} == {expected}
    assert type(pairs[0].first[0]) is type(X)
    swapped = {tuple(sorted(set(rows_of(pair.first)) ^ set(rows_of(pair.second)))) for pair in pairs}
    extremes = {(0.0, 5.0, 0), (7.0, 5.0, 0), (2.0, -3.0, 1), (1.0, 9.0, 0)}
    assert extremes <= {row for rows in swapped for row in rows}


def test_two_rows_are_no_table():
    with pytest.raises(ParameterError, match="at least three rows"):
        pairs_of_table(NUMBERS[:2], LABELS[:2], Claim(1.0))


@pytest.mark.parametrize("cells", ["values", "codes"])
@pytest.mark.parametrize(("relation", "expected"), [("replace-one", (1, 1)), ("add-remove", (0, 1))])
def test_neighbors_of_a_schema_differ_in_one_row(cells, relation, expected):
    pairs = pairs_of_schema(SCHEMA, Claim(1.0, relation=relation), cells=cells)
    assert expected in {differing(pair) for pair in pairs} <= {expected, (0, 0)}
    if cells == "codes":
        assert all(pair.first[0].dtype == np.float64 for pair in pairs)


def test_public_cells_stay():
    for pair in extreme_pairs(SCHEMA):
        assert [row[1] for row in pair.first] == [row[1] for row in pair.second]


def test_labels_of_both_tables_are_classes():
    pair = TablePair(([[1]], ["b"]), ([[1]], ["a"]), [[1]])
    assert pair.classes == ("a", "b")
