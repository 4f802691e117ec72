"""The certificate of DP-Feat: it hides one column's entries of rados, and no person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from tacit.errors import ParameterError
from tacit.privacy.parameters import counting, nonnegative, positive
from tacit.privacy.truncated_binomial import Window


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
            "What is not hidden: everything else. Anyone who knows the other columns can tell from the other entries "
            "of a rado which rows it sums, and then read the protected cell (docs/rados.md shows how).",
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
