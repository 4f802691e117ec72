"""Each mechanism finds the scale that its share pays for, and OpenDP's privacy map agrees."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import ParameterError, PrivacyError
from tacit.mechanisms import (
    ExponentialMechanism,
    Gaussian,
    Laplace,
    PermuteAndFlip,
    SecureNoise,
    SimulatedNoise,
    additive,
    selection,
)
from tacit.mechanisms.noise import _measurement
from tacit.privacy import ZCDP, NumericStatistic, PrivacyUnit, PureDP, SelectionStatistic

UNIT = PrivacyUnit(("age",), label=False)
amounts = st.floats(1e-6, 1e4)


def numbers(value=5.0, l1=1.0, l2=1.0):
    return NumericStatistic("q", UNIT, np.asarray(value), l1=l1, l2=l2)


def scores(range=1.0):
    return SelectionStatistic("q", UNIT, np.array([1.0, 3.0, 2.0]), range=range)


def test_scales_by_hand():
    assert Laplace(PureDP(0.5)).noise_scale(numbers(l1=3.0)) == 6.0
    assert Gaussian(ZCDP(0.5)).noise_scale(numbers(l1=9.0, l2=3.0)) == pytest.approx(3.0, rel=1e-13)
    assert PermuteAndFlip(PureDP(0.5)).noise_scale(scores(range=2.0)) == 4.0
    assert ExponentialMechanism(ZCDP(0.5)).noise_scale(scores(range=2.0)) == pytest.approx(1.0, rel=1e-13)


def test_sensitivities_and_names():
    statistic = numbers(l1=3.0, l2=2.0)
    assert Laplace(PureDP(1.0)).sensitivity(statistic) == (3.0, "l1")
    assert Gaussian(ZCDP(1.0)).sensitivity(statistic) == (2.0, "l2")
    assert PermuteAndFlip(PureDP(1.0)).sensitivity(scores(4.0)) == (4.0, "range")
    assert ExponentialMechanism(ZCDP(1.0)).sensitivity(scores(4.0)) == (4.0, "range")
    assert Laplace(PureDP(1.0)).loss(statistic) == PureDP(1.0)


@given(amounts, amounts)
def test_the_scale_is_never_below_the_exact_one(sensitivity, share):
    exact = Fraction(sensitivity) / Fraction(share)
    assert Fraction(Laplace(PureDP(share)).noise_scale(numbers(l1=sensitivity, l2=sensitivity))) >= exact
    deviation = Fraction(Gaussian(ZCDP(share)).noise_scale(numbers(l1=sensitivity, l2=sensitivity)))
    assert (Fraction(sensitivity) / deviation) ** 2 / 2 <= Fraction(share)
    scale = Fraction(ExponentialMechanism(ZCDP(share)).noise_scale(scores(sensitivity)))
    assert (Fraction(sensitivity) / scale) ** 2 / 8 <= Fraction(share)
    assert Fraction(PermuteAndFlip(PureDP(share)).noise_scale(scores(sensitivity))) >= exact


@given(amounts, amounts)
def test_opendp_confirms_every_claim(sensitivity, share):
    noise = SecureNoise()
    statistic, choice = numbers(l1=sensitivity, l2=sensitivity), scores(sensitivity)
    noise.check("laplace", sensitivity, Laplace(PureDP(share)).noise_scale(statistic), share)
    noise.check("gaussian", sensitivity, Gaussian(ZCDP(share)).noise_scale(statistic), share)
    noise.check("permute-and-flip", sensitivity, PermuteAndFlip(PureDP(share)).noise_scale(choice), share)
    noise.check("exponential-mechanism", sensitivity, ExponentialMechanism(ZCDP(share)).noise_scale(choice), share)


@pytest.mark.parametrize("distribution", ["laplace", "gaussian", "permute-and-flip", "exponential-mechanism"])
def test_opendp_refuses_a_claim_a_little_too_low(distribution):
    noise = SecureNoise()
    true_loss = {"laplace": 0.5, "gaussian": 0.125, "permute-and-flip": 0.5, "exponential-mechanism": 0.03125}[
        distribution
    ]
    noise.check(distribution, 1.0, 2.0, true_loss)
    with pytest.raises(PrivacyError, match="Expected noise for the claimed loss"):
        noise.check(distribution, 1.0, 2.0, true_loss * 0.999)


@pytest.mark.parametrize(("distribution", "d_in"), [("laplace", 3), ("gaussian", 3)])
def test_integers_have_the_same_privacy_map(distribution, d_in):
    assert _measurement(distribution, "i", 2.0).map(d_in) == _measurement(distribution, "f", 2.0).map(float(d_in))


@pytest.mark.parametrize("noise", [SecureNoise(), SimulatedNoise(0)], ids=["secure", "simulated"])
def test_a_sensitivity_of_zero_needs_no_noise(noise):
    exact = Laplace(PureDP(1.0)).sample(numbers(5.0, 0.0, 0.0), noise)
    assert exact == 5.0
    exact[...] = 6.0  # the answer is the caller's own
    assert Gaussian(ZCDP(1.0)).sample(numbers(5.0, 0.0, 0.0), noise) == 5.0
    assert PermuteAndFlip(PureDP(1.0)).sample(scores(0.0), noise) == 1
    assert ExponentialMechanism(ZCDP(1.0)).sample(scores(0.0), noise) == 1


@pytest.mark.parametrize("noise", [SecureNoise(), SimulatedNoise(0)], ids=["secure", "simulated"])
@pytest.mark.parametrize("dtype", [np.float64, np.int64])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
@pytest.mark.parametrize("mechanism", [Laplace(PureDP(1e4)), Gaussian(ZCDP(1e8))], ids=["laplace", "gaussian"])
def test_shape_and_type_are_kept(noise, dtype, shape, mechanism):
    value = np.arange(np.prod(shape, dtype=int), dtype=dtype).reshape(shape)
    answer = mechanism.sample(numbers(value), noise)
    assert answer.shape == shape
    assert answer.dtype == dtype
    assert np.allclose(answer, value, atol=0.1)


def test_transposed_values_stay_in_place():
    value = np.arange(6.0).reshape(2, 3).T
    assert np.allclose(SecureNoise().laplace(value, 1e-6), value, atol=1e-3)


def test_the_mechanism_for_a_share():
    assert additive(PureDP(0.1)) == Laplace(PureDP(0.1))
    assert additive(ZCDP(0.1)) == Gaussian(ZCDP(0.1))
    assert selection(PureDP(0.1)) == PermuteAndFlip(PureDP(0.1))
    assert selection(ZCDP(0.1)) == ExponentialMechanism(ZCDP(0.1))


@pytest.mark.parametrize(
    ("mechanism", "share"),
    [(Laplace, ZCDP(1.0)), (Gaussian, PureDP(1.0)), (PermuteAndFlip, ZCDP(1.0)), (ExponentialMechanism, 1.0)],
)
def test_a_share_of_another_currency_is_refused(mechanism, share):
    with pytest.raises(ParameterError, match="Expected a share of type"):
        mechanism(share)


def test_an_infinite_scale_is_refused():
    with pytest.raises(ParameterError, match="finite noise scale"):
        Laplace(PureDP(1e-300)).noise_scale(numbers(l1=1e300, l2=1.0))


def test_a_better_share_means_less_noise():
    assert Gaussian(ZCDP(0.5)).noise_scale(numbers()) == pytest.approx(Gaussian(ZCDP(2.0)).noise_scale(numbers()) * 2)
    assert Gaussian(ZCDP(0.5)).noise_scale(numbers(l1=sqrt(2), l2=sqrt(2))) == pytest.approx(sqrt(2))


class FitRecord:
    """A source that adds nothing and remembers at which scale it was asked."""

    is_private, description, sampler = False, "none", "none"

    def __init__(self):
        self.asked = []

    def laplace(self, values, scale):
        self.asked.append(("laplace", scale))
        return values

    def gaussian(self, values, deviation):
        self.asked.append(("gaussian", deviation))
        return values

    def permute_and_flip(self, scores, scale):
        self.asked.append(("permute-and-flip", scale))
        return 0

    def exponential_mechanism(self, scores, scale):
        self.asked.append(("exponential-mechanism", scale))
        return 0


@pytest.mark.parametrize(
    ("mechanism", "statistic", "distribution"),
    [
        (Laplace(PureDP(0.5)), numbers(l1=3.0), "laplace"),
        (Gaussian(ZCDP(0.5)), numbers(l1=9.0, l2=3.0), "gaussian"),
        (PermuteAndFlip(PureDP(0.5)), scores(2.0), "permute-and-flip"),
        (ExponentialMechanism(ZCDP(0.5)), scores(2.0), "exponential-mechanism"),
    ],
)
def test_noise_is_drawn_at_the_scale_that_its_record_shows(mechanism, statistic, distribution):
    noise = FitRecord()
    mechanism.sample(statistic, noise)
    assert noise.asked == [(distribution, mechanism.noise_scale(statistic))]


@pytest.mark.parametrize(
    ("mechanism", "statistic"),
    [
        (Laplace(PureDP(0.5)), numbers()),
        (Gaussian(ZCDP(0.5)), numbers()),
        (PermuteAndFlip(PureDP(0.5)), scores()),
        (ExponentialMechanism(ZCDP(0.5)), scores()),
    ],
)
def test_secure_noise_is_asked_before_it_is_drawn(mechanism, statistic, monkeypatch):
    def refuse(*_):
        raise PrivacyError("refused")

    monkeypatch.setattr(SecureNoise, "check", refuse)
    with pytest.raises(PrivacyError, match="refused"):
        mechanism.sample(statistic, SecureNoise())
