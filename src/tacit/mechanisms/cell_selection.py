"""The exponential mechanism over the cells of fine public grids, whose scores come in runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt, sqrt
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
"""Of the grid that scores are rounded to, in one unit of them: what a run weighs, its logarithm, is no whole number."""

ERROR = 4 / STEPS
"""Bounds how far rounding moves a cell's score: half a step for its run, as much for its block, and both logarithms."""

MOST_SCALE = 2.0**20
"""Above it, the error of a logarithm would not be small beside a step."""

_SINGLE_BLOCK = 1_024
"""Runs that are drawn from at once; with more, one draw among blocks and one inside is faster."""


@final
@dataclass(frozen=True)
class CellSelection:
    """Selects a cell of each interval with probability proportional to exp(eta * score).

    A run of cells with equal scores weighs as many cells as it has; inside the selected run all cells are equally
    likely. Kaplan, Schnapp and Stemmer (2022), Appendix A, on a grid.

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
    >>> runs = np.asarray([[0, 0], [0, 3], [-2, 0]])
    >>> unit = PrivacyUnit(("age",), label=False)
    >>> medians = CellSelectionStatistic("median", unit, runs, 4.0, 2, np.asarray([[0, 8]]))
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
        chosen = [
            (first[run], length[run])
            for first, length, scores in _by_interval(statistic)
            for run in [_drawn(_weighed(scores, length, scale), STEPS * scale, noise)]
        ]
        first, length = np.asarray(chosen, dtype=np.int64).T
        return np.asarray(first + noise.integers(length), dtype=np.int64)

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
        for first, length, scores in _by_interval(statistic):
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
    best = [(first[at], length[at]) for first, length, scores in _by_interval(statistic) for at in [scores.argmax()]]
    return np.asarray([first + (length - 1) // 2 for first, length in best], dtype=np.int64)


Pieces = tuple[NDArray[np.int64], Logs, Logs, Logs]
Runs = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def _by_interval(statistic: CellSelectionStatistic) -> Iterator[Runs]:
    """Yield first cells, lengths and scores of each interval's runs."""
    of, first, scores = statistic.unreleased_value
    bounds = np.searchsorted(of, np.arange(len(statistic.intervals) + 1))
    for at, (_, stop) in enumerate(statistic.intervals):
        runs = slice(bounds[at], bounds[at + 1])
        yield first[runs], np.diff(first[runs], append=stop), scores[runs]


def _weighed(scores: NDArray[np.int64], length: NDArray[np.int64], scale: float) -> NDArray[np.int64]:
    """Return scores plus what runs weigh, in steps: whole numbers, so that only the logarithm is rounded."""
    return np.asarray(STEPS * scores + np.rint(STEPS * scale * np.log(length)).astype(np.int64))


def _drawn(values: NDArray[np.int64], scale: float, noise: NoiseSource) -> int:
    """Return index i with probability proportional to exp(values[i] / scale), but for the rounding of blocks."""
    if len(values) <= _SINGLE_BLOCK:
        return noise.exponential_mechanism(values, scale)
    starts = np.arange(0, len(values), isqrt(len(values)))
    # Less the largest of the block first: exact, and then no exponential overflows.
    largest = np.maximum.reduceat(values, starts)
    sizes = np.diff(starts, append=len(values))
    sums = np.add.reduceat(np.exp((values - np.repeat(largest, sizes)) / scale), starts)
    blocks = largest + np.rint(scale * np.log(sums)).astype(np.int64)
    block = starts[noise.exponential_mechanism(blocks, scale)]
    inside = values[block : block + starts[1]]
    return int(block + noise.exponential_mechanism(inside, scale))
