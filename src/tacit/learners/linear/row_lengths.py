"""How long rows of ranks are kept at most, of a number to predict: short ones need less noise, but bend straight lines.

Noise follows the longest row, so that rows are best all of one length. But a row's length grows with its numbers'
distances from their medians: cut to one length, a number adds less for each rank the farther it is, most where there is
no other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.features.ranked_encoding import CURVE_POINTS, RankedEncoding, quadratic_of
from tacit.rules.priors import RADIUS

_RANKS, _SHARES = np.polynomial.legendre.leggauss(CURVE_POINTS)
"""Of a number whose ranks are even, and how much each counts of two: means by Gauss and Legendre's quadrature."""


def best_length(encoding: RankedEncoding, noise: float) -> float:
    """Return the length of rows over the longest that has the least noise and bend together.

    Parameters
    ----------
    encoding : RankedEncoding
        Of any radius.
    noise : float
        Variance of what is predicted, over the target's, were all rows of one length.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric, Schema
    >>> schema = Schema([Numeric("size", 0, 200)], label=Label("old", ["no", "yes"]))
    >>> encoding = RankedEncoding(schema, ("size",), float("inf"), quadratic=True)
    >>> [round(best_length(encoding, noise), 2) for noise in (1.0, 0.01, 1e-6)]
    [0.25, 0.86, 1.0]
    """
    if not encoding.numbers:
        return RADIUS  # categories make all rows as long
    lengths = np.linspace(RADIUS, 1.0, CURVE_POINTS)
    errors = [noise * longest_over_usual(encoding, each) + bend(encoding, each) for each in lengths]
    # The first of several that are as good: where all rows are of one length it says nothing how long.
    return float(lengths[np.argmin(np.round(errors, 12))])


def longest_over_usual(encoding: RankedEncoding, length: float) -> float:
    """Return the squared length of the longest row over the mean of all, cut to a part of the longest."""
    most = (length * encoding.longest) ** 2
    return most / _mean(np.minimum(most, _squares(encoding)))


def bend(encoding: RankedEncoding, length: float) -> float:
    """Return the part of a straight line's variance that rows cut to such a part of the longest cannot say."""
    # What is left of x times its factor after the best straight line of x: one less the squared correlation.
    factor = np.minimum(1.0, length * encoding.longest / np.sqrt(_squares(encoding)))
    square = _RANKS**2
    return 1 - _mean(square * factor) ** 2 / (_mean(square) * _mean(square * factor**2))


def _squares(encoding: RankedEncoding) -> NDArray[np.float64]:
    """Return squared lengths of rows by the rank of one number, all others being as long as usual."""
    own = _RANKS**2 + (quadratic_of(_RANKS**2) ** 2 if encoding.quadratic else 0.0)
    return np.asarray(own - _mean(own) + encoding.usual_length**2)


def _mean(values: NDArray[np.float64]) -> float:
    return float(_SHARES @ values / 2)
