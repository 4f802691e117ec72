"""The mechanism for a share, whichever currency the accountant chose."""

from __future__ import annotations

from tacit.mechanisms.gaussian import Gaussian
from tacit.mechanisms.laplace import Laplace
from tacit.mechanisms.selection import ExponentialMechanism, PermuteAndFlip
from tacit.privacy import PureDP, Share


def additive(share: Share) -> Laplace | Gaussian:
    """Return the mechanism that adds noise at this cost.

    Examples
    --------
    >>> additive(PureDP(0.5))
    Laplace(share=PureDP(epsilon=0.5))
    """
    return Laplace(share) if isinstance(share, PureDP) else Gaussian(share)


def selection(share: Share) -> PermuteAndFlip | ExponentialMechanism:
    """Return the mechanism that selects at this cost.

    Examples
    --------
    >>> selection(PureDP(0.5))
    PermuteAndFlip(share=PureDP(epsilon=0.5))
    """
    return PermuteAndFlip(share) if isinstance(share, PureDP) else ExponentialMechanism(share)
