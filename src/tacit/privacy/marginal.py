"""DP-Feat: a binomial count cut off at a window, what moving it by one costs, and its certificate.

Nock, Patrini and Friedman (2015), section 5.1: of m rows, each takes part in a rado with probability 1/2. For a column
whose edges are -1 or 1, the rado's entry is K - (rows with edge -1), where K, the number of rows whose part agrees with
their edge, is binomial(m, 1/2) whatever the rows hold. The window keeps K within m - beta (m + 1) and beta (m + 1).
Proof: ``proofs/privacy/marginal.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, exp, inf, log1p
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, logsumexp

from tacit.errors import ParameterError
from tacit.privacy.parameters import counting, nonnegative, positive
from tacit.privacy.rounding import slightly_up


@dataclass(frozen=True)
class Window:
    """Counts K in [low, n_rows - low] of a binomial(n_rows, 1/2)."""

    n_rows: int
    epsilon: float
    """Neighboring counts in the window differ in probability by a factor of at most exp(epsilon / 2)."""

    def __post_init__(self) -> None:
        counting("n_rows", self.n_rows)
        positive("epsilon", self.epsilon)
        if self.low > self.high:
            raise ParameterError(
                f"Expected more rows for so small an epsilon: the window of DP-Feat is empty at "
                f"epsilon={self.epsilon:g}. Raise epsilon, or protect the whole row with protection='private'."
            )

    @property
    def beta(self) -> float:
        """1 / (1 + exp(epsilon / 2)), rounded up so that the window is never too wide."""
        return slightly_up(1 / (1 + exp(self.epsilon / 2))) if self.epsilon < 1400 else 0.0

    @property
    def low(self) -> int:
        """Smallest count."""
        return max(0, ceil(self.beta * (self.n_rows + 1)))

    @property
    def high(self) -> int:
        """Largest count."""
        return self.n_rows - self.low

    @cached_property
    def log_distribution(self) -> NDArray[np.float64]:
        """Logarithms of the probabilities of low, ..., high."""
        counts = np.arange(self.low, self.high, dtype=np.float64)
        steps = np.log((self.n_rows - counts) / (counts + 1))
        logs = np.concatenate([[0.0], np.cumsum(steps)])
        return np.asarray(logs - logsumexp(logs))

    @property
    def outside(self) -> float:
        """Probability that an unrestricted count misses the window; what a rejection sampler throws away."""
        return float(2 * bdtr(self.low - 1, self.n_rows, 0.5)) if self.low > 0 else 0.0

    def delta(self, epsilon: float | None = None) -> float:
        """Return the exact delta at epsilon for one rado's entry when one row's cell changes.

        The hockey-stick divergence of the distribution from itself moved by one, in the worse direction. At the
        window's own epsilon that is the probability of an end of the window.
        """
        at = self.epsilon if epsilon is None else epsilon
        here = self.log_distribution
        moved = np.concatenate([here[1:], [-inf]])
        with np.errstate(invalid="ignore", over="ignore"):
            excess = np.where(here > at + moved, -np.expm1(np.minimum(at + moved - here, 0.0)), 0.0)
        return min(1.0, slightly_up(float(np.sum(np.exp(here) * excess))))

    def several(self, n_columns: int) -> tuple[float, float]:
        """Return (epsilon, delta) for one of several columns whose windows hold at the same time.

        With tau the probability of missing one window and s columns: exp(epsilon') = exp(epsilon / 2) / (1 - s tau),
        delta' = (exp(epsilon / 2) (s - 1) tau + end) / (1 - s tau), end being the unrestricted probability of an end.
        """
        if counting("n_columns", n_columns) == 1:
            return self.epsilon, self.delta()
        missed = n_columns * self.outside
        if missed >= 1:
            raise ParameterError(
                f"Expected windows that hold together with a known probability, got n_columns={n_columns} at "
                f"epsilon={self.epsilon:g}. Raise epsilon, or protect fewer columns."
            )
        end = exp(self.log_distribution[-1]) * (1 - self.outside)
        factor = exp(self.epsilon / 2)
        delta = (factor * (n_columns - 1) * self.outside + end) / (1 - missed)
        return slightly_up(self.epsilon / 2 - log1p(-missed)), min(1.0, slightly_up(delta))


@dataclass(frozen=True)
class MarginalGuarantee:
    """What DP-Feat promises: the distribution of some columns' entries in rados, each taken alone.

    Not differential privacy: the other entries of the same rados tell which rows they sum, and so the protected cell.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    columns: tuple[str, ...]
    """The protected columns; between them only one at a time is promised anything."""
    n_rows: int
    count: int
    """Rows of the table, public, and rados made of it."""
    epsilon: float
    delta: float
    """Of one column's entry in one rado, one row's cell replaced; delta is exact for one column."""
    noise: str
    """Where the signatures came from."""
    status: Literal["marginal", "simulated"] = "marginal"
    """Simulated signatures can be repeated and promise nothing."""
    kind: Literal["marginal"] = "marginal"

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        counting("n_rows", self.n_rows)
        counting("count", self.count)
        if not self.columns or not 0 <= nonnegative("delta", self.delta) <= 1:
            raise ParameterError("Expected protected columns and a delta in [0, 1]. Make it with MarginalGuarantee.of.")

    @classmethod
    def of(
        cls, columns: tuple[str, ...], *, n_rows: int, count: int, epsilon: float, noise: str, secure: bool
    ) -> MarginalGuarantee:
        """Return the guarantee of DP-Feat at its parameter epsilon, which each column's window has."""
        one, delta = Window(n_rows, epsilon).several(len(columns))
        return cls(columns, n_rows, count, one, delta, noise, "marginal" if secure else "simulated")

    @property
    def total_epsilon(self) -> float:
        """Of the column's entries in all rados together, by basic composition."""
        return self.count * self.epsilon

    @property
    def total_delta(self) -> float:
        """Of all rados together; 1 promises nothing."""
        return min(1.0, self.count * self.delta)

    def __str__(self) -> str:
        names = ", ".join(f"column {name!r}" for name in self.columns)
        lines = [
            "MARGINAL GUARANTEE ONLY: THIS IS NOT DIFFERENTIAL PRIVACY",
            f"What is hidden: the entries of {names} in the rados, each column looked at alone.",
            f"One entry: epsilon {self.epsilon:g}, delta {self.delta:.3g}. All {self.count:,} rados: "
            f"epsilon {self.total_epsilon:g}, delta {self.total_delta:.3g}.",
            "What is not hidden: everything else. Anyone who knows the other columns can find which rows a rado sums, "
            "from its other entries. They can then read the protected cell (docs/rados.md shows how).",
            f"Rows: {self.n_rows:,}; this number is public.",
            f"Signatures: {self.noise}.",
        ]
        if self.status == "simulated":
            lines.insert(
                1, "SIMULATED: anyone who knows the seed can repeat the signatures, so even this does not hold."
            )
        elif self.total_delta >= 1:
            lines.insert(1, "With so many rados the total delta is 1: together they promise nothing even about it.")
        return "\n".join(lines)
