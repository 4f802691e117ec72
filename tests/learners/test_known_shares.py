"""Known class shares: what they say of rows, what of released ones is believed, and when declared ones are set aside."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.learners.linear.known_shares import KnownShares
from tacit.queries.ranked_gradients import clip_of


def test_margins_are_log_odds():
    assert KnownShares(np.asarray([0.9, 0.1])).margins == pytest.approx([np.log(1 / 9)])
    margins = KnownShares(np.asarray([0.5, 0.3, 0.2])).margins
    assert margins.sum() == pytest.approx(0) and np.exp(margins) / np.exp(margins).sum() == pytest.approx(
        [0.5, 0.3, 0.2]
    )


def mean_residuals(shares, rows_of, generator):
    """Return the mean of residuals at the shares' probabilities over rows drawn from others, cut by hand."""
    classes = generator.choice(len(shares), 2_000, p=rows_of)
    if len(shares) == 2:
        return np.clip(shares[1] - classes, -0.5, 0.5).mean(keepdims=True)
    each = shares - np.eye(len(shares))
    each *= np.minimum(1, clip_of(len(shares)) / np.sqrt((each**2).sum(axis=1)))[:, None]
    return each[classes].mean(axis=0)


@pytest.mark.parametrize("shares", [(0.9, 0.1), (0.5, 0.5), (0.999, 0.001), (0.6, 0.3, 0.1), (0.97, 0.01, 0.01, 0.01)])
@pytest.mark.parametrize("noise", [0.0, 0.02, 0.2])
def test_right_shares_are_seldom_refuted(shares, noise):
    generator, shares = np.random.default_rng(0), np.asarray(shares)
    found = KnownShares(shares)
    refuted = 0
    for _ in range(300):
        residuals = mean_residuals(shares, shares, generator)
        residuals += noise * generator.normal(size=len(residuals))
        refuted += found.refuted_by(residuals, noise, 2_000)
    assert refuted < 300 * 0.05


@pytest.mark.parametrize(
    ("declared", "rows_of"),
    [((0.9, 0.1), (0.7, 0.3)), ((1 - 1e-6, 1e-6), (0.9, 0.1)), ((0.8, 0.1, 0.1), (0.4, 0.3, 0.3))],
)
def test_wrong_shares_are_refuted_where_noise_is_less_than_they_are_off(declared, rows_of):
    generator, found = np.random.default_rng(1), KnownShares(np.asarray(declared))

    def refuted(noise):
        residuals = [mean_residuals(np.asarray(declared), rows_of, generator) for _ in range(100)]
        return np.mean(
            [found.refuted_by(each + noise * generator.normal(size=len(each)), noise, 2_000) for each in residuals]
        )

    assert refuted(0.01) > 0.9 and refuted(1.0) < 0.1
