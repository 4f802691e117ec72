"""The best of a secret number of runs: what it costs, given the cost of one run.

Liu and Talwar (2019); Papernot and Steinke (2022), whose Theorem 2 is used for the logarithmic distribution. Proof:
``proofs/privacy/random_runs.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt
from typing import ClassVar

from tacit.privacy.bisection import bisected
from tacit.privacy.conversions import zcdp_delta, zcdp_epsilon, zcdp_rho
from tacit.privacy.loss import Budget
from tacit.privacy.parameters import Whole
from tacit.privacy.rounding import down, slightly_up

_BISECTIONS = 100
_ONE_IN = Whole(2, 10**9, "A mean of 20 runs is 1 in 92.")

UNSEEN_RUNS = (
    "the released model is the best of a secret number of runs, by a noisy score that is among the releases of each; "
    "the number, the other runs and how long all of them took are observed by nobody"
)
"""What a certificate with runs takes for granted besides."""


@dataclass(frozen=True)
class RandomRuns:
    """A secret number of runs k >= 1, drawn with probability (1 - s)^k / (k log(1/s)), s = 1/one_in.

    Raises ParameterError if ``one_in`` is not a whole number from 2 to 10^9.

    Examples
    --------
    >>> runs = RandomRuns(20)
    >>> round(runs.mean, 2), runs.of_one(Budget(1.0)).epsilon
    (6.34, 0.5)
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    one_in: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "one_in", _ONE_IN.check("one_in", self.one_in))

    @classmethod
    def of_mean(cls, mean: float) -> RandomRuns:
        """Return those of the least parameter whose mean is at least this."""
        low, high = 2, 4
        while cls(high).mean < mean:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if cls(middle).mean < mean else (low, middle)
        return cls(low) if cls(low).mean >= mean else cls(high)

    @property
    def stop(self) -> Fraction:
        """The distribution's parameter s."""
        return Fraction(1, self.one_in)

    @property
    def mean(self) -> float:
        """Mean number of runs, rounded up."""
        return slightly_up((self.one_in - 1) / log(self.one_in))

    def delta(self, rho: float, epsilon: float) -> float:
        """Return a delta for which the best of runs, each rho-zCDP, is (epsilon, delta)-DP, rounded up.

        At order a the Renyi divergence is at most a rho + c + log(mean)/(a - 1), c = 2 sqrt(rho log(1/s)) - rho: the
        conversion of zCDP at epsilon - c, times the mean.
        """
        left = epsilon - self._choice(rho)
        return min(1.0, slightly_up(self.mean * zcdp_delta(rho, left))) if left > 0 else 1.0

    def epsilon(self, rho: float, delta: float) -> float:
        """Return an epsilon for which the best of runs, each rho-zCDP, is (epsilon, delta)-DP."""
        low, high = 0.0, 1.0
        while self.delta(rho, high) > delta:
            low, high = high, 2 * high
        return bisected(lambda epsilon: self.delta(rho, epsilon) <= delta, low, high, _BISECTIONS)[1]

    def rho(self, budget: Budget) -> float:
        """Return the largest rho of one run whose best stays within the budget, rounded down; delta is above zero."""
        low, high = 0.0, 1.0
        while self.delta(high, budget.epsilon) <= budget.delta:
            low, high = high, 2 * high
        return bisected(lambda rho: self.delta(rho, budget.epsilon) > budget.delta, low, high, _BISECTIONS)[0]

    def of_one(self, budget: Budget) -> Budget:
        """Return the budget of one run: under a delta, one that zCDP composition fills with ``rho`` at most.

        A run of pure epsilon costs twice that, whatever the distribution's parameter.
        """
        if budget.delta == 0:
            return Budget(down(Fraction(budget.epsilon) / 2))
        rho = self.rho(budget)
        epsilon = zcdp_epsilon(rho, budget.delta)
        while zcdp_rho(epsilon, budget.delta) > rho:
            epsilon *= 1 - 2.0**-40  # the conversion and its inverse round apart
        return Budget(epsilon, budget.delta)

    def _choice(self, rho: float) -> float:
        """Return the least over b >= 1 of (b - 1) rho + log(1/s)/b, rounded up: what the choice of the best adds."""
        cost = log(self.one_in)
        return slightly_up(2 * sqrt(rho * cost) - rho if cost >= rho else cost)
