"""Measures of regressors from counts of residuals: by hand, against the rows themselves, and over simulated counts."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from sklearn.metrics import mean_pinball_loss

from tacit.errors import ModelFileError
from tacit.measures import DistanceCounts, HeldOutResiduals
from tacit.measures.residual_intervals import quantiles_of

AWAY = DistanceCounts((500.0, 300.0, 200.0), (2.0, 4.0), 0.0, "exact")
HAND = HeldOutResiduals(
    (50.0, 400.0, 500.0, 50.0), (-2.0, 0.0, 2.0), (1, 1), 1.0, 10.0, 1000, 0.0, "exact", AWAY
)  # fmt: skip


def test_errors_by_hand():
    """Rows are evenly spread inside a level, and those beyond count as the edge: two."""
    assert HAND.mae.value == pytest.approx(0.1 * 2 + 0.9 * 1)
    assert HAND.rmse.value == pytest.approx(sqrt(0.1 * 4 + 0.9 * 4 / 3), rel=1e-3)
    assert HAND.beyond.value == pytest.approx(0.1)
    # About the start: half within two, three tenths from two to four, a fifth at four.
    about = 0.5 * 4 / 3 + 0.3 * (64 - 8) / 6 + 0.2 * 16
    assert HAND.r2.value == pytest.approx(1 - HAND.rmse.value**2 / about, abs=1e-3)
    # Residuals of ten are the farthest: 100 - 4 more for each row beyond.
    assert HAND.worst_rmse == pytest.approx(sqrt(HAND.rmse.high**2 + HAND.beyond.high * 96))
    assert HAND.worst_mae == pytest.approx(HAND.mae.high + HAND.beyond.high * 8)
    # The median is at 0.2 of 2 above zero: losses are half of sizes.
    assert HAND.pinball(0.5).value == pytest.approx(HAND.mae.value / 2, rel=0.02)
    # A twentieth of the rows is beyond each end, and one more may be: intervals of 90 % end at the bounds.
    assert HAND.coverage is None
    assert replace(HAND, counts=(49.0, 401.0, 501.0, 49.0)).coverage.value == pytest.approx(0.902)


def test_what_order_in_a_level_would_change_is_in_the_interval():
    """A sixth of what residuals differ by in a level, two, for nine tenths of the rows, and the sampling."""
    width = HAND.mae.high - HAND.mae.low
    # Rows of the outer levels are two, and of the inner ones one: the deviation of a mean is 0.3 / sqrt(1000).
    assert width / 2 == pytest.approx(0.9 * 2 / 6 + 2.04 * 0.3 / sqrt(1000), rel=0.01)


def test_a_root_mean_square_is_no_smaller_than_a_mean_size():
    """Noise took rows from far levels, whose squares then say less than sizes do."""
    edges, counts = (-20.0, -4.0, -2.0, -0.2, 0.2, 2.0, 4.0, 20.0), (-8.0, 0.0, 200, 260, 100, 250, 206, 0.0, -8.0)
    noisy = replace(HAND, counts=counts, edges=edges, scale=5.0, distribution="Gaussian", width=100.0)
    assert noisy._mean(np.square)[0] < noisy.mae.value**2
    assert noisy.rmse.value == pytest.approx(noisy.mae.value) and noisy.rmse.low < noisy.rmse.value < noisy.rmse.high


def test_a_unit_changes_errors_alone():
    thousand = replace(
        HAND,
        edges=tuple(1e3 * edge for edge in HAND.edges),
        spread=1e3,
        width=1e4,
        distances=replace(AWAY, edges=(2e3, 4e3)),
    )
    assert thousand.rmse.low == pytest.approx(1e3 * HAND.rmse.low)
    assert thousand.pinball(0.9).value == pytest.approx(1e3 * HAND.pinball(0.9).value)
    assert thousand.r2.low == pytest.approx(HAND.r2.low)
    assert "1112" in str(thousand.rmse) or "1265" in str(thousand.rmse)


def test_numbers_near_the_largest_have_finite_measures():
    vast = replace(
        HAND,
        edges=tuple(1e299 * edge for edge in HAND.edges),
        spread=1e299,
        width=1e300,
        distances=replace(AWAY, edges=(2e299, 4e299)),
    )
    found = vast.measures()
    assert all(np.isfinite(found[name]["value"]) for name in ("rmse", "mae", "r2", "beyond"))
    assert np.isfinite(found["worst_rmse"]) and found["worst_rmse"] == pytest.approx(1e299 * HAND.worst_rmse)


def counted(residuals, distances, edges, away, noise, generator):
    distribution, scale = noise
    draw = {"exact": lambda **_: 0.0, "Gaussian": generator.normal, "Laplace": generator.laplace}[distribution]
    counts = np.bincount(np.searchsorted(edges, residuals), minlength=len(edges) + 1)
    far = np.bincount(np.searchsorted(away, distances), minlength=len(away) + 1)
    return HeldOutResiduals(
        tuple(counts + draw(scale=scale, size=counts.shape)),
        tuple(edges),
        (2, 2),
        1.0,
        100.0,
        len(residuals),
        scale,
        distribution,
        DistanceCounts(tuple(far + draw(scale=scale, size=far.shape)), tuple(away), scale, distribution),
    )


EDGES = (-4.0, -2.8, -2.0, -1.4, -1.0, -0.6, -0.3, 0.0, 0.3, 0.6, 1.0, 1.4, 2.0, 2.8, 4.0)
FAR = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)


@pytest.mark.parametrize("kind", ["normal", "long"])
@pytest.mark.parametrize("noise", [("exact", 0.0), ("Gaussian", 10.0), ("Laplace", 8.0)])
def test_intervals_hold_the_truth(noise, kind):
    generator, held, n_rows, fits = np.random.default_rng(0), [], 1_000, 150

    def drawn(size):
        residuals = generator.normal(size=size) if kind == "normal" else generator.exponential(size=size) - 1
        return residuals, np.abs(2 * generator.normal(size=size) + residuals)

    residuals, distances = drawn(400_000)
    clipped, about = np.clip(residuals, EDGES[0], EDGES[-1]), np.minimum(distances, FAR[-1])
    truth = {
        "rmse": sqrt(np.mean(clipped**2)),
        "mae": np.abs(clipped).mean(),
        "r2": 1 - np.mean(clipped**2) / np.mean(about**2),
        "beyond": np.mean((residuals <= EDGES[0]) | (residuals > EDGES[-1])),
    }
    for _ in range(fits):
        found = counted(*drawn(n_rows), EDGES, FAR, noise, generator)
        held.append([getattr(found, name).low <= value <= getattr(found, name).high for name, value in truth.items()])
    # Of 150 fits 95 % is 142; five deviations are 13.
    assert (np.mean(held, axis=0) > 0.87).all(), dict(zip(truth, np.mean(held, axis=0), strict=True))


def test_losses_of_quantiles_are_those_of_the_rows():
    generator = np.random.default_rng(4)
    residuals = generator.normal(size=200_000)
    found = counted(residuals, np.abs(residuals), EDGES, FAR, ("exact", 0.0), generator)
    for quantile in (0.05, 0.5, 0.9):
        at = quantiles_of(found.cells.counts, found.edges, np.asarray([quantile]))[0]
        loss = mean_pinball_loss(residuals, np.full(len(residuals), at), alpha=quantile)
        assert found.pinball(quantile).value == pytest.approx(loss, rel=0.05)


def test_where_noise_hides_the_numbers_spread_there_is_no_share_that_is_explained():
    loud = replace(AWAY, counts=(1000.0, 5.0, -5.0), edges=(0.1, 4.0), scale=400.0, distribution="Gaussian")
    found = replace(HAND, distances=loud)
    assert found.r2 is None and found.measures()["r2"] is None
    assert "R2: too few rows" in " ".join(found.lines())


def test_all_that_is_said_has_its_interval():
    said = " ".join(HAND.lines("persons"))
    assert "1,000 persons kept back from the fit, with no noise" in said
    for name in ("rmse", "mae", "beyond", "r2"):
        assert str(getattr(HAND, name)) in said


@pytest.mark.parametrize(
    "wrong",
    [
        {"counts": (1.0, 2.0)},
        {"edges": (2.0, 0.0, -2.0)},
        {"edges": (-2.0, 0.0, 1e6)},
        {"outer": (2, 1)},
        {"outer": (-1, 1)},
        {"max_outer": 0},
        {"max_levels": 3},
        {"spread": 0.0},
        {"interval": (None, 1e3)},
        {"scale": 1.0},
        {"n_rows": 0},
        {"width": 0.0},
        {"width": np.inf},
    ],
    ids=str,
)
def test_what_contradicts_itself_is_refused(wrong):
    with pytest.raises(ModelFileError, match="damaged"):
        replace(HAND, **wrong)
