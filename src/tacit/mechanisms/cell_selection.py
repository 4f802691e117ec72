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
from tacit.mechanisms.selection_laws import Logs, max_log_ratio, renyi_rho, worst_candidate
from tacit.privacy import NoiseSource, PureDP, Share
from tacit.privacy.cell_selection import CellSelectionStatistic
from tacit.privacy.mechanism import SensitivityKind
from tacit.privacy.rounding import slightly_up

STEPS = 2**16
"""Of the grid that a block's weight is rounded to, in one unit of the scores: its logarithm is no whole number."""

ERROR = 4 / STEPS
"""Bounds how far rounding moves a cell's score: half a step for its block, and that of logarithms and exponentials."""

MOST_SCALE = 2.0**20
"""Above it, the error of a logarithm would not be small beside a step."""

_BLOCKS = np.concatenate([np.arange(0, 2, 0.25), np.arange(2, 4, 0.5), np.arange(4, 8), np.arange(8, 41, 2)])
"""Scales from the middle at which blocks begin: near it, where most cells are drawn, three of four draws are kept, and
one of eight in any. All 2^48 cells beyond weigh less than a hundredth of one near it, so that their two large blocks,
of which most draws are rejected, are hardly ever drawn."""


@final
@dataclass(frozen=True)
class CellSelection:
    """Selects a cell of each interval with probability proportional to exp(eta * score).

    A block of cells whose scores differ little is drawn by the best score that they may have, one of its cells evenly,
    and kept with the probability that its own score leaves; else all is drawn again. So no score is computed but of
    cells that are drawn. Kaplan, Schnapp and Stemmer (2022), on a grid.

    Parameters
    ----------
    share : PureDP or ZCDP
        What all intervals together may cost; eta is epsilon / range, or sqrt(8 rho) / range.

    Notes
    -----
    Privacy: releases one cell for each interval. As the intervals' ranges add up to at most the statistic's range,
    they cost what one selection of that range costs. Rounded logarithms add to the range. Proof:
    ``proofs/mechanisms/cell_selection.md``.

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
        if scale <= MOST_SCALE:
            return scale
        raise ParameterError(
            f"Expected a noise scale of at most {MOST_SCALE:g} for {statistic.query!r}, got scale={scale:g}. "
            "Raise the budget, or name cut points in the schema."
        )

    def sample(self, statistic: CellSelectionStatistic, noise: NoiseSource) -> NDArray[np.int64]:
        """Return the selected cell of each interval, shape (n_intervals,)."""
        range_, scale = self.sensitivity(statistic)[0], self.noise_scale(statistic)
        rho = slightly_up(self.share.epsilon**2 / 8) if isinstance(self.share, PureDP) else self.share.rho
        check_claim(noise, "exponential-mechanism", range_, scale, rho)
        apart = np.unique((_BLOCKS * scale / 2).astype(np.int64))
        return np.asarray([_drawn(each, apart, scale, noise) for each in _halves(statistic)], dtype=np.int64)

    def log_density(self, statistic: CellSelectionStatistic, answer: NDArray[np.int64]) -> float:
        """Return the logarithm of the probability of selecting these cells."""
        if ((answer < statistic.intervals[:, 0]) | (answer >= statistic.intervals[:, 1])).any():
            return -np.inf
        laws = zip(self._log_laws(statistic), answer.tolist(), strict=True)
        return float(sum(law[np.searchsorted(first, cell, side="right") - 1] for (first, law), cell in laws))

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

    def _log_laws(self, statistic: CellSelectionStatistic) -> Iterator[tuple[NDArray[np.int64], Logs]]:
        """Yield of each interval its runs' first cells, and the logarithm of the probability of each of their cells."""
        scale = self.noise_scale(statistic)
        for first, length, scores in map(_Halves.runs, _halves(statistic)):
            yield first, scores / scale - logsumexp(scores / scale + np.log(length))

    def _pieces(self, one: CellSelectionStatistic, other: CellSelectionStatistic) -> Iterator[Pieces]:
        """Yield of each interval the pieces that lie in one run of both tables: first cells, log sizes, log laws."""
        laws = zip(self._log_laws(one), self._log_laws(other), one.intervals, strict=True)
        for (mine, my_law), (its, its_law), (_, stop) in laws:
            first = np.union1d(mine, its)
            places = [np.searchsorted(starts, first, side="right") - 1 for starts in (mine, its)]
            yield first, np.log(np.diff(first, append=stop)), my_law[places[0]], its_law[places[1]]


def exact_cells(statistic: CellSelectionStatistic) -> NDArray[np.int64]:
    """Return the middle cell of the best run of each interval, of a statistic that is public."""
    statistic.public_value  # refuses a protected one  # noqa: B018
    # With a block of its own for each run next to the middle, the best bounds of blocks are scores.
    best = [
        (first[at], length[at])
        for first, length, bounds in (each.blocks(np.zeros(1, dtype=np.int64)) for each in _halves(statistic))
        for at in [bounds.argmax()]
    ]
    return np.asarray([first + (length - 1) // 2 for first, length in best], dtype=np.int64)


Pieces = tuple[NDArray[np.int64], Logs, Logs, Logs]
Blocks = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True)
class _Halves:
    """One interval: its rows' cells, ascending, and its first and last cell."""

    cells: NDArray[np.int64]
    start: int
    last: int

    def score(self, cell: int) -> int:
        """Return minus the half rows by which a cell misses the middle."""
        return -abs(2 * int(np.searchsorted(self.cells, cell, side="right")) - len(self.cells))

    def runs(self) -> Blocks:
        """Return first cells, lengths and scores of all runs of equal score."""
        first = np.union1d([self.start], self.cells[: np.searchsorted(self.cells, self.last)])
        scores = -np.abs(2 * np.searchsorted(self.cells, first, side="right") - len(self.cells))
        return first, np.diff(first, append=self.last), scores

    def blocks(self, apart: NDArray[np.int64]) -> Blocks:
        """Return first cells and lengths of blocks that fill the candidates, and bounds of their cells' scores.

        On each side of the cell of the middle row, blocks begin at the rows that are so far apart from the next one,
        ascending from 0 on.
        """
        n_rows = len(self.cells)
        first = np.asarray([self.start])
        if n_rows:
            middle = self.cells[n_rows // 2]
            # A cell of many rows may hold the middle: blocks are next to all of its rows.
            below, above = self.cells.searchsorted(middle, "left"), self.cells.searchsorted(middle, "right")
            ranks = np.concatenate([below - 1 - apart[::-1], [below], above + apart])
            first = np.concatenate([first, self.cells[ranks[(ranks >= 0) & (ranks < n_rows)]]])
            # Ascending already: sorting all of them for each interval would take longest.
            first = first[first < np.concatenate([first[1:], [self.last]])]
        ends = np.concatenate([first[1:], [self.last]])
        # Rows up to each block's first cell, and up to its last one.
        least, most = self.cells.searchsorted(first, "right"), self.cells.searchsorted(ends, "left")
        bounds = -np.maximum(0, np.maximum(2 * least - n_rows, n_rows - 2 * most))
        return first, ends - first, bounds


def _halves(statistic: CellSelectionStatistic) -> Iterator[_Halves]:
    cells = statistic.unreleased_value
    low = np.searchsorted(cells, statistic.intervals[:, 0], side="left")
    high = np.searchsorted(cells, statistic.intervals[:, 1], side="right")
    for (start, last), begin, end in zip(statistic.intervals.tolist(), low, high, strict=True):
        yield _Halves(cells[begin:end], start, last)


def _drawn(halves: _Halves, apart: NDArray[np.int64], scale: float, noise: NoiseSource) -> int:
    """Return a cell with probability proportional to exp(score / scale), but for the rounding of blocks' weights."""
    first, length, bounds = halves.blocks(apart)
    weights = _weighed(bounds, length, scale)
    while True:
        block = noise.exponential_mechanism(weights, STEPS * scale)
        cell = int(first[block] + noise.integers(length[block : block + 1])[0])
        if scale * noise.exponential(1)[0] >= bounds[block] - halves.score(cell):
            return cell


def _weighed(bounds: NDArray[np.int64], length: NDArray[np.int64], scale: float) -> NDArray[np.int64]:
    """Return bounds plus what blocks weigh, in steps: whole numbers, so that only the logarithm is rounded."""
    return np.asarray(STEPS * bounds + np.rint(STEPS * scale * np.log(length)).astype(np.int64))
