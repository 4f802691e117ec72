"""A lower epsilon by numeric composition of privacy loss distributions, with the extra ``tight``."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tacit.errors import MissingExtra
from tacit.privacy.release import ReleaseRecord
from tacit.privacy.rounding import slightly_up, up

if TYPE_CHECKING:
    from tacit.privacy.guarantee import Guarantee

_PURE = ("Laplace", "discrete Laplace")
_STEPS = 20_000
"""Grid steps to one epsilon: what rounding up costs a release is at most one step."""


def tightened(guarantee: Guarantee) -> Guarantee:
    """Return the guarantee with a lower epsilon at its delta, or itself if none is found.

    A pure release is counted as randomized response, which dominates every mechanism of its epsilon (Kairouz,
    Oh and Viswanath 2015): the Laplace law does not dominate its own discrete form. A continuous Gaussian
    release of any dimension is as good as one number, by rotation (Balle and Wang 2018).
    """
    distributions = _distributions()
    if guarantee.runs is not None:  # those that lost are not among its releases, and cost as well
        return guarantee
    kinds = Counter(map(_ratio, guarantee.releases))
    if guarantee.delta == 0 or not kinds or None in kinds:
        return guarantee
    epsilon = _composed(distributions, kinds, guarantee)
    return replace(guarantee, epsilon=epsilon) if epsilon < guarantee.epsilon else guarantee


def _distributions() -> Any:
    try:
        from dp_accounting.pld import privacy_loss_distribution
    except ImportError:
        raise MissingExtra(
            "Expected the extra 'tight', got no dp-accounting. Install it: pip install 'tacit[tight]'."
        ) from None
    return privacy_loss_distribution


def _ratio(line: ReleaseRecord) -> tuple[str, float] | None:
    """Return the law and its sensitivity in units of noise, or None if it has no known distribution."""
    if line.noise_scale <= 0 or line.delta:
        return None
    ratio = up(Fraction(line.sensitivity) / Fraction(line.noise_scale))
    if line.mechanism in _PURE and line.sensitivity_kind == "l1":
        return "pure", ratio
    if line.mechanism == "Gaussian" and line.sensitivity_kind == "l2":
        return "gaussian", ratio
    return None


def _composed(distributions: Any, kinds: Counter[Any], guarantee: Guarantee) -> float:
    # Losses are rounded up to this grid, so that the composed epsilon is an upper bound.
    interval = guarantee.epsilon / _STEPS
    total = None
    for (law, ratio), count in kinds.items():
        one = _one(distributions, law, ratio, interval).self_compose(count)
        total = one if total is None else total.compose(one)
    assert total is not None
    return slightly_up(float(total.get_epsilon_for_delta(guarantee.delta)))


def _one(distributions: Any, law: str, ratio: float, interval: float) -> Any:
    if law == "gaussian":
        return distributions.from_gaussian_mechanism(
            1.0, sensitivity=ratio, value_discretization_interval=interval, pessimistic_estimate=True
        )
    from dp_accounting.pld import common

    return distributions.from_privacy_parameters(
        common.DifferentialPrivacyParameters(ratio, 0.0), value_discretization_interval=interval
    )
