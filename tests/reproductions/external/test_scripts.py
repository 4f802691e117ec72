"""The scripts that run in the external learners' environments, as far as they need nothing from there."""

import importlib.util
from math import exp

import pytest
from scipy.stats import norm

from reproductions.external import environment


@pytest.fixture(scope="module")
def opacus():
    spec = importlib.util.spec_from_file_location("models", environment("opacus").models)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def test_a_shift_of_one_is_what_its_delta_says(opacus):
    # Balle and Wang (2018), Theorem 8, at epsilon 1: 0.3085... - e * 0.0668...
    delta = norm.cdf(-0.5) - exp(1) * norm.cdf(-1.5)
    assert delta == pytest.approx(0.12693674, abs=1e-8)
    assert opacus.gaussian_mu(1.0, delta) == pytest.approx(1.0, rel=1e-9)


def test_noise_of_all_rows_grows_with_the_root_of_the_steps(opacus):
    delta = norm.cdf(-0.5) - exp(1) * norm.cdf(-1.5)
    for steps, noise in ((1, 1.0), (9, 3.0), (100, 10.0)):
        assert opacus.noise_multiplier(epsilon=1.0, delta=delta, steps=steps, sampling_rate=1.0) == pytest.approx(noise)


def test_the_shift_stays_on_the_safe_side(opacus):
    for epsilon in (0.01, 1.0):
        mu = opacus.gaussian_mu(epsilon, 1e-5)
        assert norm.cdf(mu / 2 - epsilon / mu) - exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu) <= 1e-5


@pytest.mark.parametrize(
    ("asked", "n_rows", "size", "drawn"),
    [
        (1.0, 1000, 1000, 1.0),
        (0.4, 1000, 400, 1 / 3),
        (0.5, 1000, 500, 1 / 2),
        (0.6, 1000, 600, 1 / 2),
        (0.1, 7, 1, 1 / 7),
    ],
)
def test_noise_is_for_the_rate_at_which_opacus_draws(opacus, asked, n_rows, size, drawn):
    # One over the batches of its loader: 1,000 rows in batches of 400 are 400, 400 and 200.
    assert opacus.sampled(asked, n_rows) == (size, pytest.approx(drawn))
