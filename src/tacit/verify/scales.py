"""What a noise scale costs: each mechanism's calibration read backwards, from its record in a certificate alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite, log1p

from tacit.mechanisms.gaussian import gaussian_delta
from tacit.mechanisms.gaussian_objective import JACOBIAN_SHARE, corners_failure, gaussian_failure, mean_excess
from tacit.mechanisms.mask import MASK_SHARE
from tacit.privacy.bisection import bisected
from tacit.privacy.conversions import bounded_range_to_zcdp, gaussian_rho, pure_to_zcdp
from tacit.privacy.gaussians_last import SMOOTHING
from tacit.privacy.loss import MAX_EPSILON
from tacit.privacy.release import ReleaseRecord

CLOSE = 1e-6
"""Relative difference up to which two figures count as equal: scales are rounded up, and one is found by bisection."""

_DENSITY_SHARE = float(1 - MASK_SHARE)
# The logistic loss has a curvature of 1/4 and Huber losses have more; the query's text rounds lambda to four digits.
_MIN_CURVATURE = 0.249
_BISECTIONS = 100
_MAX_RATIO = 1e7


@dataclass(frozen=True)
class LossRule:
    """How one mechanism's line is checked.

    Parameters
    ----------
    kind : str
        Of its sensitivity.
    losses : function
        From the line to the least and the largest loss that its scale is calibrated for.
    approximate : bool
        Whether it has a delta of its own, and no rho.
    rho : bool
        Whether it exists under zCDP alone.
    pure : bool
        Whether it exists under pure composition alone.
    up_to_delta : bool
        Whether its loss, in the currency of the whole, holds up to a delta of its own.
    """

    kind: str
    losses: Callable[[ReleaseRecord], tuple[float, float]]
    approximate: bool = False
    rho: bool = False
    pure: bool = False
    up_to_delta: bool = False


def is_readable(line: ReleaseRecord) -> bool:
    """Return whether a line names a mechanism of this package, and numbers that a release can have."""
    numbers = (line.sensitivity, line.noise_scale, line.loss, line.delta)
    return (
        line.mechanism in LOSS_RULES and line.loss > 0 and all(isfinite(number) and number >= 0 for number in numbers)
    )


def is_apart(line: ReleaseRecord) -> bool:
    """Return whether a line's loss is an (epsilon, delta) of its own, and not one in the currency of the whole."""
    rule = LOSS_RULES.get(line.mechanism)
    return line.delta > 0 and not (rule and rule.up_to_delta)


def implied(line: ReleaseRecord) -> tuple[float, float]:
    """Return the least and the largest loss that the line's scale allows for, in the line's currency.

    Without a sensitivity the answer is exact, and any loss is too much.
    """
    if line.sensitivity == 0:
        return 0.0, 0.0 if line.noise_scale else inf
    ratio = line.sensitivity / line.noise_scale if line.noise_scale else inf
    # Outside, the formulas leave the range of floats, and no budget is as large.
    return LOSS_RULES[line.mechanism].losses(line) if 1e-100 < ratio < _MAX_RATIO else (ratio, ratio)


def faults(line: ReleaseRecord) -> list[str]:
    """Return what in a line contradicts the rest of it."""
    if not is_readable(line):
        return ["names no mechanism of this package, or has a number that is negative or infinite, or no loss"]
    rule, found = LOSS_RULES[line.mechanism], []
    if line.sensitivity_kind != rule.kind:
        found.append(f"scales its noise to {line.sensitivity_kind}, where this mechanism needs {rule.kind}")
    if (rule.approximate or rule.up_to_delta) != (line.delta > 0):
        found.append("has a delta that its mechanism has no place for" if line.delta else "lacks its delta")
    no_rho = rule.approximate or rule.pure or rule.kind == "gauge" or "objective" in line.mechanism
    if no_rho if line.currency == "rho" else rule.rho:
        found.append(f"states a loss in {line.currency}, which its mechanism has none in")
    if found:
        return found
    low, high = implied(line)
    if not low / (1 + CLOSE) <= line.loss <= high * (1 + CLOSE):
        wanted = f"{low:.6g}" if high < low * (1 + CLOSE) else f"from {low:.6g} to {high:.6g}"
        found.append(f"states {line.currency} {line.loss:.6g}, but sensitivity and noise scale give {wanted}")
    return found


def _pure(line: ReleaseRecord) -> tuple[float, float]:
    """Return sensitivity / scale: Laplace noise and selections."""
    loss = line.sensitivity / line.noise_scale
    loss = pure_to_zcdp(loss) if line.currency == "rho" else loss
    return loss, loss


def _gaussian(line: ReleaseRecord) -> tuple[float, float]:
    """Return the rho, and for a discrete distribution that of a continuous one of a little less variance.

    As such it may be counted (``tacit.privacy.gaussians_last``): of counts that is seen in the fourth digit.
    """
    loss = gaussian_rho(line.sensitivity, line.noise_scale)
    if not line.mechanism.startswith("discrete"):
        return loss, loss
    ratio = SMOOTHING / line.noise_scale
    # A scale that is so counted is above it.
    return loss, loss / (1 - ratio**2) if ratio < 1 else loss


def _bounded_range(line: ReleaseRecord) -> tuple[float, float]:
    loss = bounded_range_to_zcdp(line.sensitivity / line.noise_scale)
    return loss, loss


def _selection(line: ReleaseRecord) -> tuple[float, float]:
    """Return the losses of exponential weights, which are of bounded range under zCDP."""
    return _bounded_range(line) if line.currency == "rho" else _pure(line)


def _analytic(line: ReleaseRecord) -> tuple[float, float]:
    ratio = line.noise_scale / line.sensitivity
    loss = _falling(lambda epsilon: gaussian_delta(epsilon, ratio), line.delta)
    return loss, loss


def _k_norm(line: ReleaseRecord) -> tuple[float, float]:
    loss = line.sensitivity / line.noise_scale / _DENSITY_SHARE
    return loss, loss


def _gauge_objective(line: ReleaseRecord) -> tuple[float, float]:
    # Two rows' slopes, whatever the table: a constant of the proof.
    if line.sensitivity != 2:
        return inf, inf
    if "logistic objective" in line.query:
        return _k_norm(line)
    return _objective(line)


def _objective(line: ReleaseRecord) -> tuple[float, float]:
    """Return the losses of a density whose curvature may have used up to half of them."""
    density = line.sensitivity / line.noise_scale
    return (density + _curvature_cost(line)) / _DENSITY_SHARE, 2 * density / _DENSITY_SHARE


def _gaussian_objective(line: ReleaseRecord) -> tuple[float, float]:
    shift = line.sensitivity / line.noise_scale
    # A line does not say whether persons have several rows, whose noise follows from the mean excess of the loss.
    left, most = (
        _falling(partial(corners_failure, failure, shift=shift / 2), line.delta)
        for failure in (gaussian_failure, mean_excess)
    )
    low = left + _curvature_cost(line)
    return low / _DENSITY_SHARE, min(most / (1 - JACOBIAN_SHARE), most + 30.0) / _DENSITY_SHARE


def _curvature_cost(line: ReleaseRecord) -> float:
    """Return the least that the change of curvature can cost, ln(1 + c R^2 / lambda), at the query's lambda."""
    named = re.search(r" with lambda (\d+(\.\d+)?(e[+-]\d{1,2})?),", line.query, re.ASCII)
    squared_radius = line.sensitivity / 2 * line.sensitivity / 2
    return log1p(_MIN_CURVATURE * squared_radius / max(float(named[1]), 1e-99)) if named else 0.0


def _falling(failure: Callable[[float], float], delta: float) -> float:
    """Return the epsilon at which a failure probability falls to delta."""
    low, high = 0.0, 1.0
    while failure(high) > delta and high < MAX_EPSILON:
        low, high = high, 2 * high
    return bisected(lambda epsilon: failure(epsilon) <= delta, low, high, _BISECTIONS)[0]


_SELECTION = LossRule("range", _pure)
_EXPONENTIAL = LossRule("range", _bounded_range, rho=True)

LOSS_RULES = {
    "Laplace": LossRule("l1", _pure),
    "discrete Laplace": LossRule("l1", _pure),
    "Gaussian": LossRule("l2", _gaussian, rho=True),
    "discrete Gaussian": LossRule("l2", _gaussian, rho=True),
    "analytic Gaussian": LossRule("l2", _analytic, approximate=True),
    "thresholded discrete Laplace": LossRule("l1", _pure, pure=True, up_to_delta=True),
    "thresholded discrete Gaussian": LossRule("l2", _gaussian, rho=True, up_to_delta=True),
    "permute-and-flip": _SELECTION,
    "joint permute-and-flip": _SELECTION,
    "weighted exponential mechanism": _SELECTION,
    "weighted noisy max": _SELECTION,
    "exponential mechanism": _EXPONENTIAL,
    "joint exponential mechanism": _EXPONENTIAL,
    "exponential mechanism over cells": LossRule("range", _selection),
    "K-norm": LossRule("gauge", _k_norm),
    "K-norm objective perturbation": LossRule("gauge", _gauge_objective),
    "divided K-norm objective perturbation": LossRule("gauge", _gauge_objective),
    "objective perturbation": LossRule("l2", _objective),
    "Gaussian objective perturbation": LossRule("l2", _gaussian_objective, approximate=True),
}
"""Every mechanism of this package, by the name that its releases have."""
