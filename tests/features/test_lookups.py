"""Linear forms by looking up what each column adds are those of the features, to the bit."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.features import GRID, LinearEncoding, OneHotEncoding
from tacit.features.cut_grid import CutPoints
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import read_rows
from tacit.table.columns import near_integers

SCHEMA = Schema(
    [
        Numeric("even", -4, 4),
        Numeric("long", 0, 1e6, center=0, scale="log"),
        Numeric("uneven", 0, 10, cuts=[0, 1e-6, 9][1:]),
        Numeric("one cut", 0, 1, cuts=[0.25]),
        Numeric("whole", 0, 32),
        Categorical("letter", ["a", "b", "c"]),
        Categorical("other", ["a", "b"], other=True),
    ],
    label=Label("y", [0, 1]),
)


def rows_of(kind):
    generator = np.random.default_rng(0)
    near = np.concatenate([generator.normal(0, 3, 9_000), np.arange(-4, 4.5, 0.5), np.nextafter(np.arange(-4.0, 5), 9)])
    n_rows = len(near)
    columns = {
        "even": near.astype(kind),
        "long": np.where(generator.random(n_rows) < 0.5, 0, generator.lognormal(3, 4, n_rows)).astype(kind),
        "uneven": generator.choice([0, 1e-7, 1e-6, 2e-6, 8.9, 9, 9.1], n_rows).astype(kind),
        "one cut": generator.choice([0, 0.25, 0.26], n_rows).astype(kind),
        "whole": generator.integers(0, 33, n_rows),
        "letter": generator.choice(["a", "b", "c", "d"], n_rows),
        "other": generator.choice(["a", "b", "d"], n_rows),
    }
    return read_rows(pl.DataFrame(columns), SCHEMA, on_invalid="coerce")


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(
    "encoding",
    [
        OneHotEncoding(SCHEMA, SCHEMA.names, 16),
        OneHotEncoding(SCHEMA, SCHEMA.names[::-2], 3),
        LinearEncoding(SCHEMA, SCHEMA.names, "ordinal"),
        LinearEncoding(SCHEMA, SCHEMA.names, "one-hot", clip=0.5),
    ],
    ids=["bins", "some", "ordinal", "one-hot"],
)
def test_lookups_add_up_to_features_times_weights(encoding, kind):
    rows = rows_of(kind)
    assert rows.held("even").dtype == kind
    weights = np.random.default_rng(1).integers(-(2**20), 2**20, encoding.n_features) * GRID
    found = sum(lookup(rows.held(name)) for name, lookup in encoding.lookups(weights))
    assert np.array_equal(found, encoding.transform(rows) @ weights)


@example([0.0, 3.6e-13], [-26421.0])
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=9, unique=True),
    st.lists(st.floats(-1e7, 1e7, width=32), max_size=20),
)
@settings(max_examples=200, deadline=None)
def test_floats_are_compared_with_cuts_that_they_cannot_hold(cuts, values):
    cuts = np.unique(cuts)
    near = cuts.astype(np.float32)
    values = np.concatenate([near, np.nextafter(near, np.float32(9e9)), np.nextafter(near, np.float32(-9e9)), values])
    values = values.astype(np.float32)
    points, codes = CutPoints(cuts, np.float32), np.empty(len(values), dtype=np.uint8)
    points.bins(values, codes)
    assert codes.tolist() == np.searchsorted(cuts, values.astype(np.float64)).tolist()
    table = np.arange(len(cuts) + 1.0)
    low, high = float(values.min()), float(values.max())
    assert points.lookup(table, low, high)(values).tolist() == codes.tolist()
    assert points.lookup(table, low - 0.1, high * 1.1 + 1)(values).tolist() == codes.tolist()


@pytest.mark.parametrize("kind", ["f4", "f8", "i1", "i8", "u4"])
def test_numbers_keep_their_type_and_are_clipped(kind):
    column = pl.Series("x", np.asarray([-3, 0, 5, 9]).astype(kind) if kind != "u4" else np.asarray([0, 0, 5, 9], "u4"))
    clipped = read_rows(pl.DataFrame([column]), Schema([Numeric("x", 0, 7)], label=Label("y", [0, 1])))
    assert clipped.held("x").dtype == kind
    assert clipped.columns["x"].dtype == np.float64
    assert clipped.columns["x"].tolist() == [0, 0, 5, 7]
    # Bounds that the type does not have make doubles of it.
    between = read_rows(pl.DataFrame([column]), Schema([Numeric("x", 0.1, 6.7)], label=Label("y", [0, 1])))
    assert between.held("x").dtype == np.float64
    assert between.columns["x"].tolist() == [0.1, 0.1, 5, 6.7]


def test_an_array_that_changes_later_changes_no_row():
    given_ = np.asfortranarray([[1.0, 3.0], [2.0, 4.0]])
    schema = Schema([Numeric("x", 0, 7), Numeric("z", 0, 7)], label=Label("y", [0, 1]))
    rows = read_rows(given_, schema)
    given_[:] = 5
    assert rows.columns["x"].tolist() == [1, 2]


def test_numbers_of_several_chunks_are_clipped_in_a_copy():
    parts = [pl.Series("x", np.asarray([-1, 9], dtype=np.float32)) for _ in range(2)]
    frame = pl.concat(parts, rechunk=False).to_frame()
    rows = read_rows(frame, Schema([Numeric("x", 0, 7)], label=Label("y", [0, 1])))
    assert rows.columns["x"].tolist() == [0, 7, 0, 7]
    assert frame["x"].to_list() == [-1, 9, -1, 9]


def test_columns_of_an_array_are_those_of_its_rows():
    table = np.random.default_rng(0).uniform(0, 1, (9_001, 5))
    schema = Schema([Numeric(f"x{at}", 0, 1) for at in range(5)], label=Label("y", [0, 1]))
    rows = read_rows(table, schema)
    assert all(np.array_equal(rows.columns[f"x{at}"], table[:, at]) for at in range(5))


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        ("i1", [-128, 127, 0]),
        ("u1", [255, 0]),
        ("i8", [-(2**63), 5 - 2**63]),
        ("u8", [2**64 - 1, 2**64 - 9]),
        ("f8", [-2.0, 0.0, 1021.0]),
        ("f4", [3.0, -0.0]),
    ],
)
def test_near_integers_are_numbered_without_overflow(kind, cells):
    values, places = near_integers(np.asarray(cells, dtype=kind))
    assert [values[place] for place in places] == cells


def test_far_integers_are_not_numbered():
    assert near_integers(np.asarray([-(2**63), 2**63 - 1])) is None
    assert near_integers(np.asarray([0, 1024])) is None
    assert near_integers(np.empty(0, dtype=np.int8)) is None
    for cells in ([0.0, 1024.0], [0.0, 0.5], [0.0, np.nan], [-np.inf, np.inf], [np.inf, np.inf], [1e300, 1e300]):
        assert near_integers(np.asarray(cells)) is None
    assert near_integers(np.asarray([1, 2], dtype=np.longdouble)) is None


def test_floats_that_are_whole_numbers_have_the_codes_that_each_has_by_itself():
    cells = [1.0, 0.0, -0.0, 3.0, 7.0, 1.0]
    schema = Schema([Categorical("c", [0, 1, 3], other=True)], label=Label("y", [0, 1]))
    together = read_rows(pl.DataFrame({"c": cells}), schema).columns["c"].tolist()
    assert together == [1, 0, 0, 2, 3, 1]
    assert together == [read_rows(pl.DataFrame({"c": [cell]}), schema).columns["c"].item() for cell in cells]
    assert together == read_rows(pl.DataFrame({"c": [*cells, 0.5]}), schema).columns["c"].tolist()[:-1]


@pytest.mark.parametrize("cuts", [[], [0.5], [1.0, 2.0, 3.0], [-1e300, 0.0, 1e300], [-1.5e38, 1.0, 1.6e38]])
@pytest.mark.parametrize("end", [1.0, 1e6, 2e38, 3.3e38, 5e299])
@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_ends_that_are_too_far_apart_for_a_grid(cuts, end, kind):
    reach = min(end, float(np.finfo(kind).max))
    values = np.linspace(-1, 1, 101).astype(kind) * np.dtype(kind).type(reach)
    table = np.arange(len(cuts) + 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        found = CutPoints(cuts, kind).lookup(table, -end, end)(values)
    assert found.tolist() == np.searchsorted(cuts, values.astype(np.float64)).tolist()
