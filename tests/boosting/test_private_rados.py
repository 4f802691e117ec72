"""What private rados make of released numbers: posterior means, clipping by public numbers alone, and accuracy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.integrate import quad

from tacit.boosting import private_rados
from tacit.boosting.private_rados import PrivateRados, box_posterior, normal_posterior
from tacit.errors import PrivacyWarning
from tacit.estimators import RadoBoostClassifier
from tacit.features import LinearEncoding
from tacit.mechanisms.releases import Releases
from tacit.privacy import PrivacyUnit
from tacit.queries.edges import EdgeForm
from tacit.schema import Categorical, Label, Numeric, Schema

GRID = (np.arange(2000) + 0.5) / 1000 - 1


def by_enumeration(released, priors, noise, flat=()):
    """Posterior means of two numbers on a grid, from the density of K-norm noise itself."""
    far = np.maximum(np.abs(released[0] - GRID)[:, None], np.abs(released[1] - GRID)[None])
    if flat:
        # The sum over a third number's grid: each of its values is nearer than the others, or the farthest itself.
        distances = np.sort(np.abs(flat[0] - GRID[::10]))
        farthest = np.append(np.cumsum(np.exp(-distances / noise)[::-1])[::-1], 0.0)
        nearer = np.searchsorted(distances, far, side="right")
        joint = nearer * np.exp(-far / noise) + farthest[nearer]
    else:
        joint = np.exp(-far / noise)
    joint *= np.exp(-np.abs(GRID) / priors[0])[:, None] * np.exp(-np.abs(GRID) / priors[1])[None]
    joint /= joint.sum()
    return joint.sum(axis=1) @ GRID, joint.sum(axis=0) @ GRID


@pytest.mark.parametrize("noise", [0.01, 0.05, 0.3, 5.0])
@pytest.mark.parametrize("released", [(0.3, 0.1), (-0.6, 0.02), (1.4, -0.2), (0.0, 0.5)])
def test_the_posterior_mean_under_box_noise(released, noise):
    priors = np.asarray([0.1, 0.2])
    found = box_posterior(np.asarray(released), priors, noise)
    np.testing.assert_allclose(found, by_enumeration(released, priors, noise), atol=3e-4)


def test_numbers_without_a_prior_tell_of_the_noise_too():
    priors, released = np.asarray([0.1, 0.2]), (0.3, 0.1)
    found = [box_posterior(np.asarray(released), priors, 0.05, flat=np.asarray([far])) for far in (0.0, 1.4)]
    for far, one in zip((0.0, 1.4), found, strict=True):
        np.testing.assert_allclose(one, by_enumeration(released, priors, 0.05, (far,)), atol=1e-3)
    assert np.abs(found[1]).max() < 0.8 * np.abs(found[0]).max()  # noise of at least 0.4 must have been there


def test_large_numbers_tell_how_far_small_ones_can_be():
    """Forty numbers near zero and one at 0.6: had the noise reached 0.6, the forty would be spread as far."""
    small = np.random.default_rng(0).uniform(-0.1, 0.1, 40)
    prior, noise = np.full(41, 0.1), 0.1 / 41
    together = box_posterior(np.asarray([*small, 0.6]), prior, noise)
    assert together[-1] > 0.5
    assert abs(box_posterior(np.asarray([0.6]), prior[:1], 0.1)[0]) < 0.45  # alone, noise of that size may be all of it


def test_without_noise_nothing_is_shrunk_and_in_noise_everything():
    released, prior = np.asarray([0.4, -0.03, 0.0]), np.full(3, 0.1)
    np.testing.assert_allclose(box_posterior(released, prior, 1e-7), released, atol=1e-5)
    np.testing.assert_allclose(normal_posterior(released, prior, np.full(3, 1e-5)), released, atol=1e-6)
    for found in (box_posterior(released, prior, 1e4), normal_posterior(released, prior, np.full(3, 1e3))):
        assert np.abs(found).max() < 1e-3
        assert np.isfinite(found).all()
    np.testing.assert_allclose(box_posterior(-released, prior, 0.1), -box_posterior(released, prior, 0.1), atol=1e-12)


@pytest.mark.parametrize(("released", "prior", "deviation"), [(0.2, 0.1, 0.3), (-0.5, 0.1, 0.05), (0.05, 0.01, 0.1)])
def test_the_posterior_mean_under_normal_noise(released, prior, deviation):
    def density(u):
        return np.exp(-abs(u) / prior - (released - u) ** 2 / (2 * deviation**2))

    ends = {"points": [0.0, released], "limit": 400}
    mean = quad(lambda u: u * density(u), -3, 3, **ends)[0] / quad(density, -3, 3, **ends)[0]
    found = normal_posterior(np.asarray([released]), np.asarray([prior]), np.asarray([deviation]))
    assert found[0] == pytest.approx(mean, rel=1e-6)


SCHEMA = Schema([*(Numeric(f"x{i}", -1, 1) for i in range(4)), Categorical("c", ["u", "v"])], label=Label("y", [0, 1]))
UNIT = PrivacyUnit(SCHEMA.names, label=True)
FORM = EdgeForm(LinearEncoding(SCHEMA, SCHEMA.names))


def test_numbers_are_clipped_where_there_is_noise():
    def clip(made, unit=UNIT):
        return made.clipped(FORM, unit, Releases([], None), 10).encoding.clip  # nothing is released to decide

    nothing = PrivacyUnit((), label=False)
    found = [clip(PrivateRados(5)), clip(PrivateRados(5), nothing), clip(PrivateRados(5, 0.7), nothing)]
    assert found == [0.25, 1.0, 0.7]


def accuracy(epsilon, seeds=range(12), columns=8, **settings):
    """Of rules from 2,000 rows of numbers that seldom come near their bounds; two of them tell the class."""
    schema, found = Schema([Numeric(f"x{i}", -1, 1) for i in range(columns)], label=Label("y", [0, 1])), []
    for seed in seeds:
        generator = np.random.default_rng(seed)
        X = generator.normal(0, 0.15, (6000, columns)).clip(-1, 1)
        y = (X[:, 0] - X[:, 1] + generator.normal(0, 0.1, 6000) > 0).astype(int)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)
            model = RadoBoostClassifier(
                schema, epsilon=epsilon, rule="linear", calibration=0, random_state=seed, **settings
            )
            found.append(model.fit(X[:2000], y[:2000]).score(X[2000:], y[2000:]))
    return float(np.mean(found))


def test_a_small_budget_goes_further_with_numbers_clipped():
    assert accuracy(0.1) > accuracy(0.1, clip=1.0) + 0.05


def test_posterior_means_go_further_than_what_was_released(monkeypatch):
    shrunk = accuracy(0.1, columns=20, clip=0.25)
    monkeypatch.setattr(private_rados, "_likely", lambda edge, *_: edge)
    assert shrunk > accuracy(0.1, columns=20, clip=0.25) + 0.015
