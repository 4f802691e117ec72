"""Private quantiles by halving: exact privacy of the whole recursion, and cut points near the quantiles."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations_with_replacement, permutations, product

import numpy as np
import pytest

from harness.neighbors import table_of
from tacit.cut_points import (
    PrivateCuts,
    affordable_cuts,
    affordable_levels,
    chosen_cuts,
    cuts_of_ranks,
    halving,
    private_cut_points,
    worthwhile_levels,
)
from tacit.features import DistanceEncoding, GridEncoding, distance_encoding
from tacit.mechanisms import CellSelection, Releases, SecureNoise, SimulatedNoise, announce
from tacit.privacy import ZCDP, Accountant, Budget, PlanEntry, PrivacyUnit, PureDP
from tacit.queries import MedianScores, median_scores
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Table

# Even cells on a logarithmic scale; eight of them have whole logarithms as edges.
TINY = Schema([Numeric("x", 0, np.expm1(8), scale="log")], label=Label("y", ["no", "yes"], private=False))
GRID = GridEncoding(TINY, "x", bits=3)


class Forced:
    """Releases whose answers are given; adds up the logarithms of their probabilities."""

    def __init__(self, share, answers, stretch):
        self.share, self.answers, self.stretch, self.log_density = share, iter(answers), stretch, 0.0

    def cells(self, statistic):
        answer = np.asarray(next(self.answers))
        share = self.share
        weaker = (
            PureDP(share.epsilon / self.stretch) if isinstance(share, PureDP) else ZCDP(share.rho / self.stretch**2)
        )
        self.log_density += CellSelection(weaker).log_density(statistic, answer)
        return answer


def outputs():
    """All cells that two levels of halving eight cells may release."""
    for first in range(7):
        left, right = range(first), range(first + 1, 7)
        yield from ([[first], list(second)] for second in product(*(each for each in (left, right) if len(each))))


def log_distribution(rows, share, stretch=1.0):
    scores, found = MedianScores(table_of(rows, TINY), GRID), []
    for answers in outputs():
        forced = Forced(share, answers, stretch)
        halving.halved(scores, 2, forced)
        found.append(forced.log_density)
    return np.asarray(found)


def log_distribution_of_distances(rows, share, stretch=1.0):
    """The distribution of a median, and of a median distance from it."""
    table, found = table_of(rows, TINY), []
    for first, second in product(range(7), range(7)):
        forced = Forced(share, [[first], [second]], stretch)
        [edge] = halving.halved(MedianScores(table, GRID), 1, forced)
        distances = DistanceEncoding(TINY, "x", GRID.cuts(np.asarray([edge - 1]))[0], bits=3)
        halving.halved(MedianScores(table, distances), 1, forced)
        found.append(forced.log_density)
    return np.asarray(found)


def worst(share, divergence, stretch=1.0, distribution=log_distribution) -> float:
    """The largest divergence between the distributions of all cut points, over all neighboring tables of two rows."""
    tables = list(combinations_with_replacement([(float(np.expm1(cell + 0.5)), "no") for cell in range(8)], 2))
    distributions = {rows: distribution(rows, share, stretch) for rows in tables}
    assert all(np.exp(distribution).sum() == pytest.approx(1.0) for distribution in distributions.values())
    # Order does not matter: neighbors have all rows but one in common.
    pairs = [(one, two) for one, two in permutations(tables, 2) if (Counter(one) & Counter(two)).total() == 1]
    return max(divergence(distributions[one], distributions[two]) for one, two in pairs)


def log_ratio(one, two):
    return float(np.abs(one - two).max())


def per_order(one, two):
    """Renyi divergence over its order: rho, from below."""
    orders = (1.01, 2.0, 8.0, 32.0)
    return max(float(np.logaddexp.reduce(a * one - (a - 1) * two)) / (a - 1) / a for a in orders)


@pytest.mark.parametrize(
    ("share", "divergence", "limit"), [(PureDP(0.1), log_ratio, 0.1), (ZCDP(0.01), per_order, 0.01)]
)
def test_one_level_attains_its_cost(share, divergence, limit):
    grid, distributions = GridEncoding(TINY, "x", bits=10), {}
    for cells in combinations_with_replacement([0, 1, 511, 1_022], 2):
        rows = tuple((float(np.expm1((cell + 0.5) / 128)), "no") for cell in cells)
        statistic = MedianScores(table_of(rows, TINY), grid).statistic(np.asarray([0, 1_024]))
        distributions[cells] = np.asarray(
            [CellSelection(share).log_density(statistic, np.asarray([cell])) for cell in range(1_023)]
        )
    reached = max(
        divergence(distributions[a], distributions[b]) for a, b in permutations(distributions, 2) if set(a) & set(b)
    )
    assert 0.98 * limit < reached <= limit


def test_the_whole_recursion_is_pure():
    reached = worst(PureDP(0.1), log_ratio)
    assert 0.12 < reached <= 0.2
    assert worst(PureDP(0.1), log_ratio, stretch=0.5) > 0.2


def test_the_whole_recursion_is_concentrated():
    reached = worst(ZCDP(0.01), per_order)
    assert 0.0115 < reached <= 0.02
    assert worst(ZCDP(0.01), per_order, stretch=0.5) > 0.02


@pytest.mark.parametrize(
    ("share", "divergence", "limit"), [(PureDP(0.1), log_ratio, 0.2), (ZCDP(0.01), per_order, 0.02)]
)
def test_a_median_and_a_median_distance_cost_two_levels(share, divergence, limit, monkeypatch):
    monkeypatch.setattr(distance_encoding, "NEAREST_BITS", 3)  # eight cells from an eighth of the reach on
    assert 0.55 * limit < worst(share, divergence, distribution=log_distribution_of_distances) <= limit
    assert worst(share, divergence, stretch=0.5, distribution=log_distribution_of_distances) > limit


@pytest.mark.parametrize(
    ("share", "divergence", "limit"), [(PureDP(0.1), log_ratio, 0.2), (ZCDP(0.01), per_order, 0.02)]
)
def test_half_the_range_is_caught(share, divergence, limit, monkeypatch):
    monkeypatch.setattr(median_scores, "RANGE_OF_HALVES", 2.0)
    assert worst(share, divergence) > limit


def cuts_of(numbers, column, *, levels=3, epsilon=1.0, delta=0.0, noise=None):
    numbers = np.asarray(numbers, dtype=float)
    schema = Schema([column], label=Label("y", [0, 1]))
    table = Table.from_frame(numbers[:, None], np.zeros(len(numbers), dtype=int), schema)
    accountant = Accountant(Budget(epsilon, delta), table.unit, noise or SecureNoise(), n_rows=len(numbers))
    releases = announce(accountant, [PlanEntry("selection", count=levels)])
    found = private_cut_points(table, ("x",), [levels], releases)
    return np.asarray(found.get("x", ()))


@pytest.mark.parametrize("times", [1, 10, 1e3, 1e6])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_quantiles_are_found_however_wide_the_bounds(times, delta):
    numbers = np.random.default_rng(0).uniform(-1, 1, 5_000)
    cuts = cuts_of(numbers, Numeric("x", -times, times), delta=delta)
    assert cuts == pytest.approx(np.arange(-3, 4) / 4, abs=0.12)


def test_columns_of_few_values_are_cut_between_them():
    numbers = np.repeat([0.0, 1.0, 2.0, 3.0], 1_000)
    cuts = cuts_of(numbers, Numeric("x", 0, 3), epsilon=4.0)
    assert set(np.ceil(cuts)) == {1.0, 2.0, 3.0}


@pytest.mark.parametrize(
    "column",
    [
        Numeric("x", 0, 1e300),
        Numeric("x", -1e300, 1e300, scale="log"),
        Numeric("x", 0, 5e-324),
        Numeric("x", 1, 1 + 2**-52),
        Numeric("x", 1e300, 1.0000000000000002e300, scale="log"),
    ],
    ids=str,
)
def test_any_bounds_give_cut_points_within_them(column):
    numbers = np.clip(np.arange(10.0), column.lower, column.upper)
    cuts = cuts_of(numbers, column)
    assert (np.diff(cuts) > 0).all()
    assert ((column.lower < cuts) & (cuts < column.upper)).all()


def test_dates_are_cut_at_whole_days():
    column = Numeric("x", "2020-01-01", "2020-12-31")
    schema = Schema([column], label=Label("y", [0, 1]))
    days = [f"2020-{1 + at % 12:02d}-{1 + at % 28:02d}" for at in range(2_000)]
    table = Table.from_frame([[day] for day in days], [0, 1] * 1_000, schema)
    accountant = Accountant(Budget(1.0), table.unit, SimulatedNoise(0), n_rows=2_000)
    releases = announce(accountant, [PlanEntry("selection", count=2)])
    cuts = private_cut_points(table, ("x",), [2], releases)["x"]
    assert all(cut.is_integer() for cut in cuts)
    assert np.asarray(cuts) - column.lower == pytest.approx([90, 182, 273], abs=12)


def test_public_columns_are_exact_and_free():
    schema = Schema([Numeric("x", 0, 1, private=False)], label=Label("y", [0, 1]))
    table = Table.from_frame(np.linspace(0, 1, 801)[:, None], np.zeros(801, dtype=int), schema)
    cuts = private_cut_points(table, ("x",), [3], Releases.none())["x"]
    assert cuts == pytest.approx(np.arange(1, 8) / 8, abs=0.002)


def test_outer_levels_halve_the_first_and_the_last_interval_alone():
    numbers = np.linspace(0, 1, 801)[:, None]
    schema = Schema([Numeric("x", 0, 1, private=False)], label=Label("y", [0, 1]))
    table = Table.from_frame(numbers, np.zeros(801, dtype=int), schema)
    cuts = private_cut_points(table, ("x",), [2], Releases.none(), outer=2)["x"]
    assert cuts == pytest.approx([1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 7 / 8, 15 / 16], abs=0.003)
    [alone] = [private_cut_points(table, ("x",), [0], Releases.none(), outer=1)["x"]]
    assert alone == pytest.approx([1 / 2], abs=0.003)  # one interval is the first one and the last


def test_outer_levels_are_paid_for():
    schema = Schema([Numeric("x", 0, 1), Numeric("z", 0, 1)], label=Label("y", [0, 1]))
    unit, rest = PrivacyUnit(("x", "z"), label=True), [PlanEntry("noise", weight=1.0, l1=1, l2=1)]
    found = affordable_cuts(schema, unit, 30_000, 10.0, 1e-6, most_outer=9)
    assert (found.levels, found.outer) == (5, 4)
    assert affordable_cuts(schema, unit, 30_000, 0.1, 1e-6, most_outer=9).outer == 0
    assert affordable_cuts(schema, unit, 30_000, 10.0, 1e-6).outer == 0
    table = Table.from_frame(np.random.default_rng(0).uniform(0, 1, (2_000, 2)), [0, 1] * 1_000, schema)
    accountant = Accountant(Budget(500.0), table.unit, SimulatedNoise(0), n_rows=2_000)
    settings = replace(found, levels=2, outer=2)
    cuts = dict(settings.release(table, announce(accountant, settings.plan(unit, rest))))
    assert cuts["x"] == pytest.approx([1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 7 / 8, 15 / 16], abs=0.05)
    assert len(accountant.guarantee().releases) == 2 * 4


def test_levels_by_hand():
    # Rows per scale: n / 2^(L - 1) * 0.1 epsilon / (L columns) / 2.
    assert affordable_levels(3_200, 1.0, 0.0, 2) == 2  # L = 2: 1600 * 0.0125 = 20; L = 3: 800 * 0.00833 = 6.7
    assert affordable_levels(159, 1.0, 0.0, 1) == 0
    assert affordable_levels(160, 1.0, 0.0, 1) == 1
    assert affordable_levels(3_200, 0.1, 1e-6, 2) >= affordable_levels(3_200, 0.1, 0.0, 2)
    assert affordable_levels(1, 1e-9, 0.0, 0) == 5
    # Two rows at three levels and more: L = 3: 961 / 4 / 120 = 2.002; L = 4: 0.75.
    assert worthwhile_levels(961, 1.0, 0.0, 2) == 3
    assert worthwhile_levels(959, 1.0, 0.0, 2) == 0
    assert worthwhile_levels(321, 1.0, 0.0, 2, most=2) == 2


CUT = Schema(
    [Numeric("a", 0, 1), Numeric("b", 0, 1, private=False), Numeric("c", 0, 1, cuts=[0.5])], label=Label("y", [0, 1])
)


def chosen(asked, n_rows, epsilon, schema=CUT, most=5):
    table = Table.from_frame(np.zeros((n_rows, 3)), np.zeros(n_rows, int), schema)
    return chosen_cuts(asked, table, epsilon, 0.0, most=most), table.unit


def test_ranks_take_two_levels_of_a_larger_share_before_one_of_a_tenth_and_no_third():
    numbers = [Numeric("a", 0, 1), Numeric("b", 0, 1)]
    schema = Schema(numbers, label=Label("y", [0, 1]))
    # Purely, eta of four selections of three tenths is 3 epsilon / 80: 160 rows have 80 * 0.0375 = 3 in a half.
    # Of a tenth it is epsilon / 80: 1,280 rows have 640 * 0.0125 = 8.
    unit, rows = PrivacyUnit(("a", "b"), label=True), (161, 1_279, 1_280, 10**9)
    assert cuts_of_ranks(schema, unit, 159, 1.0, 0.0) is None
    found = [cuts_of_ranks(schema, unit, n, 1.0, 0.0) for n in rows]
    assert [(each.levels, each.share) for each in found] == [(2, 0.3), (2, 0.3), (2, 0.1), (2, 0.1)]
    # Beside as many columns of categories half of that: 320 rows.
    mixed = Schema([*numbers, *(Categorical(name, ["x", "y"]) for name in "cd")], label=schema.label)
    every = PrivacyUnit(mixed.names, label=True)
    assert cuts_of_ranks(mixed, every, 319, 1.0, 0.0) is None
    assert cuts_of_ranks(mixed, every, 321, 1.0, 0.0).share == 0.15
    # With a public label only protected columns count.
    public = mixed.with_private(["a"], label=False)
    assert cuts_of_ranks(public, PrivacyUnit(("a",), label=False), 81, 1.0, 0.0).share == 0.3
    # Exact cut points of public columns cost nothing.
    assert {each.public_levels for each in found} == {5}


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_two_levels_of_ranks_are_a_median_and_the_median_distance_from_it(scale):
    columns = [Numeric("a", 0, 1e4, scale=scale), Numeric("b", 0, 1e4, private=False)]
    schema = Schema(columns, label=Label("y", [0, 1]))
    # Places on the scale: the median is 4 to 5, distances from it 3 to 4, 0 to 1, 0 to 1 and 4 to 5 for a quarter each.
    places = np.repeat([1.0, 4.0, 5.0, 9.0], 2_000)
    numbers = np.expm1(places) if scale == "log" else places
    table = Table.from_frame(np.column_stack([numbers, numbers]), np.zeros(len(places), int), schema)
    accountant = Accountant(Budget(1e4), table.unit, SimulatedNoise(0), n_rows=len(places))
    given = PrivateCuts(schema, 2, symmetric=True)
    releases = announce(accountant, [*given.plan(table.unit, [PlanEntry("noise")]), PlanEntry("noise")])
    found = dict(given.release(table, releases))
    below, middle, above = np.log1p(found["a"]) if scale == "log" else np.asarray(found["a"])
    assert 4 <= middle <= 5
    assert above - middle == pytest.approx(middle - below, rel=1e-6)
    assert max(middle - 4, 5 - middle) * 0.99 <= above - middle <= min(middle - 1, 9 - middle) * 1.01
    assert [line.query for line in accountant.releases] == ["medians of a", "median distance in a"]
    assert len(found["b"]) == 3  # public: quartiles as they are


def test_median_distances_are_found_however_wide_the_bounds():
    numbers = np.random.default_rng(0).normal(size=5_000)
    for times in (10, 1e3, 1e8):  # a million times a long tail
        schema = Schema([Numeric("x", -times, times)], label=Label("y", [0, 1]))
        table = Table.from_frame(numbers[:, None], np.zeros(len(numbers), dtype=int), schema)
        accountant = Accountant(Budget(0.2), table.unit, SimulatedNoise(0), n_rows=len(numbers))
        given = PrivateCuts(schema, 2, 0.5, symmetric=True)
        releases = announce(accountant, [*given.plan(table.unit, [PlanEntry("noise")]), PlanEntry("noise")])
        [(_, cuts)] = given.release(table, releases)
        # Half of a normal distribution is within 0.674 deviations.
        assert cuts == pytest.approx((-0.674, 0.0, 0.674), abs=0.15)


def test_where_no_level_is_affordable_only_public_columns_are_cut():
    poor, unit = chosen("auto", 50, 0.1)
    assert poor.columns == ("b",)
    assert poor.before([PlanEntry("noise")], unit) == [PlanEntry("noise")]
    rich, unit = chosen("auto", 500, 1.0)
    assert rich.levels == 3
    cuts, noise = rich.before([PlanEntry("noise", weight=9.0)], unit)
    assert (cuts.count, cuts.weight, cuts.part) == (3, pytest.approx(1 / 3), ("cuts",))
    assert noise == PlanEntry("noise", weight=9.0)


def test_the_choice_is_public_and_can_be_made():
    assert chosen("grid", 1_000, 1.0)[0] is None
    assert chosen("private", 50, 0.1)[0].levels == 1
    # Two levels could be paid for, which are as many as four bins need.
    assert chosen("auto", 200, 1.0)[0].columns == ("b",)
    assert chosen("auto", 200, 1.0, most=2)[0].levels == 2
    assert chosen("auto", 50, 0.1, CUT.all_private())[0] is None
    # What is fitted exactly may have fine bins; what is learned with noise may not.
    open_label = Schema(CUT.columns, label=Label("y", [0, 1], private=False))
    assert chosen("auto", 1_000, 1.0, open_label)[0].public_levels == 5
