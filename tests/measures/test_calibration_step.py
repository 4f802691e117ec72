"""How far lines are taken: as far as what counts say that they save exceeds its standard error, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.measures.bin_means import of_total, rows_of_bins
from tacit.measures.calibration_step import calibration_steps

ONE, NONE = np.asarray([1.0]), np.asarray([0.0])


def log_chance(odds):
    return -np.log1p(np.exp(-odds))


def saving(place, moved_by, rest, own):
    """Nats that rows at a place save whose log-odds of two classes are moved."""
    gained = own * (log_chance(place + moved_by) - log_chance(place))
    return gained + rest * (log_chance(-place - moved_by) - log_chance(-place))


def saving_of_many(place, moved_by, rest, own):
    """The same of one of many classes: what its own rows gain, less what all rows lose by the sum."""
    chances = [1 / (1 + np.exp(-odds)) for odds in (place + moved_by, place)]
    return own * np.log(chances[0] / chances[1]) - (rest + own) * (chances[0] - chances[1])


@pytest.mark.parametrize(("n_classes", "saved_by"), [(1, saving), (3, saving_of_many)])
def test_a_line_is_taken_whose_saving_exceeds_one_standard_error_of_noise_rows_and_places(n_classes, saved_by):
    """All rows in the middle of three levels, half a unit to either side of zero; one is taken off their log-odds."""
    rest, own = 160.0, 20.0
    counts = np.asarray([[[0.0, rest, 0.0], [0.0, own, 0.0]]] * n_classes)
    edges, places = np.asarray([[-0.5, 0.5]] * n_classes), np.asarray([[-1.0, 0.0, 1.0]] * n_classes)
    saved = saved_by(0.0, -1.0, rest, own)
    unknown = saved - min(saved_by(place, -1.0, rest, own) for place in np.linspace(-0.5, 0.5, 9))
    # What one row of each class saves at each level's place; levels without rows have noise alone.
    each = np.asarray([[saved_by(place, -1.0, 1.0, 0.0), saved_by(place, -1.0, 0.0, 1.0)] for place in places[0]])
    drawn = rest * each[1, 0] ** 2 + own * each[1, 1] ** 2
    just = (saved**2 - unknown**2 - drawn) / (each**2).sum()  # the variance at which it is one standard error
    assert 100 < just < 10_000
    found, lines = {}, (np.ones(n_classes), -np.ones(n_classes))
    for factor in (0.98, 1.02):
        found[factor] = set(calibration_steps(counts, edges, places, *lines, np.full(2, just * factor)).tolist())
    assert found[0.98] == {1.0} and 1.0 not in found[1.02]


@pytest.mark.parametrize("n_classes", [1, 3])
def test_nothing_is_taken_that_moves_nothing_or_makes_worse(n_classes):
    counts = np.asarray([[[400.0, 300.0, 100.0], [100.0, 300.0, 400.0]]] * n_classes)
    edges, places = np.asarray([[-0.5, 0.5]] * n_classes), np.asarray([[-1.4, 0.0, 1.4]] * n_classes)
    ones = np.ones(n_classes)
    for slope, intercept in ((1.0, 0.0), (0.2, 0.0), (1.0, 1.0), (1.0, -1.0), (5.0, 0.0)):
        assert (
            calibration_steps(counts, edges, places, slope * ones, intercept * ones, np.ones(2)).tolist()
            == [0.0] * n_classes
        )


def test_each_class_is_moved_by_what_its_own_counts_say():
    right = [[4000.0, 1500.0], [1000.0, 1500.0]]
    off = [[4500.0, 2700.0], [500.0, 300.0]]  # of the same rows a tenth, as is said of about a fifth and a half
    counts = np.asarray([right, right, off])
    edges, places = np.asarray([[-0.7]] * 3), np.asarray([[-1.4, 0.0]] * 3)
    found = calibration_steps(counts, edges, places, np.ones(3), np.full(3, -1.0), np.full(2, 25.0))
    assert found.tolist() == [0.0, 0.0, 1.0]


def test_an_outer_level_reaches_as_far_as_its_rows_need_beside_a_level_of_few():
    """Rows that lie as densely as those of the middle are near the edge; of next to none in the middle, anywhere."""
    edges, places = np.asarray([[-0.1, 0.1]]), np.asarray([[-0.2, 0.0, 0.2]])
    dense = np.asarray([[[400.0, 300.0, 200.0], [200.0, 300.0, 400.0]]])  # log 2 lower and higher
    thin = dense * [1.0, 0.01, 1.0]
    found = [calibration_steps(each, edges, places, 3.5 * ONE, NONE, np.ones(2))[0] for each in (dense, thin)]
    assert found[0] == 1.0 and found[1] < 0.5


def test_counts_get_their_total_as_far_as_their_noise_goes():
    """Eight rows more on two levels: four each, one to the quieter side and three to the other."""
    found = of_total(np.asarray([[[10.0, 10.0], [20.0, 20.0]]]), 68.0, np.asarray([1.0, 3.0]))
    assert found.tolist() == [[[11.0, 11.0], [23.0, 23.0]]]
    even = of_total(np.asarray([[[10.0, 10.0], [20.0, 20.0]]]), 68.0, np.zeros(2))
    assert even.tolist() == [[[12.0, 12.0], [22.0, 22.0]]]


@pytest.mark.parametrize("scales", [(30.0, 30.0), (60.0, 15.0), (15.0, 60.0)])
def test_levels_weigh_no_more_where_noise_has_moved_their_residual(scales):
    """Of 4,000 noisy tables: rows of a level go with no residual own (1 - p) - rest p, whichever side is noisier."""
    generator, places = np.random.default_rng(0), np.full((4_000, 3), 1.0)
    chance = 1 / (1 + np.exp(-1.0))
    counts = 10_000 * np.asarray([1 - chance, chance])[:, None] + np.zeros((4_000, 2, 3))
    counts += np.asarray(scales)[:, None] * generator.normal(size=counts.shape)
    rows = rows_of_bins(counts, places, 30_000.0, np.square(scales))
    residuals = counts[:, 1] * (1 - chance) - counts[:, 0] * chance
    assert abs(np.corrcoef(rows[:, 0], residuals[:, 0])[0, 1]) < 0.06
