"""Features by hand, from the schema alone."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.neighbors import neighbors, table_of
from tacit.errors import ParameterError
from tacit.features import GRID, LinearEncoding
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Table, read_rows

LABEL = Label("y", ["no", "yes"])


def features(columns, frame, categorical="ordinal", clip=1.0):
    schema = Schema(columns, label=LABEL)
    return LinearEncoding(schema, schema.names, categorical, clip).transform(read_rows(pl.DataFrame(frame), schema))


def test_numbers_go_around_their_center():
    around_middle = features([Numeric("x", 0, 10)], {"x": [0.0, 2.5, 5.0, 10.0, 99.0]})[:, 0]
    assert around_middle == pytest.approx([-1, -0.5, 0, 1, 1], abs=GRID)
    around_center = features([Numeric("x", 0, 100, center=20)], {"x": [0.0, 20.0, 60.0, 100.0]})[:, 0]
    assert around_center == pytest.approx([-0.25, 0, 0.5, 1], abs=GRID)


def test_numbers_are_clipped_around_their_center_and_categories_are_not():
    columns = [Numeric("x", 0, 100, center=20), Categorical("c", ["a", "b", "c"])]
    frame = {"x": [0.0, 20.0, 30.0, 40.0, 100.0], "c": list("aabbc")}
    clipped = features(columns, frame, clip=0.25)
    assert clipped[:, 0] == pytest.approx([-1, 0, 0.5, 1, 1], abs=GRID)
    assert clipped[:, 1].tolist() == [-1, -1, 0, 0, 1]
    for clip in (0, -0.5, 1.5, float("nan"), True, "0.5", None):
        with pytest.raises(ParameterError, match="clip"):
            features(columns, frame, clip=clip)


def test_logarithmic_numbers():
    values = features([Numeric("x", -(np.e**2 - 1), np.e**2 - 1, scale="log")], {"x": [0.0, np.e - 1, 1 - np.e]})
    assert values[:, 0] == pytest.approx([0, 0.5, -0.5], abs=GRID)


def test_categories_in_order():
    column = Categorical("c", ["a", "b", "c", "d", "e"])
    assert features([column], {"c": list("abcde")})[:, 0] == pytest.approx([-1, -0.5, 0, 0.5, 1])
    centered = Categorical("c", ["a", "b", "c", "d", "e"], center="b")
    assert features([centered], {"c": list("abcde")})[:, 0] == pytest.approx([-1 / 3, 0, 1 / 3, 2 / 3, 1], abs=GRID)
    assert features([Categorical("c", ["only"])], {"c": ["only"]})[:, 0] == [0]
    other = Categorical("c", ["a", "b"], other=True)
    assert features([other], {"c": ["a", "b", "zzz"]})[:, 0] == pytest.approx([-1, 0, 1])


def test_categories_one_by_one():
    columns = [Categorical("c", ["a", "b"], other=True), Numeric("x", -1, 1)]
    frame = {"c": ["b", "q", "a"], "x": [0.0, 1.0, -1.0]}
    assert features(columns, frame, "one-hot").tolist() == [[0, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, -1]]
    encoding = LinearEncoding(Schema(columns, label=LABEL), ("c", "x"), "one-hot")
    assert encoding.feature_names == ("c=a", "c=b", "c otherwise", "x")
    assert encoding.positions(("x",)).tolist() == [3]


def test_ranks_between_cut_points():
    columns = [
        Numeric("x", 0, 1000, cuts=[10, 20, 40]),
        Numeric("one", 0, 100, cuts=[10]),
        Numeric("none", 0, 100, center=20),
        Categorical("c", ["a", "b"]),
    ]
    frame = {
        "x": [-20.0, 0.0, 15.0, 40.0, 80.0, 1000.0],
        "one": [0.0, 10.0, 10.5, 50.0, 100.0, 1e9],
        "none": [0.0, 20.0, 60.0, 100.0, 100.0, 100.0],
        "c": list("ababab"),
    }
    schema = Schema(columns, label=LABEL)
    encoding = LinearEncoding(schema, schema.names, "one-hot", ranked=True)
    found = encoding.transform(read_rows(pl.DataFrame(frame), schema))
    # Knots are 0, 10, 20, 40 and, twice the neighboring step beyond, 80: a half of rank each.
    assert found[:, 0] == pytest.approx([-1, -1, -0.25, 0.5, 1, 1], abs=GRID)
    # Knots are 0, 10 and 100. One cut point gives no scale: half of the mean is the side, as -0.5 or 0.5.
    ranks = [-1, 0, 0.5 / 90, 40 / 90, 1, 1]
    assert found[:, 1] == pytest.approx((np.asarray(ranks) + np.asarray([-1, -1, 1, 1, 1, 1]) / 2) / 2, abs=GRID)
    # No cut point: places around the center, as without ranks.
    assert found[:, 2:].tolist() == LinearEncoding(schema, ("none", "c"), "one-hot").transform(
        read_rows(pl.DataFrame(frame), schema)
    ).tolist()  # fmt: skip
    weights = np.asarray([2.0, -1.0, 0.5, 1.0, -1.0])
    looked_up = sum(
        lookup(read_rows(pl.DataFrame(frame), schema).columns[name]) for name, lookup in encoding.lookups(weights)
    )
    assert looked_up.tolist() == (found @ weights).tolist()
    assert encoding.extent(weights) == pytest.approx((-2 - 0.75 - 0.125 - 1, 2 + 0.75 + 0.5 + 1), abs=8 * GRID)


def test_an_unseen_category_is_none_of_them():
    schema = Schema([Categorical("c", ["a", "b", "d"])], label=LABEL)
    rows = read_rows(pl.DataFrame({"c": ["?", "d"]}), schema, on_invalid="coerce")
    assert LinearEncoding(schema, ("c",), "one-hot").transform(rows).tolist() == [[0, 0, 0], [0, 0, 1]]
    assert LinearEncoding(schema, ("c",)).transform(rows).tolist() == [[0], [1]]


def test_an_unknown_encoding_is_refused():
    with pytest.raises(ParameterError, match="one_hot"):
        LinearEncoding(Schema([Numeric("x", 0, 1)], label=LABEL), ("x",), "one_hot")


@given(
    neighbors(), st.sampled_from(["ordinal", "one-hot"]), st.sampled_from([1.0, 0.25, 0.3]), st.integers(0, 2**32 - 1)
)
@settings(max_examples=120, deadline=None)
def test_features_stay_in_their_box_and_on_their_grid(pair, categorical, clip, seed):
    encoding = LinearEncoding(pair.schema, pair.schema.names, categorical, clip)
    weights = np.random.default_rng(seed).uniform(-1, 1, encoding.n_features)
    low, high = encoding.extent(weights)
    found = []
    table_of(pair.first, pair.schema).sum(lambda block: (found.append(block.features(encoding)), np.zeros(1))[1])
    matrix = found[0].astype(float)
    assert np.abs(matrix).max(initial=0) <= 1
    assert (matrix / GRID == np.rint(matrix / GRID)).all()
    assert (matrix @ weights >= low - 1e-9).all()
    assert (matrix @ weights <= high + 1e-9).all()


def test_blocks_do_not_change_a_sum():
    generator = np.random.default_rng(0)
    schema = Schema([Numeric("x", 0, 1), Numeric("z", 0, 1)], label=LABEL)
    encoding = LinearEncoding(schema, schema.names)
    X, y = generator.random((1000, 2)), generator.choice(["no", "yes"], 1000)
    sums = [
        Table.from_frame(X, y, schema, block_rows=size).sum(lambda b: (b.features(encoding) > 0).sum(axis=0))
        for size in (1, 17, 1000, 65_536)
    ]
    assert all((s == sums[0]).all() for s in sums)
