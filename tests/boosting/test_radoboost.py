"""RadoBoost, round by round, and the rules of rados."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from tacit.boosting.private_rados import PrivateRados, expected_squares, k_norm_variance
from tacit.boosting.rado_makers import part_of
from tacit.boosting.radoboost import (
    CAP,
    RadoRule,
    RoundSettings,
    boost_rados,
    constant_shear,
    linear_rule,
    log_exponential_risk,
)
from tacit.errors import ParameterError
from tacit.mechanisms import SimulatedNoise
from tacit.mechanisms.k_norm import k_norm_noise
from tacit.privacy.statistic import ProductOfBalls


def sample(n_rows=8, n_features=3, seed=0):
    return np.random.default_rng(seed).normal(0.3, 1, (n_rows, n_features))


def test_a_round_by_hand():
    rados = np.asarray([[2.0, 0.0], [2.0, 1.0], [-1.0, 0.0], [2.0, -1.0]])
    boosted = boost_rados(rados, RoundSettings(rounds=1))
    r = (1 + 1 - 0.5 + 1) / 4
    assert boosted.edges.tolist() == [r]
    assert boosted.theta.tolist() == [log((1 + r) / (1 - r)) / 4, 0.0]
    # weights by (11): 1 - r pi / pi* over 1 - r^2
    second = boost_rados(rados, RoundSettings(rounds=2))
    weights = 0.25 * (1 - r * np.asarray([1, 1, -0.5, 1])) / (1 - r**2)
    assert weights.sum() == pytest.approx(1)
    edges = weights @ (rados / [2, 1])
    assert second.picks[1] == np.argmax(np.abs(edges))
    assert second.edges[1] == pytest.approx(edges[second.picks[1]])


def test_weak_learners():
    rados = np.asarray([[1.0, 0.6, 0.1], [1.0, 1.0, -1.0], [1.0, 0.5, 1.0]])
    picks = {name: boost_rados(rados, RoundSettings(1, name)) for name in ("strongest", "capped", "median")}
    assert picks["strongest"].picks.tolist() == [0]
    assert picks["strongest"].edges[0] > 0.9999
    assert (picks["capped"].picks.tolist(), picks["capped"].edges.tolist()) == ([0], [CAP])
    assert picks["median"].picks.tolist() == [1]
    least = boost_rados(rados[:, 2:], RoundSettings(1, least_edge=0.5))
    assert least.edges.tolist() == [0.5]


def test_features_without_values_are_left_alone():
    boosted = boost_rados(np.asarray([[0.0, 1.0], [0.0, -0.5]]), RoundSettings(5, "median"))
    assert boosted.theta[0] == 0
    assert np.isfinite(boosted.theta).all()
    nothing = boost_rados(np.zeros((3, 2)), RoundSettings(5))
    assert nothing.theta.tolist() == [0, 0]


def test_iterates():
    rados = sample(30, 4, 3) * 4
    last = boost_rados(rados, RoundSettings(25))
    best = boost_rados(rados, RoundSettings(25), iterate="rado-risk")
    assert log_exponential_risk(rados, best.theta) <= log_exponential_risk(rados, last.theta)
    chosen = boost_rados(rados, RoundSettings(25), reached=lambda theta: abs(float(theta.sum()) - 0.2))
    assert chosen.chosen <= 25


def test_the_linear_rule_is_the_logistic_one_for_many_rows():
    generator = np.random.default_rng(0)
    features = np.column_stack([generator.normal(0.5, 1, 4000), generator.normal(0, 0.2, 4000), np.ones(4000)])
    labels = np.where(generator.random(4000) < 1 / (1 + np.exp(-(0.4 * features[:, 0] - features[:, 1]))), 1, -1)
    edges = features * labels[:, None]
    rados = generator.integers(0, 2, (3000, 4000)) @ edges
    theta = linear_rule(rados)
    np.testing.assert_allclose(theta[:2], [0.4, -1.0], atol=0.35)
    np.testing.assert_allclose(constant_shear(rados)[:2], [0.5, 0], atol=0.1)
    boosted = RadoRule(RoundSettings(500), centered=True).learn(rados)
    agree = np.sign(features @ boosted) == np.sign(features @ theta)
    assert agree.mean() > 0.75


@pytest.mark.parametrize(
    "settings",
    [
        {"rounds": 0},
        {"rounds": True},
        {"kappa": 0.5},
        {"kappa": float("nan")},
        {"weak_learner": "best"},
        {"least_edge": 1},
    ],
)
def test_settings_outside_their_range_are_refused(settings):
    with pytest.raises(ParameterError):
        RoundSettings(**settings)


def test_small_parts():
    assert 7 * part_of(0.3, 7) <= 0.3
    widths = (1, 3)
    noise = SimulatedNoise(0)
    draws = np.asarray([k_norm_noise(ProductOfBalls(widths), 2.0, noise) for _ in range(4000)])
    np.testing.assert_allclose(draws.var(axis=0), k_norm_variance(widths, 2.0), rtol=0.15)
    with pytest.raises(ParameterError, match="count=0"):
        PrivateRados(0)
    assert callable(expected_squares)
