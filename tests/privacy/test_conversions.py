"""Conversions against hand-computed values, direct numerical divergences, and dp-accounting as an oracle."""

from fractions import Fraction
from math import exp, log, sqrt, tanh

import numpy as np
import pytest
from dp_accounting import dp_event, privacy_accountant
from dp_accounting.pld import privacy_loss_mechanism
from dp_accounting.rdp import rdp_privacy_accountant
from hypothesis import given
from hypothesis import strategies as st

from harness.noise import largest_rho
from tacit.errors import ParameterError
from tacit.privacy import (
    ZCDP,
    ApproximateDP,
    PureDP,
    gaussian_rho,
    pure_to_zcdp,
    zcdp_delta,
    zcdp_epsilon,
    zcdp_rho,
)

ORDERS = np.concatenate([1 + np.logspace(-4, 0, 20), np.linspace(2.5, 200, 60)])


def test_figures_at_delta_one_in_a_million():
    assert zcdp_rho(0.1, 1e-6) == pytest.approx(3.21e-4, rel=1e-3)
    assert zcdp_rho(1.0, 1e-6) == pytest.approx(2.4356e-2, rel=2e-6)
    assert zcdp_epsilon(3.2105e-4, 1e-6) == pytest.approx(0.1, rel=1e-4)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 5.0, 20.0])
def test_pure_to_zcdp_is_randomized_response(epsilon):
    coin = np.array([exp(epsilon), 1.0]) / (1 + exp(epsilon))
    # Orders near 1 come close to the bound and no order passes it.
    found = largest_rho(coin, coin[::-1], ORDERS)
    assert found <= pure_to_zcdp(epsilon)
    assert found >= pure_to_zcdp(epsilon) * (1 - 1e-3)
    assert pure_to_zcdp(epsilon) == pytest.approx(epsilon * tanh(epsilon / 2), rel=1e-12)
    assert pure_to_zcdp(epsilon) <= epsilon**2 / 2


def discrete_laplace_rho(shift, scale):
    a = exp(-1 / scale)
    return (shift - 2 * a * (1 - a**shift) / (1 - a**2)) / scale


@pytest.mark.parametrize("shift", [1, 2, 3, 7])
@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0, 25.0])
def test_the_formula_of_discrete_laplace_noise_is_its_largest_divergence(shift, scale):
    points = np.arange(-int(40 * scale) - 40, int(40 * scale) + 40 + shift + 1)
    one = np.exp(-np.abs(points) / scale)
    other = np.exp(-np.abs(points - shift) / scale)
    found = largest_rho(one / one.sum(), other / other.sum(), ORDERS)
    exact = discrete_laplace_rho(shift, scale)
    assert exact * (1 - 1e-3) <= found <= exact * (1 + 1e-9)


@given(st.integers(1, 20), st.integers(1, 20), st.floats(0.1, 20))
def test_discrete_laplace_costs_no_more_than_what_is_pure_and_on_a_vector_than_on_one_number(one, other, scale):
    assert discrete_laplace_rho(1, scale) == pytest.approx(pure_to_zcdp(1 / scale), rel=1e-9)
    whole = discrete_laplace_rho(one + other, scale)
    assert discrete_laplace_rho(one, scale) + discrete_laplace_rho(other, scale) <= whole * (1 + 1e-9)
    assert whole <= pure_to_zcdp((one + other) / scale) * (1 + 1e-9)


def test_gaussian_by_hand():
    assert gaussian_rho(3.0, 2.0) == 1.125
    assert gaussian_rho(0.0, 2.0) == 0.0


def gaussian_delta(rho, epsilon):
    """The tight delta of a Gaussian that is rho-zCDP, from dp-accounting."""
    distribution = privacy_loss_mechanism.GaussianPrivacyLoss(1 / sqrt(2 * rho))
    return distribution.get_delta_for_epsilon(epsilon)


@pytest.mark.parametrize("rho", [1e-4, 1e-2, 0.3, 2.0])
@pytest.mark.parametrize("epsilons", [0.5, 2.0, 4.0, 6.0])
def test_delta_is_above_the_gaussian_one_and_not_far(rho, epsilons):
    epsilon = rho + epsilons * sqrt(2 * rho)
    tight = gaussian_delta(rho, epsilon)
    ours = zcdp_delta(rho, epsilon)
    assert tight <= ours <= 12 * tight


@pytest.mark.parametrize("rho", [1e-5, 1e-3, 0.1, 3.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-12])
def test_epsilon_equals_the_renyi_accountant(rho, delta):
    """Its conversion from a grid of orders is the same bound, so it is above ours and touches it."""
    orders = 1 + np.logspace(-3, 6, 40_000)
    accountant = rdp_privacy_accountant.RdpAccountant(list(orders), privacy_accountant.NeighboringRelation.REPLACE_ONE)
    accountant.compose(dp_event.ZCDpEvent(rho))
    theirs = accountant.get_epsilon(delta)
    ours = zcdp_epsilon(rho, delta)
    assert ours <= theirs * (1 + 1e-9)
    assert ours == pytest.approx(theirs, rel=1e-5)


@given(st.floats(1e-6, 10), st.floats(0, 10), st.floats(1e-3, 100))
def test_delta_is_the_least_over_orders(rho, epsilon, b):
    a = 1 + b
    at_order = (a - 1) * (a * rho - epsilon) - log(a - 1) + a * log(1 - 1 / a)
    assert log(max(zcdp_delta(rho, epsilon), 1e-300)) <= max(at_order, -690.0) + 1e-6


@given(st.floats(1e-3, 50), st.floats(1e-12, 0.1))
def test_calibration_is_safe_and_close(epsilon, delta):
    rho = zcdp_rho(epsilon, delta)
    assert zcdp_delta(rho, epsilon) <= delta
    assert zcdp_epsilon(rho, delta) <= epsilon * (1 + 1e-9)
    assert zcdp_delta(rho * (1 + 1e-6), epsilon) > delta


def test_edges():
    assert zcdp_delta(0.0, 1.0) == 0.0
    assert zcdp_epsilon(0.0, 1e-6) == 0.0
    assert zcdp_delta(100.0, 0.0) <= 1.0
    assert zcdp_delta(1e-9, 5.0) < 1e-300
    assert 0 < zcdp_rho(1e6, 1e-6) < 1e6
    assert zcdp_rho(1e-9, 1e-9) > 0


@pytest.mark.parametrize("delta", [0.0, 1.0, -1.0])
def test_a_delta_of_zero_has_no_rho(delta):
    with pytest.raises(ParameterError, match="delta="):
        zcdp_rho(1.0, delta)
    with pytest.raises(ParameterError, match="delta="):
        zcdp_epsilon(1.0, delta)


def test_losses_in_other_currencies():
    assert PureDP(2.0).in_pure() == 2.0
    assert PureDP(2.0).in_zcdp() == pytest.approx(2 * tanh(1.0))
    assert ZCDP(0.5).in_pure() is None
    assert ZCDP(0.5).in_zcdp() == 0.5
    assert ApproximateDP(1.0, 1e-6).in_zcdp() is None
    assert ApproximateDP(1.0, 1e-6).in_pure() is None
    assert ApproximateDP(1.0, 0.0).in_pure() == 1.0


@pytest.mark.parametrize("make", [PureDP, ZCDP])
@pytest.mark.parametrize("amount", [0, -1.0, float("inf"), float("nan"), True, "1"])
def test_losses_refuse(make, amount):
    with pytest.raises(ParameterError):
        make(amount)


def test_rounding_is_directed():
    from tacit.privacy.rounding import down, up

    third = Fraction(1, 3)
    assert down(third) < third < up(third)
    assert np.nextafter(down(third), 1) == up(third)
    assert down(Fraction(1, 2)) == up(Fraction(1, 2)) == 0.5
    assert up(Fraction(10**400)) == float("inf")


@pytest.mark.parametrize("epsilon", [5e-324, 1e-300, 1e-170, 1e-9, 1e6])
@pytest.mark.parametrize("delta", [1e-300, 1e-9, 0.5])
def test_calibration_ends_for_the_least_and_the_largest_budgets(epsilon, delta):
    rho = zcdp_rho(epsilon, delta)
    assert zcdp_delta(rho, epsilon) <= delta
    some = rho or 1e-300  # none where even the least float is too much
    assert zcdp_delta(some, zcdp_epsilon(some, delta)) <= delta
