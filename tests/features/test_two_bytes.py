"""Codes of two bytes, where a column has more categories than a byte holds; bytes everywhere else."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pytest

from tacit.errors import ParameterError
from tacit.features import BinEncoding, LinearEncoding, OneHotEncoding
from tacit.features.literals import Literal
from tacit.features.oblivious import Subset, reached_leaves
from tacit.queries.bin_counts import BinCounts
from tacit.queries.class_sums import ClassSums
from tacit.queries.tree.rows import Branch, NodeRows
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Rows, Table

N = 1_000
AT = np.asarray([0, 255, 256, 257, 511, 512, 999, 256], dtype=np.int32)
Y = np.asarray([0, 1, 0, 1, 0, 1, 0, 1])


def schema_of(n_categories, **options):
    columns = [Categorical("c", range(n_categories), **options), Numeric("x", 0, 1, cuts=[0.25, 0.5, 0.75])]
    return Schema(columns, label=Label("y", [0, 1]))


def encoding(n_categories=N, **options):
    return BinEncoding(schema_of(n_categories, **options), ("c", "x"))


def table():
    frame = pl.DataFrame({"c": AT, "x": np.linspace(0, 1, len(AT))})
    return Table.from_frame(frame, Y, schema_of(N), block_rows=3)


@pytest.mark.parametrize(("n_categories", "kind"), [(255, np.uint8), (256, np.uint16), (65_535, np.uint16)])
def test_bytes_as_long_as_they_hold_every_code(n_categories, kind):
    rows = Rows({"c": np.asarray([0, n_categories - 1, -1], dtype=np.int32), "x": np.asarray([0.0, 0.3, 1.0])}, 3)
    codes = encoding(n_categories).transform(rows)
    assert codes.dtype == kind
    assert codes.tolist() == [[0, 0], [n_categories - 1, 1], [n_categories, 3]]


def test_more_than_two_bytes_hold_are_refused():
    with pytest.raises(ParameterError, match="65,535 categories in column 'c'"):
        encoding(65_536)
    many = Schema([Numeric("x", 0, 1, cuts=np.linspace(0, 1, 258)[1:-1])], label=Label("y", [0, 1]))
    with pytest.raises(ParameterError, match="255 bins of a number"):
        BinEncoding(many, ("x",))


def test_tests_of_categories_beyond_a_byte():
    codes = encoding().transform(Rows({"c": AT, "x": np.zeros(len(AT))}, len(AT)))
    assert Subset("c", (1, 256, 999)).holds(codes[:, 0]).tolist() == [at in (256, 999) for at in AT]
    assert Literal("c", 256, 256).holds(codes[:, 0]).tolist() == [at == 256 for at in AT]
    leaves = reached_leaves([Subset("c", (0, 512)), Literal("x", 0, 0)], codes, encoding())
    assert leaves.tolist() == [3 if at in (0, 512) else 1 for at in AT]


@pytest.mark.parametrize("n_nodes", [1, 40])
def test_rows_of_a_tree_go_by_both_bytes(n_nodes):
    codes = encoding().transform(Rows({"c": AT, "x": np.zeros(len(AT))}, len(AT)))
    # One node is split in place, forty by a sort.
    rows = NodeRows(len(AT))
    for node in range(n_nodes - 1):
        rows.split({node: Branch(Literal("x", 0, 0), node + 1, n_nodes + node)}, codes, ("c", "x"))
    branches = {node: Branch(Literal("c", 256, 511), 200 + node, 300 + node) for node in range(n_nodes)}
    rows.split(branches, codes, ("c", "x"))
    last = n_nodes - 1
    assert AT[rows.of([200 + last])].tolist() == [256, 257, 511, 256]
    assert AT[rows.of([300 + last])].tolist() == [0, 255, 512, 999]


def test_counts_by_class():
    own = encoding()
    query = ClassSums(own, LinearEncoding(own.schema, ()), counted=("c", "x"), summed=(), with_classes=True)
    sums = query.read(query.statistic(table()).unreleased_value)
    assert np.argwhere(sums.counts[0]).tolist() == [[0, 0], [0, 256], [0, 511], [0, 999], [1, 255], [1, 256], [1, 257],
                                                    [1, 512]]  # fmt: skip
    assert sums.counts[0].sum() == len(AT)


def test_counts_by_weight():
    counts = BinCounts(table(), encoding(), lambda block: np.zeros(block.n_rows, dtype=np.int16), 1)
    by_label = counts.masses(np.ones(1))
    assert np.flatnonzero(by_label[0][: N + 1]).tolist() == [0, 256, 511, 999]
    assert np.flatnonzero(by_label[1][: N + 1]).tolist() == [255, 256, 257, 512]


def test_features():
    own = OneHotEncoding(schema_of(N), ("c", "x"))
    features = own.transform(Rows({"c": AT, "x": np.zeros(len(AT))}, len(AT)))
    assert np.argwhere(features[:, :N]).tolist() == [[row, at] for row, at in enumerate(AT)]


def test_a_kept_hash_does_not_travel():
    here = encoding()
    assert hash(here) == hash(encoding())
    there = pickle.loads(pickle.dumps(here))
    assert there == here
    assert hash(here) == hash(there)
    assert pickle.dumps(encoding()) == pickle.dumps(pickle.loads(pickle.dumps(here)))
