"""The wall: what a table lets out, and to whom."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from tacit.errors import ParameterError, PrivacyError, TableError
from tacit.features import BinEncoding, LinearEncoding
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Rows, Table, read_labels, read_rows

SCHEMA = Schema([Numeric("a", 0, 1), Numeric("b", 0, 1, private=False)], label=Label("y", ["no", "yes"], private=False))
ROWS = np.asarray([[0.125, 0.25], [0.5, 0.75], [0.9, 0.1]])
LABELS = ["no", "yes", "yes"]


def table(schema=SCHEMA):
    return Table.from_frame(ROWS, LABELS, schema, block_rows=2)


def test_public_parts_come_out_and_protected_ones_do_not():
    public = LinearEncoding(SCHEMA, ("b",))
    assert table().public_features(public)[:, 0] == pytest.approx([-0.5, 0.5, -0.8], abs=1e-6)
    assert table().public_labels().tolist() == [0, 1, 1]
    with pytest.raises(PrivacyError, match="'a'"):
        table().public_features(LinearEncoding(SCHEMA, ("a", "b")))
    with pytest.raises(PrivacyError, match="label"):
        table(SCHEMA.all_private()).public_labels()


def test_no_one_copies_or_prints_a_table():
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(PrivacyError):
            attempt(table())
    assert "0.125" not in repr(table())
    assert repr(table()) == "<Table of 3 rows, 2 columns; rows stay inside>"


def test_sums_add_blocks_in_order():
    seen = []
    table().sum(lambda block: (seen.append((block.index, block.n_rows)), np.zeros(1))[1])
    assert seen == [(0, 2), (1, 1)]
    ones, labels = table().sum(lambda block: (np.ones(1) * block.n_rows, block.labels.sum(keepdims=True)))
    assert (ones[0], labels[0]) == (3, 2)


def test_one_class_against_the_rest():
    schema = Schema(SCHEMA.columns, label=Label("y", ["b", "a", "c"]))
    whole = Table.from_frame(ROWS, ["c", "a", "b"], schema)
    assert [int(whole.one_against_rest(k).sum(lambda b: b.labels @ [1, 2, 4])) for k in range(3)] == [2, 4, 1]
    assert whole.one_against_rest(0).unit == whole.unit


def test_an_encoded_table_is_not_copied_and_serves_its_encoding_only():
    encoding = LinearEncoding(SCHEMA, SCHEMA.names)
    matrix = np.zeros((3, 2), dtype=np.float32)
    encoded = Table.from_encoded(matrix, LABELS, SCHEMA, encoding)
    assert encoded.sum(lambda block: np.asarray([np.shares_memory(block.features(encoding), matrix)])).all()
    with pytest.raises(TableError, match="encoding"):
        encoded.sum(lambda block: block.features(LinearEncoding(SCHEMA, ("a",))))
    with pytest.raises(TableError):
        Table.from_encoded(matrix[:2], LABELS, SCHEMA, encoding)


def test_bins_by_hand():
    schema = Schema(
        [Numeric("x", 0, 4, cuts=[1, 2.5]), Numeric("z", 0, 8), Categorical("c", ["u", "v"])],
        label=Label("y", ["no", "yes"]),
    )
    encoding = BinEncoding(schema, schema.names, n_bins=4)
    assert encoding.cuts == ((1.0, 2.5), (2.0, 4.0, 6.0), ())
    frame = {"x": [0, 1, 1.01, 2.5, 4], "z": [0, 2, 2.1, 6, 8], "c": ["u", "v", "v", "u", "u"]}
    import polars as pl

    bins = []
    rows = Table.from_frame(pl.DataFrame(frame, strict=False), ["no"] * 5, schema)
    rows.sum(lambda block: (bins.append(block.codes(encoding)), np.zeros(1))[1])
    assert bins[0].T.tolist() == [[0, 0, 1, 1, 2], [0, 0, 1, 2, 3], [0, 1, 1, 0, 0]]
    assert bins[0].dtype == np.uint8


@pytest.mark.parametrize("parts", [0, 1, 256, 10_000])
def test_bins_fit_a_byte(parts):
    with pytest.raises(ParameterError):
        BinEncoding(SCHEMA, ("a",), n_bins=parts)


def test_labels_are_positions_among_the_sorted_classes():
    label = Label("y", ["b", "a"])
    assert read_labels(["a", "b", "b"], label).tolist() == [0, 1, 1]
    assert read_labels(["a", "z", None], label, on_invalid="coerce").tolist() == [0, 1, 1]  # "b" is listed first
    with pytest.raises(TableError):
        read_labels(["a", "z"], label)


def test_numbers_beyond_the_bounds_are_clipped_where_they_are_read_and_where_they_are_encoded():
    far = np.asarray([[7.0, -1e9], [-0.25, 0.5], [1.0, 1e300]])
    rows = read_rows(far, SCHEMA)
    assert rows.columns["a"].tolist() == [1.0, 0.0, 1.0]
    assert rows.columns["b"].tolist() == [0.0, 0.5, 1.0]
    unread = Rows({"a": far[:, 0], "b": far[:, 1]}, 3)
    features = LinearEncoding(SCHEMA, SCHEMA.names).transform(unread)
    assert features.tolist() == [[1.0, -1.0], [-1.0, 0.0], [1.0, 1.0]]
