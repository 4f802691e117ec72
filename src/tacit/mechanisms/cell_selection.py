"""The exponential mechanism over the cells of fine public grids, drawn by blocks of cells and rejection."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from tacit.errors import ParameterError
from tacit.mechanisms.calibration import finite, quotient
from tacit.mechanisms.noise import check_claim
from tacit.mechanisms.selection_probabilities import Logs, max_log_ratio, renyi_rho, worst_candidate
from tacit.privacy import NoiseSource, PureDP, Share
from tacit.privacy.basis import SensitivityKind
from tacit.privacy.bucketed_cells import BucketedCells
from tacit.privacy.cell_selection import CellSelectionStatistic
from tacit.privacy.rounding import slightly_up
from tacit.privacy.sorted_cells import SortedCells

ERROR = 2.0**-14
"""Bounds how far rounding moves a cell's score: that of logarithms, and of exponentials."""

MAX_SCALE = 2.0**20
"""Above it, the error of a logarithm would not be small beside ``ERROR``."""

_BLOCKS = np.concatenate([np.arange(0, 2, 0.25), np.arange(2, 4, 0.5), np.arange(4, 8), np.arange(8, 41, 2)])
"""Scales from the middle at which blocks begin: near it, where most cells are drawn, three of four draws of a block are
kept, and one of eight in any. All 2^48 cells beyond weigh less than a hundredth of one near it, so that their two large
blocks, of which most draws are rejected, are hardly ever the heaviest."""

_LANDMARKS = 1.0
"""Scales by which a block's bound may be too high where no row is known at which it should begin: at worst, a third as
many draws are kept then, which takes less time than sorting all rows."""

_SHARES = 2**16
"""Of the heaviest block, in whole numbers; others have at least one. So blocks are drawn nearly by their weights."""

_TRIES = 8
"""Draws of an interval at once, of which half are kept, or one in eight."""


@final
@dataclass(frozen=True)
class CellSelection:
    """Selects a cell of each interval with probability proportional to exp(eta * score).

    Cells whose scores differ little are a block, weighed by the best score that they may have. A block is drawn by its
    weight in whole shares, one of its cells evenly, and kept with the probability that the exact weight and the cell's
    own score leave; else all is drawn again. So no score is computed but of cells that are drawn. Kaplan, Schnapp and
    Stemmer (2022), on a grid.

    Parameters
    ----------
    share : PureDP or ZCDP
        What all intervals together may cost; eta is epsilon / range, or sqrt(8 rho) / range.

    Notes
    -----
    Privacy: releases one cell for each interval. As the intervals' ranges add up to at most the statistic's range,
    they cost what one selection of that range costs. Rounded logarithms add to the range. All draws are the noise
    source's whole and exponential numbers. Proof: ``proofs/mechanisms/cell_selection.md``.

    Examples
    --------
    >>> from tacit.privacy import PrivacyUnit
    >>> unit = PrivacyUnit(("age",), label=False)
    >>> medians = CellSelectionStatistic("median", unit, np.asarray([3, 6]), 4.0, 2, np.asarray([[0, 7]]))
    >>> round(CellSelection(PureDP(0.5)).noise_scale(medians), 3)
    8.001
    """

    share: Share

    name: ClassVar[str] = "exponential mechanism over cells"

    def loss(self, statistic: CellSelectionStatistic) -> Share:
        """Return the share."""
        return self.share

    def sensitivity(self, statistic: CellSelectionStatistic) -> tuple[float, SensitivityKind]:
        """Return the range, rounding included."""
        # The difference of two cells' scores on two tables holds four rounded numbers.
        return statistic.range + 4 * ERROR * statistic.moved, "range"

    def noise_scale(self, statistic: CellSelectionStatistic) -> float:
        """Return 1 / eta, rounded up.

        Raises ParameterError if it is above 2^20 units of the scores: so little budget selects nothing.
        """
        range_, _ = self.sensitivity(statistic)
        if isinstance(self.share, PureDP):
            scale = quotient(range_, self.share.epsilon)
        else:
            scale = finite(slightly_up(range_ / sqrt(8 * self.share.rho)))
        if scale <= MAX_SCALE:
            return scale
        raise ParameterError(
            f"Expected a noise scale of at most {MAX_SCALE:g} for {statistic.query!r}, got scale={scale:g}. "
            "Raise the budget, or name cut points in the schema."
        )

    def sample(self, statistic: CellSelectionStatistic, noise: NoiseSource) -> NDArray[np.int64]:
        """Return the selected cell of each interval, shape (n_intervals,)."""
        range_, scale = self.sensitivity(statistic)[0], self.noise_scale(statistic)
        rho = slightly_up(self.share.epsilon**2 / 8) if isinstance(self.share, PureDP) else self.share.rho
        check_claim(noise, "exponential-mechanism", range_, scale, rho)
        cells = statistic.unreleased_landmarks(_LANDMARKS * scale / 2)
        blocks = _Blocks(cells, statistic.intervals, np.unique((_BLOCKS * scale / 2).astype(np.int64)))
        return _drawn(blocks, scale, noise)

    def log_density(self, statistic: CellSelectionStatistic, answer: NDArray[np.int64]) -> float:
        """Return the logarithm of the probability of selecting these cells."""
        if ((answer < statistic.intervals[:, 0]) | (answer >= statistic.intervals[:, 1])).any():
            return -np.inf
        distributions = zip(self._log_distributions(statistic), answer.tolist(), strict=True)
        return float(
            sum(
                distribution[np.searchsorted(first, cell, side="right") - 1]
                for (first, distribution), cell in distributions
            )
        )

    def divergence(self, one: CellSelectionStatistic, other: CellSelectionStatistic) -> float:
        """Return the sum over intervals of largest log ratios, or the largest of Renyi divergences over its order."""
        pairs = [(mine + length, its + length) for _, length, mine, its in self._pieces(one, other)]
        if isinstance(self.share, PureDP):
            return sum(max_log_ratio(*pair) for pair in pairs)
        return renyi_rho(pairs)

    def worst_answer(self, one: CellSelectionStatistic, other: CellSelectionStatistic) -> NDArray[np.int64]:
        """Return the cells of the largest log ratio."""
        pieces = self._pieces(one, other)
        return np.asarray([first[worst_candidate(mine, its)] for first, _, mine, its in pieces], dtype=np.int64)

    def _log_distributions(self, statistic: CellSelectionStatistic) -> Iterator[tuple[NDArray[np.int64], Logs]]:
        """Yield of each interval its runs' first cells, and the logarithm of the probability of each of their cells."""
        scale = self.noise_scale(statistic)
        for first, length, scores in _runs(statistic):
            yield first, scores / scale - logsumexp(scores / scale + np.log(length))

    def _pieces(self, one: CellSelectionStatistic, other: CellSelectionStatistic) -> Iterator[Pieces]:
        """Yield for each interval pieces that lie in one run of both tables: first cells, log sizes, log densities."""
        distributions = zip(self._log_distributions(one), self._log_distributions(other), one.intervals, strict=True)
        for (mine, my_distribution), (its, its_distribution), (_, stop) in distributions:
            first = np.union1d(mine, its)
            places = [np.searchsorted(starts, first, side="right") - 1 for starts in (mine, its)]
            yield first, np.log(np.diff(first, append=stop)), my_distribution[places[0]], its_distribution[places[1]]


def exact_cells(statistic: CellSelectionStatistic) -> NDArray[np.int64]:
    """Return the middle cell of the best run of each interval, of a statistic that is public."""
    statistic.public_value  # refuses a protected one  # noqa: B018
    # With a block of its own for each run next to the middle, the best bounds of blocks are scores.
    blocks = _Blocks(statistic.unreleased_cells, statistic.intervals, np.zeros(1, dtype=np.int64))
    best = blocks.bounds.argmax(axis=1)[:, None]
    first, length = (np.take_along_axis(each, best, axis=1)[:, 0] for each in (blocks.first, blocks.length))
    return np.asarray(first + (length - 1) // 2)


Pieces = tuple[NDArray[np.int64], Logs, Logs, Logs]
Runs = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def _runs(statistic: CellSelectionStatistic) -> Iterator[Runs]:
    """Yield first cells, lengths and scores of all runs of equal score of each interval."""
    cells = statistic.unreleased_cells.of(slice(None))
    for start, last in statistic.intervals.tolist():
        own = cells[np.searchsorted(cells, start, side="left") : np.searchsorted(cells, last, side="right")]
        first = np.union1d([start], own[: np.searchsorted(own, last)])
        scores = -np.abs(2 * np.searchsorted(own, first, side="right") - len(own))
        yield first, np.diff(first, append=last), scores


class _Blocks:
    """Blocks that fill the candidates of each interval; all arrays have one row for each interval.

    On each side of the cell of the middle row, blocks begin at the rows that are so far apart from the next one,
    ascending from 0 on.

    Attributes
    ----------
    first, length : int64 arrays of shape (n_intervals, n_blocks)
        Cells of a block; some have none.
    bounds : int64 array of the same shape
        Of their cells' scores; of a block without cells, below all others.
    """

    def __init__(self, cells: SortedCells | BucketedCells, intervals: NDArray[np.int64], apart: NDArray[np.int64]):
        start, last = np.split(intervals, 2, axis=1)
        # Intervals mostly begin where the one before ends.
        ends, places = np.unique(np.concatenate([start, last + 1]).ravel(), return_inverse=True)
        begin, end = cells.below(ends)[places].reshape(2, -1, 1)
        self._cells, self._begin, self._n_rows = cells, begin, end - begin
        rows = np.empty((len(start), 0), dtype=np.intp)
        if len(cells):
            # A cell of many rows may hold the middle: blocks are next to all of its rows.
            middle = np.minimum(begin + self._n_rows // 2, len(cells) - 1)
            _, before, after = cells.landmarks(middle)
            below, above = np.minimum(before, after), np.maximum(before, after)
            rows = np.concatenate([below - 1 - apart[::-1], below, above + apart], axis=1)
            # Rows beyond the interval's give way to its outer ones, and blocks without a cell.
            rows = np.clip(np.clip(rows, begin, end - 1), 0, len(cells) - 1)
        # Rows below the next block's first cell at most, and up to each block's first one at least.
        inner, before, after = cells.landmarks(rows)
        edges = np.concatenate([start, np.clip(inner, start, last), last], axis=1)
        self.first, self.length = edges[:, :-1], np.diff(edges, axis=1)
        self._least, self._most = np.concatenate([begin, after], axis=1), np.concatenate([before, end], axis=1)
        least, most = 2 * (self._least - begin) - self._n_rows, self._n_rows - 2 * (self._most - begin)
        bounds = -np.maximum(0, np.maximum(least, most))
        self.bounds = np.where(self.length > 0, bounds, -self._n_rows - 1)

    def shares(self, scale: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return whole shares of each block, and by how much the logarithm of its weight a share is below the largest.

        A block without cells has no share.
        """
        with np.errstate(divide="ignore"):
            weights = self.bounds / scale + np.log(self.length)
        shares = np.rint(_SHARES * np.exp(weights - weights.max(axis=1, keepdims=True))).astype(np.int64)
        shares = np.where(self.length > 0, np.maximum(shares, 1), 0)
        weights -= np.log(np.maximum(shares, 1))
        return shares, np.asarray(weights.max(axis=1, keepdims=True) - weights)

    def kept(
        self, at: NDArray[np.intp], block: NDArray[np.int64], cells: NDArray[np.int64], spare: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Return whether cells of some blocks of some intervals miss their bounds by no more than is spare.

        Each interval comes as often as it has tries, one after the other. After the first one that is kept it does not
        matter what is returned.
        """
        bounds, n_rows = self.bounds[at, block], self._n_rows[at, 0]
        least, most = self._cells.bounds(cells + 1)
        least = 2 * (np.maximum(least, self._least[at, block]) - self._begin[at, 0]) - n_rows
        most = 2 * (np.minimum(most, self._most[at, block]) - self._begin[at, 0]) - n_rows
        kept = spare >= bounds + np.maximum(-least, most)
        settled = np.logical_or.accumulate(kept.reshape(-1, _TRIES), axis=1).ravel()
        # Rows up to a cell are counted only where what is known of them does not decide.
        some = np.flatnonzero((spare >= bounds + np.maximum(0, np.maximum(least, -most))) & ~settled)
        kept[some] = spare[some] >= bounds[some] - self.scores(at[some], block[some], cells[some])
        return np.asarray(kept)

    def scores(self, at: NDArray[np.intp], block: NDArray[np.int64], cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return minus the half rows by which cells of some blocks of some intervals miss the middle."""
        guesses = self._least[at, block] - 1, self._most[at, block]
        rows = self._cells.below(cells + 1, guesses) - self._begin[at, 0]
        return np.asarray(-np.abs(2 * rows - self._n_rows[at, 0]))


def _drawn(blocks: _Blocks, scale: float, noise: NoiseSource) -> NDArray[np.int64]:
    """Return of each interval a cell with probability proportional to exp(score / scale), but for rounding."""
    shares, lighter = blocks.shares(scale)
    ends = shares.cumsum(axis=1)
    found, left = np.empty(len(lighter), dtype=np.int64), np.arange(len(lighter))
    while len(left):
        at = np.repeat(left, _TRIES)
        block = np.count_nonzero(ends[at] <= noise.integers(ends[at, -1])[:, None], axis=1)
        cells = blocks.first[at, block] + noise.integers(np.maximum(blocks.length[at, block], 1))
        spare = scale * (noise.exponential(len(at)) - lighter[at, block])
        kept = blocks.kept(at, block, cells, spare).reshape(-1, _TRIES)
        # Of several that are kept the first: which it is depends on no later draw.
        ended = kept.any(axis=1)
        found[left[ended]] = cells.reshape(-1, _TRIES)[ended, kept[ended].argmax(axis=1)]
        left = left[~ended]
    return found
