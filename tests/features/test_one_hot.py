"""One-hot bins: features, names, positions and reach by hand; groups of columns agree with them."""

from __future__ import annotations

import numpy as np
import polars as pl

from tacit.features import OneHotEncoding
from tacit.queries.grouped_bins import GroupedBins
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Block, Table, read_rows

SCHEMA = Schema(
    [Numeric("x", 0, 4, cuts=[1, 2]), Categorical("c", ["a", "b"]), Categorical("o", ["a"], other=True)],
    label=Label("y", [0, 1]),
)
ENCODING = OneHotEncoding(SCHEMA, ("x", "c", "o"))
FRAME = pl.DataFrame({"x": [0.0, 1.5, 4], "c": ["a", "z", "b"], "o": ["a", "q", "a"]})
ROWS = read_rows(FRAME, SCHEMA, on_invalid="coerce")


def test_features_by_hand():
    assert ENCODING.feature_names == (
        "x at most 1", "x above 1 to 2", "x above 2", "c=a", "c=b", "o=a", "o otherwise",
    )  # fmt: skip
    expected = [[1, 0, 0, 1, 0, 1, 0], [0, 1, 0, 0, 0, 0, 1], [0, 0, 1, 0, 1, 1, 0]]
    assert ENCODING.transform(ROWS).tolist() == expected
    assert ENCODING.positions(("c", "o")).tolist() == [3, 4, 5, 6]


def test_extent_knows_that_an_unlisted_category_adds_nothing():
    assert ENCODING.extent(np.arange(1.0, 8.0)) == (1 + 0 + 6, 3 + 5 + 7)


def test_grouped_columns_add_and_count_as_single_ones():
    generator = np.random.default_rng(0)
    columns = [Categorical(f"c{i}", list(range(2 + i))) for i in range(9)]
    schema = Schema(columns, label=Label("y", [0, 1]))
    encoding = OneHotEncoding(schema, schema.names)
    frame = pl.DataFrame({c.name: generator.integers(0, 3 + i, 200) for i, c in enumerate(columns)})  # some unlisted
    rows = read_rows(frame, schema, on_invalid="coerce")
    block = Block(0, np.zeros(200, np.uint8), rows, {})
    features, grouped = encoding.transform(rows), GroupedBins(Table(schema, [block]), encoding)
    weights, values = generator.normal(size=encoding.n_features), generator.integers(-9, 9, 200)
    codes, tables = grouped.codes(block), grouped.tables(weights)
    assert 1 < codes.shape[1] < 9
    assert np.allclose(sum(table[codes[:, at]] for at, table in enumerate(tables)), features @ weights)
    sums = [np.bincount(codes[:, at], weights=values, minlength=len(table)) for at, table in enumerate(tables)]
    assert (grouped.features(sums) == features.T @ values).all()
