"""What the best of a secret number of runs costs: against an oracle, exact distributions, and by hand."""

from __future__ import annotations

from itertools import product
from math import exp, log

import numpy as np
import pytest

from tacit.errors import ParameterError
from tacit.privacy import Budget
from tacit.privacy.conversions import zcdp_rho
from tacit.privacy.random_runs import RandomRuns


def test_the_distribution_s_mean_by_hand():
    assert RandomRuns(20).mean == pytest.approx(19 / log(20))
    distribution = [(1 - 1 / 20) ** k / (k * log(20)) for k in range(1, 2000)]
    assert sum(k * p for k, p in enumerate(distribution, 1)) == pytest.approx(RandomRuns(20).mean)
    for mean in (1.5, 5, 24.3):
        found = RandomRuns.of_mean(mean)
        assert found.mean >= mean and (found.one_in == 2 or RandomRuns(found.one_in - 1).mean < mean)


@pytest.mark.parametrize("wrong", [1, 0, -3, 2.5, True])
def test_parameters_that_are_no_distribution_are_refused(wrong):
    with pytest.raises(ParameterError):
        RandomRuns(wrong)


@pytest.mark.parametrize(("one_in", "epsilon", "delta"), list(product([5, 30, 300], [0.1, 1.0, 4.0], [1e-5, 1e-9])))
def test_renyi_costs_agree_with_dp_accounting(one_in, epsilon, delta):
    rdp = pytest.importorskip("dp_accounting.rdp")
    from dp_accounting.dp_event import GaussianDpEvent, RepeatAndSelectDpEvent

    runs = RandomRuns(one_in)
    rho = runs.rho(Budget(epsilon, delta))
    orders = np.concatenate([1 + np.geomspace(1e-3, 10, 400), np.geomspace(11, 1e5, 400)]).tolist()
    oracle = rdp.RdpAccountant(orders=orders)
    oracle.compose(RepeatAndSelectDpEvent(GaussianDpEvent((2 * rho) ** -0.5), mean=runs.mean, shape=0))
    assert runs.epsilon(rho, delta) == pytest.approx(epsilon, rel=1e-6)
    # The oracle's best order is one of its list, and its conversion is the same.
    assert oracle.get_epsilon(delta) == pytest.approx(epsilon, rel=2e-3)
    assert oracle.get_epsilon(delta) >= epsilon * (1 - 1e-6)


def test_one_run_carries_the_published_noise():
    """At epsilon 1 and delta 1e-5, a mean of 5 runs: 1.61 times the noise of a fit without a choice."""
    runs, budget = RandomRuns.of_mean(5), Budget(1.0, 1e-5)
    assert (zcdp_rho(1.0, 1e-5) / runs.rho(budget)) ** 0.5 == pytest.approx(1.61, abs=0.02)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_run_s_budget_stays_within_its_rho(delta):
    for epsilon, one_in in product([0.01, 0.3, 2.0, 10.0], [3, 50]):
        runs, budget = RandomRuns(one_in), Budget(epsilon, delta)
        one = runs.of_one(budget)
        if delta:
            assert runs.rho(budget) * (1 - 1e-6) <= zcdp_rho(one.epsilon, one.delta) <= runs.rho(budget)
        else:
            assert (one.epsilon, one.delta) == (epsilon / 2, 0.0)


def best_of(distribution, runs):
    """Return the exact distribution of the best of the runs, outputs from worst to best, by its generating function."""
    below = np.concatenate([[0.0], np.cumsum(distribution)])
    return np.diff(-np.log1p(-(1 - 1 / runs.one_in) * below) / log(runs.one_in))


@pytest.mark.parametrize("one_in", [5, 1000])
def test_two_epsilon_hold_for_pure_runs_and_are_approached(one_in):
    epsilon, worst = 0.2, 0.0
    for middle, best in product(np.geomspace(1e-4, 0.9, 12), np.geomspace(1e-6, 0.5, 12)):
        one = np.asarray([1 - middle - best, middle, best])
        for moved in product([exp(-epsilon), 1.0, exp(epsilon)], repeat=2):
            other = np.asarray([1 - (one[1:] * moved).sum(), *(one[1:] * moved)])
            if one.min() > 0 and other.min() > 0 and abs(log(other[0] / one[0])) <= epsilon:
                runs = RandomRuns(one_in)
                worst = max(worst, np.abs(np.log(best_of(one, runs) / best_of(other, runs))).max())
    assert (1.9 if one_in > 5 else 1.5) * epsilon < worst <= 2 * epsilon * (1 + 1e-9)
