"""Lines of many classes: those that came true are found, and noise moves what is right by little."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

from tacit.errors import ParameterError
from tacit.measures.class_scores import ClassScores
from tacit.measures.held_out import HeldOut
from tacit.measures.platt import Line, likeliest, map_platt, platt_lines


def drawn(stretched, n_rows, scale, seed):
    """Return what was measured of a model whose log-probabilities are so many times too far out, and the rows."""
    generator = np.random.default_rng(seed)
    true = softmax(generator.normal(size=(n_rows, 4)) * 1.5 + [1.0, 0.0, 0.0, -1.0], axis=1)
    labels = (generator.random((n_rows, 1)) > np.cumsum(true, axis=1)[:, :-1]).sum(axis=1)
    said = softmax(stretched * np.log(true), axis=1)
    odds = np.log(said) - np.log1p(-said)
    edges = np.quantile(odds, np.arange(1, 16) / 16, axis=0).T
    n_levels, own = 16, labels[:, None] == np.arange(4)
    levels = np.column_stack([np.searchsorted(each, row) for each, row in zip(edges, odds.T, strict=True)])
    cells = (2 * np.arange(4) + own) * n_levels + levels
    counts = np.bincount(cells.ravel(), minlength=8 * n_levels).reshape(4, 2, n_levels).astype(float)
    if scale:
        counts += generator.laplace(0, scale, counts.shape)
    distribution = "Laplace" if scale else "exact"
    each = ClassScores(
        tuple((tuple(rest), tuple(found)) for rest, found in counts.tolist()),
        tuple(map(tuple, edges.tolist())),
        scale,
        scale,
        distribution,
    )
    plain = tuple((n_rows / 48,) * 12 for _ in range(4))
    return HeldOut(plain, (0.4, 0.7), n_rows, scale, distribution, by_class=each), said, labels


def log_loss(likely, labels):
    return -np.log(likely[np.arange(len(labels)), labels]).mean()


@pytest.mark.parametrize("scale", [0.0, 10.0])
def test_an_overconfident_model_gets_better_and_a_right_one_stays(scale):
    gains = {}
    for stretched in (3.0, 1.0):
        found = []
        for seed in range(6):
            measured, _, _ = drawn(stretched, 4_000, scale, seed)
            _, said, labels = drawn(stretched, 40_000, 0.0, 100 + seed)
            moved = measured.calibrated(said)
            assert moved.sum(axis=1) == pytest.approx(1.0) and moved.min() >= 0
            found.append(log_loss(said, labels) - log_loss(moved, labels))
        gains[stretched] = np.asarray(found)
    assert gains[3.0].min() > 0.3
    assert gains[1.0].min() > -0.01


def test_platt_lines_that_differ_are_found_without_noise():
    # Classes of log-odds -1, 0 and 1 that came true as slope * x + intercept, by hand.
    places, slopes, intercepts = np.asarray([-1.0, 0.0, 1.0]), [0.5, 1.0, 1.6], [-0.3, 0.0, 0.4]
    chances = [1 / (1 + np.exp(-(a * places + b))) for a, b in zip(slopes, intercepts, strict=True)]
    counts = np.asarray([[1e8 * (1 - chance), 1e8 * chance] for chance in chances])
    lines = map_platt(counts, np.asarray([[-0.5, 0.5]] * 3), 3e8, np.zeros(2))
    assert [line.slope for line in lines] == pytest.approx(slopes, abs=1e-3)
    assert [line.intercept for line in lines] == pytest.approx(intercepts, abs=1e-3)


@pytest.mark.parametrize(
    ("counts", "edges"),
    [
        ([[[0.0] * 6, [0.0, 0.0, 797.0, 0.0, 89.0, 114.0]]], [-38.95, 0.0, 2.28283e-10, 1.0923e-09, 61.77]),
        ([[[0.0] * 4, [0.0, 500.0, 0.0, 500.0]]], [0.0, 1e-9, 38.0]),
        ([[[500.0, 0, 0, 0], [0, 0, 0, 500.0]]] + 2 * [[[400.0, 600.0, 0, 0], [0.0] * 4]], [-64.0, 0.0, 64.0]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("variance", [0.0, 12.5])
def test_levels_that_say_nothing_of_a_slope_leave_it_as_it_is(counts, edges, variance):
    """Rows of one score, and of scores so sure that none of them is unlikely: no matrix may be singular."""
    for n_rows in (1, 1e3, 1e6):
        lines = platt_lines(
            np.asarray(counts) * n_rows, np.asarray([edges] * len(counts)), 1e3 * n_rows, np.full(2, variance)
        )
        assert all(np.isfinite([line.slope, line.intercept]).all() and line.slope > 0 for line in lines)


def test_as_much_noise_as_is_ever_released_moves_little():
    lines = [drawn(1.0, 2_000, 25.0, seed)[0].class_lines for seed in range(10)]
    assert np.mean([abs(line.slope - 1) for each in lines for line in each]) < 0.15


def test_what_is_not_calibrated_is_refused():
    measured, _, _ = drawn(1.0, 2_000, 1.0, 0)
    with pytest.raises(ParameterError, match="class_lines"):
        _ = measured.line
    without = HeldOut(measured.counts, measured.edges, 2_000, 1.0, "Laplace")
    assert not without.calibrates and measured.calibrates
    with pytest.raises(ParameterError, match="too few for the noise"):
        without.calibrated(np.full((1, 4), 0.25))


def test_log_odds_stay_where_noise_hides_the_medians_of_the_scores():
    # Medians that are noise: nearly all rows are in one level of 31, and where in it nobody knows.
    counts = np.asarray([[[20.0, 3_500.0, 60.0, 20.0, 40.0], [10.0, 360.0, 10.0, -20.0, 0.0]]])
    far, near = np.asarray([[-31.5, 0.0, 2.8, 55.8]]), np.asarray([[-3.5, -2.0, -1.5, 0.0]])
    assert platt_lines(counts, far, 4_000.0, np.full(2, 400.0)) == (Line(1.0, 0.0),)
    assert platt_lines(counts, near, 4_000.0, np.full(2, 400.0)) != (Line(1.0, 0.0),)


@pytest.mark.parametrize("steeper", [0.5, 1.0, 2.5, 5.0, 12.0])
def test_steps_that_go_too_far_still_end_at_the_answer(steeper):
    """The gradient falls so many times as fast as the information says; without noise it is zero at 1.1 and -2.3."""
    found = likeliest(lambda at: (steeper * (np.asarray([1.1, -2.3]) - at), np.eye(2)), np.zeros(2), 1e9 * np.eye(2))
    assert found == pytest.approx([1.1, -2.3], abs=1e-3)
