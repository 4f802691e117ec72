"""A lower epsilon by numeric composition of privacy loss distributions, with the extra ``tight``."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import Any

from tacit.errors import MissingExtra
from tacit.privacy.loss import ZCDP, Share
from tacit.privacy.rounding import slightly_up

_STEPS = 20_000
"""Grid steps to one epsilon: what rounding up costs a release is at most one step."""


def tight_epsilon(epsilon: float, delta: float, announced: tuple[tuple[Share, ...], ...]) -> float:
    """Return a lower epsilon at the delta, or the same if none is found.

    All announced releases are counted, of each slice of the rows, whether or not they were made, as that may depend on
    answers. A release of pure epsilon is counted as randomized response, which dominates every mechanism of that
    epsilon (Kairouz, Oh and Viswanath 2015); continuous Laplace noise would not do, as it does not dominate discrete
    Laplace noise. Continuous Gaussian noise on a vector loses as much as on one number, by rotation (Balle and Wang
    2018).
    """
    distributions = _distributions()
    if delta == 0 or not announced:
        return epsilon
    # Losses are rounded up to this grid, so that the composed epsilon is an upper bound.
    interval = epsilon / _STEPS
    return min(epsilon, max(_composed(distributions, shares, interval, delta) for shares in announced))


def _distributions() -> Any:
    try:
        from dp_accounting.pld import privacy_loss_distribution
    except ImportError:
        raise MissingExtra(
            "Expected the extra 'tight', got no dp-accounting. Install it: pip install 'tacit[tight]'."
        ) from None
    return privacy_loss_distribution


def _composed(distributions: Any, shares: tuple[Share, ...], interval: float, delta: float) -> float:
    total = None
    for share, count in Counter(shares).items():
        one = _one(distributions, share, interval).self_compose(count)
        total = one if total is None else total.compose(one)
    assert total is not None
    return slightly_up(float(total.get_epsilon_for_delta(delta)))


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
