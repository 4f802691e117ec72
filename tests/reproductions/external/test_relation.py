"""What an external learner is asked for so that the row's budget holds between tables with one changed row."""

from math import exp, log, sqrt

import pytest
from scipy.stats import norm

from reproductions.external import external_budget
from tacit.errors import ParameterError


def test_halves_epsilon_and_more_of_delta_for_one_row_more_or_less():
    epsilon, delta = external_budget(1.0, 1e-5, "ours", "add-remove")
    assert epsilon == 0.5
    assert delta == pytest.approx(3.775406687981455e-06, rel=1e-12)  # 1e-5 / (1 + 1.6487212707...)


@pytest.mark.parametrize(("relation", "neighbors"), [("theirs", "add-remove"), ("ours", "replace-one")])
def test_passes_on_what_is_for_the_same_neighbors(relation, neighbors):
    assert external_budget(0.3, 1e-6, relation, neighbors) == (0.3, 1e-6)


def test_refuses_another_relation():
    with pytest.raises(ParameterError, match="relation='both'"):
        external_budget(1.0, 0.0, "both", "add-remove")


def test_randomized_response_in_two_steps_uses_all_of_epsilon():
    """Three tables, each two next to each other as far apart as pure privacy allows: the ends are at epsilon."""
    step, _ = external_budget(1.2, 0.0, "ours", "add-remove")
    before, after = 1 / (1 + exp(step)), 1 / (1 + exp(-step))  # the answer's odds are exp(-step), 1, exp(step)
    assert log(after / (1 - after)) - log(before / (1 - before)) == pytest.approx(1.2)


def shift_for(epsilon, delta):
    """Return the shift of a unit Gaussian that is (epsilon, delta)-private, by bisection."""
    low, high = 1e-9, 50.0
    for _ in range(200):
        mu = sqrt(low * high)
        reached = norm.cdf(mu / 2 - epsilon / mu) - exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)
        low, high = (low, mu) if reached > delta else (mu, high)
    return low


@pytest.mark.parametrize("epsilon", [0.01, 0.05, 0.1, 0.5, 1.0])
def test_gaussian_noise_is_doubled_and_hardly_more(epsilon):
    """Two steps of a Gaussian mechanism are one of twice the shift: half the row's shift is what can be asked for."""
    asked = shift_for(*external_budget(epsilon, 1e-5, "ours", "add-remove"))
    most = shift_for(epsilon, 1e-5) / 2
    assert 1.0 <= most / asked < 1.003
