"""Class sums: right values, constants found by optimisation, a sensitivity that is safe and tight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.neighbors import Pair, all_pairs, neighbors, table_of
from harness.search import largest_movement
from tacit.errors import PrivacyError
from tacit.features import BinEncoding, LinearEncoding
from tacit.privacy import PrivacyUnit
from tacit.queries import GAUSSIAN_OFFSET, PURE_OFFSET, ClassSums
from tacit.schema import Categorical, Label, Numeric, Schema

MIXED = Schema([Numeric("x", -1, 1), Categorical("c", ["a", "b"])], label=Label("y", ["no", "yes"]))
UNIT = PrivacyUnit(("x", "c"), label=True)


def query_of(schema, normal=True, offset=PURE_OFFSET, with_classes=True, names=None, **settings):
    names = schema.names if names is None else names
    summed = tuple(n for n in names if normal and isinstance(schema.column(n), Numeric))
    counted = tuple(n for n in names if n not in summed)
    bins = BinEncoding(schema, tuple(n for n in schema.names if n not in summed), 4)
    features = LinearEncoding(schema, tuple(n for n in schema.names if isinstance(schema.column(n), Numeric)))
    return ClassSums(bins, features, counted, summed, with_classes, offset, **settings)


def test_sums_by_hand():
    rows = ((-1.0, "a", "no"), (0.5, "b", "no"), (0.25, "b", "yes"))
    table = table_of(rows, MIXED, block_rows=2)
    query = query_of(MIXED)
    sums = query.read(query.statistic(table).unreleased_value)
    assert sums.classes.tolist() == [2, 1]
    assert sums.counts[0].tolist() == [[1, 1], [0, 1]]
    assert sums.first[:, 0].tolist() == [-0.5, 0.25]
    assert sums.second[:, 0].tolist() == [1.25 - 2 * 7 / 8, 0.0625 - 7 / 8]


def test_bins_are_counted_without_a_bin_for_what_cannot_occur():
    rows = ((-1.0, "a", "no"), (0.5, "b", "no"), (1.0, "b", "yes"))
    query = query_of(MIXED, normal=False)
    sums = query.read(query.statistic(table_of(rows, MIXED)).unreleased_value)
    assert [counts.tolist() for counts in sums.counts] == [[[1, 0, 1, 0], [0, 0, 0, 1]], [[1, 1], [0, 1]]]
    assert replace(query, unlisted=True).widths == (4, 3)


def row_moves(offset, same_label):
    """L1 and squared L2 of one numeric column's movement over a fine grid of old and new values."""
    z = np.linspace(-1, 1, 401)
    old, new = np.meshgrid(z, z)
    parts = (old - new, old**2 - new**2) if same_label else (old, old**2 - offset, new, new**2 - offset)
    return float(sum(map(np.abs, parts)).max()), float(sum(part**2 for part in parts).max())


def test_the_constants_are_the_maxima():
    assert row_moves(7 / 8, same_label=True) == pytest.approx((9 / 4, 4), abs=1e-3)
    assert row_moves(7 / 8, same_label=False)[0] == pytest.approx(9 / 4, abs=1e-3)
    assert row_moves(1 / 2, same_label=False) == pytest.approx((3, 5 / 2), abs=1e-3)
    assert row_moves(1.0, same_label=False)[1] == pytest.approx(2, abs=1e-3)


def test_no_other_offset_does_better():
    offsets = np.linspace(0, 1.5, 301)
    assert min(row_moves(m, same_label=False)[0] for m in offsets[::10]) > 9 / 4 - 0.02
    assert min(row_moves(m, same_label=False)[1] for m in offsets[::10]) > 2 - 1e-4


@pytest.mark.parametrize(
    ("columns", "label", "l1", "squared"),
    [
        (("x", "c"), True, 2 + 2 + 9 / 4, 2 + 4),  # label kept is worst in L2: 2 + 4 ties with 2 + 2 + 2
        (("x", "c"), False, 2 + 9 / 4, 2 + 4),
        (("c",), False, 2, 2),
        ((), True, 2 + 2 + 9 / 4, 2 + 2 + 2),
    ],
)
def test_stated_sensitivities(columns, label, l1, squared):
    unit = PrivacyUnit(columns, label)
    assert query_of(MIXED).sensitivity(unit)[0] == pytest.approx(l1, abs=2e-6)
    assert query_of(MIXED, offset=GAUSSIAN_OFFSET).sensitivity(unit)[1] == pytest.approx(squared**0.5, abs=2e-6)


def test_each_summed_column_adds_a_step_for_its_rounding():
    """Two private numbers of three: 9/4 each in L1 and 4 in squared L2, and a step of 2^-20 for all three."""
    schema = Schema([Numeric(name, -1, 1) for name in "abc"], label=Label("y", ["no", "yes"], private=False))
    l1, l2 = query_of(schema).sensitivity(PrivacyUnit(("a", "b"), label=False))
    assert l1 == 2 * 9 / 4 + 3 * 2.0**-20
    assert 8**0.5 + 3 * 2.0**-20 <= l2 <= 8**0.5 + 3.001 * 2.0**-20


@given(neighbors(), st.booleans(), st.sampled_from([PURE_OFFSET, GAUSSIAN_OFFSET, 0.5]), st.booleans())
@settings(max_examples=200, deadline=None)
def test_no_neighbor_moves_them_further_than_stated(pair: Pair, normal: bool, offset: float, unlisted: bool):
    one, two = pair.tables(block_rows=5)
    query = query_of(pair.schema, normal, offset, unlisted=unlisted)
    first, second = query.statistic(one), query.statistic(two)
    change = (first.unreleased_value - second.unreleased_value).astype(float)
    assert np.abs(change).sum() <= first.l1 == second.l1
    assert np.sqrt((change**2).sum()) <= first.l2


def rounded_moves(step, offset, same_label):
    """L1 and L2 of one numeric column's movement over all pairs of multiples of a step, squares rounded to it."""
    z = np.arange(-1, 1 + step / 2, step)
    old, new = np.meshgrid(z, z)
    squares = [np.rint(values**2 / step) * step for values in (old, new)]
    changed = (old, squares[0] - offset, new, squares[1] - offset)
    parts = (old - new, squares[0] - squares[1]) if same_label else changed
    return float(sum(map(np.abs, parts)).max()), float(np.sqrt(sum(part**2 for part in parts)).max())


@pytest.mark.parametrize("step", [1 / 8, 1 / 16, 1 / 64, 1 / 256])
def test_rounding_to_a_coarse_grid_needs_the_step_in_l2_and_no_more(step):
    kept, changed = (rounded_moves(step, PURE_OFFSET, same) for same in (True, False))
    assert (kept[0], changed[0], kept[1]) == pytest.approx((9 / 4, 9 / 4, 2), abs=1e-12)
    _, gaussian = rounded_moves(step, GAUSSIAN_OFFSET, same_label=False)
    assert np.sqrt(2) + step / 10 < gaussian <= np.sqrt(2) + step


@pytest.mark.parametrize("n_summed", [1, 2, 5])
def test_the_offset_matters_where_the_label_may_change(n_summed):
    """Squared L2: max(4 r, 2 + 2 r) all private at m = 1, 2 + 2 r with public columns; 5/2 r for 2 r at m = 1/2."""
    names = tuple(f"x{i}" for i in range(n_summed))
    schema = Schema([Numeric(name, -1, 1) for name in names], label=Label("y", ["no", "yes"]))
    for private, kept in ((names, 4.0 * n_summed), ((), 0.0)):
        unit = PrivacyUnit(private, label=True)
        for offset, each in ((1.0, 2.0), (0.5, 2.5)):
            l2 = query_of(schema, offset=offset).sensitivity(unit)[1]
            assert l2**2 == pytest.approx(max(kept, 2 + each * n_summed), abs=1e-4)


PUBLIC_LABEL = Schema(MIXED.columns, label=Label("y", ["no", "yes"], private=False))


@pytest.mark.parametrize("schema", [MIXED, PUBLIC_LABEL], ids=["private label", "public label"])
@pytest.mark.parametrize("normal", [True, False])
def test_a_search_over_neighbors_comes_close_to_the_bound(schema, normal):
    """Values -1, -1/2, 0, 1/2, 1 hold all extremes; two rows suffice."""
    pairs = list(all_pairs(schema, 1, points=5))
    with_classes = schema.label.private
    l1 = largest_movement(query_of(schema, normal, with_classes=with_classes).statistic, pairs)["l1"]
    gaussian = query_of(schema, normal, GAUSSIAN_OFFSET, with_classes=with_classes)
    l2 = largest_movement(gaussian.statistic, pairs)["l2"]
    assert 0.9999 < l1 <= 1
    assert 0.9999 < l2 <= 1


def test_exact_sums_need_public_cells():
    table = table_of(((0.0, "a", "no"),), MIXED)
    with pytest.raises(PrivacyError, match="public"):
        _ = query_of(MIXED).statistic(table).public_value
    partial = Schema(
        [Numeric("x", -1, 1), Categorical("c", ["a", "b"], private=False)],
        label=Label("y", ["no", "yes"], private=False),
    )
    table = table_of(((0.0, "a", "no"),), partial)
    public = query_of(partial, names=("c",))
    assert public.read(public.statistic(table).public_value).counts[0].tolist() == [[1, 0], [0, 0]]
    with pytest.raises(PrivacyError):
        _ = query_of(partial, names=("x",)).statistic(table).public_value


def test_sums_do_not_depend_on_blocks():
    generator = np.random.default_rng(0)
    rows = tuple(
        (float(x), c, y)
        for x, c, y in zip(
            generator.uniform(-1, 1, 200),
            generator.choice(["a", "b"], 200),
            generator.choice(["no", "yes"], 200),
            strict=True,
        )
    )
    query = query_of(MIXED)
    values = [query.statistic(table_of(rows, MIXED, block_rows=b)).unreleased_value for b in (7, 64, 1000)]
    assert (values[0] == values[1]).all()
    assert (values[0] == values[2]).all()
