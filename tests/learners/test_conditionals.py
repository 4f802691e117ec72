"""The chain's posterior is that of the dense linear Gaussian model, whatever the bins' number, weights and padding."""

import numpy as np
import pytest

from tacit.learners.conditionals import CORRELATION_LENGTHS, PRIOR_VARIANCES, conditional, posterior


def dense(counts, sizes, weights, noises, reaches):
    """Mean and deviation of d by the textbook's formulas, shape (n_classes, n_bins), for one column."""
    n_classes, n_bins = counts.shape
    places, logs, means, variances = np.arange(n_bins) / n_bins, [], [], []
    for reach in reaches:
        apart = np.abs(places[:, None] - places)
        likeness = np.eye(n_bins) if reach is None else np.exp(-apart / reach)
        for spread in PRIOR_VARIANCES:
            log, mean, variance = 0.0, [], []
            for row, size, noise in zip(counts, sizes, noises, strict=True):
                seen = np.diag(size * weights)
                covariance = seen @ (spread * likeness) @ seen + noise * np.eye(n_bins)
                gain = spread * likeness @ seen @ np.linalg.inv(covariance)
                log -= (np.linalg.slogdet(covariance)[1] + row @ np.linalg.solve(covariance, row)) / 2
                mean.append(gain @ row)
                variance.append(np.diag(spread * likeness - gain @ seen @ (spread * likeness)))
            logs.append(log * max(n_classes - 1, 1) / n_classes)
            means.append(mean)
            variances.append(variance)
    shares = np.exp(np.asarray(logs) - max(logs))
    shares = (shares / shares.sum())[:, None, None]
    mean = (shares * np.asarray(means)).sum(axis=0)
    return mean, np.sqrt((shares * (np.asarray(variances) + (np.asarray(means) - mean) ** 2)).sum(axis=0))


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize(("n_classes", "n_bins"), [(2, 6), (3, 17), (1, 4), (2, 1)])
def test_it_is_the_posterior_of_the_dense_model(n_classes, n_bins, ordered):
    generator = np.random.default_rng(n_bins)
    counts = generator.normal(0, 60, (4, n_classes, n_bins))
    weights = generator.dirichlet(np.full(n_bins, 0.7), 4)
    sizes, noises = generator.uniform(200, 900, (4, n_classes)), generator.uniform(100, 3000, (4, n_classes))
    widths = np.full(4, n_bins) if ordered else None
    mean, deviation = posterior(counts, sizes, weights, noises, widths)
    for at in range(4):
        expected = dense(counts[at], sizes[at], weights[at], noises[at], CORRELATION_LENGTHS if ordered else [None])
        assert mean[at] == pytest.approx(expected[0], abs=1e-9)
        assert deviation[at] == pytest.approx(expected[1], rel=1e-6)


def test_one_bin_by_hand():
    """At spread s and w = 100 d + noise of variance 400, d is 100 s w / (10^4 s + 400) in the mean; s is averaged."""
    mean, _ = posterior(np.full((1, 1), 30.0), np.full(1, 100.0), np.ones(1), np.full(1, 400.0))
    totals = 1e4 * PRIOR_VARIANCES + 400
    chances = np.exp(-(30.0**2) / totals / 2) / np.sqrt(totals)
    assert mean.item() == pytest.approx((chances / chances.sum()) @ (100 * PRIOR_VARIANCES * 30 / totals))


def test_neighbors_lend_what_they_know():
    """A bin that nobody counted follows its neighbors if bins are ordered, and stays at zero if not."""
    counts, weights = np.asarray([[90.0, 0.0, 90.0]]), np.asarray([0.5, 0.0, 0.5])
    arguments = counts, np.asarray([300.0]), weights, np.asarray([4.0])
    assert posterior(*arguments)[0][0, 1] == 0.0
    mean = posterior(*arguments, np.asarray(3))[0][0]
    assert 0.2 < mean[1] < mean[0] < 0.65


@pytest.mark.parametrize("variance", [0.0, 900.0])
@pytest.mark.parametrize("ordered", [True, False])
def test_columns_of_different_widths_side_by_side(ordered, variance):
    generator = np.random.default_rng(2)
    totals, widths = np.asarray([500.0, 300.0]), [5, 3, 8]
    counts = [generator.normal(80, 30, (2, width)) for width in widths]
    padded = np.stack([np.pad(each, ((0, 0), (0, 8 - each.shape[1])), constant_values=7.0) for each in counts])
    options = {"variance": variance, "smoothing": 1.0, "ordered": ordered}
    together = conditional(padded, totals, **options, widths=np.asarray(widths))
    for at, (own, width) in enumerate(zip(counts, widths, strict=True)):
        alone = conditional(own, totals, **options)
        for one, other in zip(together, alone, strict=True):
            assert one[at, :width] == pytest.approx(other, rel=1e-10, abs=1e-12)
            assert not one[at, width:].any()


def test_columns_are_smoothed_some_at_a_time(monkeypatch):
    """To the bit as all together, in however many parts."""
    generator = np.random.default_rng(0)
    counts = generator.normal(0, 30, (23, 3, 8))
    rest = (np.full((23, 3), 200.0), np.full((23, 8), 1 / 8), np.full((23, 3), 25.0), np.full(23, 8))
    whole = posterior(counts, *rest)
    for together in (1, 100, 300):
        monkeypatch.setattr("tacit.learners.conditionals.COUNTS_TOGETHER", together)
        for found, expected in zip(posterior(counts, *rest), whole, strict=True):
            np.testing.assert_array_equal(found, expected)
