"""How well each point of a public grid serves as a quantile of a column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import PrivacyUnit, SelectionStatistic
from tacit.table import BinEncoding, Block, Table


class QuantileScores:
    """Ranks of public grid points in numeric columns, counted once.

    Privacy: ``statistic`` has range 2 under replace-one neighbors: a replaced cell changes each grid point's rank
    by at most one row. The label is not read. Proof: ``proofs/queries/quantile_scores.md``.

    Parameters
    ----------
    encoding : BinEncoding
        Of the columns; its cuts are the candidates.
    """

    def __init__(self, table: Table, encoding: BinEncoding):
        self._table, self._encoding = table, encoding
        counts = table.sum(self._count)
        self._ranks = {name: counts[at].cumsum() for at, name in enumerate(encoding.columns)}

    def statistic(self, column: str, quantile: float) -> SelectionStatistic:
        """Return minus the number of rows by which each cut misses the quantile; of a public column, nothing private.

        Parameters
        ----------
        quantile : float
            In (0, 1).
        """
        n_cuts = len(self._encoding.cuts[self._encoding.columns.index(column)])
        # A whole number, as ranks are, so that scores are integers and the range is exact.
        target = round(quantile * self._table.n_rows)
        return SelectionStatistic(
            query=f"quantile of {column}",
            unit=self._table.unit if column in self._table.unit.columns else PrivacyUnit((), label=False),
            unreleased_value=-np.abs(self._ranks[column][:n_cuts] - target),
            range=2.0,
        )

    def _count(self, block: Block) -> NDArray[np.int64]:
        codes = block.codes(self._encoding)
        most = max(self._encoding.n_bins)
        return np.stack([np.bincount(codes[:, at], minlength=most) for at in range(codes.shape[1])])
