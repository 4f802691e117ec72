"""What noisy gradients say together, and how far it is shrunk: distributions worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from tacit.learners.linear.shrinkage import (
    UNEVEN_WIDER,
    Equation,
    LearnedPrior,
    TrustRegion,
    _log_likelihoods,
    regressed,
)
from tacit.learners.linear.tridiagonal import tridiagonal

N = 40


def told(hessian, answer, variance):
    return Equation(np.asarray(hessian, dtype=float), np.asarray(answer, dtype=float), variance)


def gradients_of(hessian, *, deviation, count=16, outputs=1, seed=0):
    """Return the minimizer, points on the way to it, and noisy gradients there."""
    generator = np.random.default_rng(seed)
    best = generator.normal(size=(N, outputs))
    points = [best * at / count + 0.3 * generator.normal(size=best.shape) for at in range(count)]
    return best, points, [hessian @ (w - best) + deviation * generator.normal(size=w.shape) for w in points]


@pytest.mark.parametrize("outputs", [1, 3])
def test_answers_under_the_assumed_hessian_are_averaged(outputs):
    hessian = np.diag(np.linspace(1, 5, N))
    best, points, gradients = gradients_of(hessian, deviation=4.0, outputs=outputs)
    found = regressed(points, gradients, 16.0, hessian)
    assert found.variance == pytest.approx(16.0 / 16, rel=0.25)
    assert found.hessian == pytest.approx(hessian, abs=0.6)
    mean = np.mean([hessian @ w - g for w, g in zip(points, gradients, strict=True)], axis=0)
    assert np.abs(found.answer - mean).max() < 0.7 < np.abs(mean - hessian @ best).max()


def test_one_answer_is_taken_as_it_is():
    hessian = np.eye(N)
    _, points, gradients = gradients_of(hessian, deviation=2.0, count=1)
    found = regressed(points, gradients, 4.0, hessian)
    assert found.answer == pytest.approx(hessian @ points[0] - gradients[0])
    assert found.hessian == pytest.approx(hessian) and found.variance == pytest.approx(4.0)


@pytest.mark.parametrize("outputs", [1, 3])
def test_what_the_assumed_hessian_lacks_is_found_where_gradients_were_taken(outputs):
    trait = np.random.default_rng(3).normal(size=N)
    hessian = np.eye(N) + 0.2 * np.outer(trait, trait)  # columns that go together
    _, points, gradients = gradients_of(hessian, deviation=1e-3, outputs=outputs)
    found = regressed(points, gradients, 1e-6, np.eye(N))
    last = points[-1]
    # The next step from there: with the assumed Hessian it would be far too long.
    step = found.answer - found.hessian @ last
    assert step == pytest.approx(-gradients[-1], abs=0.02)
    assert (found.hessian - np.eye(N)) @ (last - points[0]) == pytest.approx(
        (hessian - np.eye(N)) @ (last - points[0]), abs=0.05
    )


def test_gradients_without_noise_are_no_trouble():
    hessian = np.eye(N)
    best, points, gradients = gradients_of(hessian, deviation=0.0)
    found = regressed(points, gradients, 0.0, hessian)
    assert found.answer == pytest.approx(best) and 0 < found.variance < 1e-6


def gain(prior, equation):
    """Return what answers are multiplied by: the coefficients that answers of one give."""
    return prior.coefficients(told(equation.hessian, np.eye(len(equation.hessian)), equation.variance))


def test_the_gain_by_hand():
    prior = LearnedPrior((1, 2, 3), np.zeros(2))
    # Prior variance times h, over h^2 times the prior variance plus the noise's; the constant's prior is wider.
    wide = usual = 1.0
    expected = [wide * 2 / (wide * 4 + 5), usual * 3 / (usual * 9 + 5), 0.0]
    hessian = np.diag([2.0, 3.0, 0.0])
    assert gain(prior, told(hessian, np.zeros((3, 1)), 5.0)) == pytest.approx(np.diag(expected))
    # Without noise it is the inverse, and a direction that no row has stays where it is.
    assert gain(prior, told(hessian, np.zeros((3, 1)), 0.0)) == pytest.approx(np.diag([1 / 2, 1 / 3, 0.0]), abs=1e-6)


def test_the_gain_of_any_hessian_is_the_posterior_mean():
    hessian = np.random.default_rng(5).normal(size=(5, 5))
    means = np.asarray([0.5, -1.0, 0.0, 2.0])
    # What columns add on the average row is taken off the constant.
    taken = np.eye(5)
    taken[0, 1:] = -means
    variances = taken @ np.eye(5) @ taken.T
    expected = variances @ hessian.T @ np.linalg.inv(hessian @ variances @ hessian.T + 0.7 * np.eye(5))
    assert gain(LearnedPrior((1, 2, 3, 4, 5), means), told(hessian, np.zeros((5, 1)), 0.7)) == pytest.approx(expected)


@pytest.mark.parametrize("width", [0.3, 1.0, 3.0])
def test_the_width_is_learned_from_answers(width):
    n = 400
    best = np.random.default_rng(1).normal(size=(n, 1)) * width
    answer = best + 0.1 * np.random.default_rng(2).normal(size=(n, 1))
    prior = LearnedPrior(tuple(range(1, n + 1)), np.zeros(n - 1))
    prior.learn(told(np.eye(n), answer, 0.01))
    # Between two widths of the grid, a quarter apart, it takes the nearer one.
    assert prior.width == pytest.approx(np.sqrt(np.mean(best[1:] ** 2)), rel=0.13)


def test_answers_that_are_noise_say_nothing_of_the_width():
    answer = 100.0 * np.random.default_rng(1).normal(size=(20, 1))
    prior = LearnedPrior(tuple(range(1, 21)), np.zeros(19))
    prior.learn(told(np.eye(20), answer, 1e4))
    assert prior.width == pytest.approx(1.0, rel=0.05)


def test_a_column_that_tells_nothing_is_shrunk_more_than_one_that_does():
    answer = np.concatenate([np.zeros(1), np.full(10, 4.0), np.random.default_rng(1).normal(size=90)])[:, None]
    prior, equation = LearnedPrior(tuple(range(1, 102, 10)), np.zeros(100)), told(np.eye(101), answer, 1.0)
    for _ in range(5):
        prior.learn(equation)
    kept = np.diag(gain(prior, equation))
    assert kept[1:11].min() > 0.85 and kept[11:].max() < 0.5


def test_several_outputs_have_one_prior():
    answer = np.random.default_rng(1).normal(size=(101, 3)) * [2.0, 1.0, 3.0]
    prior = LearnedPrior(tuple(range(1, 102)), np.zeros(100))
    prior.learn(told(np.eye(101), answer, 0.01))
    assert prior.width == pytest.approx(np.sqrt(np.mean(answer**2)), rel=0.15)


def test_many_columns_do_not_move_all_rows_together_before_anything_is_seen():
    n, means = 50, np.full(49, 0.7)
    prior = LearnedPrior(tuple(range(1, n + 1)), means)
    drawn = prior._unshaped(np.random.default_rng(0).normal(size=(n, 20_000)), prior.relative)
    average_row = np.concatenate([[1.0], means])
    assert np.std(average_row @ drawn) == pytest.approx(1.0, rel=0.03)
    assert np.std(drawn[1:]) == pytest.approx(1.0, rel=0.03)


def test_noise_of_coefficients_is_that_of_answers_times_the_gain():
    generator = np.random.default_rng(0)
    hessian, answer = np.diag(generator.uniform(1, 3, 6)), generator.normal(size=(6, 3))
    curved = np.asarray([1.0, 0.25, 1.0])
    prior = LearnedPrior((1, 3, 6), generator.normal(size=5), curved=curved)
    noise = prior.noise(told(hessian, answer, 0.7), wider=2.0)
    assert len(noise.distinct) == 2
    for output, each in enumerate(curved):
        alone = gain(LearnedPrior((1, 3, 6), prior.means), told(each * hessian, answer, 0.7))
        assert noise.distinct[noise.of_output[output]] == pytest.approx(4 * 0.7 * alone @ alone.T)
    # Of the second and the third coefficient, in rows of which one has both.
    rows = np.asarray([[1.0, 0.0], [1.0, 1.0]])
    spread = noise.covariances(rows, slice(1, 3))
    assert noise.variances(rows, slice(1, 3)) == pytest.approx(np.diagonal(spread, axis1=1, axis2=2))
    first = noise.distinct[noise.of_output[0]][1:3, 1:3]
    assert spread.shape == (3, 2, 2) and spread[0, 0, 0] == pytest.approx(first[0, 0])
    assert spread[0, 1, 1] == pytest.approx(first.sum()) and spread[1, 1, 1] != pytest.approx(spread[0, 1, 1])


def test_features_that_are_the_same_in_all_rows_stay_so():
    # A constant of 1/2, two features of a column with one category in all rows, and a number.
    generator = np.random.default_rng(3)
    rows = np.column_stack([np.tile([0.5, 0.75, -0.25], (1_000, 1)), generator.normal(size=1_000)])
    hessian = rows.T @ rows
    points = [generator.normal(size=(4, 1)) for _ in range(8)]
    # The curvature falls as margins grow, and gradients are noisy.
    noise = [5 * generator.normal(size=(4, 1)) for _ in points]
    gradients = [0.5 * hessian @ (w - 1.0) + each for w, each in zip(points, noise, strict=True)]
    told = regressed(points, gradients, 25.0, hessian)
    assert np.abs(told.hessian[:3, :3] - hessian[:3, :3]).max() > 10
    for same in ([1.5, -1, 0, 0], [-0.5, 0, -1, 0]):
        assert told.hessian @ same == pytest.approx(np.zeros(4), abs=0.05)


def test_a_step_changes_the_gradient_by_twice_its_length_at_most():
    generator = np.random.default_rng(0)
    root = generator.normal(size=(6, 6))
    hessian, gradient = root @ root.T, generator.normal(size=(6, 2))
    start, away = generator.normal(size=(2, 6, 2))
    region = TrustRegion(start)
    region.judge(start, gradient, deviation=0.0)
    step = region.toward(start + 1e3 * away, hessian) - start
    assert np.linalg.norm(hessian @ step) == pytest.approx(2 * np.linalg.norm(gradient))
    assert step / away == pytest.approx(np.full((6, 2), step[0, 0] / away[0, 0]))  # on the way to the target
    near = start + 1e-3 * away
    assert region.toward(near, hessian) is near


def test_after_a_point_with_a_longer_gradient_steps_start_at_the_last_good_one_and_are_shorter():
    region, one = TrustRegion(np.zeros((1, 1))), np.ones((1, 1))

    def reached(point, gradient):
        region.judge(point * one, gradient * one, deviation=0.1)
        return float(region.toward(100 * one, one)[0, 0])

    assert reached(0, 10.0) == 20  # twice the gradient
    assert reached(20, 10.5) == 10  # from 0 again, half as far
    assert reached(10, 12.0) == 5
    assert reached(5, 9.0) == 5 + 9 * 1.0  # good: from here, twice as long again
    assert reached(14, 9.1) == pytest.approx(14 + 9.1 * 2)  # longer by no more than noise
    assert reached(30, 0.0) == pytest.approx(30 + 0.1 * 2)  # no shorter than noise alone


def test_gradients_of_noise_alone_shorten_no_step():
    generator = np.random.default_rng(1)
    for size in (2, 9, 200):
        bad = 0
        for _ in range(500):
            region = TrustRegion(np.zeros((size, 1)))
            for _ in range(16):
                region.judge(region.point, 3.0 * generator.normal(size=(size, 1)), deviation=3.0)
                bad += region.allowed < 2
        assert bad < 500 * 16 * 0.02


@pytest.mark.parametrize(("base", "expected"), [(0.0, 1.0), (50.0, UNEVEN_WIDER)])
def test_the_constants_width_follows_what_is_told_of_it(base, expected):
    answer = np.concatenate([[base], np.random.default_rng(1).normal(size=40)])[:, None]
    prior, fixed = (LearnedPrior(tuple(range(1, 42)), np.zeros(40), uneven=uneven) for uneven in (True, False))
    for each in (prior, fixed):
        each.learn(told(np.eye(41), answer, 1.0))
    assert fixed.relative[0] == 1.0
    # An answer of zero is less likely by the root of what variances it would have, 17 over 2, so that one chance in
    # twelve is left to the wider one.
    assert prior.relative[0] == pytest.approx(expected, rel=0.2)
    # Without it the width of all grows with the base rate, and columns of noise are believed.
    assert prior.width == pytest.approx(fixed.width, rel=0.1) if base == 0 else prior.width < 0.5 * fixed.width


def test_without_evidence_the_constants_width_is_nearly_the_usual_one():
    prior = LearnedPrior((1, 2, 3), np.zeros(2), uneven=True)
    prior.learn(told(np.eye(3), np.zeros((3, 1)), 1e12))
    assert prior.relative[0] == pytest.approx(UNEVEN_WIDER**0.2)


def test_a_known_constant_is_believed_as_far_as_noise_demands():
    base = np.asarray([-2.0, 0.5])
    prior = LearnedPrior((1, 2, 3), np.zeros(2), base=base)
    answer = np.asarray([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])
    assert prior.coefficients(told(np.eye(3), answer, 1e12)) == pytest.approx(np.outer([1, 0, 0], base), abs=1e-6)
    assert prior.coefficients(told(np.eye(3), answer, 1e-12)) == pytest.approx(answer, abs=1e-6)
    # Normal distributions: of an answer with variance 1 the constant takes half of what it is beyond the base.
    found = prior.coefficients(told(np.eye(3), answer, 1.0))
    assert found[0] == pytest.approx(base + 0.5 * (answer[0] - base))
    assert found[1:] == pytest.approx(answer[1:] / 2)


def test_a_base_that_holds_is_no_evidence_of_wide_columns():
    answer = np.concatenate([[50.0], np.random.default_rng(1).normal(size=40)])[:, None]
    known, unknown = (LearnedPrior(tuple(range(1, 42)), np.zeros(40), base=base) for base in (np.full(1, 50.0), None))
    for each in (known, unknown):
        each.learn(told(np.eye(41), answer, 1.0))
    assert known.width < 0.5 * unknown.width


def test_likelihoods_are_those_of_normal_distributions():
    generator = np.random.default_rng(0)
    factor, shared, answers = (generator.normal(size=shape) for shape in ((5, 5), (3, 5), (5, 2)))
    distributions = [
        multivariate_normal(np.zeros(5), 2 * factor @ factor.T + 0.5 * np.eye(5) + np.outer(u, u)) for u in shared
    ]
    expected = [distribution.logpdf(answers.T).sum() + 5 * np.log(2 * np.pi) for distribution in distributions]
    turned, [own, others] = tridiagonal(factor @ factor.T, [answers, shared.T])
    assert _log_likelihoods(own, turned.plus(2, 0.5), others.T) == pytest.approx(expected)


def test_steps_are_as_long_as_each_outputs_own_curvature_allows():
    region = TrustRegion(np.zeros((1, 2)))
    region.judge(region.point, np.asarray([[0.6, 0.8]]), deviation=0.1)
    # The gradient is 1 long and may change by 2; all the way it would change by 12 / 4 and by 4, together 5.
    found = region.toward(np.asarray([[12.0, 1.0]]), np.eye(1), np.asarray([0.25, 4.0]))
    assert found == pytest.approx(np.asarray([[12.0, 1.0]]) * 2 / 5)


@pytest.mark.parametrize("base", [None, np.asarray([0.5, -1.0])])
def test_outputs_that_are_as_curved_as_they_say_are_learned_as_of_their_own_hessian(base):
    generator, hessian = np.random.default_rng(3), np.diag(np.full(60, 2.0))
    best = generator.normal(size=(60, 2))
    answer = np.column_stack([hessian @ best[:, 0], hessian / 4 @ best[:, 1]])
    given = {"base": base, "curved": np.asarray([1.0, 0.25])}
    prior = LearnedPrior(tuple(range(1, 61)), np.zeros(59), **given)
    equation = told(hessian, answer + 0.1 * generator.normal(size=answer.shape), 0.01)
    prior.learn(equation)
    # Taken to be as curved, the second output's coefficients would be a quarter of what they are.
    assert prior.width == pytest.approx(1.0, rel=0.2)
    assert prior.coefficients(equation) == pytest.approx(best, abs=0.8)
    assert np.std(prior.coefficients(equation) - best, axis=0) == pytest.approx([0.05, 0.2], rel=0.35)
