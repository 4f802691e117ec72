"""Sums, scores and quotients of persons, by hand and by search."""

from __future__ import annotations

from math import expm1

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.audit.person_pairs import person_pairs
from tacit.features import BinEncoding, GridEncoding, LinearEncoding
from tacit.mechanisms import Releases
from tacit.privacy import Persons, PrivacyUnit
from tacit.queries import ClassSums, MedianScores
from tacit.queries.leaf_sums import LeafSums
from tacit.schema import Identifier, Label, Numeric, Schema
from tacit.sensitivities.linear import error_sensitivity
from tacit.table import Table

SCHEMA = Schema([Numeric("a", -1, 1)], label=Label("y", ["no", "yes"]), identifier=Identifier("person"))
PUBLIC = Schema(
    [Numeric("a", -1, 1, private=False)],
    label=Label("y", ["no", "yes"], private=False),
    identifier=Identifier("person"),
)


def table(schema, persons, a, y, **settings):
    return Table.from_frame(pl.DataFrame({"person": persons, "a": a}), y, schema, **settings)


def sums_of(schema):
    return ClassSums(BinEncoding(schema, ("a",), 4), LinearEncoding(schema, ("a",)), ("a",), ("a",), with_classes=True)


@pytest.mark.parametrize("block_rows", [1, 2, 65_536])
def test_each_person_counts_one_in_what_leaves(block_rows):
    rows = table(PUBLIC, list("abaa"), [1.0, -1.0, 1.0, -1.0], ["no", "yes", "no", "yes"], block_rows=block_rows)
    query = sums_of(PUBLIC)
    released = query.read(Releases.none().noisy(query.statistic(rows)).value)
    third = 1 / 3
    assert np.allclose(released.classes, [2 * third, 1 + third], atol=2 / 4096)
    assert released.classes.sum() == 2.0, "exactly"
    assert np.allclose(released.counts[0], [[0, 0, 0, 2 * third], [1 + third, 0, 0, 0]], atol=2 / 4096)
    assert np.allclose(released.first[:, 0], [2 * third, -1 - third], atol=2 / 4096)


def test_sums_over_leaves_and_their_sensitivity():
    rows = table(SCHEMA, list("aab"), [1.0, 1.0, -1.0], ["no", "yes", "yes"])
    sums = LeafSums(rows, BinEncoding(SCHEMA, ("a",), 2), np.zeros(1, dtype=np.int64))
    plain = Table.from_frame(np.asarray([[1.0], [-1.0]]), ["no", "yes"], Schema(SCHEMA.columns, label=SCHEMA.label))
    one = LeafSums(plain, BinEncoding(plain.schema, ("a",), 2), np.zeros(1, dtype=np.int64))
    mine, its = sums.gradients(()), one.gradients(())
    # Residuals of a's rows are -1/2 and 1/2, of b's 1/2.
    assert mine.unreleased_value.tolist() == [[2**19 * 4096]]
    assert (mine.l1, mine.l2, mine.unit_weight) == (its.l1 * 4096, its.l2 * 4096, 4096)


def ranges(one, other):
    """Return the largest change of the difference of two cells' scores in each interval."""
    found = []
    for low, high in one.intervals:
        every = [stat.unreleased_cells.of(slice(None)) for stat in (one, other)]
        tables = [rows[(rows >= low) & (rows <= high)] for rows in every]
        cells = np.unique([low, high - 1, *(cell for cell in np.concatenate(tables) if cell < high)])
        scores = [-np.abs(2 * np.searchsorted(rows, cells, side="right") - len(rows)) for rows in tables]
        change = scores[0] - scores[1]
        found.append(change.max() - change.min())
    return np.asarray(found)


@pytest.mark.parametrize(("rows", "weight", "most"), [("mean", 4, 4), (3, 1, 3)])
def test_ranges_of_medians_add_up_to_four_times_a_person(rows, weight, most):
    columns = [Numeric("a", -1, 1, missing=0.0)]
    schema = Schema(columns, label=SCHEMA.label, identifier=Identifier("person", rows=rows))
    grid, largest = GridEncoding(schema, "a"), 0.0
    edges = np.asarray([0, *(grid.n_cells * np.asarray([0.25, 0.5, 0.75])).astype(np.int64), grid.n_cells])
    for pair, _ in zip(person_pairs(schema, seed=1), range(120), strict=False):
        if len(pair.second) > 1_000 or "unlisted" in pair.kind:
            continue
        one, other = (MedianScores(each, grid).statistic(edges) for each in pair.tables())
        found = ranges(one, other)
        assert found.sum() <= one.range == 4 * most
        assert np.count_nonzero(found) <= one.moved == 2 * most
        largest = max(largest, found.sum())
    assert largest >= 0.9 * 4 * most
    assert weight * (1 if rows == "mean" else rows) == most


@given(st.integers(2, 9), st.floats(1, 20), st.integers(1, 4), st.data())
def test_a_quotient_moves_by_at_most_what_is_stated(persons, ratio, most, data):
    unit = PrivacyUnit(("a",), label=True, persons=Persons("p", most))
    bound = error_sensitivity(ratio, persons, unit)
    others = data.draw(st.floats(persons - 1, ratio * most * (persons - 1)))
    wrong = data.draw(st.floats(0, 1)) * others
    totals = [data.draw(st.floats(1, ratio * most)) for _ in range(2)]
    shares = [data.draw(st.floats(0, 1)) for _ in range(2)]
    one, other = ((wrong + t * x) / (others + t) for t, x in zip(totals, shares, strict=True))
    assert abs(one - other) <= bound + 1e-12
    assert ratio * most / (persons - 1 + ratio * most) == pytest.approx(bound), "attained at A = 0"


def test_declared_rows_leave_fewer_others():
    unit = PrivacyUnit(("a",), label=True, persons=Persons(None, 3, same_rows=True))
    assert error_sensitivity(2.0, 12, unit) == 6 / (9 + 6)
    assert error_sensitivity(2.0, 2, unit) == 1.0


def test_the_jacobian_of_several_rows_exceeds_that_of_one():
    """Orthogonal rows, each a share: ln det(I + M) nears tr M, and the one-row lambda leaves more than half."""
    epsilon, rows = 1.0, 200
    one_row = expm1(epsilon / 2)  # c R^2 / lambda
    assert rows * np.log1p(one_row / rows) > 0.64 * epsilon
    assert rows * np.log1p(epsilon / 2 / rows) <= epsilon / 2


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_slopes_and_curvatures_of_a_person_stay_within_one(slopes):
    s = np.asarray(slopes)
    assert s.mean() + (s * (1 - s)).mean() <= 1 + 1e-12
