"""Noisy quartiles: what they cost, where they lie, and what no budget does to them."""

from __future__ import annotations

from datetime import date
from itertools import islice

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import LogisticClassifier
from tacit.audit import Claim, random_pairs, replay
from tacit.cut_points import NoisyQuartiles, PrivateCuts, cuts_of_ranks
from tacit.cut_points.mixture_posterior import PARTS, MixturePosterior, _varying_with
from tacit.cut_points.quartiles import ROUNDS
from tacit.features import GridEncoding, GridWindow
from tacit.mechanisms import SimulatedNoise, announce
from tacit.privacy import Accountant, Budget, PlanEntry, PrivacyUnit
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema
from tacit.table import Table

LABEL = Label("y", [0, 1])
# Even cells, as the scale is logarithmic, whose anchor is at the lower bound.
EVEN = GridEncoding(Schema([Numeric("x", 0, np.expm1(8), scale="log")], label=LABEL), "x")


def quartiles_of(numbers, column, *, epsilon=1.0, delta=0.0, seed=0, share=0.5):
    schema = Schema([column], label=LABEL)
    table = Table.from_frame(pl.DataFrame({column.name: numbers}), np.zeros(len(numbers), dtype=int), schema)
    accountant = Accountant(Budget(epsilon, delta), table.unit, SimulatedNoise(seed), n_rows=len(numbers))
    settings = NoisyQuartiles(schema, share)
    releases = announce(accountant, settings.before([PlanEntry("noise")], table.unit))
    found = dict(settings.release(table, releases.part("cuts")))
    return found.get(column.name, ()), accountant


@pytest.mark.parametrize("distribution", ["normal", "exponential", "two crowds"])
def test_without_noise_a_quarter_of_the_rows_lies_between_them(distribution):
    generator = np.random.default_rng(0)
    numbers = {
        "normal": generator.normal(30, 8, 20_000),
        "exponential": generator.exponential(20, 20_000),
        "two crowds": np.where(generator.random(20_000) < 0.4, 15, 70) + generator.normal(0, 8, 20_000),
    }[distribution].clip(0, 100)
    cuts, _ = quartiles_of(numbers, Numeric("x", 0, 100), epsilon=1e6)
    shares = np.diff(np.concatenate([[0], np.searchsorted(np.sort(numbers), cuts), [len(numbers)]])) / len(numbers)
    assert shares == pytest.approx([0.25] * 4, abs=0.03)


@pytest.mark.parametrize("middle", [0.0, 0.7])
@pytest.mark.parametrize("times", [4.0, 10.0, 1e3, 1e4])
def test_they_are_found_however_wide_the_bounds(times, middle):
    numbers = np.random.default_rng(0).normal(middle * times, 1.0, 5_000).clip(-times, times)
    found = [quartiles_of(numbers, Numeric("x", -times, times), epsilon=0.2, delta=1e-6, seed=k)[0] for k in range(8)]
    # Rows times the root of twice rho are about 150.
    assert np.median(found, axis=0) == pytest.approx(np.quantile(numbers, [0.25, 0.5, 0.75]), abs=0.3)


def test_where_medians_that_are_selected_are_missed_these_are_near():
    numbers, column = np.random.default_rng(1).normal(0.2, 0.03, 2_000).clip(0, 1), Numeric("x", 0, 1)
    schema = Schema([column], label=LABEL)
    table = Table.from_frame(numbers[:, None], np.zeros(2_000, dtype=int), schema)

    def misses(settings, seed):
        accountant = Accountant(Budget(0.05, 1e-5), table.unit, SimulatedNoise(seed), n_rows=2_000)
        releases = announce(accountant, settings.before([PlanEntry("noise")], table.unit))
        [(_, cuts)] = settings.release(table, releases.part("cuts"))
        return abs((numbers < cuts[len(cuts) // 2]).mean() - 0.5)

    found = [
        np.mean([misses(each, k) for k in range(24)])
        for each in (NoisyQuartiles(schema, 0.2), PrivateCuts(schema, 1, 0.2))
    ]
    assert found[0] < 0.25 and found[0] < 0.7 * found[1]


def test_one_release_pays_for_all_columns_and_public_ones_are_exact():
    columns = [Numeric("a", 0, 8), Numeric("b", 0, 8, private=False), Numeric("c", 0, 8, cuts=[1.0])]
    schema = Schema(columns, label=LABEL)
    table = Table.from_frame(np.repeat(np.arange(1.0, 9)[:, None], 3, axis=1), np.zeros(8, dtype=int), schema)
    settings = NoisyQuartiles(schema, 0.1)
    plan = settings.before([PlanEntry("noise", weight=9.0)], table.unit)
    assert [(one.count * one.weight, one.part) for one in plan] == [(pytest.approx(1.0), ("cuts",)), (9.0, ())]
    assert settings.spends(table.unit) == 0.1 and settings.spends(PrivacyUnit(("c",), label=True)) == 0.0
    accountant = Accountant(Budget(1e4), table.unit, SimulatedNoise(0), n_rows=8)
    found = dict(settings.release(table, announce(accountant, plan).part("cuts")))
    assert [line.query for line in accountant.releases] == ["rows by place of numbers"] * ROUNDS
    assert sorted(found) == ["a", "b"] and len(found["a"]) == 3
    assert len(found["b"]) == 31 and {1, 2, 3, 4, 5, 6, 7, 8} >= {round(cut) for cut in np.sort(found["b"])[3:-3]}


def test_with_a_delta_they_are_taken_at_any_budget():
    numbers = [Numeric("a", 0, 1), Numeric("b", 0, 1, private=False)]
    schema, unit = Schema(numbers, label=LABEL), PrivacyUnit(("a",), label=True)
    assert cuts_of_ranks(schema, unit, 10, 1e-3, 1e-9) == NoisyQuartiles(schema, 0.1)
    assert isinstance(cuts_of_ranks(schema, unit, 10**6, 1.0, 0.0), PrivateCuts)
    assert cuts_of_ranks(schema, unit, 10**6, 1.0, 1e-9, asked="grid") is None
    words = Schema([Categorical("c", ["x", "y"])], label=LABEL)
    assert cuts_of_ranks(words, PrivacyUnit(("c",), label=True), 100, 1.0, 1e-6) is None


def test_dates_are_cut_at_days_and_logarithms_on_their_scale():
    days = np.asarray([date(2020, 1, 1).toordinal() + k for k in range(400)], dtype=float)
    low, high = date(1990, 1, 1), date(2030, 1, 1)
    schema = Schema([Numeric("d", low, high)], label=LABEL)
    table = Table.from_frame(
        pl.DataFrame({"d": [date.fromordinal(int(day)) for day in days]}), np.zeros(400, dtype=int), schema
    )
    accountant = Accountant(Budget(1e4), table.unit, SimulatedNoise(0), n_rows=400)
    settings = NoisyQuartiles(schema, 0.5)
    releases = announce(accountant, settings.before([PlanEntry("noise")], table.unit))
    [(_, cuts)] = settings.release(table, releases.part("cuts"))
    assert all(cut == int(cut) for cut in cuts)
    numbers = np.expm1(np.random.default_rng(0).normal(6, 1, 4_000).clip(0, 12))
    cuts, _ = quartiles_of(numbers, Numeric("x", 0, np.expm1(12), scale="log"), epsilon=1e5)
    assert np.log1p(cuts) == pytest.approx([6 - 0.674, 6, 6 + 0.674], abs=0.1)


@settings(max_examples=40)
@given(
    st.floats(1e-9, 10), st.sampled_from([(0, 1), (-1e300, 1e300), (1, float(np.nextafter(1, 2))), (0, 5e-324)]),
    st.integers(1, 30), st.booleans(),
)  # fmt: skip
def test_any_budget_bounds_and_rows_give_increasing_cut_points_within_the_bounds(epsilon, bounds, n, same):
    low, high = bounds
    numbers = np.full(n, low) if same else np.linspace(low, high / 2 if high > 1e200 else high, n)
    cuts, _ = quartiles_of(numbers.astype(float).clip(low, high), Numeric("x", low, high), epsilon=epsilon, delta=1e-9)
    assert len(cuts) <= 3 and all(low < cut < high for cut in cuts) and list(cuts) == sorted(set(cuts))


def test_noise_alone_leaves_what_was_assumed():
    distribution, wanted = MixturePosterior(GridWindow(EVEN)), np.linspace(0, 1, 9)
    before = distribution.quantiles(wanted)
    # A tenth of the distributions have all rows near the anchor, which is the lower bound; the others have them
    # anywhere.
    assert before[[0, 2, 4, 6, 8]] == pytest.approx([0, 0.17, 0.44, 0.72, 1], abs=0.03)
    for _ in range(8):
        distribution.learn(distribution.quarters(), np.random.default_rng(0).normal(0, 100.0, 4), 100.0)
    assert distribution.quantiles(wanted) == pytest.approx(before, abs=0.01) and not distribution.narrowed()


@given(st.lists(st.floats(0, 1), min_size=2, max_size=40), st.data())
def test_how_sums_of_cells_vary_with_cells_is_what_a_table_of_all_pairs_says(weights, data):
    shares = np.asarray(weights) + 1e-9
    below = np.concatenate([[0.0], np.cumsum(shares / shares.sum())])
    edges = st.integers(0, len(shares))
    ranges = np.sort(data.draw(st.lists(st.tuples(edges, edges), min_size=1, max_size=9)), axis=1)
    middles, shares = (below[1:] + below[:-1]) / 2, np.diff(below)
    pairs = np.outer(shares, shares) * np.exp(-PARTS * np.abs(middles[:, None] - middles))
    wanted = [pairs[first:end].sum(axis=0) for first, end in ranges]
    assert np.allclose(_varying_with(below, *ranges.T), wanted, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("width", [0.1, 1e-3, 1e-6])
def test_counts_of_quarters_close_in_on_the_rows_however_narrow_they_are(width):
    true = np.sort(np.random.default_rng(0).normal(0.7, width, 100_000))
    distribution, shifts = MixturePosterior(GridWindow(EVEN)), []
    for _ in range(12):
        distribution.narrowed()
        shifts.append(distribution.window.shift)
        edges = distribution.quarters()
        distribution.learn(edges, np.diff(np.searchsorted(true, distribution.window.shares(edges))) / len(true), 0.01)
    # What was told before a window was narrowed is not forgotten.
    quarters = np.asarray([0.25, 0.5, 0.75])
    assert distribution.quantiles(quarters) == pytest.approx(np.quantile(true, quarters), abs=0.4 * width)
    assert shifts[0] == 40 and sorted(shifts, reverse=True) == shifts and (shifts[-1] < 40) == (width < 0.1)


def test_of_numbers_that_are_mostly_zero_the_others_keep_their_places():
    grid = GridEncoding(Schema([Numeric("x", 0, 1e5)], label=LABEL), "x")
    cells = np.sort(grid.cells(np.concatenate([np.zeros(960), np.linspace(3e3, 1e5, 40)])))
    distribution = MixturePosterior(GridWindow(grid))
    for _ in range(8):
        assert not distribution.narrowed()
        edges = distribution.quarters()
        distribution.learn(edges, np.diff(np.searchsorted(cells, distribution.window.places(edges))) / len(cells), 0.01)


def test_a_window_keeps_the_edges_that_it_came_from():
    window = GridWindow(EVEN).around(100, 103)
    # Sixteen cells about the two hundred and third of 512, each of them sixteen now.
    assert (window.first, window.shift) == ((203 << 3) - 128, 36)
    places = GridWindow(EVEN).places(np.asarray([0, 100, 103, 256]))
    assert window.edges(places).tolist() == [0, 104, 152, 256]
    assert window.places(window.edges(places))[1:3].tolist() == places[1:3].tolist()
    assert (
        GridWindow(EVEN).around(0, 2).first == 0
        and GridWindow(EVEN).around(254, 256).edges(np.asarray([1 << 48])) == 256
    )
    smallest = GridWindow(EVEN, first=5, shift=0).around(3, 4)
    assert smallest.shift == 0 and smallest.first == 0


def test_rows_of_persons_of_which_each_counts_one_are_counted_by_the_coarsest_cells():
    schema = Schema([Numeric("x", 0, 1)], label=LABEL, identifier=Identifier("who", rows=4))
    numbers = np.random.default_rng(0).normal(0.3, 0.05, 4_000).clip(0, 1)
    frame = pl.DataFrame({"x": numbers, "who": np.repeat(np.arange(1_000), 4)})
    table = Table.from_frame(frame, np.zeros(4_000, dtype=int), schema)
    accountant = Accountant(Budget(1e4), table.unit, SimulatedNoise(0), n_rows=1_000)
    settings = NoisyQuartiles(schema, 0.5)
    releases = announce(accountant, settings.before([PlanEntry("noise")], table.unit))
    [(_, cuts)] = settings.release(table, releases.part("cuts"))
    assert cuts == pytest.approx([0.3 - 0.034, 0.3, 0.3 + 0.034], abs=0.01)


def test_replays_come_near_the_share_and_catch_half_the_noise():
    schema = Schema([Numeric("a", 0, 90), Numeric("b", -1e6, 1e6)], label=Label("y", ["u", "v"]))
    found = replay(
        lambda: LogisticClassifier(schema, epsilon=8.0, delta=1e-3, encoding="ranked"),
        islice(random_pairs(schema), 3),
        claim=Claim(8.0, 1e-3),
        search=6,
    )
    assert found.verdict == "not refuted"
    assert all(control.caught for control in found.controls if control.broken)
    reached = {line.query: line.largest / line.share for line in found.releases}
    assert reached["rows by place of numbers"] > 0.9
