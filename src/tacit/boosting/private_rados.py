"""Rados drawn around noisy moments of edges: differentially private, and not in the paper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import ClassVar

import numpy as np
from scipy.special import erfcx, log_ndtr

from tacit.boosting.rado_makers import COUNT, Floats, Protection
from tacit.features import GRID_STEPS
from tacit.mechanisms import Gaussian, Releases
from tacit.mechanisms.k_norm import KNorm
from tacit.mechanisms.mask import density_and_mask
from tacit.privacy import ZCDP, Persons, PlanEntry, PrivacyUnit, PureDP, Share
from tacit.queries.edge_moments import EdgeSums, exact_moments, plan_score_sum, score_sum
from tacit.queries.edges import EdgeForm
from tacit.rules.boosting import CLIP_OF_NUMBERS, EXPECTED_EFFECT
from tacit.rules.shared import SMALL_SHARE, SURE_DEVIATIONS
from tacit.table import Table


@dataclass(frozen=True, eq=False)
class PrivateRados:
    """Rados drawn around noisy sums of edges, released once.

    A rado that sums half of m random rows has mean m mu/2, mu being the mean edge, and covariance m M/4, M being the
    mean of z z' over the rows' features z. Released are the sums of edges, which give mu; the diagonal of M is as
    expected of the schema, and the edges' means are their posterior means given what was released. Then comes the mean
    of one score, a unit vector in the direction mu/M times the features, which gives the means of the features as far
    as they shift that score. The rados are normal with all that, and uncorrelated otherwise. They are of numbers that
    are clipped (``clipped``). Their m is so small that no feature has rados on one side of zero only, as boosting could
    not rank such features; the best rule does not depend on m. All but the two releases is post-processing.
    """

    count: int
    clip: float | None = None
    """The share of their reach to which numbers are clipped, if it is not to be the rule's."""
    protection: ClassVar[Protection] = "private"

    def __post_init__(self) -> None:
        COUNT.check("count", self.count)

    def unsupported(self, persons: Persons) -> str | None:
        """Return why several rows of a person are not protected, if they are not: each must weigh one."""
        return None if persons.rows == "mean" else "rados need persons of weight one each, rows='mean'"

    def plan(self, form: EdgeForm, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the sums, and the mean score if there is a constant and a protected column."""
        if not form.protected(unit).any():
            return []
        score = plan_score_sum(unit, SMALL_SHARE) if form.constant else []
        return [*EdgeSums(form, unit).planned(1 - SMALL_SHARE), *score]

    def clipped(self, form: EdgeForm, unit: PrivacyUnit, releases: Releases, n_rows: int) -> EdgeForm:
        """Return the form with numbers clipped; from what is public alone.

        Noise is made for numbers that reach their bounds, which most do not: clipping them to a quarter of the way
        makes the rest four times as large, for the same noise, and makes numbers' mean squares more alike.
        """
        if self.clip is None and not form.protected(unit).any():
            return form
        clip = CLIP_OF_NUMBERS if self.clip is None else self.clip
        return replace(form, encoding=replace(form.encoding, clip=clip))

    def make(self, table: Table, form: EdgeForm, releases: Releases, generator: np.random.Generator) -> Floats:
        """Return the rados, shape (count, n_features)."""
        edge, squares = noisy_moments(table, form, releases)
        means = np.zeros(form.n_features)
        if form.constant:
            means = _means(edge, squares, table, form, releases)
        return _normal_rados(edge, squares, means, self.count, table.n_persons, generator)


def noisy_moments(table: Table, form: EdgeForm, releases: Releases) -> tuple[Floats, Floats]:
    """Return the mean edge, and the mean squares of its features: exact ones of public cells, else expected ones.

    A label's mean that its noise explains counts as 0, or it would shift all decisions. What the noise adds to the
    edges' variance is added to squares, in proportion to an effect as large as expected: a feature of small variance
    would else be weighed by its noise.
    """
    moving, n_rows = form.protected(table.unit), table.n_persons
    edge, squares = np.zeros(form.n_features), np.zeros(form.n_features)
    if not moving.all():
        edge[~moving], squares[~moving] = exact_moments(table, form)
    if moving.any():
        edge[moving], squares[moving] = _noisy(table, form, releases)
    if form.constant:
        squares[-1] = n_rows
    return edge / n_rows, np.maximum(squares / n_rows, 1e-6)


def _noisy(table: Table, form: EdgeForm, releases: Releases) -> tuple[Floats, Floats]:
    """Return likely sums of moving edges, and expected ones of their squares, in units of rows."""
    share, sums, n_rows = _share(releases), EdgeSums(form, table.unit), table.n_persons
    deviations = _deviations(sums, share)
    expected = expected_squares(form)[form.protected(table.unit)]
    edge = _likely(_released(sums, table, share, releases), expected, sums, share, n_rows)
    if sums.counts_labels and abs(edge[-1]) < SURE_DEVIATIONS * deviations[-1]:
        edge[-1] = 0.0
    return edge, expected * n_rows + deviations[0] ** 2 / (EXPECTED_EFFECT**2 * n_rows)


def _released(query: EdgeSums, table: Table, share: Share, releases: Releases) -> Floats:
    """Return the released numbers in units of rows."""
    if isinstance(share, PureDP):
        gauged = query.gauged(table)
        return np.asarray(releases.by(KNorm(share).masking(gauged), gauged))
    return np.asarray(releases.by(Gaussian(share), query.statistic(table)) / (GRID_STEPS * table.unit_weight))


def _share(releases: Releases) -> Share:
    share = releases.share
    assert isinstance(share, PureDP | ZCDP)
    return share


def _deviations(query: EdgeSums, share: Share) -> Floats:
    """Return about the deviation of each number's noise in units of rows; from what is public alone."""
    if isinstance(share, PureDP):
        return np.sqrt(k_norm_variance(query.ball.widths, 2 / share.epsilon))
    return np.full(query.ball.dimension, query.sensitivity()[1] / sqrt(2 * share.rho))


def _likely(edge: Floats, prior: Floats, sums: EdgeSums, share: Share, n_rows: int) -> Floats:
    """Return the posterior means of the sums of edges, and the released sum of labels."""
    features = len(edge) - sums.counts_labels
    released, prior = edge[:features] / n_rows, prior[:features]
    if isinstance(share, PureDP) and max(sums.ball.widths) == 1:
        noise = 2 / density_and_mask(share.epsilon)[0] / n_rows
        likely = box_posterior(released, prior, noise, flat=edge[features:] / n_rows)
    else:
        # K-norm noise over L1 balls of more than one number is taken for independent normal noise.
        likely = normal_posterior(released, prior, _deviations(sums, share)[:features] / n_rows)
    return np.asarray([*(likely * n_rows), *edge[features:]])


def _means(edge: Floats, squares: Floats, table: Table, form: EdgeForm, releases: Releases) -> Floats:
    """Return means of features that agree with the released mean of the score, and are shortest among those."""
    direction = edge[:-1] / squares[:-1]
    length = float(np.linalg.norm(direction))
    weights = direction / length if length > 0 else direction
    total = float(releases.noisy(score_sum(table, form, weights)).value[0]) / GRID_STEPS
    return np.asarray([*np.clip(total / table.n_persons, -1, 1) * weights, 1.0])


def _normal_rados(
    edge: Floats, squares: Floats, means: Floats, count: int, n_rows: int, generator: np.random.Generator
) -> Floats:
    """Return normal rados of as many rows as leave every feature on both sides of zero."""
    own = np.where(means == 1, 0.0, squares)
    centered = np.abs(edge - edge[-1] * means * (means[-1] == 1))
    ratio = float(np.max(np.divide(centered, np.sqrt(own), out=np.zeros_like(own), where=own > 0)))
    # m rows put a feature at sqrt(m) |edge| / sqrt(square) deviations from zero: at most one of them.
    rows = float(np.clip(1 / ratio**2, 1, n_rows)) if ratio > 0 else float(n_rows)
    common = generator.standard_normal((count, 1)) * means
    # One common number per rado carries the means; the rest is independent: covariance means means' + diag(own).
    noise = common + np.sqrt(own) * generator.standard_normal((count, len(edge)))
    return np.asarray((rows * edge + np.sqrt(rows) * noise) / 2)


def k_norm_variance(widths: tuple[int, ...], scale: float) -> Floats:
    """Return the variance of each number of K-norm noise: scale^2 (d+1)(d+2) times that of a uniform point of K.

    A coordinate of a uniform point of an L1 ball of dimension m has variance 2/((m+1)(m+2)).
    """
    dimension = sum(widths)
    points = [2 / ((width + 1) * (width + 2)) for width in widths for _ in range(width)]
    return np.asarray(points) * scale**2 * (dimension + 1) * (dimension + 2)


def expected_squares(form: EdgeForm) -> Floats:
    """Return what a feature's mean square may be expected to be, from the schema alone, shape (n_features,).

    1/3 for a number or code, as if uniform on [-1, 1]; one over their number for one-hot categories; the constant's 1.
    """
    columns = form.widths[:-1] if form.constant else form.widths
    squares = [1 / 3 if width == 1 else 1 / width for width in columns for _ in range(width)]
    return np.asarray([*squares, 1.0] if form.constant else squares)


_RADII = 400
_TINY = 1e-300


def box_posterior(released: Floats, prior: Floats, noise: float, *, flat: Floats | None = None) -> Floats:
    """Return the posterior means of numbers in [-1, 1] from their values with K-norm noise over a box.

    Noise of density exp(-max |b| / s) is uniform in a box of half-width r whose density is exp(-r/s) r^d: given r,
    every number is known to lie within r of what was released, and nothing else is known of it. So the numbers are
    independent given r, and one integral over r remains. As r is common to all of them, a few large numbers show how
    far the others can be from what was released.

    Parameters
    ----------
    released : array of shape (d,)
    prior : array of shape (d,)
        Scales of the Laplace priors, which are cut to [-1, 1].
    noise : float
        The scale s.
    flat : array, optional
        Further released numbers of the same draw, of which nothing is known beforehand but that they lie in [-1, 1].
    """
    others = np.zeros(0) if flat is None else flat
    farthest = float(np.abs([*released, *others]).max())
    least = max(0.0, farthest - 1)  # a smaller box reaches nothing that is possible
    width = farthest + 1 - least  # from least + width on a box says nothing
    span = np.log(1000 * max(width / noise, 1.0))
    beyond = width * np.exp(-span * (np.arange(_RADII) + 0.5) / _RADII)
    radii = least + beyond
    low, high = (np.clip(released + side * radii[:, None], -1, 1) for side in (-1, 1))
    masses = np.maximum(_below(high, prior) - _below(low, prior), _TINY)
    overlaps = np.minimum(others + radii[:, None], 1) - np.maximum(others - radii[:, None], -1)
    known = np.log(masses).sum(axis=1) + np.log(np.maximum(overlaps, _TINY)).sum(axis=1)
    inside = known - radii / noise + np.log(beyond * span / _RADII)
    whole = np.log(_below(np.ones(len(prior)), prior) - _below(-np.ones(len(prior)), prior)).sum()
    outside = whole + len(others) * np.log(2) - (least + width) / noise + np.log(noise)
    top = max(float(inside.max()), float(outside))
    weights = np.exp(inside - top)
    means = (_mean_below(high, prior) - _mean_below(low, prior)) / masses
    return np.asarray(weights @ means / (weights.sum() + np.exp(outside - top)))


def normal_posterior(released: Floats, prior: Floats, deviations: Floats) -> Floats:
    """Return the posterior means of numbers from their values with independent normal noise.

    On either side of zero the posterior is a normal distribution, moved by deviation^2 / prior toward zero and cut
    there.

    Parameters
    ----------
    released, prior, deviations : arrays of shape (d,)
        Values, scales of the Laplace priors, deviations of the noise, above zero.
    """
    pull = deviations**2 / prior
    above, below = (released - pull) / deviations, (-released - pull) / deviations
    balance = _log_mass(above) - _log_mass(below)
    share = 1 / (1 + np.exp(-np.clip(balance, -700, 700)))
    return np.asarray(deviations * (share * _cut_mean(above) - (1 - share) * _cut_mean(below)))


def _log_mass(mean: Floats) -> Floats:
    """Return log(exp(mean^2 / 2) P(a normal number is below mean)), without cancellation far below zero."""
    low = np.minimum(mean, 0)
    return np.asarray(np.where(mean > 0, mean**2 / 2 + log_ndtr(mean), np.log(erfcx(-low / np.sqrt(2)) / 2)))


def _cut_mean(mean: Floats) -> Floats:
    """Return the mean of a normal distribution of deviation one, cut to above zero."""
    # Above 30 deviations nothing is cut; far below zero erfcx keeps what the difference leaves.
    return np.asarray(mean + np.sqrt(2 / np.pi) / erfcx(-np.minimum(mean, 30.0) / np.sqrt(2)))


def _below(values: Floats, scale: Floats) -> Floats:
    """Return the probability of a Laplace distribution below each value."""
    tail = np.exp(-np.abs(values) / scale) / 2
    return np.asarray(np.where(values < 0, tail, 1 - tail))


def _mean_below(values: Floats, scale: Floats) -> Floats:
    """Return the integral of u times a Laplace distribution's density up to each value."""
    return np.asarray(-np.exp(-np.abs(values) / scale) / 2 * (np.abs(values) + scale))
