"""Summed gradients: right values, a sensitivity that holds for random neighbors and that a search reaches."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from harness.neighbors import Pair, all_pairs, neighbors, table_of
from harness.search import largest_movement
from tacit.errors import ParameterError, PrivacyError
from tacit.features import LinearEncoding, OneHotEncoding
from tacit.privacy import PrivacyUnit
from tacit.queries import Offset
from tacit.queries.gradients import RESIDUAL_STEPS, Gradients, gradient_sensitivity
from tacit.queries.grouped_bins import GroupedBins
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Table

MIXED = Schema([Numeric("x", -1, 1), Categorical("c", ["a", "b"])], label=Label("y", ["no", "yes"]))
PUBLIC_LABEL = Schema(MIXED.columns, label=Label("y", ["no", "yes"], private=False))
LABEL_ONLY = MIXED.with_private([], label=True)
HALF = MIXED.with_private(["c"], label=True)
HALF_PUBLIC_LABEL = MIXED.with_private(["c"], label=False)


def encoding_of(schema, parts=2):
    return OneHotEncoding(schema, schema.names, parts)


def test_a_gradient_by_hand():
    rows = ((-1.0, "a", "no"), (0.5, "b", "no"), (0.25, "b", "yes"))
    gradients = Gradients(table_of(rows, MIXED, block_rows=2), encoding_of(MIXED), clip=1.0)
    weights = np.asarray([0.0, 1.0, 0.0, 2.0])
    first, second, third = 0.5, expit(3.0), expit(3.0) - 1
    expected = [first, second + third, first, second + third]
    answer = gradients.statistic(weights).unreleased_value / RESIDUAL_STEPS
    assert answer == pytest.approx(expected, abs=3 / RESIDUAL_STEPS)
    clipped = (
        Gradients(gradients.table, gradients.encoding, clip=0.5).statistic(weights).unreleased_value / RESIDUAL_STEPS
    )
    assert clipped == pytest.approx([0.5, 0.5 + third, 0.5, 0.5 + third], abs=3 / RESIDUAL_STEPS)


def test_marginals_by_hand_and_an_unlisted_category_has_no_feature():
    rows = ((-1.0, "a", "no"), (0.5, "b", "no"), (0.25, "b", "yes"))
    query = Gradients(table_of(rows, MIXED), encoding_of(MIXED)).marginals()
    assert query.unreleased_value.tolist() == [1, 2, 1, 2]
    assert (query.l1, query.l2) == (4.0, pytest.approx(2.0))


def test_an_offset_is_added_to_margins():
    rows = ((1.0, "a", "no"), (-1.0, "b", "no"))
    table = table_of(rows, Schema([Numeric("x", -1, 1, private=False), MIXED.columns[1]], label=PUBLIC_LABEL.label))
    offset = Offset(LinearEncoding(table.schema, ("x",)), np.asarray([2.0]), 0.5)
    gradients = Gradients(table, OneHotEncoding(table.schema, ("c",)), offset, clip=1.0)
    answer = gradients.statistic(np.zeros(2)).unreleased_value / RESIDUAL_STEPS
    assert answer == pytest.approx([expit(2.5), expit(-1.5)], abs=3 / RESIDUAL_STEPS)


@given(neighbors(), st.floats(0.05, 1.0), st.floats(0, 20), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_no_neighbor_moves_it_further_than_stated(pair: Pair, clip: float, size: float, seed: int):
    one, two = pair.tables(block_rows=5)
    encoding = encoding_of(pair.schema, 3)
    weights = np.random.default_rng(seed).normal(0, size, encoding.n_features)
    for ask in (lambda table: table.statistic(weights), lambda table: table.marginals()):
        first, second = (ask(Gradients(table, encoding, clip=clip)) for table in (one, two))
        change = (first.unreleased_value - second.unreleased_value).astype(float)
        assert np.abs(change).sum() <= first.l1 == second.l1
        assert np.sqrt((change**2).sum()) <= first.l2 == second.l2


@pytest.mark.parametrize(
    ("schema", "clip", "squares"),
    [
        (MIXED, 0.5, 2),  # 4 P c^2: a label that changes at equal features
        (MIXED, 0.25, 0.5),
        (PUBLIC_LABEL, 0.5, 1),  # 2 a c^2: other features, the label stays
        (PUBLIC_LABEL, 1.0, 4),
        (LABEL_ONLY, 0.5, 2),
        (HALF, 0.5, 2),
        (HALF_PUBLIC_LABEL, 0.5, 0.5),
    ],
)
def test_the_stated_sensitivity_is_reached(schema, clip, squares):
    """Weights at which residuals of one label reach the clip, or zero where a label changes."""
    encoding = encoding_of(schema)
    for_label = np.zeros(4) if schema.label.private else np.full(4, 30.0)
    assert gradient_sensitivity(
        encoding, PrivacyUnit(schema.private_columns, schema.label.private), clip, for_label
    ) == (pytest.approx(squares))
    moved = largest_movement(
        lambda table: Gradients(table, encoding, clip=clip).statistic(for_label), list(all_pairs(schema, 1))
    )
    assert 0.999 < moved["l2"] <= 1


@pytest.mark.parametrize("schema", [MIXED, HALF, LABEL_ONLY], ids=["all", "half", "label only"])
@pytest.mark.parametrize("clip", [0.7, 1.0])
def test_above_one_half_a_search_over_weights_comes_close_to_the_bound(schema, clip):
    encoding, pairs = encoding_of(schema), list(all_pairs(schema, 1))
    best = 0.0
    for weights in product([0.0, 1.0, 4.0], [0.0, 1.0, 4.0], [0.0]):
        w = np.asarray([-weights[0], weights[0], -weights[1], weights[1]]) + weights[2] / 8
        moved = largest_movement(lambda t, w=w: Gradients(t, encoding, clip=clip).statistic(w), pairs)["l2"]
        assert moved <= 1
        best = max(best, moved)
    assert best > 0.95


def test_unclipped_gradients_at_zero_move_by_the_norm_alone():
    unit = PrivacyUnit(("x", "c"), label=True)
    at_zero = gradient_sensitivity(encoding_of(MIXED), unit, 1.0, np.zeros(4), 0.0)
    far = gradient_sensitivity(encoding_of(MIXED), unit, 1.0, 50 * np.asarray([-1.0, 1.0, -1.0, 1.0]))
    assert at_zero == pytest.approx(2, rel=1e-2)
    assert 4 < far <= 8


def test_numbers_and_groups_unclipped_under_a_public_label():
    """sqrt(4 numerics + 2 groups): one number in [-1, 1] and one group, residuals free in [0, 1], by enumeration."""
    worst, worst_unsigned = 0.0, 0.0
    for r, q, x, y, same in product(np.linspace(0, 1, 11), np.linspace(0, 1, 11), (-1, 0, 1), (-1, 0, 1), (0, 1)):
        group = (r - q) ** 2 if same else r**2 + q**2
        squared = (r * x - q * y) ** 2 + group
        worst = max(worst, squared)
        if x >= 0 and y >= 0:
            worst_unsigned = max(worst_unsigned, squared)
    assert worst == 4 + 2
    assert worst_unsigned == 2 + 2 - 1  # r = q = 1, one number 1 and the other 0: at most sqrt 2 R = 2


def test_signed_numbers_stay_below_the_bound_at_small_weights():
    """max over u of 2 sigma(O + B u) sqrt(R^2 - u^2), public label, by optimisation in two dimensions."""
    for size, offset in product([0.0, 0.5, 1.0, 3.0], [0.0, 1.0]):
        u = np.linspace(0, 1, 20_001)
        bound = (2 * expit(offset + size * u) * np.sqrt(1 - u * u)).max()

        def minus(angles, size=size, offset=offset):
            points = [np.asarray([np.cos(a), np.sin(a)]) for a in angles]
            one, two = (expit(offset + size * p[0]) * p for p in points)
            return -np.linalg.norm(one - two)

        starts = product(np.linspace(-3, 3, 5), repeat=2)
        found = max(-minimize(minus, start, method="Nelder-Mead").fun for start in starts)
        assert 0.999 * bound < found <= bound * (1 + 1e-7)


def test_what_cannot_move_may_be_taken_exactly_and_nothing_else():
    public = MIXED.with_private(["c"], label=False)
    table = table_of(((0.0, "a", "no"), (0.5, "b", "yes")), public)
    exact = Gradients(table, OneHotEncoding(public, ("x",), 2)).statistic(np.zeros(2))
    assert exact.public_value.tolist() == [RESIDUAL_STEPS // 2, -RESIDUAL_STEPS // 2]
    with pytest.raises(PrivacyError, match="public cells"):
        _ = Gradients(table, OneHotEncoding(public, ("c",))).statistic(np.zeros(2)).public_value


def test_blocks_do_not_matter_and_clips_are_checked():
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
    weights = generator.normal(size=6)
    values = [
        Gradients(table_of(rows, MIXED, b), encoding_of(MIXED, 4)).statistic(weights).unreleased_value
        for b in (7, 64, 1000)
    ]
    assert (values[0] == values[1]).all()
    assert (values[0] == values[2]).all()
    for clip in (0.0, 1.5):
        with pytest.raises(ParameterError, match="clip"):
            Gradients(table_of(rows, MIXED), encoding_of(MIXED), clip=clip)


def test_an_unlisted_category_in_one_row_rounds_no_other_row_otherwise():
    """It changes which columns are looked up together, and so the order in which all rows' weights are added."""
    names, listed = ("p", "q", "r", "s"), [f"{code:02d}" for code in range(16)]
    schema = Schema([Categorical(name, listed) for name in names], label=Label("y", ["no", "yes"]))
    frame = {name: ["03"] * 400 for name in names}
    other = frame | {"p": ["unlisted", *["03"] * 399]}
    labels = ["yes", "no"] * 200
    weights = np.zeros((4, 16))
    weights[:, 3] = [0.0, 2.0**53, 1.0, -(2.0**53)]  # in float64 their sum is 0 or 1, depending on the order
    statistics = [
        Gradients(
            Table.from_frame(pl.DataFrame(each), labels, schema, on_invalid="coerce"), OneHotEncoding(schema, names)
        ).statistic(weights.ravel())
        for each in (frame, other)
    ]
    moved = statistics[1].unreleased_value - statistics[0].unreleased_value
    assert np.linalg.norm(moved) <= statistics[0].l2
    assert np.count_nonzero(moved) <= 4
    assert [grouped_like(one) for one in (frame, other)] == [[16**3, 16], [17 * 16, 16 * 16]]


def grouped_like(frame):
    """Sizes of the groups of columns, of a table of four columns of sixteen categories."""
    schema = Schema([Categorical(name, [f"{code:02d}" for code in range(16)]) for name in frame], label=MIXED.label)
    table = Table.from_frame(pl.DataFrame(frame), ["no"] * len(frame["p"]), schema, on_invalid="coerce")
    return list(GroupedBins(table, OneHotEncoding(schema, schema.names)).sizes)
