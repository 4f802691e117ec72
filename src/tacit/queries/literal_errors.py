"""Weighted errors of one-rules: every literal, its negation, and the two constants."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.features import BinEncoding
from tacit.features.literals import Literal
from tacit.privacy import SelectionStatistic
from tacit.queries.margins import RowWeights
from tacit.sensitivities.masses import OneRulesBasis
from tacit.table import Table


@dataclass(frozen=True)
class OneRules:
    """The candidates of a selection: literals, their negations, the second class always, the first always."""

    encoding: BinEncoding
    literals: tuple[Literal, ...]

    def __len__(self) -> int:
        return 2 * len(self.literals) + 2

    @cached_property
    def _cells(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """Column, first and one after the last bin of each literal."""
        columns = {name: position for position, name in enumerate(self.encoding.columns)}
        cells = np.asarray([(columns[x.column], x.first, x.last + 1) for x in self.literals], dtype=np.intp)
        return cells[:, 0], cells[:, 1], cells[:, 2]

    def errors(self, masses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight of each candidate's mistakes from the weight in every bin by label.

        A literal is wrong on rows of the first class where it holds and of the second where it does not.

        Parameters
        ----------
        masses : array of shape (2, n_bins of all columns)
        """
        column, first, stop = self._cells
        below = self._cumulated(masses)
        inside = below[:, column, stop] - below[:, column, first]
        # Any column's bins hold all rows; the first one's sum is taken for each candidate, so that it rounds alike.
        total = below[:, 0, self.encoding.n_codes[0]]
        holds = inside[0] + (total[1] - inside[1])
        fails = inside[1] + (total[0] - inside[0])
        return np.concatenate([holds, fails, total])

    def _cumulated(self, masses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight in the first bins of each column, shape (2, n_columns, most bins + 1)."""
        widths = self.encoding.n_codes
        padded = np.zeros((2, len(widths), max(widths) + 1))
        start = 0
        for column, width in enumerate(widths):
            padded[:, column, 1 : width + 1] = masses[:, start : start + width]
            start += width
        return np.asarray(padded.cumsum(axis=2))


def literal_errors(rules: OneRules, weights: RowWeights, table: Table) -> SelectionStatistic:
    """Return the negated weighted error of every one-rule, for a selection.

    Privacy: range 2 zeta for replace-one neighbors, any protected columns, label protected or not: an error is
    the weight of a set of records, which moves by at most zeta, not 2 zeta as Observation 2.7.1 of Salamatian
    (2021) has it. Rounding is added. Proof: ``proofs/queries/literal_errors.md``.
    """
    masses = weights.bin_counts(rules.encoding).masses(weights.values)
    basis = OneRulesBasis(**vars(weights.bounds), n_bins=max(rules.encoding.n_codes))
    range_ = basis.sensitivity(table.unit, table.n_persons)["range"]
    return SelectionStatistic(basis.query, table.unit, -rules.errors(masses), range=range_, basis=basis)
