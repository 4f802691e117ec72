"""The paper's lemmas and theorems, exactly on small samples."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

from reproductions.nock2015.adaboost import TrainingError, boost_examples
from reproductions.nock2015.theory import (
    NoisyEdges,
    all_parts,
    all_rados,
    example_weights,
    lemma4_bound,
    logistic_loss,
    logistic_rado_risk,
    noisy_rate_bound,
    penalties,
)
from tacit.boosting.radoboost import RoundSettings, boost_rados, log_exponential_risk
from tacit.errors import ParameterError


def sample(n_rows=8, n_features=3, seed=0):
    return np.random.default_rng(seed).normal(0.3, 1, (n_rows, n_features))


def test_lemma_2_the_logistic_loss_is_the_risk_over_all_rados():
    for seed in range(5):
        edges, theta = sample(seed=seed), np.random.default_rng(seed).normal(0, 1, 3)
        assert logistic_rado_risk(all_rados(edges), theta, 8) == pytest.approx(logistic_loss(edges, theta), abs=1e-12)
    assert len(all_rados(edges)) == 2**8
    with pytest.raises(ParameterError, match="Sample rados"):
        all_parts(21)


def test_theorem_3_by_enumeration():
    edges, theta = sample(), np.asarray([0.4, -0.2, 0.1])
    everything = penalties(edges, all_parts(8), theta, radius=1.0)
    assert (everything.ratio, everything.structural) == (pytest.approx(1), pytest.approx(0, abs=1e-12))
    for support in (2, 4, 6):
        parts = all_parts(8)[all_parts(8).sum(axis=1) == support]
        found = penalties(edges, parts, theta, radius=1.0)
        rados = parts @ edges
        risk = np.mean(np.exp(-rados @ theta))
        assert found.ratio == pytest.approx(risk / np.mean(np.exp(-all_rados(edges) @ theta)))
        assert found.structural == pytest.approx(-log(found.ratio) / 8)
        assert found.structural <= found.structural_bound
        assert found.spread == pytest.approx(exp(np.linalg.norm(rados, axis=1).max()) / risk)
    with pytest.raises(ParameterError, match="inside the ball"):
        penalties(edges, parts, theta * 10, radius=1.0)


@pytest.mark.parametrize("kappa", [2.0, 3.0, 10.0])
@pytest.mark.parametrize("learner", ["strongest", "capped", "median"])
def test_lemma_4_bounds_the_risk(learner, kappa):
    for seed in range(4):
        rados = sample(40, 5, seed) * 5
        boosted = boost_rados(rados, RoundSettings(rounds=30, weak_learner=learner, kappa=kappa))
        risk = log_exponential_risk(rados, boosted.theta)
        assert risk <= boosted.log_bound + 1e-12
        assert boosted.log_bound <= log(lemma4_bound(boosted.edges, kappa)) + 1e-12 or learner == "capped"
        assert risk <= log(lemma4_bound(boosted.edges, kappa)) + 1e-12
        assert logistic_rado_risk(rados, boosted.theta, 7) <= log(2) - np.sum(boosted.edges**2) / (kappa * 7) + 1e-12


def test_equation_17_fails_below_kappa_one_and_a_half():
    rados = np.asarray([[1.0], [1.0], [1.0], [-1.0]])
    boosted = boost_rados(rados, RoundSettings(rounds=1, kappa=1.0))
    assert log_exponential_risk(rados, boosted.theta) == pytest.approx(0.0)  # the paper claims at most -1/8
    assert boosted.log_bound == np.inf
    with pytest.raises(ParameterError, match="at least 2"):
        lemma4_bound(boosted.edges, 1.0)


def test_lemma_5_edges_over_rados_are_edges_over_examples():
    edges, generator = sample(), np.random.default_rng(1)
    parts = generator.integers(0, 2, (12, 8)).astype(bool)
    weights = generator.dirichlet(np.ones(12))
    over_examples, scale = example_weights(weights, parts)
    assert over_examples.sum() == pytest.approx(1)
    assert (over_examples >= 0).all()
    np.testing.assert_allclose(weights @ (parts @ edges), scale * over_examples @ edges)


def test_theorem_8_quantities():
    noise = NoisyEdges(deviation=0.5, support=100, tau=exp(-2))
    assert noise.rado_deviation == 5.0
    assert noise.concentration == pytest.approx(10 / (0.5 * 2))
    assert noisy_rate_bound(np.asarray([0.5, 0.5]), 2.0, 10) == pytest.approx(log(2) - 0.5 / 80)


def test_noisy_edges_keep_the_rate_of_theorem_8():
    """The risk over noise-free rados of a prudential rule from noisy ones stays below equation (19)."""
    generator = np.random.default_rng(4)
    edges = generator.normal(0.4, 1, (400, 5))
    noisy = edges + generator.normal(0, 1.0, edges.shape)
    parts = np.stack([generator.permutation(400) < 200 for _ in range(60)])
    boosted = boost_rados(parts @ noisy, RoundSettings(20, "median", kappa=4.0))
    risk = logistic_rado_risk(parts @ edges, boosted.theta, 400)
    assert risk <= noisy_rate_bound(boosted.edges, 4.0, 400)


def test_adaboost_learns_from_examples_and_from_some_of_them():
    edges = np.random.default_rng(0).normal([1.0, 0.0], 1, (300, 2))
    full, few = boost_examples(edges, RoundSettings(50)), boost_examples(edges, RoundSettings(50), rows=np.arange(40))
    assert full.theta[0] > 0
    assert np.mean(edges @ full.theta <= 0) < 0.2
    assert few.theta[0] > 0
    error = TrainingError(edges)
    for theta in (full.theta, few.theta, full.theta):
        assert error(theta) == np.mean(edges @ theta <= 0)
