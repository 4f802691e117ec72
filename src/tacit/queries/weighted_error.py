"""Weighted errors of linear classifiers under BRC's weights, round by round: one each, or a grid of intercepts."""

from __future__ import annotations

from math import fsum

import numpy as np
from numpy.typing import NDArray

from tacit.features import LinearEncoding
from tacit.privacy import NumericStatistic, SelectionStatistic
from tacit.queries.weight_grid_counts import Outcomes, WeightGrid, WeightGridCounts
from tacit.sensitivities.linear import WeightedErrorBasis
from tacit.table import Block, PerBlock, Table

ROUNDS_TOGETHER = 8
"""Rounds whose mistakes are counted in one pass: as many bits as a byte has, hence 256 outcomes a weight."""


_STRIP_ROWS = 1_024
"""Rows whose decisions are computed together, so that products of some hundred rounds stay in the cache."""


class WeightedErrors:
    """The share of the weight that lies on mistakes, for T classifiers drawn without looking at the rows.

    One matrix product gives all decisions; one bit per row and round is kept. A row's weight depends on the row
    only through its bits, so rows are counted by (index, next bits), eight rounds in one pass.

    Privacy: ``statistic`` has sensitivity r / (n - 1 + r), r being the ratio of the largest to the smallest weight
    that the coefficients released so far admit; at most c1*c2 / (n - 1 + c1*c2). Replace-one, any protected
    columns, label protected or not. Proof: ``proofs/queries/weighted_error.md``.

    Parameters
    ----------
    table : Table
        Two classes.
    coefficients : array of shape (rounds, n_features)
    intercepts : array of shape (rounds,)
        A row is put into the second class where coefficients . features + intercept is above zero.
    """

    def __init__(
        self,
        table: Table,
        encoding: LinearEncoding,
        coefficients: NDArray[np.float64],
        intercepts: NDArray[np.float64],
        grid: WeightGrid,
    ):
        self._table = table
        self._rounds = len(coefficients)
        self._round = 0
        self._grid_counts = WeightGridCounts(table, grid)
        self._bits = _mistakes(table, encoding, coefficients, intercepts)
        self._cell_indices: NDArray[np.int64]
        self._open_batch()

    def statistic(self) -> NumericStatistic:
        """Return the error of this round's classifier."""
        wrong = self._grid_counts.count(self._cell_indices, self._counts * self._outcome())
        everyone = self._grid_counts.count(self._cell_indices, self._counts)
        return error_statistic(self._grid_counts, wrong, everyone, self._table)

    def advance(self, after_mistake: NDArray[np.int64]) -> None:
        """Go on to the next round, given the index that follows each index on a mistake: from released values alone."""
        moved = after_mistake[self._cell_indices]
        self._cell_indices = np.where(self._outcome() == 1, moved, self._cell_indices)
        self._grid_counts.widen(after_mistake)
        self._round += 1
        # Within a batch the cells' weights move, and rows keep their cells; rows are read once in eight rounds.
        if self._round % ROUNDS_TOGETHER == 0 and self._round < self._rounds:
            self._grid_counts.move(self._plane(self._round - 1), self._cell_indices)
            self._open_batch()

    def _open_batch(self) -> None:
        width = 2 ** min(ROUNDS_TOGETHER, self._rounds - self._round)
        self._counts = self._grid_counts.histogram(self._plane(self._round), width)
        self._cell_indices = np.repeat(self._grid_counts.present[:, None], width, axis=1)

    def _outcome(self) -> NDArray[np.int64]:
        """Tell for each cell's bits whether this round's classifier is wrong, shape (1, width)."""
        bits: NDArray[np.int64] = np.arange(self._counts.shape[1])[None, :] >> (self._round % ROUNDS_TOGETHER) & 1
        return bits

    def _plane(self, round_: int) -> Outcomes:
        return self._table.per_block(lambda block: self._bits[block][round_ // ROUNDS_TOGETHER])


def error_statistic(
    grid_counts: WeightGridCounts, wrong: NDArray[np.float64], everyone: NDArray[np.float64], table: Table
) -> NumericStatistic:
    """Return the weighted error that follows from counts of rows by index."""
    weights = grid_counts.grid.weights
    # Exactly rounded sums: the stated rounding does not grow with the number of weights.
    error = fsum(weights * wrong) / fsum(weights * everyone)
    basis = WeightedErrorBasis(grid_counts.ratio)
    moved = basis.sensitivity(table.unit, table.n_persons)["l1"]
    return NumericStatistic("weighted error", table.unit, np.asarray(error), l1=moved, l2=moved, basis=basis)


def _mistakes(
    table: Table, encoding: LinearEncoding, coefficients: NDArray[np.float64], intercepts: NDArray[np.float64]
) -> PerBlock[NDArray[np.uint8]]:
    """Return mistake bits of the rows, eight rounds to a byte, shape (n_bytes, n_rows)."""
    n_bytes = -(-len(coefficients) // ROUNDS_TOGETHER)
    decide = _Decider(coefficients, intercepts, n_bytes)
    every_round = np.packbits(np.ones((len(coefficients), 1), dtype=bool), axis=0, bitorder="little")

    def of_block(block: Block) -> NDArray[np.uint8]:
        features = block.features(encoding)
        planes = np.empty((n_bytes, block.n_rows), dtype=np.uint8)
        for start in range(0, block.n_rows, _STRIP_ROWS):
            rows = slice(start, start + _STRIP_ROWS)
            planes[:, rows] = decide(features[rows]).T
        # A row of the second class is a mistake where the decision is not: flip the bits of the rounds there are.
        planes ^= every_round * (block.labels == 1)
        return planes

    return table.per_block(of_block)


class _Decider:
    """Decisions of all classifiers about a strip of rows, packed; works in memory that fits the cache."""

    def __init__(self, coefficients: NDArray[np.float64], intercepts: NDArray[np.float64], n_bytes: int):
        self._transposed = np.ascontiguousarray(coefficients.T, dtype=np.float32)
        self._thresholds = -intercepts.astype(np.float32) if intercepts.any() else np.float32(0)
        self._products = np.empty((_STRIP_ROWS, len(coefficients)), dtype=np.float32)
        self._decisions = np.zeros((_STRIP_ROWS, n_bytes * ROUNDS_TOGETHER), dtype=bool)

    def __call__(self, features: NDArray[np.float32]) -> NDArray[np.uint8]:
        """Return bits of shape (n_rows, n_bytes); a row of whole bytes packs twice as fast as one of odd length."""
        n_rows, rounds = len(features), self._products.shape[1]
        products, decisions = self._products[:n_rows], self._decisions[:n_rows]
        np.matmul(features, self._transposed, out=products)
        np.greater(products, self._thresholds, out=decisions[:, :rounds])
        return np.packbits(decisions.ravel(), bitorder="little").reshape(n_rows, -1)


class InterceptErrors:
    """Accuracies of a direction at the intercepts of a public grid, round after round.

    Privacy: the accuracies' range is 2 r / (n - 1 + r), as one candidate may gain what another loses, and less with a
    public label (``accuracy_range``); the chosen candidate's error has the sensitivity of ``WeightedErrors``. Shen and
    others (2022), section 6, propose the n data values as candidates: those are data. Proof:
    ``proofs/queries/intercept_errors.md``.

    Parameters
    ----------
    table : Table
        Two classes.
    coefficients : array of shape (rounds, n_features)
    grids : array of shape (rounds, n_candidates)
        Candidate intercepts of each round, ascending; from the schema, never from the rows.
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
        self._grid_counts = WeightGridCounts(table, grid)
        self._round = 0
        self._open_round()

    def accuracies(self) -> SelectionStatistic:
        """Return the accuracy at each candidate intercept."""
        weights = self._grid_counts.grid.weights[self._grid_counts.present]
        mistakes = weights @ (self._counts @ self._wrong.T)
        scores = 1.0 - mistakes / (weights @ self._counts.sum(axis=1))
        basis = WeightedErrorBasis(self._grid_counts.ratio)
        change = basis.sensitivity(self._table.unit, self._table.n_persons)["range"]
        return SelectionStatistic("accuracy of each intercept", self._table.unit, scores, range=change, basis=basis)

    def statistic(self, chosen: int) -> NumericStatistic:
        """Return the error at the chosen intercept."""
        everyone = self._by_index(np.ones(self._counts.shape[1], dtype=np.int64))
        return error_statistic(self._grid_counts, self._by_index(self._wrong[chosen]), everyone, self._table)

    def advance(self, chosen: int, after_mistake: NDArray[np.int64]) -> None:
        """Go on to the next round, given the index that follows each index on a mistake: from released values alone."""
        present = self._grid_counts.present[:, None]
        moved = after_mistake[present]
        self._grid_counts.widen(after_mistake)
        self._grid_counts.move(self._outcomes, np.where(self._wrong[chosen][None, :] == 1, moved, present))
        self._round += 1
        if self._round < len(self._coefficients):
            self._open_round()

    def _open_round(self) -> None:
        n_candidates = self._grids.shape[1]
        self._outcomes = self._place_rows()
        self._counts = self._grid_counts.histogram(self._outcomes, 2 * (n_candidates + 1))
        self._wrong = _wrong_outcomes(n_candidates)

    def _place_rows(self) -> PerBlock[NDArray[np.uint8]]:
        """Return 2 * (number of candidates that put the row into the second class) + label of each row."""
        direction, thresholds = self._coefficients[self._round], np.sort(-self._grids[self._round])

        def place(block: Block) -> NDArray[np.uint8]:
            projection = block.features(self._encoding) @ direction
            positive = np.searchsorted(thresholds, projection, side="left")
            return np.asarray(2 * positive + block.labels, dtype=np.uint8)

        return self._table.per_block(place)

    def _by_index(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        return self._grid_counts.count(self._grid_counts.present, self._counts @ chosen)


def _wrong_outcomes(n_candidates: int) -> NDArray[np.int64]:
    """Tell for candidate k (intercepts ascending) and each outcome whether the row is put into the wrong class."""
    outcomes = np.arange(2 * (n_candidates + 1))
    positive_for, label = outcomes // 2, outcomes % 2
    decision = positive_for[None, :] >= n_candidates - np.arange(n_candidates)[:, None]
    wrong: NDArray[np.int64] = (decision != label[None, :]).astype(np.int64)
    return wrong
