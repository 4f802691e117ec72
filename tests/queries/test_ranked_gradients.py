"""Ranked gradients: right values, sensitivities that hold for random neighbors and that a search reaches."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import inf, sqrt

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, softmax

import tacit.queries.ranked_gradients as module
from harness.neighbors import Pair, all_pairs, neighbors, table_of, values
from harness.search import largest_movement
from tacit.errors import ParameterError
from tacit.features import LinearEncoding
from tacit.features.ranked_encoding import CONSTANT, RankedEncoding
from tacit.features.ranked_rows import FEATURE_STEPS
from tacit.queries import Offset
from tacit.queries.ranked_gradients import GRADIENT_STEPS, MOMENT_STEPS, RankedGradients
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema
from tacit.sensitivities.gradients import NUMBER_MOVES, clip_of
from tacit.table import Table
from tacit.table.rows import Rows

MIXED = Schema([Numeric("x", -1, 1), Categorical("c", ["a", "b"])], label=Label("y", ["no", "yes"]))
ROWS = ((-1.0, "a", "no"), (0.5, "b", "no"), (0.25, "b", "yes"))
WIDE = Schema([Numeric("x", -1e6, 1e6, cuts=[0, 1])], label=MIXED.label)
ONE_CUT = Schema([Numeric("x", -1e6, 1e6, cuts=[0])], label=MIXED.label)
# Of two categories one is 3/4, the other -1/4: their squares add up to 5/8.
LONG = sqrt(CONSTANT**2 + 1 + 5 / 8)


def encoding_of(schema, clip_norm=1.0, *, quadratic=False):
    whole = RankedEncoding(schema, schema.names, inf, quadratic)
    return replace(whole, radius=clip_norm * whole.longest)


def features(*rows):
    return np.asarray([[0.5, x, (c == "a") - 0.25, (c == "b") - 0.25] for x, c, _ in rows])


def test_a_gradient_by_hand():
    table, weights = table_of(ROWS, MIXED, block_rows=2), np.asarray([[1.0], [0.5], [0.0], [2.0]])
    x = features(*ROWS)
    residuals = np.clip(expit(x @ weights)[:, 0] - [0, 0, 1], -0.5, 0.5)
    answer = RankedGradients(table, encoding_of(MIXED)).statistic(weights)
    assert answer.unreleased_value[:, 0] / GRADIENT_STEPS == pytest.approx(residuals @ x, abs=2e-3)
    assert answer.l2 / GRADIENT_STEPS == pytest.approx(LONG)


def test_many_classes_share_one_clip():
    schema = Schema(MIXED.columns, label=Label("y", ["p", "q", "r"]))
    rows = ((-1.0, "a", "p"), (0.5, "b", "q"), (0.25, "b", "r"))
    weights = np.random.default_rng(0).normal(0, 2, (4, 3))
    x, classes = features(*rows), np.eye(3)
    residuals = softmax(x @ weights, axis=1) - classes
    residuals *= np.minimum(1, clip_of(3) / np.linalg.norm(residuals, axis=1))[:, None]
    answer = RankedGradients(table_of(rows, schema), encoding_of(schema)).statistic(weights)
    assert answer.unreleased_value / GRADIENT_STEPS == pytest.approx(x.T @ residuals, abs=2e-3)
    assert answer.l2 / GRADIENT_STEPS == pytest.approx(2 * 0.9 * sqrt(2 / 3) * LONG)


def test_moments_by_hand():
    answer = RankedGradients(table_of(ROWS, MIXED, block_rows=2), encoding_of(MIXED, 0.25)).moments()
    # Of unclipped rows: half of -1/4; 1 + 1/4 + 1/16, one row with an "a", two with a "b".
    assert answer.unreleased_value / MOMENT_STEPS == pytest.approx([-0.125, 1.3125, 1, 2], abs=1e-3)
    # Of a number the farthest is to 1 from -1/4 in L1, and from (2 - root of 2) / -4 in L2.
    number = ((1 + 0.1464) / 2) ** 2 + (1 - 0.1464**2) ** 2
    assert (answer.l1 / MOMENT_STEPS, answer.l2 / MOMENT_STEPS) == pytest.approx((3.5625, sqrt(2 + number)), rel=1e-5)
    public = MIXED.with_private(["x"], label=True)
    answer = RankedGradients(table_of(ROWS, public), encoding_of(public)).moments()
    assert answer.l2 / MOMENT_STEPS == pytest.approx(sqrt(number), rel=1e-5)
    weighted = RankedGradients(table_of(ROWS, MIXED), encoding_of(MIXED.with_private(["c"], label=True)))
    table = table_of(ROWS, MIXED.with_private(["c"], label=True))
    assert replace(weighted, table=table).moments().l2 / MOMENT_STEPS == pytest.approx(sqrt(2))


def test_rows_are_clipped_and_a_rank_is_linear_between_cut_points():
    schema = Schema([Numeric("x", 0, 100, cuts=[10, 20, 40])], label=MIXED.label)
    rows = tuple((x, "no") for x in (0.0, 5.0, 10.0, 30.0, 40.0, 60.0, 100.0))
    [[block]] = table_of(rows, schema)._shards.blocks
    ranks = block.scored(RankedEncoding(schema, ("x",), sqrt(1.25)).of).features()[:, 1] / FEATURE_STEPS
    assert ranks == pytest.approx([-1, -0.75, -0.5, 0.25, 0.5, 0.75, 1], abs=1e-3)  # outer knots at 0 and 80
    [[wide]] = table_of(((-1e6, "no"), (0.0, "no"), (1.0, "no"), (4.0, "no"), (1e6, "no")), WIDE)._shards.blocks
    # Outer knots are two steps away from the cut points 0 and 1, at -2 and 3, whatever the bounds.
    assert wide.features(RankedEncoding(WIDE, ("x",), sqrt(1.25)))[:, 1] == pytest.approx(
        [-1, -1 / 3, 1 / 3, 1, 1], abs=1e-3
    )
    [[one]] = table_of(((-1e6, "no"), (0.0, "no"), (1.0, "no")), ONE_CUT)._shards.blocks
    assert one.features(RankedEncoding(ONE_CUT, ("x",), sqrt(1.25)))[:, 1] == pytest.approx(
        [-0.75, -0.25, 0.25], abs=1e-3
    )
    short = block.scored(RankedEncoding(schema, ("x",), 0.25).of).features() / FEATURE_STEPS
    assert np.linalg.norm(short, axis=1) == pytest.approx(0.25, abs=1e-3)
    assert (np.linalg.norm(short, axis=1) <= 0.25).all()
    assert short[:, 1] / short[:, 0] == pytest.approx(2 * ranks, abs=5e-3)


def test_a_public_margin_is_added():
    schema = Schema(
        [Numeric("x", -1, 1, private=False), MIXED.columns[1]], label=Label("y", ["no", "yes"], private=False)
    )
    offset = Offset(LinearEncoding(schema, ("x",)), np.asarray([2.0]), 0.5)
    rows = ((1.0, "a", "no"), (-1.0, "b", "no"))
    query = RankedGradients(table_of(rows, schema), RankedEncoding(schema, ("c",), 0.5), (offset,))
    clipped = np.minimum(expit([2.5, -1.5]), 0.5)
    # Shortened from the length sqrt(7 / 8) to a half.
    short = 0.5 / sqrt(7 / 8)
    first, second = 0.75 * clipped[0] - 0.25 * clipped[1], 0.75 * clipped[1] - 0.25 * clipped[0]
    expected = [short * 0.5 * clipped.sum(), short * first, short * second]
    answer = query.statistic(np.zeros((3, 1))).unreleased_value[:, 0]
    assert answer / GRADIENT_STEPS == pytest.approx(expected, abs=2e-3)


def test_quadratic_terms_by_hand():
    encoding = encoding_of(MIXED, quadratic=True)
    assert encoding.feature_names == ("always", "x", "quadratic term of x", "c=a", "c=b")
    assert (encoding.starts, encoding.ranks.tolist(), encoding.n_features) == ((1, 3, 5), [1], 5)
    assert encoding.centers.tolist() == [0, 0, 0.25, 0.25]
    assert encoding.longest == pytest.approx(sqrt(0.25 + 1 + 0.36 + 5 / 8))
    rows = Rows({"x": np.asarray([-1.0, -0.5, 0.0, 0.25, 1.0]), "c": np.full(5, -1)}, 5)
    # 0.6 (3 z^2 - 1) / 2
    quadratic = [0.6, -0.075, -0.3, -0.24375, 0.6]
    assert encoding.transform(rows)[:, 2] == pytest.approx(quadratic, abs=1e-4)
    assert (encoding.transform(rows)[:, 3:] == 0).all()
    # The constant one is 1/2: rows of length sqrt(0.25 + 1.36) and sqrt(0.25 + 0.09) at the ends and in the middle.
    short = replace(encoding, radius=0.25).transform(rows)
    assert short[0] == pytest.approx(0.25 / sqrt(1.61) * np.asarray([0.5, -1, 0.6, 0, 0]), abs=1e-4)
    assert short[2] == pytest.approx(0.25 / sqrt(0.34) * np.asarray([0.5, 0, -0.3, 0, 0]), abs=1e-4)
    one_cut = Rows({"x": np.asarray([-1e6, 0.0, 1.0])}, 3)
    bent = RankedEncoding(ONE_CUT, ("x",), inf, quadratic=True).transform(one_cut)
    assert bent[:, 1:] == pytest.approx(np.asarray([[-0.75, 0.20625], [-0.25, -0.24375], [0.25, -0.24375]]), abs=1e-3)


def test_moments_of_quadratic_terms_by_hand():
    answer = RankedGradients(table_of(ROWS, MIXED, block_rows=2), encoding_of(MIXED, 0.25, quadratic=True)).moments()
    # Of ranks 1, 1/2 and 1/4: 0.6^2, 0.075^2 and 0.24375^2.
    expected = [-0.125, 1.3125, 0.36 + 0.005625 + 0.0594140625, 1, 2]
    assert answer.unreleased_value / MOMENT_STEPS == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("quadratic", [True, False])
def test_moments_of_a_number_move_together_as_far_as_stated_and_no_further(quadratic):
    # From rank 1 to less than zero; cut to the grid further than uncut, by less than what is added for it.
    encoding = RankedEncoding(MIXED.with_private(["x"], label=True), ("x",), inf, quadratic=quadratic)
    places = np.concatenate([np.linspace(-0.4, 0.0, 801), np.linspace(-1, 1, 401)])
    features = encoding.transform(Rows({"x": places}, len(places)))[:, 1:]
    moments = np.column_stack([features[:, 0] / 2, features**2])
    l1, l2 = module.moment_sensitivity(encoding, table_of(ROWS, encoding.schema).unit)
    change = moments[:, None] - moments
    assert l1 - 4e-4 < np.abs(change).sum(axis=2).max() <= l1
    assert l2 - 7e-3 < np.linalg.norm(change, axis=2).max() <= l2


@pytest.mark.parametrize("quadratic", [True, False])
def test_no_rank_moves_moments_further_than_the_constants_say(quadratic):
    """The polynomials of the proof on a grid, between whose points they rise by less than 8 times half a step."""
    u, steps = np.linspace(0, 1, 1_000_001), 1_000_000
    d = 1 - u**2
    term = 0.36 * (3 * d - 9 / 4 * d**2) * quadratic
    # And one row's are no longer: half of 1, 1 and 0.36.
    l1, square = NUMBER_MOVES[quadratic]
    farthest = (
        ((1 + u) / 2 + d + term).max() + 8 / steps * quadratic,
        ((1 + u) ** 2 / 4 + d**2 + term**2).max() + 8 / steps,
    )
    longest = 1.5 + 0.36 * quadratic, 1.25 + 0.36**2 * quadratic
    assert l1 - 2e-5 < max(farthest[0], longest[0]) <= l1
    assert square - 2e-5 < max(farthest[1], longest[1]) <= square


@given(neighbors(), st.floats(0.001, 1.0), st.booleans())
@settings(max_examples=100, deadline=None)
def test_no_row_is_longer_than_the_radius(pair: Pair, clip_norm: float, quadratic: bool):
    encoding = encoding_of(pair.schema, clip_norm, quadratic=quadratic)
    table = table_of(pair.first, pair.schema)
    [[block]] = table._shards.blocks
    lengths = np.linalg.norm(block.scored(encoding.of).features() / FEATURE_STEPS, axis=1)
    assert (lengths <= encoding.radius).all()
    longest = table_of(tuple((*(values(c)[-1] for c in pair.schema.columns), "no") for _ in "a"), pair.schema)
    [[block]] = longest._shards.blocks
    assert (
        np.linalg.norm(block.scored(encoding.of).features() / FEATURE_STEPS)
        > encoding.radius - 0.001 * encoding.n_features
    )


@given(neighbors(), st.floats(0.01, 1.0), st.floats(0, 20), st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=150, deadline=None)
def test_no_neighbor_moves_it_further_than_stated(
    pair: Pair, clip_norm: float, size: float, seed: int, quadratic: bool
):
    one, two = pair.tables(block_rows=5)
    encoding = encoding_of(pair.schema, clip_norm, quadratic=quadratic)
    weights = np.random.default_rng(seed).normal(0, size, (encoding.n_features, 1))
    for ask in (lambda query: query.statistic(weights), RankedGradients.moments):
        first, second = (ask(RankedGradients(table, encoding)) for table in (one, two))
        change = (first.unreleased_value - second.unreleased_value).astype(float)
        assert np.abs(change).sum() <= first.l1 == second.l1
        assert np.sqrt((change**2).sum()) <= first.l2 == second.l2


@given(neighbors(), st.floats(0, 20), st.integers(0, 2**32 - 1), st.integers(3, 5), st.booleans())
@settings(max_examples=75, deadline=None)
def test_nor_with_many_classes(pair: Pair, size: float, seed: int, n_classes: int, quadratic: bool):
    generator = np.random.default_rng(seed)
    label = Label("y", list(map(str, range(n_classes))), private=pair.schema.label.private)
    schema = Schema(pair.schema.columns, label=label)
    labels = generator.integers(n_classes, size=len(pair.first)).astype(str).tolist()
    others = [
        str((int(y) + (a[-1] != b[-1])) % n_classes) for y, a, b in zip(labels, pair.first, pair.second, strict=True)
    ]
    tables = [
        table_of(tuple((*row[:-1], y) for row, y in zip(rows, classes, strict=True)), schema)
        for rows, classes in ((pair.first, labels), (pair.second, others))
    ]
    encoding = encoding_of(schema, quadratic=quadratic)
    weights = generator.normal(0, size, (encoding.n_features, n_classes))
    first, second = (RankedGradients(table, encoding).statistic(weights) for table in tables)
    change = (first.unreleased_value - second.unreleased_value).astype(float)
    assert np.abs(change).sum() <= first.l1 == second.l1
    assert np.sqrt((change**2).sum()) <= first.l2 == second.l2


NUMBERS = [Numeric(f"x{i}", -1, 1) for i in range(8)]


def opposite(n_classes, *, private):
    """Rows of eight numbers at their bounds and at the opposite ones."""
    label = Label("y", list(range(n_classes)), private=private)
    schema = Schema(NUMBERS, label=label)
    for label in range(n_classes):
        yield Pair(schema, ((1.0,) * 8 + (label,),), ((-1.0,) * 8 + (label,),))


@pytest.mark.parametrize(("n_classes", "private"), [*product([2, 3, 5], [True, False])])
def test_opposite_rows_come_within_two_percent(n_classes, private):
    def query(table):
        encoding = encoding_of(table.schema, 0.25)
        outputs = 1 if n_classes == 2 else n_classes
        return RankedGradients(table, encoding).statistic(np.zeros((encoding.n_features, outputs)))

    worst = largest_movement(query, opposite(n_classes, private=private))
    assert 0.98 < worst["l2"] <= 1
    assert 0.9 < worst["l1"] <= 1


@pytest.mark.parametrize("private", [True, False])
def test_quadratic_terms_do_not_take_opposite_rows_away(private):
    # Of rank 1 both features are 1 and 0.6, of rank -1/3 they are -1/3 of these; the constant is the same.
    schema = Schema([Numeric(f"x{i}", -1, 1) for i in range(32)], label=Label("y", [0, 1], private=private))
    pair = Pair(schema, ((1.0,) * 32 + (0,),), ((-1 / 3,) * 32 + (0,),))
    encoding = encoding_of(schema, 0.25, quadratic=True)
    worst = largest_movement(lambda table: RankedGradients(table, encoding).statistic(np.zeros((65, 1))), [pair])
    assert 0.98 < worst["l2"] <= 1


@pytest.mark.parametrize("quadratic", [True, False])
def test_a_label_alone_attains_it(quadratic):
    schema = MIXED.with_private([], label=True)
    encoding = encoding_of(schema, quadratic=quadratic)
    worst = largest_movement(
        lambda table: RankedGradients(table, encoding).statistic(np.zeros((encoding.n_features, 1))),
        all_pairs(schema, 1),
    )
    assert 0.999 < worst["l2"] <= 1


@pytest.mark.parametrize("quadratic", [True, False])
def test_moments_attain_theirs(quadratic):
    schema = Schema([Numeric("x", -1, 1), *(Categorical(f"c{i}", ["a", "b"]) for i in range(3))], label=MIXED.label)
    pairs = [Pair(schema, ((rank, *"aaa", "no"),), ((1.0, *"bbb", "no"),)) for rank in (-0.15, -0.18, -0.25, -0.37)]
    worst = largest_movement(
        lambda table: RankedGradients(table, encoding_of(schema, 0.25, quadratic=quadratic)).moments(), pairs
    )
    assert 0.996 < worst["l2"] <= 1
    assert 0.999 < worst["l1"] <= 1


@pytest.mark.parametrize("quadratic", [True, False])
@pytest.mark.parametrize("count", [2, 100])
def test_a_person_may_have_more_rows_in_one_table(count, quadratic):
    schema = Schema([Numeric("x", -1, 1)], label=Label("y", [0, 1]), identifier=Identifier("id", rows=count))
    encoding = RankedEncoding(schema, ("x",), 0.25, quadratic=quadratic)

    def moments(x):
        table = Table.from_frame(pl.DataFrame({"x": x, "id": ["p"] * len(x)}), [0] * len(x), schema)
        return RankedGradients(table, encoding).moments()

    many = moments([1.0] * count)
    moved = [many.unreleased_value - moments([rank]).unreleased_value for rank in np.linspace(-0.4, 0.0, 41).tolist()]
    assert max(np.linalg.norm(each.astype(float)) for each in moved) <= many.l2
    assert max(np.abs(each).sum() for each in moved) <= many.l1
    assert max(np.linalg.norm(each.astype(float)) for each in moved) > (0.99 if quadratic else 0.98) * many.l2


GAPS = Schema([Numeric(name, -1, 1, missing="indicator") for name in "ab"], label=Label("y", ["no", "yes"]))


@pytest.mark.parametrize("quadratic", [False, True])
def test_an_empty_cell_is_one_feature_and_its_number_has_none(quadratic):
    encoding, without = (
        RankedEncoding(schema, schema.names, inf, quadratic)
        for schema in (GAPS, Schema([Numeric(name, -1, 1) for name in "ab"], label=GAPS.label))
    )
    assert (encoding.longest, encoding.usual_length) == (without.longest, without.usual_length)
    [[block]] = gaps_of((None, 1.0, "no"), (-0.5, None, "no"))._shards.blocks
    names = ["always", "a", "a is missing", "b", "b is missing"]
    if quadratic:
        names = ["always", "a", "quadratic term of a", "a is missing", "b", "quadratic term of b", "b is missing"]
    assert encoding.feature_names == tuple(names)
    expected = [[0.5, 0, 0.5, 1, 0], [0.5, -0.5, 0, 0, 0.5]]
    if quadratic:  # of rank -1/2 the quadratic term is 0.6 (3/4 - 1) / 2
        expected = [[0.5, 0, 0, 0.5, 1, 0.6, 0], [0.5, -0.5, -0.075, 0, 0, 0, 0.5]]
    assert block.scored(encoding.of).features() / FEATURE_STEPS == pytest.approx(np.asarray(expected), abs=1e-3)
    old = replace(encoding, joined=False)
    assert block.scored(old.of).features()[0, 1] == 0  # the center's rank
    assert old.longest > encoding.longest and old.n_features == encoding.n_features + 2


def gaps_of(*rows):
    frame = pl.DataFrame({name: pl.Series([row[at] for row in rows], dtype=pl.Float64) for at, name in enumerate("ab")})
    return Table.from_frame(frame, [row[-1] for row in rows], GAPS)


@pytest.mark.parametrize("quadratic", [False, True])
def test_empty_cells_move_sums_no_further_than_stated_and_as_far(quadratic):
    cells = [None, -1.0, -0.178, -0.1464, 0.0, 1.0]
    tables = [gaps_of((a, b, label)) for a, b, label in product(cells, cells, ["no", "yes"])]
    encoding = encoding_of(GAPS, 0.25, quadratic=quadratic)
    for weights in (np.zeros((encoding.n_features, 1)), np.random.default_rng(0).normal(size=(encoding.n_features, 1))):
        answers = [RankedGradients(table, encoding).statistic(weights) for table in tables]
        change = pairwise_changes(answers)
        assert (
            np.abs(change).sum(axis=2).max() <= answers[0].l1 and np.linalg.norm(change, axis=2).max() <= answers[0].l2
        )
    answers = [RankedGradients(table, encoding).moments() for table in tables]
    change = pairwise_changes(answers)
    l1, l2 = np.abs(change).sum(axis=2).max() / answers[0].l1, np.linalg.norm(change, axis=2).max() / answers[0].l2
    assert 0.97 < l1 <= 1 and 0.99 < l2 <= 1


def pairwise_changes(answers):
    found = np.asarray([each.unreleased_value.ravel() for each in answers]).astype(float)
    return found[:, None] - found


def test_a_mark_takes_nothing_of_the_noise_of_gradients():
    numbers = Schema([Numeric(name, -1, 1) for name in "ab"], label=GAPS.label)
    for quadratic in (False, True):
        stated = [
            module.gradient_sensitivity(encoding_of(schema, 0.25, quadratic=quadratic), table.unit, 2)
            for schema, table in ((GAPS, gaps_of((0.0, 0.0, "no"))), (numbers, table_of(((0.0, 0.0, "no"),), numbers)))
        ]
        assert stated[0] == stated[1]


def test_what_reads_nothing_protected_is_public():
    schema = MIXED.with_private([], label=True)
    query = RankedGradients(table_of(ROWS, schema), encoding_of(schema))
    assert query.moments().is_public
    assert not query.statistic(np.zeros((4, 1))).is_public


def test_opposite_categories_come_as_near_as_they_can():
    schema = Schema([Categorical(f"c{i}", ["a", "b"]) for i in range(8)], label=MIXED.label)
    pair = Pair(schema, ((*"aaaaaaaa", "no"),), ((*"bbbbbbbb", "no"),))
    worst = largest_movement(
        lambda table: RankedGradients(table, encoding_of(schema, 0.25)).statistic(np.zeros((17, 1))), [pair]
    )
    # Half of the difference has the square 1 / 2 a column, a row 5 / 8 and the constant's.
    assert worst["l2"] == pytest.approx(sqrt(4 / (5 + 0.25)), rel=1e-3)


def test_categories_are_centered_and_others_have_no_feature():
    schema = Schema([Categorical("c", ["a", "b", "d", "e", "f"]), Categorical("e", ["a"])], label=MIXED.label)
    encoding = RankedEncoding(schema, ("c", "e"), inf)
    assert encoding.longest == pytest.approx(sqrt(0.25 + 0.9**2 + 4 * 0.1**2 + 0.5**2))
    rows = Rows({"c": np.asarray([1, -1]), "e": np.asarray([0, 0])}, 2)
    assert encoding.transform(rows).tolist() == [[0.5, 0, 1, 0, 0, 0, 1], [0.5, 0, 0, 0, 0, 0, 1]]
    found = replace(encoding, radius=encoding.longest).transform(rows)
    expected = [[0.5, -0.1, 0.9, -0.1, -0.1, -0.1, 0.5], [0.5, 0, 0, 0, 0, 0, 0.5]]
    assert found == pytest.approx(np.asarray(expected), abs=1e-3)


@pytest.mark.parametrize("radius", [0.0, -1.0, 9.0, np.nan])
def test_a_radius_is_within_a_rows_length(radius):
    with pytest.raises(ParameterError, match="radius"):
        RankedEncoding(MIXED, MIXED.names, radius)


def test_residuals_of_many_classes_are_never_longer_than_the_clip():
    generator = np.random.default_rng(0)
    for n_classes in (3, 5, 9):
        steps = module.residual_steps(
            generator.normal(0, 4, (20_000, n_classes)), generator.integers(n_classes, size=20_000).astype(np.uint8)
        )
        lengths = np.linalg.norm(steps, axis=1) / module.RESIDUAL_STEPS
        assert 0.999 * clip_of(n_classes) < lengths.max() <= clip_of(n_classes)


def test_a_margin_is_the_same_alone_and_among_others():
    generator = np.random.default_rng(0)
    # Multiples of the features' step, and weights of many sizes, whose products float64 would round.
    names = [f"x{i}" for i in range(40)]
    columns = [*(Numeric(name, -1, 1) for name in names), *(Categorical(f"c{i}", ["a", "b", "d"]) for i in range(6))]
    encoding = encoding_of(Schema(columns, label=MIXED.label), 0.5)
    given = Rows(
        {name: generator.uniform(-1, 1, 333) for name in names}
        | {f"c{i}": generator.integers(-1, 3, 333) for i in range(6)},
        333,
    )
    ranked = encoding.of(given)
    features = ranked.features() / FEATURE_STEPS
    shape = (encoding.n_features, 3)
    weights = generator.normal(size=shape) * 10.0 ** generator.integers(-6, 3, shape)
    exact = module._exact(weights)
    together = ranked.margins(exact)
    assert together == pytest.approx(features @ weights, abs=1e-6)
    assert all((encoding.of(given.slice(i, i + 1)).margins(exact) == together[i]).all() for i in range(333))
    # Exact sums have no order.
    assert (together[::-1] == np.ascontiguousarray(features[::-1]) @ exact).all()
    assert (together == (np.ascontiguousarray(features[:, ::-1]) @ np.ascontiguousarray(exact[::-1]))).all()
