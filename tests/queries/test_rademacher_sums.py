"""Rados: against a loop over rows, in blocks of any size; windows kept; agreements counted."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.errors import ParameterError
from tacit.features import LinearEncoding
from tacit.mechanisms.rado_signatures import (
    DrawnSignatures,
    FreeSignatures,
    RandomBits,
    draw_subsets,
    draw_window_counts,
    random_signs,
)
from tacit.privacy.marginal import Window
from tacit.queries.edges import EdgeForm
from tacit.queries.rademacher_sums import WindowedSums, exact_error, rademacher_sums, sum_parts
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Table

SCHEMA = Schema(
    [Numeric("a", -1, 1), Categorical("b", ["no", "yes"]), Numeric("c", -1, 1)], label=Label("y", ["n", "p"])
)
FORM = EdgeForm(LinearEncoding(SCHEMA, SCHEMA.names))
N = 101


def people(block_rows=65_536):
    import polars as pl

    generator = np.random.default_rng(0)
    a, c = generator.integers(-64, 65, (2, N)) / 64
    b, y = generator.choice(["no", "yes"], N), generator.choice(["n", "p"], N)
    table = Table.from_frame(pl.DataFrame({"a": a, "b": b, "c": c}), y, SCHEMA, block_rows=block_rows)
    sign = np.where(y == "p", 1.0, -1.0)
    return table, np.column_stack([a, np.where(b == "yes", 1, -1), c, np.ones(N)]) * sign[:, None]


@pytest.mark.parametrize("block_rows", [65_536, 16, 7])
def test_rados_are_sums_of_the_rows_that_take_part(block_rows):
    table, edges = people(block_rows)
    parts = np.random.default_rng(1).integers(0, 2, (5, N)).astype(bool)
    drawn = DrawnSignatures(np.packbits(parts, axis=1, bitorder="little"))
    rados = rademacher_sums(table, FORM, drawn)
    np.testing.assert_allclose(rados, [[sum(edges[parts[j], k]) for k in range(4)] for j in range(5)], atol=1e-5)
    np.testing.assert_allclose(sum_parts(edges, drawn), rados, atol=1e-5)


def test_definition_1():
    _, edges = people()
    labels = edges[:, -1]
    signature = np.where(np.random.default_rng(2).random(N) < 0.5, 1.0, -1.0)
    by_definition = 0.5 * ((signature + labels)[:, None] * edges * labels[:, None]).sum(axis=0)
    parts = (signature == labels)[None, :]
    drawn = DrawnSignatures(np.packbits(parts, axis=1, bitorder="little"))
    np.testing.assert_allclose(sum_parts(edges, drawn)[0], by_definition, atol=1e-5)


def test_free_rados_have_the_mean_and_covariance_that_theory_gives():
    table, edges = people()
    rados = rademacher_sums(table, FORM, FreeSignatures(20_000, RandomBits(4)))
    np.testing.assert_allclose(rados.mean(axis=0), edges.sum(axis=0) / 2, atol=0.2)
    np.testing.assert_allclose(np.cov(rados, rowvar=False), edges.T @ edges / 4, atol=1.5)


def windowed(columns, epsilon, count=200):
    table, edges = people(block_rows=16)
    bits, window = RandomBits(6), Window(N, epsilon)
    sums = WindowedSums(table, FORM, columns, lambda values: random_signs(values, bits))
    agreements = draw_subsets(draw_window_counts(window, count, bits), N, bits)
    return sums, agreements, edges, window


def test_entries_of_the_protected_column_stay_in_the_window():
    sums, agreements, edges, window = windowed(("b",), 0.3)
    rados = sums.rados(agreements)
    negative = int((edges[:, 1] < 0).sum())
    counts = rados[:, 1] + negative
    assert (counts == np.bitwise_count(agreements).sum(axis=1)).all()
    assert (window.low <= counts).all()
    assert (counts <= window.high).all()
    free = rademacher_sums(people()[0], FORM, FreeSignatures(200, RandomBits(1)))[:, 1] + negative
    assert (free < window.low).any()  # the window does cut something off


def test_agreements_of_further_columns_are_counted():
    sums, agreements, edges, _ = windowed(("b", "a"), 3.0, count=20)
    signs = sums._signs
    assert (signs[:, 0] == edges[:, 1]).all()
    agree = np.unpackbits(agreements, axis=1, count=N, bitorder="little")
    parts = agree ^ (signs[:, 0] < 0)
    expected = [[int((parts[j] == (signs[:, 1] > 0)).sum())] for j in range(20)]
    assert sums.counts(agreements).tolist() == expected


def test_real_edges_are_rounded_to_signs_of_the_same_mean():
    sums, _, edges, _ = windowed(("c",), 1.0)
    assert set(np.unique(sums._signs)) == {-1, 1}
    whole = np.abs(edges[:, 2]) == 1
    assert (sums._signs[whole, 0] == edges[whole, 2]).all()


def test_one_hot_columns_cannot_be_windowed():
    table, _ = people()
    form = EdgeForm(LinearEncoding(SCHEMA, SCHEMA.names, "one-hot"))
    with pytest.raises(ParameterError, match="one feature each"):
        WindowedSums(table, form, ("b",), lambda values: values)


def test_the_error_counts_ties_as_wrong():
    table, edges = people(block_rows=16)
    theta = np.asarray([1.0, 0.5, 0.0, 0.25])
    assert exact_error(table, FORM, theta) == np.mean(edges @ theta <= 0)
