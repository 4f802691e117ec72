"""Smooth weights: the exact projection onto the capped simplex, from counts of integer margins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.privacy.requirement import Number

DENSITY = Number(1e-6, 1, "0.3 to 0.5 does well.")
LEARNING_RATE = Number(1e-6, 100, "0.45 does well.")


def smooth_weights(
    margins: NDArray[np.int64], counts: NDArray[np.int64], *, density: float, learning_rate: float
) -> NDArray[np.float64]:
    """Return the weight of a row at each margin: p = min(1/(density n), c exp(-learning_rate margin)).

    The factor c is the one for which all n rows together weigh 1. It is found over the distinct margins, by going
    through them from the lowest (heaviest) up: those below some margin are capped, the others share what is left.

    Parameters
    ----------
    margins : array of shape (n_margins,)
        Strictly increasing.
    counts : array of shape (n_margins,)
        Rows at each margin; n is their sum.
    density : float
        In [1e-6, 1]. No row weighs more than 1/(density n).
    learning_rate : float
        In [1e-6, 100], for one unit of margin.

    Raises
    ------
    ParameterError
        If density or learning_rate is out of range.

    Notes
    -----
    Privacy: not a release. When one row is replaced, the weights of two neighboring tables differ by at most
    zeta = 1/(density n) in total variation over records. Proof: ``proofs/queries/smooth_weights.md``. Rounding is
    part of ``MarginWeights.rounding``. Source: Salamatian (2021), Definitions 2.2.1 and 2.2.4, Algorithm 2.

    Examples
    --------
    >>> smooth_weights(np.asarray([-1, 1]), np.asarray([1, 3]), density=0.5, learning_rate=0.5).round(3)
    array([0.475, 0.175])
    """
    check_smoothness(density, learning_rate)
    n_rows = int(counts.sum())
    occupied = np.flatnonzero(counts)
    first, scale = _first_uncapped(margins[occupied], counts[occupied], density * n_rows, learning_rate)
    above = np.maximum(margins - margins[occupied[first]], 0)
    shares = np.where(margins < margins[occupied[first]], 1.0, scale * np.exp(-learning_rate * above))
    return np.asarray(np.minimum(shares, 1.0) / (density * n_rows))


def check_smoothness(density: float, learning_rate: float) -> None:
    """Refuse a density or a learning rate out of range."""
    DENSITY.check("density", density)
    LEARNING_RATE.check("learning_rate", learning_rate)


def _first_uncapped(
    margins: NDArray[np.int64], counts: NDArray[np.int64], mass: float, learning_rate: float
) -> tuple[int, float]:
    """Return the lowest margin that is not capped, and the weight there in units of the cap.

    With ``mass`` = density n in units of the cap, and those below k capped, margin k gets
    (mass - rows below k) / sum over j >= k of counts_j exp(-learning_rate (margin_j - margin_k)).
    """
    gaps = np.exp(-learning_rate * np.diff(margins)).tolist()
    sizes = counts.tolist()
    tails = [float(sizes[-1])]
    for size, gap in zip(sizes[-2::-1], gaps[::-1], strict=True):
        tails.append(size + gap * tails[-1])
    below = 0
    for k, (size, tail) in enumerate(zip(sizes, tails[::-1], strict=True)):
        if mass - below <= tail:
            return k, (mass - below) / tail
        below += size
    raise AssertionError("a mass of at most all rows fits under the cap")
