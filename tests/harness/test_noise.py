"""The harness must be able to fail: crooked tests and crooked noise are caught."""

import numpy as np
import pytest

from harness.noise import (
    LAPLACE,
    assert_scale,
    check_scale_test,
    exponential_mechanism_probabilities,
    frequency_p_value,
    largest_rho,
    permute_and_flip_probabilities,
    scale_p_value,
)

LEVEL = 1e-6
SIZE = 4_000


def laplace(size, scale):
    return np.random.default_rng(5).laplace(0, scale, size)


def test_the_scale_test_itself():
    check_scale_test(scale_p_value)


def test_a_factor_on_both_sides_is_caught():
    def crooked(draws, distribution, scale):
        factor = np.mean(np.abs(draws)) / scale  # lands on the draws and on the claim
        return scale_p_value(draws, distribution, factor * scale)

    with pytest.raises(AssertionError, match="blind"):
        check_scale_test(crooked)


def test_a_constant_factor_is_caught():
    def crooked(draws, distribution, scale):
        return scale_p_value(2 * draws, distribution, scale)

    with pytest.raises(AssertionError):
        check_scale_test(crooked)


def test_a_one_sided_test_is_caught():
    def crooked(draws, distribution, scale):
        return 1.0 if np.mean(np.abs(draws)) > scale else scale_p_value(draws, distribution, scale)

    with pytest.raises(AssertionError, match=r"blind to 1\.5"):
        check_scale_test(crooked)


@pytest.mark.parametrize("stretch", [0.8, 2 / 3, 3 / 2, 2.0])
def test_wrong_noise_is_caught(stretch):
    with pytest.raises(AssertionError, match="right scale is rejected"):
        assert_scale(lambda n, s: laplace(n, stretch * s), LAPLACE, 2.0, level=LEVEL, size=SIZE)


def test_noise_that_ignores_its_scale_is_caught():
    with pytest.raises(AssertionError, match="passes"):
        assert_scale(lambda n, s: laplace(n, 2.0), LAPLACE, 2.0, level=LEVEL, size=SIZE)


def test_right_noise_passes():
    assert_scale(laplace, LAPLACE, 2.0, level=LEVEL, size=SIZE)


def test_frequencies_by_hand():
    # (60-50)^2/50 + (40-50)^2/50 = 4, one degree of freedom.
    assert frequency_p_value([60, 40], [0.5, 0.5]) == pytest.approx(0.0455, abs=1e-4)


def test_distributions_by_hand():
    scores = np.array([0.0, np.log(2.0)])
    assert exponential_mechanism_probabilities(scores, 1.0) == pytest.approx([1 / 3, 2 / 3])
    # Heads with 1/2 and 1: the first is taken only if it comes first and shows heads.
    assert permute_and_flip_probabilities(scores, 1.0) == pytest.approx([1 / 4, 3 / 4])


def test_rho_of_two_coins_by_hand():
    # Order 2: log(0.75^2/0.25 + 0.25^2/0.75) / 2.
    assert largest_rho(np.array([0.75, 0.25]), np.array([0.25, 0.75]), [2.0]) == pytest.approx(np.log(7 / 3) / 2)
