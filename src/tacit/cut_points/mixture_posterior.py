"""Posterior of a numeric column's distribution over a grid of candidates, from noisy counts between points."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.special import expit, softmax

from tacit.features.grid_window import N_CELLS, GridWindow
from tacit.rules.cut_points import CHANCE_OF_ANCHORED, CHANCE_OF_FILLED, CHANCE_OF_SCALE

Floats = NDArray[np.float64]

PARTS = 4
"""Into which the rows that are expected are divided: quarters (``benchmarks/quartiles.py``)."""

WIDEST, NARROWEST = 0.25, 2.0**-6
"""Of the window, how far apart the centers of the widest distributions are, and of the narrowest: half as far each
time. Rows that are closer together are looked at in a narrower window."""

ANCHORED_WIDTHS = 28
"""How often the width of distributions about the anchor is halved: as far as the grid's logarithmic cells go."""

_MISFIT = 0.03
"""Of the rows: how far the share of a part is from that of the best distribution, which no column has. Without it
counts of little noise would hold fast to one, whatever later counts say; three times as much changes nothing."""

MIN_DEVIATION = 1e-5
"""Of the noise of counts, in shares of the rows: less would be lost in rounding."""

_MIN_SHARE = 1e-9
"""Of the rows, in a cell: what is below each edge increases."""

_ON_GRID = np.linspace(0.0, 1.0, N_CELLS + 1)


NARROW = 16
"""Cells that nine tenths of the rows are expected in, at most, for a narrower window: what a column is within a cell
is not known."""


class MixturePosterior:
    """What is known of a column: logistic distributions, each as likely as it makes the noisy counts.

    They have all places and widths.

    Parameters
    ----------
    window : GridWindow

    Notes
    -----
    Counts of quarters that are expected say most of what is not known, as a bisection does whose answers have noise
    (Jedynak, Frazier and Sznitman 2012). Where rows are in few cells, the window is narrowed. Post-processing: reads
    released counts and the distribution of their noise.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric, Schema
    >>> from tacit.features import GridEncoding, GridWindow
    >>> schema = Schema([Numeric("x", 0, 10, center=5)], label=Label("y", [0, 1]))
    >>> posterior = MixturePosterior(GridWindow(GridEncoding(schema, "x")))
    >>> for _ in range(8):  # rows spread evenly over a tenth of the grid, nearly without noise
    ...     edges = posterior.quarters()
    ...     below = np.interp(posterior.window.shares(edges), [0.4, 0.5], [0, 1])
    ...     posterior.learn(edges, np.diff(below), deviation=1e-3)
    >>> posterior.quantiles(np.asarray([0.25, 0.5, 0.75])).round(2).tolist()
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
        self._own = np.concatenate([_distributions(even), anchored, even[None]])
        self._fits = np.zeros(len(self._own) + len(_distributions_on_grid()))
        self._edges = [window.edges(places) for places, _, _ in self._told]
        for edges, (_, shares, deviation) in zip(self._edges, self._told, strict=True):
            self._weigh(edges, shares, deviation)
        self._expected = self._below()

    def quarters(self) -> NDArray[np.int64]:
        """Return the edges of the window's cells between which quarters of the rows are expected, (5,)."""
        inner = np.searchsorted(self._expected, np.arange(1, PARTS) / PARTS)
        return np.concatenate([[0], inner, [N_CELLS]])

    def learn(self, edges: NDArray[np.int64], shares: Floats, deviation: float) -> None:
        """Take shares of the rows between edges, with noise of this deviation."""
        deviation = max(deviation, MIN_DEVIATION)
        self._told.append((self.window.places(edges), shares, deviation))
        self._edges.append(edges)
        self._weigh(edges, shares, deviation)
        self._expected = self._below()

    def narrowed(self) -> bool:
        """Narrow the window if rows are expected in few of its cells; return whether it was.

        Not about the anchor, where cells are as narrow as may be: of numbers that are mostly zero, others would all be
        the same.
        """
        low, high = (int(edge) for edge in np.searchsorted(self._expected, [0.05, 0.95]))
        low = max(0, low - 1)
        narrow = self.window.shift > 0 and high - low <= NARROW and not low <= self._anchor <= high
        if narrow:
            self._look(self.window.around(low, high))
        return narrow

    def _weigh(self, edges: NDArray[np.int64], shares: Floats, deviation: float) -> None:
        expected = np.concatenate(
            [np.diff(distributions[:, edges], axis=1) for distributions in (self._own, _distributions_on_grid())]
        )
        fits = expected @ shares - np.square(expected).sum(axis=1) / 2
        self._fits += fits / (deviation**2 + _MISFIT**2)

    def quantiles(self, wanted: Floats) -> Floats:
        """Return below which shares of the grid's cells such shares of the rows are."""
        return self.window.shares(np.interp(wanted, self._expected, np.arange(N_CELLS + 1.0)))

    def _below(self) -> Floats:
        """Return the share of the rows expected below each edge, increasing, shape (n_cells + 1,).

        The mean of the distributions, and what they lack as a Gaussian process of the density (Rasmussen and Williams
        2006).
        """
        chances = softmax(self._fits + _log_chances())
        below = np.asarray(chances[: len(self._own)] @ self._own + chances[len(self._own) :] @ _distributions_on_grid())
        if not self._told:
            return below
        # Of counts over their noise, each a sum over cells.
        firsts, ends = (np.concatenate([edges[part] for edges in self._edges]) for part in (np.s_[:-1], np.s_[1:]))
        noise = np.repeat([deviation for *_, deviation in self._told], PARTS)
        told = np.concatenate([shares for _, shares, _ in self._told])
        seen = _varying_with(below, firsts, ends) / noise[:, None]
        summed = np.zeros((len(seen), len(below)))
        np.cumsum(seen, axis=1, out=summed[:, 1:])
        covariance = (summed[:, ends] - summed[:, firsts]) / noise
        covariance.flat[:: len(covariance) + 1] += 1.0
        missed = (told - (below[ends] - below[firsts])) / noise
        # LAPACK alone, as SciPy's checks take ten times as long. The noise in the diagonal makes it positive definite.
        _, weights, _ = lapack.dposv(covariance, missed)
        shares = np.diff(below) + weights @ seen
        bent = np.concatenate([[0.0], np.cumsum(np.maximum(shares, _MIN_SHARE))])
        return np.asarray(bent / bent[-1])


def _varying_with(below: Floats, firsts: NDArray[np.int64], ends: NDArray[np.int64]) -> Floats:
    """Return how the rows of sums of cells vary with those of each cell, shape (n_sums, n_cells).

    A density varies by as much as it is, over a part of the rows: two cells with the exponential of how many rows are
    between them. That is a product of what each of them has, so that sums over cells are differences of running sums.
    Half or twice of either changes nothing.
    """
    shares, middles = np.diff(below), PARTS * (below[1:] + below[:-1]) / 2
    rising, falling = np.exp(middles), np.exp(-middles)
    up, down = (np.concatenate([[0.0], np.cumsum(shares * each)]) for each in (rising, falling))
    # Cells of a sum up to each cell, and behind it.
    at = np.clip(np.arange(1, len(below)), firsts[:, None], ends[:, None])
    before, behind = up[at] - up[firsts, None], down[ends, None] - down[at]
    return np.asarray(shares * (falling * before + rising * behind))


def _spacings() -> Floats:
    """Return how far apart the centers of distributions are, of each width, the widest first."""
    return np.ldexp(WIDEST, -np.arange(round(np.log2(WIDEST / NARROWEST)) + 1))


def _distributions(edges: Floats) -> Floats:
    """Return what all distributions have below edges from 0 to 1, shape (n_distributions, n_edges)."""
    centers = [np.arange(apart / 2, 1, apart) for apart in _spacings()]
    return _below(edges, np.concatenate(centers), np.repeat(_spacings(), [len(each) for each in centers]))


def _below(edges: Floats, centers: Floats, widths: Floats) -> Floats:
    """Return what logistic distributions have below edges; rows beyond the outer ones are in the outer cells."""
    below = expit((edges - centers[:, None]) / (widths[:, None] / 2))
    below[:, 0], below[:, -1] = 0.0, 1.0
    return np.asarray(below)


@cache
def _distributions_on_grid() -> Floats:
    return _distributions(_ON_GRID)


@cache
def _log_chances() -> Floats:
    """Return how likely each distribution is before anything is told: all widths alike, and all places of a width."""
    spacings = _spacings()
    placed = np.repeat(spacings / len(spacings), np.rint(1 / spacings).astype(int))
    on_grid = 1 - CHANCE_OF_FILLED - CHANCE_OF_ANCHORED - CHANCE_OF_SCALE
    anchored = np.full(ANCHORED_WIDTHS, CHANCE_OF_ANCHORED / ANCHORED_WIDTHS)
    chances = [CHANCE_OF_SCALE * placed, anchored, np.asarray([CHANCE_OF_FILLED]), on_grid * placed]
    return np.asarray(np.log(np.concatenate(chances)))
