"""Prediction intervals: ends by hand, coverage over simulated fits, and what they are without their margins."""

from __future__ import annotations

from dataclasses import fields, replace
from math import inf, log, pi, sqrt

import numpy as np
import pytest

from tacit.measures import DistanceCounts, HeldOutResiduals, residual_intervals
from tacit.measures.prediction_sets import Asked
from tacit.measures.residual_intervals import quantiles_of, reach_of
from tacit.measures.score_cells import TIE_BITS, cells_of_odds, odds_of_edges

LATER = ("rows_of_person", "origin", "interval", "weighed", "max_levels", "max_outer")
EDGES = (-3.0, -1.0, 0.0, 1.0, 4.0)
COUNTS = (4.0, 7.0, 40.0, 38.0, 8.0, 2.0)


def measured(
    counts=COUNTS, edges=EDGES, outer=(1, 1), n_rows=None, scale=0.0, distribution="exact", spread=1.0, max_outer=None
):
    """Counts of as many levels as there may have been, but for outer ones."""
    n_rows = round(sum(counts)) if n_rows is None else n_rows
    away = DistanceCounts((1.0, 1.0), (1.0,), scale, distribution)
    max_outer = max(outer) if max_outer is None else max_outer
    most = {"max_levels": len(counts) - sum(outer) + 2 * max_outer, "max_outer": max_outer}
    return HeldOutResiduals(
        tuple(counts), tuple(edges), outer, spread, 100.0, n_rows, scale, distribution, away, **most
    )  # fmt: skip


def test_the_last_edge_with_few_enough_rows_beyond_is_taken():
    """Of 99 rows 4 are below -3, (4 + 1) / (99 + 1) = 0.05, and 11 below -1; 2 are above 4, and 10 above 1."""
    assert reach_of(measured(), 0.1, None) == pytest.approx((-3.0, 4.0))
    assert reach_of(measured(), 0.0999, None) == (None, pytest.approx(4.0))
    assert reach_of(measured(), 0.059, None) == (None, None)
    # Two levels of four between private quantiles are asked from a half on.
    assert reach_of(measured(), 0.5, None) == pytest.approx((-1.0, 1.0))
    assert reach_of(measured(), 0.24, None) == pytest.approx((-3.0, 4.0))
    # Ends are a step or two of the grid farther out, and no row of the same residual is left out.
    low, high = reach_of(measured(), 0.1, None)
    assert -3.0 - 1e-8 < low < -3.0 and 4.0 < high < 4.0 + 1e-8


def test_a_confidence_adds_the_distance_of_dvoretzky_kiefer_and_wolfowitz():
    """4 of 99 below -3: 0.0404 + sqrt(ln 40 / 198) = 0.177 on that side, half of which may fail."""
    needed = 2 * (4 / 99 + sqrt(log(40) / 198))
    assert reach_of(measured(), needed + 1e-9, 0.95)[0] == pytest.approx(-3.0)
    assert reach_of(measured(), needed - 1e-9, 0.95)[0] is None
    # The upper end has two rows less beyond it.
    assert reach_of(measured(), needed - 1e-9, 0.95)[1] == pytest.approx(4.0)


@pytest.mark.parametrize(("distribution", "deviation"), [("Gaussian", 2.0), ("Laplace", 2.0 * sqrt(2))])
def test_noise_takes_the_mean_of_its_positive_part_for_one_candidate(distribution, deviation):
    """Of 999 rows and one candidate on a side: 0.05 * 1000 - 1 - deviation / sqrt(2 pi) rows may be beyond."""
    most = 49 - deviation / sqrt(2 * pi)
    counts = (most - 0.01, 300.0, 300.0, 300.0, 300.0, most + 0.01)
    found = reach_of(measured(counts, n_rows=999, scale=2.0, distribution=distribution), 0.1, None)
    assert found == (pytest.approx(-3.0), None)
    # Of two candidates as much, and as much over the root of two; of one, too, where there may have been two.
    most = 49 - deviation / sqrt(2 * pi) * (1 + sqrt(0.5))
    counts = (most - 0.01, 0.0, 300.0, 300.0, 300.0, 300.0, most + 0.01)
    two = measured(counts, (-3.5, *EDGES), (2, 1), n_rows=999, scale=2.0, distribution=distribution)
    assert reach_of(two, 0.1, None) == (pytest.approx(-3.0), None)
    assert reach_of(replace(two, counts=(*counts[:-1], most - 0.01)), 0.1, None) == pytest.approx((-3.0, 4.0))
    assert reach_of(replace(two, counts=(most + 0.01, *counts[1:])), 0.1, None)[0] is None


def test_margins_are_those_of_as_many_edges_as_there_may_have_been():
    """How many there are follows from the rows, so that margins must not; without a word of it there were 32 a side."""
    counts = (40.0, 300.0, 300.0, 300.0, 300.0, 40.0)
    given = {"n_rows": 999, "scale": 2.0, "distribution": "Gaussian"}
    # 49 - 2 / sqrt(2 pi) (1 + 1/sqrt 2 + ... + 1/sqrt J) is 40.01 at J = 40, and 39.89 at 41.
    assert reach_of(measured(counts, max_outer=40, **given), 0.1, None) == pytest.approx((-3.0, 4.0))
    assert reach_of(measured(counts, max_outer=41, **given), 0.1, None) == (None, None)
    # 150 - sqrt(1000 ln 40) - 10 sqrt(2 ln 40 J) is 62 at J = 1, and 37 at 20,000.
    sure = {"n_rows": 2_000, "scale": 10.0, "distribution": "Gaussian"}
    assert reach_of(measured(counts, max_outer=1, **sure), 0.15, 0.9) == pytest.approx((-3.0, 4.0))
    assert reach_of(measured(counts, max_outer=20_000, **sure), 0.15, 0.9) == (None, None)
    plain = measured(counts, **given)
    old = HeldOutResiduals(*(getattr(plain, each.name) for each in fields(plain) if each.name not in LATER))
    assert (old.max_levels, old.max_outer) == (128, 32)


def test_noise_may_hide_both_ends():
    assert reach_of(measured(scale=1.0, distribution="Gaussian"), 0.2, None) == pytest.approx((-3.0, 4.0))
    assert reach_of(measured(scale=30.0, distribution="Gaussian"), 0.2, None) == (None, None)
    assert reach_of(measured(scale=5.0, distribution="Gaussian"), 0.2, 0.95) == (None, None)


def test_the_ends_of_the_grid_are_no_ends():
    wide = measured(edges=(-64.0, -1.0, 0.0, 1.0, 64.0))
    assert reach_of(wide, 0.2, None) == (None, None)


def test_rows_of_the_same_residual_stay_together():
    """An edge through a residual that many rows have: the coin is of held-out rows, and no new row is left out."""
    half = 1 << TIE_BITS - 1
    edges = odds_of_edges(cells_of_odds(np.asarray([-1.0, 0.0, 1.0])) + half)
    low, high = reach_of(measured((1.0, 60.0, 60.0, 1.0), edges, (0, 0)), 0.1, None)
    assert low < -1.0 and high > 1.0


def simulated(generator, n_rows, noise, levels=16):
    """Counts of residuals of a long tail on one side, by levels of the rows' own quantiles, and a few beyond."""
    cells = cells_of_odds(generator.exponential(size=n_rows) - 1) + generator.integers(1 << TIE_BITS, size=n_rows)
    inner = np.unique(np.quantile(cells, np.arange(1, levels) / levels).astype(np.int64))
    edges = np.concatenate([cells_of_odds(np.asarray([-1.1, -1.0])), inner, cells_of_odds(np.asarray([2.2, 2.8, 4.0]))])
    edges = np.unique(edges)
    counts = np.bincount(np.searchsorted(edges, cells, side="right"), minlength=len(edges) + 1)
    distribution, scale = noise
    draw = {"exact": lambda **_: 0.0, "Gaussian": generator.normal, "Laplace": generator.laplace}[distribution]
    noisy = counts + draw(scale=scale, size=counts.shape)
    return measured(noisy, odds_of_edges(edges), (2, 3), n_rows, scale, distribution)


FRESH = np.random.default_rng(9).exponential(size=20_000) - 1


def missed(held_out, misses, confidence):
    low, high = reach_of(held_out, misses, confidence)
    inside = ((-inf if low is None else low) <= FRESH) & ((inf if high is None else high) >= FRESH)
    return 1 - inside.mean()


@pytest.mark.parametrize("noise", [("exact", 0.0), ("Gaussian", 6.0), ("Laplace", 4.0)])
@pytest.mark.parametrize("n_rows", [150, 1000])
def test_intervals_cover_on_average_and_are_not_too_wide(noise, n_rows):
    generator = np.random.default_rng(1)
    found = np.asarray([missed(simulated(generator, n_rows, noise), 0.2, None) for _ in range(300)])
    assert found.mean() < 0.2 + 0.005
    if n_rows == 1000:
        assert found.mean() > 0.1


def test_a_confidence_holds_for_nearly_every_fit():
    generator = np.random.default_rng(2)
    found = np.asarray([missed(simulated(generator, 2000, ("Gaussian", 4.0)), 0.2, 0.9) for _ in range(300)])
    assert (found > 0.2).mean() <= 0.1
    assert found.mean() > 0.045


def test_without_what_noise_takes_intervals_do_not_cover(monkeypatch):
    """Three tenths of the rows are below eight edges; of eight noisy sums one may well be below a twentieth."""
    generator, edges = np.random.default_rng(3), np.linspace(-0.5, -0.4, 8)
    counts = np.asarray([30.0, *[0.0] * 7, 70.0])
    noisy = [counts + generator.normal(scale=40, size=9) for _ in range(300)]
    held_out = [measured(each, edges, (7, 0), 100, 40.0, "Gaussian") for each in noisy]
    assert all(reach_of(each, 0.1, None)[0] is None for each in held_out)
    monkeypatch.setattr(residual_intervals, "mean_of_largest", lambda *_: 0.0)
    assert 0.3 * np.mean([reach_of(each, 0.1, None)[0] is not None for each in held_out]) > 0.05


@pytest.mark.parametrize("candidates", [1, 3, 8])
@pytest.mark.parametrize("draw", ["normal", "laplace"])
def test_what_noise_takes_on_average_is_bounded(candidates, draw):
    """The mean of the most that noise takes from sums of one, two, ... counts, or nothing (Spitzer 1956)."""
    generator, distribution = np.random.default_rng(5), {"normal": "Gaussian", "laplace": "Laplace"}[draw]
    sums = np.cumsum(getattr(generator, draw)(scale=1.0, size=(100_000, candidates)), axis=1)
    taken = np.maximum(-sums, 0).max(axis=1).mean()
    wide = measured((1.0,) * 20, np.arange(19) / 4.0, (9, 9), 1000, 1.0, distribution)
    left = 0.05 * 1001 - 1 - residual_intervals._most(1, candidates, wide, Asked(0.05, None, "rows"))
    assert taken <= left <= 1.5 * taken


def of(held_out, wanted):
    return quantiles_of(held_out.cells.counts, held_out.edges, wanted)


def test_quantiles_by_hand_never_cross_and_end_where_nothing_is_known():
    counts = (100.0, 200.0, 300.0, 300.0, 50.0, 50.0)
    found = of(measured(counts), np.asarray([0.05, 0.1, 0.2, 0.45, 0.9, 0.96]))
    assert found.tolist() == pytest.approx([-inf, -3.0, -2.0, -0.5, 1.0, inf])
    # Noise below zero would let shares fall; an asked order is kept.
    noisy = measured((100.0, 250.0, -60.0, 500.0, 150.0, 60.0), scale=30.0, distribution="Gaussian")
    wanted = np.linspace(0.01, 0.99, 99)
    assert (np.diff(of(noisy, wanted)[10:90]) >= 0).all()
    assert of(noisy, wanted[::-1])[::-1].tolist() == of(noisy, wanted).tolist()
