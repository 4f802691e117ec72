"""Prediction sets and intervals where rows weigh less than one: conditions by hand, and coverage over draws."""

from __future__ import annotations

from dataclasses import replace
from math import log, pi, sqrt

import numpy as np
import pytest

from tacit.errors import ParameterError
from tacit.measures import HeldOut
from tacit.measures.held_out_residuals import DistanceCounts, HeldOutResiduals
from tacit.measures.prediction_sets import left_out, marginal_bounds, set_bounds
from tacit.measures.residual_intervals import reach_of
from tacit.measures.score_cells import TIE_BITS, cells_of_odds, steps_of_edges
from tacit.measures.set_measures import edges_of_sets, set_measures
from tacit.models.decisions import bounds_of_sets
from tacit.models.number_intervals import reach

EDGES = (-1.0, 0.0, 1.0)


@pytest.mark.parametrize("counting", ["shares", "weights"])
def test_a_confidence_costs_a_factor_of_e(counting):
    """9 of 99: 0.0909 + sqrt((ln 20 + 1) / 198)."""
    held_out = HeldOut(((50.0, 30.0, 14.0, 5.0), (9.0, 11.0, 30.0, 49.0)), EDGES, 198, 0.0, "exact")
    needed = 9 / 99 + sqrt((log(20) + 1) / 198)
    assert set_bounds(held_out, needed + 1e-9, 0.95, counting)[1][2] is not None
    assert set_bounds(held_out, needed - 1e-9, 0.95, counting)[1][2] is None
    # All rows together, 14 of 198.
    needed = 14 / 198 + sqrt((log(20) + 1) / 396)
    assert marginal_bounds(held_out, needed + 1e-9, 0.95, counting)[1][2] is not None
    assert marginal_bounds(held_out, needed - 1e-9, 0.95, counting)[1][2] is None
    # A confidence of less than a half is no less than a half.
    low, half = (set_bounds(held_out, 0.18, each, counting)[1][2] for each in (0.1, 0.5))
    assert low == half


def test_a_class_must_be_larger_than_its_margin_without_the_new_row():
    """0.1 (n' - z) >= 1.1 (1 + 1/sqrt 2 + 1/sqrt 3 + 1/2) 3 / sqrt(2 pi), where z = 3 sqrt(2 2 ln 10) is 9.1."""
    margin = 1.1 * 2.784457 * 3 / sqrt(2 * pi)
    z = 3 * sqrt(2 * 2 * log(10))

    def edge(counting, total):
        counts = ((500.0, 500.0), (-50.0, total + 50.0))
        return set_bounds(HeldOut(counts, (0.0,), 2000, 3.0, "Gaussian", max_levels=4), 0.1, None, counting)[1][2]

    for counting, less in (("rows", 1.0), ("shares", 0.0), ("weights", 0.0)):
        enough = margin / 0.1 + z - less
        assert edge(counting, enough + 1e-6) is not None and edge(counting, enough - 1e-6) is None


def test_what_all_weighed_rows_count_is_taken_from_the_counts():
    """5,000 rows that count 1,000 in all: a tenth of them is 100, not 500."""
    few = HeldOut(((450.0, 49.0), (49.0, 452.0)), (0.0,), 5000, 0.0, "exact")
    many = HeldOut(((450.0, 55.0), (55.0, 440.0)), (0.0,), 5000, 0.0, "exact")
    assert marginal_bounds(few, 0.1, None, "weights")[0][2] is not None
    assert marginal_bounds(many, 0.1, None, "weights")[0][2] is None
    assert marginal_bounds(many, 0.1, None, "shares")[0][2] is not None


def of_levels(scores, mass, edges):
    return np.bincount(np.searchsorted(edges, scores), mass, len(edges) + 1)


GRID = np.round(np.linspace(-3, 3, 25), 6)


def missed(own, mass, fresh, fresh_mass, misses, counting):
    """The share of fresh mass whose sets lack the second class, of rows whose odds are its scores."""
    held = HeldOut((tuple(np.ones(26)), tuple(of_levels(own, mass, GRID))), tuple(GRID), 200, 0.0, "exact")
    bounds = set_bounds(held, misses, None, counting)
    out = left_out(bounds, cells_of_odds(fresh)[:, None] >> TIE_BITS)[:, 1]
    return float(fresh_mass[out].sum())


def test_sets_cover_the_population_of_a_survey():
    """Rows that count much score lower: counted as one each they would be missed too often."""
    draw, weighed, plain = np.random.default_rng(0), [], []
    heavy = draw.random(50_000) < 0.1
    fresh = draw.normal(size=50_000) - 1.5 * heavy
    v = np.where(heavy, 1.0, 0.1)
    for _ in range(1_500):
        few = draw.random(60) < 0.1
        own, mass = draw.normal(size=60) - 1.5 * few, np.where(few, 1.0, 0.1)
        weighed.append(missed(own, mass, fresh[:4_000], v[:4_000], 0.2, "weights") / v[:4_000].sum())
        plain.append(missed(own, np.ones(60), fresh[:4_000], v[:4_000], 0.2, "rows") / v[:4_000].sum())
    assert np.mean(weighed) <= 0.2 + 3 * np.std(weighed) / sqrt(1_500) and np.mean(weighed) > 0.02
    assert np.mean(plain) > 0.25


def test_sets_cover_rows_of_new_persons():
    """Persons of many rows of low scores: a row of a new person weighs one over that person's rows."""
    draw, found, plain = np.random.default_rng(1), [], []

    def persons(number):
        many = draw.random(number) < 0.3
        count = np.where(many, 20, 1)
        center = np.repeat(draw.normal(size=number) + 0.8 * many, count)
        return center + 0.3 * draw.normal(size=len(center)), np.repeat(1.0 / count, count)

    fresh, share = persons(3_000)
    for _ in range(1_200):
        own, mass = persons(40)
        found.append(missed(own, mass, fresh, share, 0.2, "shares") / share.sum())
        plain.append(missed(own, np.ones(len(own)), fresh, share, 0.2, "rows") / share.sum())
    assert np.mean(found) <= 0.2 + 3 * np.std(found) / sqrt(1_200) and np.mean(found) > 0.12
    assert np.mean(plain) > 0.22


def residuals(n_rows, counts, **further):
    away = DistanceCounts((500.0, 300.0, 200.0), (2.0, 4.0), 0.0, "exact")
    given = (counts, (-2.0, 0.0, 2.0), (1, 1), 1.0, 10.0, n_rows, 0.0, "exact", away)
    return HeldOutResiduals(*given, **{"max_levels": len(counts), "max_outer": 1, **further})


def test_intervals_of_weighed_rows_are_about_what_they_count():
    """On either side 40 of 1,000: a twentieth of them is 50; of the 5,000 rows that count so much 250."""
    held = residuals(5_000, (40.0, 460.0, 460.0, 40.0))
    assert None not in reach_of(held, 0.1, None, "weights")
    wide = residuals(5_000, (60.0, 440.0, 440.0, 60.0))
    assert reach_of(wide, 0.1, None, "weights") == (None, None)
    assert None not in reach_of(wide, 0.1, None, "shares")
    # With a confidence of 0.9, of which each side has a half: 40 + sqrt(1000 (ln 20 + 1) / 2) is 84.7.
    assert None not in reach_of(held, 0.17, 0.9, "weights") and None in reach_of(held, 0.169, 0.9, "weights")


def test_several_rows_that_count_one_each_are_refused():
    held = HeldOut(((10.0, 90.0), (90.0, 10.0)), (0.0,), 100, 0.0, "exact", rows_of_person=3)
    with pytest.raises(ParameterError, match=r"count one together.*mean"):
        bounds_of_sets(held, "persons", 0.9)
    with pytest.raises(ParameterError, match=r"count one together.*mean"):
        reach(residuals(100, (4.0, 46.0, 46.0, 4.0), rows_of_person=3), "persons", 0.9, None)


def test_how_often_sets_hold_classes_by_hand():
    held_out = HeldOut(((50.0, 30.0, 14.0, 5.0), (9.0, 11.0, 30.0, 49.0)), EDGES, 198, 0.0, "exact")
    bounds = set_bounds(held_out, 0.1, None)
    found = set_measures(held_out, bounds, 0.9, ("no", "yes"))
    first, second = found.classes
    # Rows above 1 lack the first class, those below -1 the second.
    assert first.covered.value == pytest.approx(94 / 99) and second.covered.value == pytest.approx(90 / 99)
    assert first.named.value == pytest.approx((99 - 5 + 9 + 11 + 30) / 198)
    assert found.size == pytest.approx(283 / 198) and not first.always
    assert edges_of_sets(bounds, 1)[0].tolist() == [
        (int(np.ceil(steps_of_edges((1.0,))[0] + 0.01))) << TIE_BITS,
        (int(np.floor(steps_of_edges((-1.0,))[0] - 0.01))) << TIE_BITS,
    ]
    hidden = set_measures(held_out, set_bounds(held_out, 0.01, None), 0.99, ("no", "yes"))
    assert [each.always for each in hidden.classes] == [True, True] and hidden.size == 2
    assert next(hidden.lines()).startswith("Sets of 99% have all classes")


def test_margins_of_weighed_rows_are_those_of_as_many_levels_as_there_may_have_been():
    """0.95 * 41 - 0.05 * 960 = -9.05: 2 / sqrt(2 pi) 1.05 (1 + ... + 1/sqrt L) is 2.3 at L = 4, and 17.8 at 128."""
    held = replace(residuals(5_000, (40.0, 460.0, 460.0, 40.0)), scale=2.0, distribution="Gaussian")
    assert None not in reach_of(held, 0.1, None, "weights")
    assert reach_of(replace(held, max_levels=128), 0.1, None, "weights") == (None, None)
