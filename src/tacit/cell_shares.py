"""How frequent the cells of columns are, released for a share of the budget: explanations then weigh cells by rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import log

import numpy as np
from scipy.special import ndtri

from tacit.mechanisms import Released, Releases
from tacit.models.cells import ColumnCells, Law
from tacit.models.noise import even_shares
from tacit.privacy import Planned, PrivacyUnit, in_part
from tacit.privacy.parameters import ZERO, Number
from tacit.queries.gradients import marginals, plan_marginals
from tacit.table import OneHotEncoding, Table

EXPLAIN_SHARE = ZERO | Number(0.001, 0.5, "0.1 is usual, and 0 leaves it out.")
"""Neither part of the budget may vanish in the other's rounding."""

FALSE_SHARE = 0.05
"""Of releases, in which noise alone makes one cell or more that is taken to have rows."""

SURE_DEVIATIONS = 2.0
"""Of its noise, up to which a count of rows is taken for none."""


@dataclass(frozen=True)
class CellShares:
    """Settings of the shares of rows in the cells of an explanation.

    Parameters
    ----------
    share : float
        Of the budget, above zero.

    Notes
    -----
    Privacy: one release of the numbers of rows by cell of the protected columns; labels are not read. Proof:
    ``proofs/queries/gradients.md``. Public columns are counted exactly.

    Examples
    --------
    >>> CellShares(0.1).before([Planned("selection", weight=1.8)], PrivacyUnit(("age",), label=True))[0].weight
    0.2
    """

    share: float

    def before(self, others: Sequence[Planned], unit: PrivacyUnit) -> list[Planned]:
        """Return the whole plan: the counts as its part "shares", and then the other releases."""
        rest = sum(release.weight * release.count for release in others)
        counts = plan_marginals(unit.columns, unit, rest * self.share / (1 - self.share)) if others else []
        return [*in_part("shares", counts), *others]

    def law(self, table: Table, cells: Sequence[ColumnCells], releases: Releases) -> Law:
        """Return how frequent each cell is; ``releases`` are those of the plan's part.

        A cell whose rows noise may have made has a share of zero; where all are such, they are taken to be alike.
        """
        own = {each.column.name: each for each in cells}
        if not own:
            return Law({}, {}, deviation=0.0)
        columns = tuple(own[each.name].column if each.name in own else each for each in table.schema.columns)
        encoding = OneHotEncoding(replace(table.schema, columns=columns), tuple(own), cells[0].n_bins)
        counts = releases.noisy(marginals(table, encoding))
        sure = np.where(counts.value > SURE_DEVIATIONS * counts.deviation, counts.value, 0.0)
        shares = {}
        for name, (start, stop) in zip(own, pairwise(encoding.starts.tolist()), strict=True):
            rows = sure[start:stop].astype(np.float64)
            shares[name] = rows / rows.sum() if rows.any() else even_shares(stop - start)
        n_rows = max(table.n_persons, 1)
        least = _largest_noise(counts, len(sure)) / n_rows
        return Law(own, shares, deviation=counts.deviation / n_rows, least=least)


def _largest_noise(counts: Released, n_cells: int) -> float:
    """Return what the noise of no cell is above, but in 5 % of releases at most, by the union bound."""
    tail = FALSE_SHARE / n_cells
    if counts.law == "Laplace":
        return counts.scale * log(1 / (2 * tail))
    return counts.scale * float(-ndtri(tail)) if counts.scale else 0.0


def cell_shares(share: float) -> CellShares | None:
    """Return settings for such a share of the budget; None for none of it."""
    return CellShares(share) if share else None
