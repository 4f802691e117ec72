"""DP-Feat as its paper draws it: signatures are thrown away until they fall into the window; for comparison in studies.

Nock, Patrini and Friedman (2015), Algorithm 2, step 2. Rados here are drawn from the window's distribution directly
(``draw_window_counts``). Proof: ``proofs/mechanisms/rado_signatures.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, floor, log
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.mechanisms.rado_signatures import DrawnSignatures, RandomBits
from tacit.privacy.marginal import Window
from tacit.privacy.parameters import counting, positive

_TOGETHER = 2**24
"""Bytes of signatures drawn at a time."""


@final
@dataclass(frozen=True, eq=False)
class Rejection:
    """What a rejection sampler kept, and what it took.

    Attributes
    ----------
    parts : DrawnSignatures
        Which rows take part in which rado.
    drawn : int
        Number of signatures drawn until there were enough.
    """

    parts: DrawnSignatures
    drawn: int


def draw_by_rejection(signs: NDArray[Any], window: Window, count: int, bits: RandomBits) -> Rejection:
    """Return parts of ``count`` rados whose entry in one column lies within DP-Feat's window.

    Parameters
    ----------
    signs : array of shape (n_rows,)
        Edges in the column, -1 or 1.
    window : Window
        Of as many rows.
    count : int
    bits : RandomBits

    Returns
    -------
    Rejection
        One signature is kept with probability ``1 - window.outside``, so the mean of ``drawn`` is ``count`` over that;
        Theorem 7 bounds it with probability 1 - eta by ``rejection_bound(n_rows, epsilon, count, eta)``.

    Raises
    ------
    ParameterError
        If edges are not -1 or 1, or not one for each of the window's rows.

    Notes
    -----
    Privacy: marginal only, as for ``WindowedSums``; parts are as secret as the rows. How many are drawn depends on no
    row: a row agrees with its edge with probability 1/2 whatever that is.

    Examples
    --------
    >>> found = draw_by_rejection(np.repeat([-1, 1], 50), Window(100, 1.0), 20, RandomBits(0))
    >>> found.parts.count, 20 <= found.drawn <= rejection_bound(100, 1.0, 20, 0.05)
    (20, True)
    """
    edges = np.asarray(signs)
    if edges.shape != (window.n_rows,) or not np.isin(edges, (-1, 1)).all():
        raise ParameterError("Expected an edge of -1 or 1 for each of the window's rows. Round or scale the column.")
    counting("count", count)
    positive = np.packbits(edges > 0, bitorder="little")
    last = np.uint8(0xFF >> (-len(edges) % 8))
    together = max(1, min(count, _TOGETHER // len(positive)))
    kept, n_kept, drawn = [], 0, 0
    while n_kept < count:
        parts = bits.bytes((together, len(positive))).copy()
        parts[:, -1] &= last
        agreeing = window.n_rows - np.bitwise_count(parts ^ positive).sum(axis=1, dtype=np.int64)
        inside = np.flatnonzero((agreeing >= window.low) & (agreeing <= window.high))[: count - n_kept]
        kept.append(parts[inside])
        n_kept += len(inside)
        drawn += int(inside[-1]) + 1 if n_kept == count else together
    return Rejection(DrawnSignatures(np.concatenate(kept)), drawn)


def bit_divergence(p: float, q: float) -> float:
    """Return p log(p/q) + (1-p) log((1-p)/(1-q)), the paper's bit-entropy divergence, in nats."""
    parts = [(p, q), (1 - p, 1 - q)]
    return sum(a * log(a / b) for a, b in parts if a > 0)


def rejection_bound(n_rows: int, epsilon: float, count: int, eta: float) -> float:
    """Return Theorem 7's bound on the signatures a rejection sampler draws for ``count`` rados.

    Holds with probability at least 1 - eta, as the paper states it.
    """
    beta = 1 / (1 + exp(positive("epsilon", epsilon) / 2))
    few = eta * (1 - exp(2 * beta - 1)) / (4 * beta)
    if count <= few:
        return float(count)
    tries = log(count / few) / (n_rows * bit_divergence(1 - beta, 0.5))
    return float(count * max(1, floor(tries) + (tries % 1 > 0)))
