"""Prediction sets: thresholds by hand, coverage over simulated fits, and what they are without their margins."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest
from scipy.stats import norm

from tacit.errors import ModelFileError
from tacit.measures import HeldOut, prediction_sets
from tacit.measures.class_scores import ClassScores
from tacit.measures.prediction_sets import Noise, left_out, marginal_bounds, set_bounds
from tacit.measures.score_cells import TIE_BITS, cells_of_odds, odds_of_edges, steps_of_edges

EDGES = (-1.0, 0.0, 1.0)


def steps(odds):
    return cells_of_odds(np.asarray(odds, dtype=float))[:, None] >> TIE_BITS


def test_the_last_edge_that_leaves_out_few_enough_is_taken():
    """Of the second class 9 of 99 rows are at most -1, (9 + 1) / (99 + 1) = 0.1; 20 of them are at most 0."""
    held_out = HeldOut(((50.0, 30.0, 14.0, 5.0), (9.0, 11.0, 30.0, 49.0)), EDGES, 198, 0.0, "exact")
    (_, upward, low), (_, also, high) = set_bounds(held_out, 0.1, None)
    assert (upward, also) == (False, True)
    # Of the first class 5 of 99 are above 1, and 19 above 0.
    assert (low, high) == pytest.approx(steps_of_edges((1.0, -1.0)))
    assert set_bounds(held_out, 0.099, None)[1][2] is None
    assert set_bounds(held_out, 0.2, None)[0][2] == pytest.approx(steps_of_edges((0.0,))[0])
    out = left_out(set_bounds(held_out, 0.1, None), steps([-1.5, -1.0, -0.99, 0.99, 1.01]))
    assert out.tolist() == [[False, True], [False, False], [False, False], [False, False], [True, False]]


def test_a_confidence_adds_the_distance_of_dvoretzky_kiefer_and_wolfowitz():
    """9 of 99: 0.0909 + sqrt(ln 20 / 198), 0.2139."""
    held_out = HeldOut(((50.0, 30.0, 14.0, 5.0), (9.0, 11.0, 30.0, 49.0)), EDGES, 198, 0.0, "exact")
    needed = 9 / 99 + sqrt(log(20) / 198)
    assert set_bounds(held_out, needed + 1e-9, 0.95)[1][2] == pytest.approx(steps_of_edges((-1.0,))[0])
    assert set_bounds(held_out, needed - 1e-9, 0.95)[1][2] is None


@pytest.mark.parametrize("noise", [("exact", 0.0), ("Gaussian", 3.0), ("Laplace", 3.0)])
@pytest.mark.parametrize("confidence", [None, 0.95])
@pytest.mark.parametrize("own", [(0.0, 0.0), (0.0, -1.0)])
def test_a_class_without_rows_is_in_every_set(own, confidence, noise):
    held_out = HeldOut(((10.0, 90.0), own), (0.0,), 100, noise[1], noise[0])
    assert set_bounds(held_out, 0.1, confidence)[1][2] is None


def test_all_rows_together_have_one_threshold():
    """At odds 1 against a row's own class 9 and 5 of 198 rows are below: (14 + 1) / 199."""
    held_out = HeldOut(((50.0, 30.0, 14.0, 5.0), (9.0, 11.0, 30.0, 49.0)), EDGES, 198, 0.0, "exact")
    bounds = marginal_bounds(held_out, 15 / 199 + 1e-9, None)
    assert [upward for _, upward, _ in bounds] == [False, True]
    assert [edge for *_, edge in bounds] == pytest.approx(steps_of_edges((1.0, -1.0)))
    assert marginal_bounds(held_out, 15 / 199 - 1e-9, None)[0][2] is None
    # At zero: 14 + 5 of the first class and 9 + 11 of the second.
    assert [edge for *_, edge in marginal_bounds(held_out, 40 / 199 + 1e-9, None)] == pytest.approx(
        steps_of_edges((0, 0))
    )
    needed = 14 / 198 + sqrt(log(20) / 396)
    assert marginal_bounds(held_out, needed + 1e-9, 0.95)[1][2] is not None
    assert marginal_bounds(held_out, needed - 1e-9, 0.95)[1][2] is None
    # Without an edge at 1, rows of the first class above zero count as if they were above 1.
    fewer = HeldOut(((50.0, 30.0, 19.0), (9.0, 11.0, 79.0)), EDGES[:2], 198, 0.0, "exact")
    assert marginal_bounds(fewer, 15 / 199, None)[1][2] is None
    assert marginal_bounds(fewer, 29 / 199 + 1e-9, None)[1][2] == pytest.approx(steps_of_edges((-1.0,))[0])


def test_the_margin_is_the_mean_of_the_largest_sum_of_noise():
    """0.9 (K + 1) - 0.1 T + 1.1 (1 + 1/sqrt 2 + 1/sqrt 3 + 1/2) 3 / sqrt(2 pi) <= 0, of 4 levels: the sum is 2.7845."""
    margin = 1.1 * 2.784457 * 3 * 0.3989423
    most = 0.1 * 1001 - 1 - margin

    def edge(before, levels=4, total=1000):
        counts = ((500.0, 500.0), (before, total - before))
        return set_bounds(HeldOut(counts, (0.0,), 2000, 3.0, "Gaussian", max_levels=levels), 0.1, None)[1][2]

    assert edge(most - 1e-6) is not None and edge(most + 1e-6) is None
    assert edge(most - 1e-6, levels=5) is None
    # A class of which noise leaves open whether a tenth is as much as the margin: 3 sqrt(2 2 ln 10) is 9.1.
    assert edge(-50.0, total=margin / 0.1 - 1 + 9.2) is not None and edge(-50.0, total=margin / 0.1 - 1 + 9.0) is None


def test_the_margin_of_all_rows_together_is_that_of_all_classes_levels():
    """K + 1 + 3 / sqrt(2 pi) (1 + ... + 1/sqrt 8) <= 0.1 (n + 1), of 4 levels of 2 classes, nor a larger margin."""
    margin = 4.371436 * 3 * 0.3989423
    most = 0.1 * 2001 - 1 - margin

    def edge(below, n_rows=2000, levels=4):
        counts = ((950.0, below / 2), (below / 2, 950.0))
        return marginal_bounds(HeldOut(counts, (0.0,), n_rows, 3.0, "Gaussian", max_levels=levels), 0.1, None)[1][2]

    assert edge(most - 1e-6) is not None and edge(most + 1e-6) is None and edge(most - 1e-6, levels=5) is None
    enough = int(margin / 0.1)
    assert edge(-50.0, n_rows=enough) is not None and edge(-50.0, n_rows=enough - 1) is None


def test_the_margin_of_many_classes_is_that_of_their_own_scores_levels():
    """Of each class, of two levels, (1 + 1/sqrt 2) 3 / sqrt(2 pi) rows; of all three 1 + ... + 1/sqrt 6 as often."""
    cells = ((1.0,) * 6,) * 3

    def edge(bounds, below):
        counts = (((100.0, 20.0), (below, 1000 - below)),) * 3
        # Noise on counts of other classes' rows is none of theirs.
        scores = ClassScores(counts, ((0.0,),) * 3, 50.0, 3.0, "Gaussian")
        return bounds(HeldOut(cells, (0.5,), 3000, 1.0, "Gaussian", by_class=scores), 0.1, None)[1][2]

    for bounds, most in (
        (set_bounds, 0.1 * 1001 - 1 - 1.7071068 * 3 * 0.3989423),
        (marginal_bounds, (0.1 * 3001 - 1 - 3.639919 * 3 * 0.3989423) / 3),
    ):
        assert edge(bounds, most - 1e-5) is not None and edge(bounds, most + 1e-5) is None


@pytest.mark.parametrize(("distribution", "shape"), [("Gaussian", "normal"), ("Laplace", "laplace")])
@pytest.mark.parametrize("levels", [1, 4, 33])
def test_the_largest_sum_of_noise_is_within_its_margin_on_average(distribution, shape, levels):
    noise = np.rint(getattr(np.random.default_rng(0), shape)(scale=3.0, size=(20_000, levels)))
    largest = np.maximum(np.cumsum(noise, axis=1).max(axis=1), 0).mean()
    margin = Noise(distribution, 3.0, levels).mean_of_largest()
    assert largest < margin * 1.02
    # It is that mean of normal noise, and nearly so of other noise, if it is of many counts.
    if distribution == "Gaussian" or levels == 33:
        assert margin < largest * 1.03
    # Of groups each count has as many parts.
    assert Noise(distribution, 3.0, levels, n_summed=4).mean_of_largest() == pytest.approx(2 * margin)


def test_a_class_of_few_rows_is_not_left_out_by_luck():
    """Of ten rows noise makes a hundred now and then: then all may be missed, so that must be rare."""
    generator = np.random.default_rng(5)
    missing = 0
    for noise in generator.normal(scale=30, size=(4_000, 4)):
        own = tuple((noise + np.asarray([2.0, 2.0, 3.0, 3.0])).tolist())
        held_out = HeldOut(((50.0, 30.0, 14.0, 5.0), own), EDGES, 110, 30.0, "Gaussian", max_levels=5)
        missing += left_out(set_bounds(held_out, 0.2, None), steps([-1.5]))[0, 1]
    assert missing / 4_000 < 0.2 * 0.25


def test_noise_may_hide_every_edge():
    quiet = HeldOut(((50.0, 50.0), (4.0, 995.0)), (0.0,), 1099, 1.0, "Gaussian")
    assert set_bounds(quiet, 0.05, None)[1][2] is not None
    loud = HeldOut(quiet.counts, quiet.edges, quiet.n_rows, 100.0, "Gaussian")
    assert set_bounds(loud, 0.05, None)[1][2] is None


@pytest.mark.parametrize("distribution", ["Gaussian", "Laplace"])
@pytest.mark.parametrize(("weights", "summed"), [([1.0], 1), ([0.9, 0.9, -0.1], 1), ([1.0] * 20, 1), ([0.9, -0.1], 3)])
def test_margins_hold_as_often_as_they_say(distribution, weights, summed):
    generator, error, scale = np.random.default_rng(0), 0.02, 3.0
    draw = generator.normal if distribution == "Gaussian" else generator.laplace
    noise = draw(scale=scale, size=(40_000, summed, len(weights))).sum(axis=1) @ np.asarray(weights)
    margin = Noise(distribution, scale, len(weights), summed).margin(np.asarray(weights), error)
    assert 0.0005 < (noise > margin).mean() <= error
    # A bound by exponential moments is wider than the quantile, but not by much.
    assert margin < 2 * np.quantile(noise, 1 - error)


def simulated(generator, n_rows, noise, *, levels=16):
    """Counts of scores of two classes, by levels of private medians' kind: quantiles of the rows themselves."""
    labels = generator.random(n_rows) < 0.3
    cells = cells_of_odds(generator.normal(np.where(labels, 1.0, -1.0), 1.3)) + generator.integers(
        1 << TIE_BITS, size=n_rows
    )
    edges = np.unique(np.append(np.quantile(cells, np.arange(1, levels) / levels).astype(np.int64), 1 << 47))
    codes = np.searchsorted(edges, cells, side="right")
    counts = np.stack([np.bincount(codes[labels == each], minlength=len(edges) + 1) for each in (False, True)])
    distribution, scale = noise
    draw = {"exact": lambda **_: 0.0, "Gaussian": generator.normal, "Laplace": generator.laplace}[distribution]
    noisy = counts + draw(scale=scale, size=counts.shape)
    return HeldOut(tuple(map(tuple, noisy.tolist())), odds_of_edges(edges), n_rows, scale, distribution)


def missed(held_out, misses, confidence, fresh):
    """The share of fresh rows of each class whose set lacks it."""
    return [left_out(set_bounds(held_out, misses, confidence), fresh[at])[:, at].mean() for at in (0, 1)]


FRESH = [steps(np.random.default_rng(9).normal(middle, 1.3, 20_000)) for middle in (-1.0, 1.0)]


@pytest.mark.parametrize("noise", [("exact", 0.0), ("Gaussian", 3.0), ("Laplace", 2.0)])
@pytest.mark.parametrize("n_rows", [150, 1000])
def test_sets_cover_on_average_and_are_not_too_wide(noise, n_rows):
    generator = np.random.default_rng(1)
    found = np.asarray([missed(simulated(generator, n_rows, noise), 0.1, None, FRESH) for _ in range(300)])
    assert (found.mean(axis=0) < 0.1 + 0.005).all()
    if n_rows == 1000:
        assert found.mean(axis=0).max() > 0.03


def test_a_confidence_holds_for_nearly_every_fit():
    generator = np.random.default_rng(2)
    found = np.asarray([missed(simulated(generator, 1000, ("Gaussian", 3.0)), 0.15, 0.9, FRESH) for _ in range(300)])
    assert ((found > 0.15).mean(axis=0) <= 0.1).all()
    assert found.mean() > 0.01


def missed_of_all(held_out, misses, confidence, fresh):
    """The share of fresh rows, of which 30 in 100 are of the second class, whose set lacks their class."""
    bounds = marginal_bounds(held_out, misses, confidence)
    return sum(share * left_out(bounds, fresh[at])[:, at].mean() for at, share in ((0, 0.7), (1, 0.3)))


@pytest.mark.parametrize("noise", [("exact", 0.0), ("Gaussian", 3.0), ("Laplace", 2.0)])
@pytest.mark.parametrize("n_rows", [150, 1000])
def test_marginal_sets_cover_on_average_and_in_nearly_every_fit(noise, n_rows):
    generator = np.random.default_rng(1)
    fits = [simulated(generator, n_rows, noise) for _ in range(300)]
    found = np.asarray([missed_of_all(each, 0.1, None, FRESH) for each in fits])
    assert found.mean() < 0.1 + 0.005 and (n_rows == 150 or found.mean() > 0.03)
    sure = np.asarray([missed_of_all(each, 0.15, 0.9, FRESH) for each in fits])
    assert (sure > 0.15).mean() <= 0.1 and (n_rows == 150 or sure.mean() > 0.03)


@pytest.mark.parametrize(("sets", "scale"), [(missed, 6.0), (missed_of_all, 20.0)])
def test_without_margins_sets_do_not_cover(monkeypatch, sets, scale):
    """Of many edges the last that noise lets pass is chosen: without its margin too much is left out."""
    monkeypatch.setattr(prediction_sets, "mean_of_largest", lambda *_: 0.0)
    monkeypatch.setattr(prediction_sets, "noise_margin", lambda *_: 0.0)
    generator = np.random.default_rng(3)
    found = np.asarray([sets(simulated(generator, 400, ("Laplace", scale)), 0.1, None, FRESH) for _ in range(300)])
    assert np.max(found.mean(axis=0)) > 0.11


def test_rows_of_the_same_score_stay_together():
    """An edge through a score that many rows have: the coin is of held-out rows, and none of the new rows is out."""
    cell = int(cells_of_odds(np.asarray([-1.0]))[0])
    edge = odds_of_edges(np.asarray([cell + (1 << TIE_BITS - 1)]))
    held_out = HeldOut(((0.0, 0.0, 0.0), (1.0, 500.0, 499.0)), (*edge, 0.0), 1000, 0.0, "exact")
    assert not left_out(set_bounds(held_out, 0.1, None), steps([-1.0, -0.5])).any()
    assert left_out(set_bounds(held_out, 0.1, None), steps([-1.1])).tolist() == [[False, True]]


def test_many_classes_have_scores_of_their_own_or_all_are_in():
    counts = ((1.0,) * 12, (1.0,) * 12, (1.0,) * 12)
    plain = HeldOut(counts, (0.5, 0.7, 0.9), 36, 0.0, "exact")
    assert not left_out(set_bounds(plain, 0.1, None), np.zeros((5, 3), dtype=np.int64)).any()
    own = ((100.0, 20.0), (5.0, 95.0))
    scores = ClassScores((own,) * 3, ((0.0,),) * 3, 0.0, 0.0, "exact")
    known = HeldOut(counts, plain.edges, 36, 0.0, "exact", by_class=scores)
    odds = np.asarray([[-1.0, 1.0, -1.0]])
    assert left_out(set_bounds(known, 0.1, None), cells_of_odds(odds) >> TIE_BITS).tolist() == [[True, False, True]]
    assert not left_out(set_bounds(known, 0.05, None), cells_of_odds(odds) >> TIE_BITS).any()
    # Together 15 of 300 are below: (15 + 1) / (36 + 1) of the rows that there are said to be.
    assert [each[2] for each in marginal_bounds(plain, 0.5, None)] == [None] * 3
    together = marginal_bounds(known, 16 / 37 + 1e-9, None)
    assert left_out(together, cells_of_odds(odds) >> TIE_BITS).tolist() == [[True, False, True]]
    assert marginal_bounds(known, 16 / 37 - 1e-9, None)[0][2] is None


def test_a_file_cannot_claim_fewer_levels_than_it_has():
    counts = ((50.0, 30.0, 14.0, 5.0), (5.0, 14.0, 30.0, 50.0))
    assert HeldOut(counts, EDGES, 200, 3.0, "Gaussian", max_levels=4).max_levels == 4
    with pytest.raises(ModelFileError, match="counts by class and level"):
        HeldOut(counts, EDGES, 200, 3.0, "Gaussian", max_levels=3)
    # Of more classes the levels are those of the predicted class's probability, and margins are not theirs.
    several = ((9.0, 1.0, 0.0, 0.0, 0.0, 2.0),) * 3
    assert HeldOut(several, (0.5,), 36, 3.0, "Gaussian", max_levels=1).n_classes == 3


def test_a_file_cannot_have_noise_on_some_counts_or_levels_of_some_classes():
    of_one = ((40.0, 10.0, 5.0), (5.0, 10.0, 40.0))
    assert ClassScores((of_one,) * 3, ((-1.0, 0.0),) * 3, 3.0, 2.0, "Gaussian").variances.tolist() == [9.0, 4.0]
    for edges, scales in (((-1.0, 0.0), (3.0, 0.0)), ((-1.0, 0.0), (0.0, 3.0)), ((-1.0,), (3.0, 3.0))):
        with pytest.raises(ModelFileError, match="each class's score"):
            ClassScores((of_one,) * 3, (edges,) * 3, *scales, "Gaussian")


def own_counts(generator, sizes, levels, scale):
    """Counts of three classes' own scores by levels whose edges are quantiles of all rows' scores."""
    scores = [generator.normal(size=size) for size in sizes]
    edges = np.quantile(np.concatenate(scores), np.arange(1, levels) / levels)
    own = [np.histogram(each, [-np.inf, *edges, np.inf])[0] + scale * generator.normal(size=levels) for each in scores]
    of_class = tuple(((0.0,) * levels, tuple(each.tolist())) for each in own)
    return ClassScores(of_class, (tuple(edges.tolist()),) * 3, 1.0, scale, "Gaussian")


def missed_by_class(generator, misses, scale):
    """The share of fresh rows of each of three classes whose set lacks it, a mean over fits."""
    sizes, found, cells = (300, 120, 60), [], ((1.0,) * 6,) * 3
    for _ in range(1_500):
        scores = own_counts(generator, sizes, 32, scale)
        held_out = HeldOut(cells, (0.5,), sum(sizes), 1.0, "Gaussian", by_class=scores)
        edges = [bound[2] for bound in set_bounds(held_out, misses, None)]
        known = {None: -np.inf} | dict(zip(steps_of_edges(scores.edges[0]).tolist(), scores.edges[0], strict=True))
        found.append(norm.cdf([known[edge] for edge in edges]))
    return np.mean(found, axis=0)


@pytest.mark.parametrize("misses", [0.1, 0.4])
def test_sets_of_many_classes_cover_on_average_whatever_their_sizes(misses, monkeypatch):
    assert (missed_by_class(np.random.default_rng(4), misses, 15.0) < misses + 0.005).all()
    monkeypatch.setattr(prediction_sets, "mean_of_largest", lambda *_: 0.0)
    monkeypatch.setattr(prediction_sets, "noise_margin", lambda *_: 0.0)
    assert missed_by_class(np.random.default_rng(4), misses, 15.0).max() > misses + 0.01
