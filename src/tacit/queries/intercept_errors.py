"""Weighted errors of one direction at every intercept of a public grid, and the error of the chosen one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import NumericStatistic, SelectionStatistic
from tacit.queries.level_counts import LevelCounts, WeightGrid
from tacit.queries.weighted_error import ROUNDING, error_sensitivity, error_statistic
from tacit.table import Block, LinearEncoding, PerBlock, Table

SCORE_ROUNDING = 4 * 1024 * ROUNDING
"""Bounds what rounding adds to the range: four scores, each a quotient of plain sums over at most 513 levels."""


class InterceptErrors:
    """Accuracies of a direction at the intercepts of a public grid, round after round.

    Parameters
    ----------
    table : Table
        Two classes.
    encoding : LinearEncoding
    coefficients : array of shape (rounds, n_features)
    grids : array of shape (rounds, n_candidates)
        Candidate intercepts of each round, ascending; from the schema, never from the rows.
    grid : WeightGrid

    Notes
    -----
    Privacy: the accuracies' range is 2 r / (n - 1 + r), as one candidate may gain what another loses; the chosen
    candidate's error has the sensitivity of ``WeightedErrors``. Shen and others (2022), section 6, propose the n
    data values as candidates: those are data. Proof: ``proofs/queries/intercept_errors.md``.
    """

    def __init__(
        self,
        table: Table,
        encoding: LinearEncoding,
        coefficients: NDArray[np.float64],
        grids: NDArray[np.float64],
        grid: WeightGrid,
    ):
        self._table, self._encoding = table, encoding
        self._coefficients, self._grids = coefficients.astype(np.float32), grids.astype(np.float32)
        self._levels = LevelCounts(table, grid)
        self._round = 0
        self._open_round()

    def accuracies(self) -> SelectionStatistic:
        """Return the accuracy at each candidate intercept."""
        weights = self._levels.grid.weights[self._levels.present]
        mistakes = weights @ (self._counts @ self._wrong.T)
        scores = 1.0 - mistakes / (weights @ self._counts.sum(axis=1))
        change = 2 * error_sensitivity(self._levels.ratio, self._table.n_rows) + SCORE_ROUNDING
        return SelectionStatistic(
            query="accuracy of each intercept", unit=self._table.unit, unreleased_value=scores, range=change
        )

    def statistic(self, chosen: int) -> NumericStatistic:
        """Return the error at the chosen intercept."""
        everyone = self._by_level(np.ones(self._counts.shape[1], dtype=np.int64))
        return error_statistic(self._levels, self._by_level(self._wrong[chosen]), everyone, self._table)

    def advance(self, chosen: int, after_mistake: NDArray[np.int64]) -> None:
        """Go on to the next round, given the level that follows each level on a mistake: from released values alone."""
        present = self._levels.present[:, None]
        moved = after_mistake[present]
        self._levels.widen(after_mistake)
        self._levels.move(self._outcomes, np.where(self._wrong[chosen][None, :] == 1, moved, present))
        self._round += 1
        if self._round < len(self._coefficients):
            self._open_round()

    def _open_round(self) -> None:
        n_candidates = self._grids.shape[1]
        self._outcomes = self._place_rows()
        self._counts = self._levels.histogram(self._outcomes, 2 * (n_candidates + 1))
        self._wrong = _wrong_outcomes(n_candidates)

    def _place_rows(self) -> PerBlock[NDArray[np.uint8]]:
        """Return 2 * (number of candidates that put the row into the second class) + label of each row."""
        direction, thresholds = self._coefficients[self._round], np.sort(-self._grids[self._round])

        def place(block: Block) -> NDArray[np.uint8]:
            projection = block.features(self._encoding) @ direction
            positive = np.searchsorted(thresholds, projection, side="left")
            return np.asarray(2 * positive + block.labels, dtype=np.uint8)

        return self._table.per_block(place)

    def _by_level(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        return self._levels.count(self._levels.present, self._counts @ chosen)


def _wrong_outcomes(n_candidates: int) -> NDArray[np.int64]:
    """Tell for candidate k (intercepts ascending) and each outcome whether the row is put into the wrong class."""
    outcomes = np.arange(2 * (n_candidates + 1))
    positive_for, label = outcomes // 2, outcomes % 2
    decision = positive_for[None, :] >= n_candidates - np.arange(n_candidates)[:, None]
    wrong: NDArray[np.int64] = (decision != label[None, :]).astype(np.int64)
    return wrong
