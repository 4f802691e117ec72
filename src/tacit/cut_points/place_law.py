"""How the rows of a numeric column are distributed, as far as noisy counts between places tell."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit, softmax

from tacit.rules.cut_points import CHANCE_OF_ANCHORED, CHANCE_OF_FILLED, CHANCE_OF_SCALE
from tacit.table.grid_window import N_CELLS, GridWindow

Floats = NDArray[np.float64]

PARTS = 4
"""Into which the rows that are expected are divided: quarters (``benchmarks/quartiles.py``)."""

WIDEST, NARROWEST = 0.25, 2.0**-6
"""Of the window, how far apart the centers of the widest laws are, and of the narrowest: half as far each time. Rows
that are closer together are looked at in a narrower window."""

ANCHORED_WIDTHS = 28
"""How often the width of laws about the anchor is halved: as far as the grid's logarithmic cells go."""

_MISFIT = 0.03
"""Of the rows: how far the share of a part is from that of the best distribution, which no column has. Without it
counts of little noise would hold fast to one, whatever later counts say; three times as much changes nothing."""

LEAST_DEVIATION = 1e-5
"""Of the noise of counts, in shares of the rows: less would be lost in rounding."""

_LEAST_SHARE = 1e-9
"""Of the rows, in a cell: what is below each edge increases."""

_ON_GRID = np.linspace(0.0, 1.0, N_CELLS + 1)


NARROW = 16
"""Cells that nine tenths of the rows are expected in, at most, for a narrower window: what a column is within a cell
is not known."""


class PlaceLaw:
    """What is known of a column: logistic laws of all places and widths, each as likely as it makes noisy counts.

    Parameters
    ----------
    window : GridWindow

    Notes
    -----
    Counts of quarters that are expected say most of what is not known, as a bisection does whose answers have noise
    (Jedynak, Frazier and Sznitman 2012). Where rows are in few cells, the window is narrowed. Post-processing: reads
    released counts and the law of their noise.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric, Schema
    >>> from tacit.table import GridEncoding, GridWindow
    >>> schema = Schema([Numeric("x", 0, 10, center=5)], label=Label("y", [0, 1]))
    >>> law = PlaceLaw(GridWindow(GridEncoding(schema, "x")))
    >>> for _ in range(8):  # rows spread evenly over a tenth of the grid, nearly without noise
    ...     edges = law.quarters()
    ...     below = np.interp(law.window.shares(edges), [0.4, 0.5], [0, 1])
    ...     law.learn(edges, np.diff(below), deviation=1e-3)
    >>> law.quantiles(np.asarray([0.25, 0.5, 0.75])).round(2).tolist()
    [0.42, 0.45, 0.48]
    """

    def __init__(self, window: GridWindow):
        self._told: list[tuple[NDArray[np.int64], Floats, float]] = []
        self._look(window)

    def _look(self, window: GridWindow) -> None:
        """Take a window, and what was told before as it is seen there."""
        self.window = window
        even, anchor = window.grid.even_places(window.shares(np.arange(N_CELLS + 1.0))), window.grid.even_anchor
        reach = even[-1] - even[0]
        # A window of neighboring floats has no places between.
        even, anchor = ((even - even[0]) / reach, (anchor - even[0]) / reach) if reach > 0 else (_ON_GRID, 0.0)
        self._anchor = int(np.searchsorted(even, anchor))
        widths = np.ldexp(WIDEST, -np.arange(ANCHORED_WIDTHS))
        anchored = _below(even, np.full(ANCHORED_WIDTHS, anchor), widths)
        self._own = np.concatenate([_laws(even), anchored, even[None]])
        self._fits = np.zeros(len(self._own) + len(_laws_on_grid()))
        for places, shares, deviation in self._told:
            self._weigh(window.edges(places), shares, deviation)

    def quarters(self) -> NDArray[np.int64]:
        """Return the edges of the window's cells between which quarters of the rows are expected, (5,)."""
        below = self._below()
        inner = np.searchsorted(below, np.arange(1, PARTS) / PARTS)
        return np.concatenate([[0], inner, [N_CELLS]])

    def learn(self, edges: NDArray[np.int64], shares: Floats, deviation: float) -> None:
        """Take shares of the rows between edges, with noise of this deviation."""
        deviation = max(deviation, LEAST_DEVIATION)
        self._told.append((self.window.places(edges), shares, deviation))
        self._weigh(edges, shares, deviation)

    def narrowed(self) -> bool:
        """Narrow the window if rows are expected in few of its cells; return whether it was.

        Not about the anchor, where cells are as narrow as may be: of numbers that are mostly zero, others would all be
        the same.
        """
        low, high = (int(edge) for edge in np.searchsorted(self._below(), [0.05, 0.95]))
        low = max(0, low - 1)
        narrow = self.window.shift > 0 and high - low <= NARROW and not low <= self._anchor <= high
        if narrow:
            self._look(self.window.around(low, high))
        return narrow

    def _weigh(self, edges: NDArray[np.int64], shares: Floats, deviation: float) -> None:
        expected = np.concatenate([np.diff(laws[:, edges], axis=1) for laws in (self._own, _laws_on_grid())])
        fits = expected @ shares - np.square(expected).sum(axis=1) / 2
        self._fits += fits / (deviation**2 + _MISFIT**2)

    def quantiles(self, wanted: Floats) -> Floats:
        """Return below which shares of the grid's cells such shares of the rows are."""
        return self.window.shares(np.interp(wanted, self._below(), np.arange(N_CELLS + 1.0)))

    def _below(self) -> Floats:
        """Return the share of the rows expected below each edge, increasing, shape (n_cells + 1,).

        The mean of the laws, and what they lack as a Gaussian process of the density (Rasmussen and Williams 2006).
        """
        chances = softmax(self._fits + _log_chances())
        below = np.asarray(chances[: len(self._own)] @ self._own + chances[len(self._own) :] @ _laws_on_grid())
        if not self._told:
            return below
        shares, middles = np.diff(below), (below[1:] + below[:-1]) / 2
        # A density varies by as much as it is, over a part of the rows; half or twice of either changes nothing.
        apart = np.abs(middles[:, None] - middles) * PARTS
        varies = np.outer(shares, shares) * np.exp(-apart)
        # Of counts over their noise, each a sum over cells.
        cells = np.arange(len(shares))
        seen_at = [self.window.edges(places)[:, None] for places, _, _ in self._told]
        parts = [(cells >= edges[:-1]) & (cells < edges[1:]) for edges in seen_at]
        summed = np.concatenate([part / deviation for part, (*_, deviation) in zip(parts, self._told, strict=True)])
        told = np.concatenate([own / deviation for _, own, deviation in self._told])
        seen = summed @ varies
        covariance = seen @ summed.T
        covariance.flat[:: len(covariance) + 1] += 1.0
        shares += seen.T @ cho_solve(cho_factor(covariance, overwrite_a=True), told - summed @ shares)
        bent = np.concatenate([[0.0], np.cumsum(np.maximum(shares, _LEAST_SHARE))])
        return np.asarray(bent / bent[-1])


def _spacings() -> Floats:
    """Return how far apart the centers of laws are, of each width, the widest first."""
    return np.ldexp(WIDEST, -np.arange(round(np.log2(WIDEST / NARROWEST)) + 1))


def _laws(edges: Floats) -> Floats:
    """Return what laws of all places and widths have below edges from 0 to 1, shape (n_laws, n_edges)."""
    centers = [np.arange(apart / 2, 1, apart) for apart in _spacings()]
    return _below(edges, np.concatenate(centers), np.repeat(_spacings(), [len(each) for each in centers]))


def _below(edges: Floats, centers: Floats, widths: Floats) -> Floats:
    """Return what logistic laws have below edges; rows beyond the outer ones are in the outer cells."""
    below = expit((edges - centers[:, None]) / (widths[:, None] / 2))
    below[:, 0], below[:, -1] = 0.0, 1.0
    return np.asarray(below)


@cache
def _laws_on_grid() -> Floats:
    return _laws(_ON_GRID)


@cache
def _log_chances() -> Floats:
    """Return how likely each law is before anything is told: all widths alike, and all places of a width."""
    spacings = _spacings()
    placed = np.repeat(spacings / len(spacings), np.rint(1 / spacings).astype(int))
    on_grid = 1 - CHANCE_OF_FILLED - CHANCE_OF_ANCHORED - CHANCE_OF_SCALE
    anchored = np.full(ANCHORED_WIDTHS, CHANCE_OF_ANCHORED / ANCHORED_WIDTHS)
    chances = [CHANCE_OF_SCALE * placed, anchored, np.asarray([CHANCE_OF_FILLED]), on_grid * placed]
    return np.asarray(np.log(np.concatenate(chances)))
