"""What a release costs, in one of three currencies."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.privacy.conversions import pure_to_zcdp
from tacit.privacy.parameters import failure_probability, nonnegative, positive


@dataclass(frozen=True)
class PureDP:
    """Pure differential privacy: no output becomes more than exp(epsilon) times as likely.

    Examples
    --------
    >>> PureDP(0.5).in_pure()
    0.5
    """

    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))

    def in_pure(self) -> float | None:
        """Return epsilon."""
        return self.epsilon

    def in_zcdp(self) -> float | None:
        """Return a rho that holds for every mechanism of this loss: epsilon * tanh(epsilon / 2)."""
        return pure_to_zcdp(self.epsilon)


@dataclass(frozen=True)
class ZCDP:
    """Zero-concentrated differential privacy: the Rényi divergence of order a is at most a * rho.

    Examples
    --------
    >>> ZCDP(0.01).in_pure() is None
    True
    """

    rho: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", positive("rho", self.rho))

    def in_pure(self) -> float | None:
        """Return None: no pure loss follows."""
        return None

    def in_zcdp(self) -> float | None:
        """Return rho."""
        return self.rho


@dataclass(frozen=True)
class ApproximateDP:
    """Approximate differential privacy: exp(epsilon) times as likely, plus delta. Composes by addition only.

    Examples
    --------
    >>> ApproximateDP(0.5, 1e-6).in_zcdp() is None
    True
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", nonnegative("epsilon", self.epsilon))
        object.__setattr__(self, "delta", failure_probability("delta", self.delta))

    def in_pure(self) -> float | None:
        """Return epsilon if delta is zero, else None."""
        return self.epsilon if self.delta == 0 else None

    def in_zcdp(self) -> float | None:
        """Return None: no rho follows."""
        return None


Share = PureDP | ZCDP
"""What ``Accountant.split`` gives out for one release."""

PrivacyLoss = PureDP | ZCDP | ApproximateDP
"""What a mechanism may say that it costs."""
