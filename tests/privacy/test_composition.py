"""Losses add up as the theorems say."""

from fractions import Fraction
from math import expm1, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproductions.salamatian2021.composition import advanced_composition
from tacit.errors import ParameterError
from tacit.privacy import basic_composition, pure_to_zcdp, zcdp_epsilon


def test_basic_by_hand():
    assert basic_composition([(0.5, 0.0), (0.25, 1e-6), (0.25, 1e-6)]) == (1.0, 2e-6)
    assert basic_composition([]) == (0.0, 0.0)
    assert basic_composition([(1.0, 0.6), (1.0, 0.6)]) == (2.0, 1.0)


@given(st.lists(st.floats(0, 10), max_size=30))
def test_basic_is_never_below_the_exact_sum(epsilons):
    total, _ = basic_composition([(epsilon, 0.0) for epsilon in epsilons])
    assert Fraction(total) >= sum(map(Fraction, epsilons))
    assert total == pytest.approx(sum(epsilons), rel=1e-12)


def test_advanced_by_hand():
    epsilon, delta = advanced_composition(0.1, 25, 1e-6, 1e-9)
    assert epsilon == pytest.approx(0.1 * sqrt(2 * 25 * log(1e6)) + 25 * 0.1 * expm1(0.1), rel=1e-12)
    assert epsilon == pytest.approx(2.8912, abs=1e-4)
    assert delta == pytest.approx(1e-6 + 25e-9, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("rounds", [10, 1000])
def test_zcdp_promises_less_loss_for_the_same_releases(epsilon, rounds):
    assert zcdp_epsilon(rounds * pure_to_zcdp(epsilon), 1e-6) < advanced_composition(epsilon, rounds, 1e-6)[0]


@pytest.mark.parametrize(("rounds", "slack"), [(0, 1e-6), (1.5, 1e-6), (10, 0.0), (10, 1.0)])
def test_advanced_refuses(rounds, slack):
    with pytest.raises(ParameterError):
        advanced_composition(0.1, rounds, slack)
