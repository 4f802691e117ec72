"""Objective perturbation: Chaudhuri, Monteleoni and Sarwate (2011), with K-norm or spherical noise, pure epsilon."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import expm1, log, log1p, sqrt
from typing import ClassVar, Protocol, final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError
from tacit.mechanisms.calibration import finite, require
from tacit.mechanisms.k_norm import (
    divided_log_density,
    divided_noise,
    divided_reach,
    divided_variance,
    k_norm_log_density,
    k_norm_noise,
    k_norm_reach,
    k_norm_variances,
    sphere_log_density,
    sphere_noise,
    sphere_reach,
)
from tacit.mechanisms.mask import Mask, density_and_mask, masked_sampler
from tacit.privacy import NoiseSource, PureDP
from tacit.privacy.basis import SensitivityKind
from tacit.privacy.rounding import slightly_down, slightly_up
from tacit.privacy.statistic import ObjectiveStatistic, RowGeometry

Numbers = NDArray[np.float64]

_LENGTHS = (0.1, 1.0, 5.0, 60.0, 600.0)
"""Of outputs; from 60 on every slope is extreme."""

_IN_LINE = 8.0
"""Noise in line with a change, in units of its largest coordinate: several times the change itself."""

_SIGNED, _BEHIND = 4, 0.8
"""How many coefficients' signs are tried in all combinations, and how far the others stay behind the deciding one."""


class Norm(Protocol):
    """A norm of the noise b: its density at a scale, and how far one row moves the summed gradient in it."""

    kind: ClassVar[SensitivityKind]
    absorbs_self_bounded: ClassVar[bool]
    """Whether enough regularization makes the change of the Jacobian cost nothing for a self-bounded loss."""

    @property
    def name(self) -> str:
        """The mechanism's, as certificates state it."""

    def diameter(self, rows: RowGeometry) -> float:
        """Return the norm of the largest change of the summed gradient: two rows' slopes."""

    def draw(self, rows: RowGeometry, scale: float, noise: NoiseSource) -> NDArray[np.float64]:
        """Return b of density exp(-|b| / scale), up to a constant."""

    def log_density(self, rows: RowGeometry, scale: float, draw: NDArray[np.float64]) -> float:
        """Return the logarithm of the density of b."""

    def reach(self, rows: RowGeometry, scale: float) -> float:
        """Return an L2 norm that b practically never exceeds."""

    def variance(self, rows: RowGeometry, scale: float) -> float:
        """Return the largest variance of a coordinate of b."""


@final
@dataclass(frozen=True)
class Gauge:
    """A norm whose unit ball holds every row's features: the gauge of their product of balls, or shares of its parts'.

    Parameters
    ----------
    divided : bool
        The sum over parts of like columns of their gauges, each times its share (``parts_of``).
    """

    divided: bool = False

    kind: ClassVar[SensitivityKind] = "gauge"
    absorbs_self_bounded: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """The field's name for it, and whether the norm is divided among parts."""
        return f"{'divided ' if self.divided else ''}K-norm objective perturbation"

    def diameter(self, rows: RowGeometry) -> float:
        """Return 2, as slopes are in [0, 1] and features in the unit ball."""
        return 2.0

    def draw(self, rows: RowGeometry, scale: float, noise: NoiseSource) -> NDArray[np.float64]:
        """Return b of density exp(-|b| / scale), up to a constant."""
        return (divided_noise if self.divided else k_norm_noise)(rows.ball, scale, noise)

    def log_density(self, rows: RowGeometry, scale: float, draw: NDArray[np.float64]) -> float:
        """Return the logarithm of the density of b."""
        return (divided_log_density if self.divided else k_norm_log_density)(rows.ball, scale, draw)

    def reach(self, rows: RowGeometry, scale: float) -> float:
        """Return an L2 norm that b practically never exceeds."""
        return (divided_reach if self.divided else k_norm_reach)(rows.ball, scale)

    def variance(self, rows: RowGeometry, scale: float) -> float:
        """Return the largest variance of a coordinate of b."""
        if self.divided:
            return divided_variance(rows.ball, scale)
        return scale**2 * float(k_norm_variances(rows.ball.widths).max())


@final
@dataclass(frozen=True)
class Euclidean:
    """The L2 norm: Algorithm 2 of the paper."""

    name: ClassVar[str] = "objective perturbation"
    kind: ClassVar[SensitivityKind] = "l2"
    absorbs_self_bounded: ClassVar[bool] = False

    def diameter(self, rows: RowGeometry) -> float:
        """Return 2 R."""
        return 2 * sqrt(rows.squared_radius)

    def draw(self, rows: RowGeometry, scale: float, noise: NoiseSource) -> NDArray[np.float64]:
        """Return b of density exp(-|b|_2 / scale), up to a constant."""
        return sphere_noise(rows.ball.dimension, scale, noise)

    def log_density(self, rows: RowGeometry, scale: float, draw: NDArray[np.float64]) -> float:
        """Return the logarithm of the density of b."""
        return sphere_log_density(scale, draw)

    def reach(self, rows: RowGeometry, scale: float) -> float:
        """Return an L2 norm that b practically never exceeds."""
        return sphere_reach(rows.ball.dimension, scale)

    def variance(self, rows: RowGeometry, scale: float) -> float:
        """Return the variance of each coordinate of b."""
        return scale**2 * (rows.ball.dimension + 1)


@final
@dataclass(frozen=True)
class ObjectivePerturbation:
    """Minimizes the objective plus b . w, b of density exp(-epsilon' |b| / D), D the norm's diameter.

    A row's change is of rank one, hence epsilon' = epsilon - ln(1 + c R^2 / lambda). In the K-norm, for the logistic
    loss, lambda >= 2 R^2 / epsilon makes epsilon' = epsilon: the Jacobian costs nothing.

    Privacy: releases the minimizer with a little noise, epsilon-DP under replace-one; in the L2 norm where the rows'
    norm is what the statistic says. Proofs: ``proofs/mechanisms/k_norm.md``,
    ``proofs/mechanisms/objective_perturbation.md``.
    """

    share: PureDP
    """What one release may cost: 99 % for the minimizer, 1 % for exact noise that masks its last digits."""
    norm: Norm = Gauge()
    mask: Mask | None = None
    """Set by ``masking``."""

    def __post_init__(self) -> None:
        require(self.share, PureDP)

    @property
    def name(self) -> str:
        """The field's name for it."""
        return self.norm.name

    @property
    def sampler(self) -> str:
        """What draws the noise, for the record of the release."""
        return masked_sampler(self.mask)

    def least_regularization(self, rows: RowGeometry) -> float:
        """Return 2 R^2 / epsilon where that absorbs the Jacobian, else c R^2 / (exp(epsilon / 2) - 1).

        For several rows of one person 2 c R^2 / epsilon in place of the latter.
        """
        density = density_and_mask(self.share.epsilon)[0]
        if self._absorbs(rows):
            return finite(slightly_up(2 * rows.squared_radius / density))
        if rows.several:
            return finite(slightly_up(2 * rows.curvature * rows.squared_radius / density))
        return finite(rank_one_regularization(rows, density))

    def density_epsilon(self, rows: RowGeometry, regularization: float) -> float:
        """Return the epsilon' of the noise's density."""
        density = density_and_mask(self.share.epsilon)[0]
        if self._absorbs(rows):
            return density
        added = rows.curvature * rows.squared_radius / regularization
        # ln det(I + M) is ln(1 + tr M) at rank one, and at most tr M at any. Rounded down: a larger epsilon' would be
        # less noise than the proof asks for.
        return slightly_down(density - (added if rows.several else log1p(added)))

    def reach(self, rows: RowGeometry, regularization: float) -> float:
        """Return an L2 norm that the noise practically never exceeds."""
        return self.norm.reach(rows, self._scale(rows, regularization))

    def variance(self, rows: RowGeometry, regularization: float) -> float:
        """Return the largest variance of a coordinate of the noise in the gradient."""
        return self.norm.variance(rows, self._scale(rows, regularization))

    def noise_log_density(self, rows: RowGeometry, regularization: float, draw: NDArray[np.float64]) -> float:
        """Return the logarithm of the density of b."""
        return self.norm.log_density(rows, self._scale(rows, regularization), draw)

    def masking(self, statistic: ObjectiveStatistic) -> ObjectivePerturbation:
        """Return the mechanism with a mask for the statistic's tolerance."""
        return replace(self, mask=mask_for(statistic, self.share.epsilon))

    def loss(self, statistic: ObjectiveStatistic) -> PureDP:
        """Return the share."""
        return self.share

    def noise_scale(self, statistic: ObjectiveStatistic) -> float:
        """Return D / epsilon', rounded up: the scale of the noise's radius."""
        return finite(slightly_up(self._scale(statistic.rows, statistic.regularization)))

    def sensitivity(self, statistic: ObjectiveStatistic) -> tuple[float, SensitivityKind]:
        """Return the largest norm by which the summed gradient moves."""
        diameter = self.norm.diameter(statistic.rows)
        # A diameter in the gauge is exact; a root is rounded up.
        return diameter if self.norm.kind == "gauge" else slightly_up(diameter), self.norm.kind

    def sample(self, statistic: ObjectiveStatistic, noise: NoiseSource) -> NDArray[np.float64]:
        """Return the perturbed minimizer on the mask's grid, with its noise."""
        require_regularization(statistic, self.least_regularization(statistic.rows))
        draw = self.norm.draw(statistic.rows, self.noise_scale(statistic), noise)
        return mask_for(statistic, self.share.epsilon).apply(statistic.minimizer(draw), noise)

    def log_density(self, statistic: ObjectiveStatistic, answer: NDArray[np.float64]) -> float:
        """Return the logarithm of the density of this answer, of an exact minimizer without a mask.

        The density of the b whose minimizer it is, times the determinant of the Hessian.
        """
        gradient, curvature = gradient_and_curvature(statistic, answer)
        return self.norm.log_density(statistic.rows, self.noise_scale(statistic), -gradient) + curvature

    def divergence(self, one: ObjectiveStatistic, other: ObjectiveStatistic) -> float:
        """Return the largest log ratio over a set of outputs where slopes and norms are extreme: from below."""
        return self._worst(one, other)[0]

    def worst_answer(self, one: ObjectiveStatistic, other: ObjectiveStatistic) -> NDArray[np.float64]:
        """Return the output of that log ratio."""
        return self._worst(one, other)[1]

    def _worst(self, one: ObjectiveStatistic, other: ObjectiveStatistic) -> tuple[float, NDArray[np.float64]]:
        outputs = [one.minimizer(np.zeros(one.rows.ball.dimension)), *extreme_outputs(one, other)]
        ratios = [self.log_density(one, output) - self.log_density(other, output) for output in outputs]
        return max(ratios), outputs[int(np.argmax(ratios))]

    def _absorbs(self, rows: RowGeometry) -> bool:
        return self.norm.absorbs_self_bounded and rows.self_bounded

    def _scale(self, rows: RowGeometry, regularization: float) -> float:
        return self.norm.diameter(rows) / self.density_epsilon(rows, regularization)


def rank_one_regularization(rows: RowGeometry, epsilon: float) -> float:
    """Return the least lambda at which ln(1 + c R^2 / lambda) leaves half of epsilon."""
    # From here on the formula is below a millionth of c R^2, and overflows in the end: a floor keeps lambda from zero.
    if epsilon > log(1e12):
        return slightly_up(rows.curvature * rows.squared_radius / 1e6)
    return slightly_up(rows.curvature * rows.squared_radius / expm1(epsilon / 2))


def mask_for(statistic: ObjectiveStatistic, epsilon: float) -> Mask:
    """Return the mask for the statistic's tolerance out of a release's epsilon."""
    return Mask(statistic.rows.ball.dimension, statistic.error, density_and_mask(epsilon)[1])


def require_regularization(statistic: ObjectiveStatistic, least: float) -> None:
    """Refuse an objective for which the proof does not hold, before anything is drawn."""
    if statistic.regularization < least:
        raise PrivacyError(
            f"Expected a regularization of at least {least:g}, got {statistic.regularization:g}. Raise it."
        )


def gradient_and_curvature(statistic: ObjectiveStatistic, output: NDArray[np.float64]) -> tuple[Numbers, float]:
    """Return the objective's gradient at an output, and the logarithm of its Hessian's determinant."""
    gradient, hessian = statistic.derivatives(output)
    return gradient, float(np.linalg.slogdet(hessian)[1])


def extreme_outputs(one: ObjectiveStatistic, other: ObjectiveStatistic) -> Iterator[Numbers]:
    """Yield outputs at which two objectives' densities may differ most.

    In the direction in which the gradients at zero differ, at several sizes; where the noise has that direction; and
    where one coefficient decides the gauge, while the others together make both rows' slopes extreme.
    """
    change = one.unreleased_value - other.unreleased_value
    size, dimension = float(np.abs(change).max()), len(change)
    if size == 0:
        return
    for length in (*_LENGTHS, *(-length for length in _LENGTHS)):
        yield length * change / size
    # Where the noise is in line with the change: among many rows, whose slopes stay as they are without it.
    for sign in (-1.0, 1.0):
        yield one.minimizer(sign * _IN_LINE * change / size)
    first = int(np.argmax(np.abs(change)))
    # Of many coefficients only a few sign patterns are tried.
    signs = product((-1.0, 1.0), repeat=min(dimension, _SIGNED))
    for pattern in signs:
        output = np.resize(np.asarray(pattern), dimension) * _BEHIND
        output[first] /= _BEHIND
        yield _LENGTHS[-1] * output
