"""The weighted error with the sensitivity of Shen and others (2022), Lemma 1."""

from __future__ import annotations

from dataclasses import replace

from tacit.privacy import NumericStatistic
from tacit.queries.weighted_error import WeightedErrors


class PublishedWeightedErrors(WeightedErrors):
    """Weighted errors at the published sensitivity c1*c2/n, which holds but is looser than ours in every round.

    It is here, and voids the certificate, because ``accounting="paper"`` promises the published analysis and
    nothing else; that analysis also allows what does not hold, such as data values as candidate intercepts.
    """

    def statistic(self) -> NumericStatistic:
        """Return the error of this round's classifier at the published sensitivity."""
        law, n_rows = self._levels.law, self._table.n_rows
        published = law.c1 * law.c2 / n_rows
        return replace(super().statistic(), l1=published, l2=published)
