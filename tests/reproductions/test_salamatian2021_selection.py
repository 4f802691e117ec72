"""The thesis's selections: their distributions, and utility bounds that simulation keeps to."""

from __future__ import annotations

import numpy as np
import pytest

from harness.noise import exponential_mechanism_probabilities, frequency_p_value
from reproductions.salamatian2021.selection import (
    WeightedExponentialMechanism,
    WeightedNoisyMax,
    laplace_max_log_probabilities,
)
from reproductions.salamatian2021.theory import (
    exponential_shortfall,
    kept_advantage,
    noisy_max_shortfall,
    one_rule_advantage,
    one_rule_error,
    one_rule_rate,
    rounds_needed,
    selection_rate,
)
from tacit.errors import ParameterError, PrivacyError
from tacit.mechanisms import PermuteAndFlip, SecureNoise, SimulatedNoise
from tacit.privacy import PrivacyUnit, PureDP, SelectionStatistic

UNIT = PrivacyUnit(("x",), label=False)


def statistic(scores, score_range=0.5):
    return SelectionStatistic("scores", UNIT, np.asarray(scores, float), range=score_range)


def draws(mechanism, scores, size, seed=0):
    noise, offered = SimulatedNoise(seed), statistic(scores)
    return np.asarray([mechanism.sample(offered, noise) for _ in range(size)])


def noisy_max_probabilities(scores, scale):
    """Integrate numerically: density of the winner's noise times the others' distribution functions."""
    grid = np.linspace(min(scores) - 30 * scale, max(scores) + 30 * scale, 400_001)
    shifted = (grid[None, :] - np.asarray(scores)[:, None]) / scale
    density = np.exp(-np.abs(shifted)) / (2 * scale)
    below = np.where(shifted < 0, np.exp(-np.abs(shifted)) / 2, 1 - np.exp(-np.abs(shifted)) / 2)
    others = [np.prod(np.delete(below, i, axis=0), axis=0) for i in range(len(scores))]
    return np.asarray([np.trapezoid(density[i] * others[i], grid) for i in range(len(scores))])


SCORES = [0.0, 0.3, 1.0]


def test_distributions_at_level_one_in_a_thousand():
    scale = 0.5 / 1.0
    cases = [
        (WeightedExponentialMechanism, exponential_mechanism_probabilities(np.asarray(SCORES), scale)),
        (WeightedNoisyMax, noisy_max_probabilities(SCORES, scale)),
    ]
    for mechanism, distribution in cases:
        observed = np.bincount(draws(mechanism(PureDP(1.0)), SCORES, 8000), minlength=3)
        assert frequency_p_value(observed, distribution / distribution.sum()) > 1e-3
        for factor in (2 / 3, 3 / 2):
            wrong = np.bincount(draws(mechanism(PureDP(factor)), SCORES, 8000), minlength=3)
            assert frequency_p_value(wrong, distribution / distribution.sum()) < 1e-3


@pytest.mark.parametrize("mechanism", [WeightedExponentialMechanism, WeightedNoisyMax])
def test_the_loss_is_within_epsilon_and_nearly_reached(mechanism):
    distribution = (
        noisy_max_probabilities
        if mechanism is WeightedNoisyMax
        else lambda s, t: exponential_mechanism_probabilities(np.asarray(s), t)
    )
    scale = mechanism(PureDP(0.7)).noise_scale(statistic([0.0], 2.0))
    one, two = distribution([0.0] + [9.0] * 4, scale), distribution([1.0] + [8.0] * 4, scale)
    ratio = abs(np.log(two[0] / two.sum() / (one[0] / one.sum())))
    assert 0.65 < ratio <= 0.7 + 1e-6


@pytest.mark.parametrize("mechanism", [WeightedExponentialMechanism, WeightedNoisyMax])
def test_secure_noise_and_exact_answers(mechanism):
    assert mechanism(PureDP(50.0)).sample(statistic([0.0, 0.0, 5.0]), SecureNoise()) == 2
    assert mechanism(PureDP(1.0)).sample(statistic([0.0, 5.0, 5.0], 0.0), SimulatedNoise(0)) == 1


def test_bounds_by_hand():
    assert exponential_shortfall(100, 10.0, 0.1) == pytest.approx(np.log(1000) / 10)
    assert noisy_max_shortfall(100, 10.0, 0.1) == pytest.approx(np.log(1000) / 5)
    assert one_rule_error(0.2, 100, 10.0, 0.1) == pytest.approx(0.2 + np.log(1000) / 10)
    assert one_rule_advantage(0.2, 100, 10.0, 0.1) == pytest.approx(0.2 - np.log(1000) / 10)
    assert selection_rate(0.5, 2.0) == 0.25


@pytest.mark.parametrize("failure", [0.02, 0.2])
def test_simulated_shortfalls_keep_to_the_bounds(failure):
    scores = np.concatenate([[1.0], np.linspace(0, 0.9, 40)])
    eta = selection_rate(4.0, 0.5)
    for mechanism, bound in (
        (WeightedExponentialMechanism, exponential_shortfall),
        (PermuteAndFlip, exponential_shortfall),
        (WeightedNoisyMax, noisy_max_shortfall),
    ):
        lost = 1.0 - scores[draws(mechanism(PureDP(4.0)), scores, 3000)]
        assert np.mean(lost > bound(len(scores), eta, failure)) <= failure
    worst = 1.0 - scores[draws(WeightedExponentialMechanism(PureDP(4.0)), scores, 3000)]
    assert np.mean(worst > exponential_shortfall(len(scores), 3 * eta, failure)) > failure  # the test can fail


@pytest.mark.parametrize("failure", [0.0, 1.0, -1.0, "x"])
def test_failure_probabilities_are_checked(failure):
    with pytest.raises(ParameterError):
        exponential_shortfall(10, 1.0, failure)


@pytest.mark.parametrize("gap", [0.0, 1.0, 7.0, 60.0, 700.0])
def test_the_distribution_of_a_laplace_maximum(gap):
    """Of two candidates a gap apart the worse one wins with probability exp(-gap) (2 + gap) / 4."""
    distribution = laplace_max_log_probabilities(np.asarray([0.0, gap]), 1.0)
    assert distribution[0] == pytest.approx(np.log((2 + gap) / 4) - gap, abs=1e-10)
    assert np.exp(distribution).sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("kind", [WeightedExponentialMechanism, WeightedNoisyMax])
def test_densities_add_up_to_one_and_divergences_are_what_they_say(kind):
    mechanism, one, other = kind(PureDP(0.7)), statistic([0.0, -3.0, -9.0], 1.0), statistic([-0.5, -2.5, -9.0], 1.0)
    distributions = [np.exp([mechanism.log_density(each, index) for index in range(3)]) for each in (one, other)]
    assert [distribution.sum() for distribution in distributions] == pytest.approx([1, 1], abs=1e-10)
    ratios = np.log(distributions[0] / distributions[1])
    assert mechanism.divergence(one, other) == pytest.approx(ratios.max(), abs=1e-9)
    assert mechanism.worst_answer(one, other) == ratios.argmax()
    assert ratios.max() <= 0.7


@pytest.mark.parametrize("kind", [WeightedExponentialMechanism, WeightedNoisyMax])
def test_opendp_stops_a_selection_whose_scale_is_too_small(kind, monkeypatch):
    mechanism, offered = kind(PureDP(0.5)), statistic([0.0, 1.0], 1.0)
    assert mechanism.sample(offered, SecureNoise()) in (0, 1)
    monkeypatch.setattr(kind, "noise_scale", lambda self, _: 2.0 * 0.999)
    with pytest.raises(PrivacyError, match="Expected noise for the claimed loss"):
        mechanism.sample(offered, SecureNoise())


def test_boosting_bounds_by_hand():
    assert rounds_needed(0.5, 0.05) == 4437  # 16 * 0.693147 / 0.0025 = 4436.1
    assert rounds_needed(1.0, 0.1) == 1
    assert one_rule_rate(1.0, 0.35, 32_561, 39) == pytest.approx(0.35 * 32_561 / 78)
    kept = kept_advantage(0.1, 49, epsilon=2.0, density=0.5, n_rows=1000, rounds=5, failure=0.05)
    assert kept == pytest.approx(0.1 - np.log(100 / 0.01) / 100)
    with pytest.raises(ParameterError):
        rounds_needed(1.5, 0.1)
