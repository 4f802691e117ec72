"""Cut points of numeric columns by private quantiles, for schemas that name none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.mechanisms import Releases
from tacit.privacy import Planned, PrivacyUnit
from tacit.queries import QuantileScores
from tacit.schema import Numeric, Schema
from tacit.table import BinEncoding, Table

CANDIDATES = 255
"""Parts of the public grid on each column's scale from which quantiles are selected."""

Cuts = tuple[tuple[str, tuple[float, ...]], ...]


@dataclass(frozen=True)
class PrivateCuts:
    """Settings of private cut points.

    Privacy: one selection for each quantile of each protected column, range 2. Quantiles of public columns are
    exact and free.
    """

    schema: Schema
    quantiles: int = 7
    """How many of each column."""
    share: float = 0.1
    """Of the budget, for all of them together."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Numeric columns without cut points of their own; dates keep the even grid."""
        numeric = (column for column in self.schema.columns if isinstance(column, Numeric))
        return tuple(column.name for column in numeric if column.cuts is None and not column.is_date)

    def plan(self, unit: PrivacyUnit, others: Sequence[Planned]) -> list[Planned]:
        """Return the selections, weighted so that they get their share beside the other releases."""
        count = self.quantiles * sum(name in unit.columns for name in self.columns)
        if count == 0 or not others:
            return []
        rest = sum(release.weight * release.count for release in others)
        # Solved for the weight of one: count * weight / (count * weight + rest) = share.
        return [Planned("selection", weight=rest * self.share / (1 - self.share) / count)] * count

    def release(self, table: Table, releases: Releases) -> Cuts:
        """Return cut points by column; ``releases`` are those of the plan."""
        if not self.columns:
            return ()
        encoding = BinEncoding(self.schema, self.columns, CANDIDATES)
        scores = QuantileScores(table, encoding)
        found = []
        for name, grid in zip(self.columns, encoding.cuts, strict=True):
            chosen = set()
            for quantile in np.arange(1, self.quantiles + 1) / (self.quantiles + 1):
                # A set: neighboring quantiles may select the same cut.
                chosen.add(grid[releases.best(scores.statistic(name, float(quantile)))])
            found.append((name, tuple(sorted(chosen))))
        return tuple(found)
