"""A lower epsilon by numeric composition of privacy loss distributions, with the extra ``tight``."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING, Any

from tacit.errors import MissingExtra
from tacit.privacy.loss import ZCDP, Share
from tacit.privacy.rounding import slightly_up

if TYPE_CHECKING:
    from tacit.privacy.guarantee import Guarantee

_STEPS = 20_000
"""Grid steps to one epsilon: what rounding up costs a release is at most one step."""


def tightened(guarantee: Guarantee) -> Guarantee:
    """Return the guarantee with a lower epsilon at its delta, or itself if none is found.

    All announced releases are counted, whether or not they were made, as that may depend on answers. A release of pure
    epsilon is counted as randomized response, which dominates every mechanism of that epsilon (Kairouz, Oh and
    Viswanath 2015); continuous Laplace noise would not do, as it does not dominate discrete Laplace noise. Continuous
    Gaussian noise on a vector loses as much as on one number, by rotation (Balle and Wang 2018).
    """
    distributions = _distributions()
    if guarantee.delta == 0 or not guarantee.announced:
        return guarantee
    epsilon = max(_composed(distributions, shares, guarantee) for shares in guarantee.announced)
    lower = replace(guarantee, epsilon=epsilon).announcing(guarantee.announced)
    return lower if epsilon < guarantee.epsilon else guarantee


def _distributions() -> Any:
    try:
        from dp_accounting.pld import privacy_loss_distribution
    except ImportError:
        raise MissingExtra(
            "Expected the extra 'tight', got no dp-accounting. Install it: pip install 'tacit[tight]'."
        ) from None
    return privacy_loss_distribution


def _composed(distributions: Any, shares: tuple[Share, ...], guarantee: Guarantee) -> float:
    # Losses are rounded up to this grid, so that the composed epsilon is an upper bound.
    interval = guarantee.epsilon / _STEPS
    total = None
    for share, count in Counter(shares).items():
        one = _one(distributions, share, interval).self_compose(count)
        total = one if total is None else total.compose(one)
    assert total is not None
    return slightly_up(float(total.get_epsilon_for_delta(guarantee.delta)))


def _one(distributions: Any, share: Share, interval: float) -> Any:
    if isinstance(share, ZCDP):
        ratio = slightly_up(sqrt(2 * share.rho))
        return distributions.from_gaussian_mechanism(
            1.0, sensitivity=ratio, value_discretization_interval=interval, pessimistic_estimate=True
        )
    from dp_accounting.pld import common

    return distributions.from_privacy_parameters(
        common.DifferentialPrivacyParameters(share.epsilon, 0.0), value_discretization_interval=interval
    )
