"""Ways to make rados of a table: unprotected, within DP-Feat's window, of noisy edges; ``private_rados`` is one more.

Only the last two are differentially private: ``proofs/queries/rademacher_sums.md`` and ``proofs/queries/edges.md``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import floor
from typing import ClassVar, Literal, Protocol, final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.mechanisms import Releases
from tacit.mechanisms.gaussian import AnalyticGaussian
from tacit.mechanisms.rado_signatures import (
    DrawnSignatures,
    FreeSignatures,
    RandomBits,
    draw_subsets,
    draw_window_counts,
    random_signs,
)
from tacit.privacy import ApproximateDP, Persons, PlanEntry, PrivacyUnit
from tacit.privacy.marginal import MarginalGuarantee, Window
from tacit.privacy.parameters import Number, Whole
from tacit.privacy.rounding import slightly_down
from tacit.queries.edges import EdgeForm, all_edges, exact_edges
from tacit.queries.rademacher_sums import WindowedSums, rademacher_sums, sum_parts
from tacit.table import Table

Floats = NDArray[np.float64]

Protection = Literal["private", "edges", "marginal", "none"]

COUNT = Whole(1, 100_000, "The paper has at most 1000.")
SUPPORT = Number(1e-9, 1, "Half of the rows is the default.")
_BYTES_TOGETHER = 2**27
"""Bytes of drawn signatures in memory at a time."""
_MAX_REDRAWS = 10_000


class RadoMaker(Protocol):
    """Makes rados of a table; says beforehand what it releases."""

    protection: ClassVar[Protection]

    @property
    def count(self) -> int:
        """Number of rados."""

    def unsupported(self, persons: Persons) -> str | None:
        """Return why several rows of a person are not protected, as a clause, or None if they are."""

    def plan(self, form: EdgeForm, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the releases that the rados need."""

    def clipped(self, form: EdgeForm, unit: PrivacyUnit, releases: Releases, n_rows: int) -> EdgeForm:
        """Return the form that rados are made of, which a small budget may make coarser; reads no row."""

    def make(self, table: Table, form: EdgeForm, releases: Releases, generator: np.random.Generator) -> Floats:
        """Return the rados, shape (count, n_features)."""


@dataclass(frozen=True, eq=False)
class SignedRados(ABC):
    """Rados that are sums over drawn signatures; abstract."""

    count: int
    bits: RandomBits
    protection: ClassVar[Protection]

    def __post_init__(self) -> None:
        COUNT.check("count", self.count)

    def unsupported(self, persons: Persons) -> str | None:
        """Return why: what is drawn or made noisy is a row."""
        return f"a rado of protection={self.protection!r} holds whole rows, of which a person would have several"

    def plan(self, form: EdgeForm, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return none: there is no differentially private release."""
        return []

    def clipped(self, form: EdgeForm, unit: PrivacyUnit, releases: Releases, n_rows: int) -> EdgeForm:
        """Return the form unchanged."""
        return form

    def make(self, table: Table, form: EdgeForm, releases: Releases, generator: np.random.Generator) -> Floats:
        """Return the rados."""
        return self._made(table, form, releases)

    @abstractmethod
    def _made(self, table: Table, form: EdgeForm, releases: Releases) -> Floats: ...

    def _some_at_a_time(self, n_rows: int, make: Callable[[int], Floats]) -> Floats:
        """Return rados made by so many that what is drawn for all rows fits in memory."""
        together = max(1, _BYTES_TOGETHER // n_rows)
        return np.concatenate([make(min(together, self.count - done)) for done in range(0, self.count, together)])


@final
@dataclass(frozen=True, eq=False)
class PlainRados(SignedRados):
    """Exact rados from free signatures, Definition 1; nothing is protected."""

    protection: ClassVar[Protection] = "none"

    def _made(self, table: Table, form: EdgeForm, releases: Releases) -> Floats:
        return rademacher_sums(table, form, FreeSignatures(self.count, self.bits))


@final
@dataclass(frozen=True, eq=False)
class MarginalRados(SignedRados):
    """Rados of DP-Feat, Algorithm 2: the entries of some columns stay within a window.

    Several columns are tried until all windows hold.
    """

    columns: tuple[str, ...]
    epsilon: float
    """Of one entry of one rado."""
    protection: ClassVar[Protection] = "marginal"

    def guarantee(self, n_rows: int) -> MarginalGuarantee:
        """Return what is hidden, which is no differential privacy."""
        return MarginalGuarantee.of(
            self.columns,
            n_rows=n_rows,
            count=self.count,
            epsilon=self.epsilon,
            noise=self.bits.description,
            secure=self.bits.is_private,
        )

    def _made(self, table: Table, form: EdgeForm, releases: Releases) -> Floats:
        # First, so that what it refuses is refused before any row is read.
        self.guarantee(table.n_rows)
        window = Window(table.n_rows, self.epsilon)
        sums = WindowedSums(table, form, self.columns, lambda values: random_signs(values, self.bits))
        return self._some_at_a_time(table.n_rows, lambda count: sums.rados(self._agreements(count, window, sums)))

    def _agreements(self, count: int, window: Window, sums: WindowedSums) -> NDArray[np.uint8]:
        drawn = self._draw(count, window)
        for _ in range(_MAX_REDRAWS):
            counts = sums.counts(drawn)
            outside = np.flatnonzero(((counts < window.low) | (counts > window.high)).any(axis=1))
            if not len(outside):
                return drawn
            drawn[outside] = self._draw(len(outside), window)
        raise ParameterError("Expected windows that hold at the same time. Raise epsilon, or protect fewer columns.")

    def _draw(self, count: int, window: Window) -> NDArray[np.uint8]:
        return draw_subsets(draw_window_counts(window, count, self.bits), window.n_rows, self.bits)


@final
@dataclass(frozen=True, eq=False)
class EdgeRados(SignedRados):
    """Rados of edges that got Gaussian noise one by one: section 5.2. (epsilon, delta)-DP, and local."""

    epsilon: float
    delta: float
    """What one set of noisy edges costs."""
    support: float = 0.5
    """Share of the rows that each rado sums: the paper's m_*, over m."""
    protection: ClassVar[Protection] = "edges"

    def __post_init__(self) -> None:
        super().__post_init__()
        SUPPORT.check("support", self.support)
        AnalyticGaussian(self._loss)

    def plan(self, form: EdgeForm, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the one release of all edges."""
        return [] if unit.protects_nothing else [PlanEntry.approximate(self.epsilon, self.delta)]

    @property
    def _loss(self) -> ApproximateDP:
        return ApproximateDP(self.epsilon, self.delta)

    def _made(self, table: Table, form: EdgeForm, releases: Releases) -> Floats:
        protected = form.protected(table.unit)
        edges = np.empty((table.n_rows, form.n_features))
        if protected.any():
            edges[:, protected] = releases.by(AnalyticGaussian(self._loss), all_edges(table, form))
        if not protected.all():
            edges[:, ~protected] = exact_edges(table, form)
        # Rounded down as the paper's m_*, but a rado sums at least one row.
        size = max(1, floor(self.support * table.n_rows))
        return self._some_at_a_time(
            table.n_rows, lambda count: sum_parts(edges, self._parts(count, size, table.n_rows))
        )

    def _parts(self, count: int, size: int, n_rows: int) -> DrawnSignatures:
        return DrawnSignatures(draw_subsets(np.full(count, size, dtype=np.int64), n_rows, self.bits))


def part_of(amount: float, parts: int) -> float:
    """Return an amount divided into equal parts, rounded down so that their exact sum stays within it."""
    return amount if parts == 1 else slightly_down(amount / parts)
