"""Known class shares: what is believed of released ones, and when declared ones are set aside."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import Label, Numeric, Schema
from tacit.learners.linear.known_shares import KnownShares
from tacit.mechanisms import ReleasedValue
from tacit.sensitivities.gradients import clip_of
from tacit.table import Table


def test_margins_are_log_odds():
    assert KnownShares(np.asarray([0.9, 0.1])).margins == pytest.approx([np.log(1 / 9)])
    margins = KnownShares(np.asarray([0.5, 0.3, 0.2])).margins
    assert margins.sum() == pytest.approx(0) and np.exp(margins) / np.exp(margins).sum() == pytest.approx(
        [0.5, 0.3, 0.2]
    )


def test_released_shares_are_believed_as_far_as_they_are_uneven_beyond_their_noise():
    # Of two classes: (0.3^2 + 0.3^2 - 2^2 0.1^2) / (0.3^2 + 0.3^2) of what is beyond one half.
    found = KnownShares(np.asarray([0.8, 0.2]), deviation=0.1).shrunk
    assert found == pytest.approx([0.5 + 0.3 * (1 - 0.04 / 0.18), 0.5 - 0.3 * (1 - 0.04 / 0.18)])
    assert KnownShares(np.asarray([0.4, 0.35, 0.25]), deviation=0.1).shrunk == pytest.approx(np.full(3, 1 / 3))
    exact = np.asarray([0.7, 0.2, 0.1])
    assert KnownShares(exact).shrunk.tolist() == exact.tolist()
    # Rounding must leave none at zero.
    assert KnownShares(np.asarray([0.5, 0.5, 1e-17]), declared=True).margins[2] < -20


def test_no_share_is_taken_to_be_less_than_noise_can_tell():
    shares = np.asarray([0.9, 0.15, -0.05])
    margins = KnownShares(shares, deviation=0.05, least=0.06).margins
    kept = 1 - 2 * (2.0 * 0.05) ** 2 / ((shares - 1 / 3) ** 2).sum()
    logs = np.log(np.maximum(1 / 3 + kept * (shares - 1 / 3), 0.06))
    assert margins == pytest.approx(logs - logs.mean())
    # Never more than an even share, whatever the noise.
    assert KnownShares(shares, deviation=9.0, least=9.0).margins == pytest.approx(np.zeros(3))


@pytest.mark.parametrize(("weights", "rows"), [(None, 1_000), ({"a": 0.5, "b": 1.0, "c": 1.0}, 650)])
def test_shares_are_of_what_was_counted(weights, rows):
    labels = np.repeat(["a", "b", "c"], [700, 200, 100])
    frame = pl.DataFrame({"x": np.zeros(1_000)})
    schema = Schema([Numeric("x", 0, 1)], label=Label("y", ["a", "b", "c"]))
    table = Table.from_frame(frame, labels, schema)
    counts = np.asarray([700.0, 200, 100])
    if weights:
        table = table.weighing_classes([*weights.values()], mean=rows / 1_000)
        counts = counts * [*weights.values()]
    found = KnownShares.released(ReleasedValue(counts, 30.0, "Gaussian"), table)
    assert found.shares == pytest.approx(counts / rows) and not found.declared
    assert (found.deviation, found.least) == pytest.approx((30 / rows, 31 / rows))


def test_curvatures_are_those_of_the_loss_in_powers_of_two():
    # p (1 - p) over 2/9: 0.945, 0.844 and 0.214, which counts as a quarter.
    assert KnownShares(np.asarray([0.7, 0.25, 0.05])).curved.tolist() == [1.0, 1.0, 0.25]
    # Of ten classes over 0.09: 2.67 to the nearest power, and the least.
    assert KnownShares(np.asarray([0.6, *[0.4 / 9] * 9])).curved.tolist() == [2.0, *[0.5] * 9]
    assert KnownShares(np.full(5, 0.2)).curved.tolist() == [1.0] * 5


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
