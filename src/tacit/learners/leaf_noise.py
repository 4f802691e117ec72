"""How noisy the effects of a tree are, from the noise in its leaves' counts; at no privacy cost."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tacit.models.boxes import box_noise
from tacit.models.cells import Law
from tacit.models.noise import ColumnNoise, Noise
from tacit.models.tree_attribution import Boxes

Floats = NDArray[np.float64]


def leaf_deviations(shares: Floats, counts: Floats, deviation: float, drawn: float) -> Floats:
    """Return the standard deviation of the noise in each leaf's scores, (n_leaves, n_scores).

    To first order, given the questions: a class has (its count + drawn * its parent's share) / (all counts + drawn). Of
    two classes the score is the second's lead.

    Parameters
    ----------
    shares, counts : arrays of shape (n_leaves, n_classes)
    deviation : float
        Of the noise on each count, in rows.
    drawn : float
        Rows by which a share is drawn toward its parent's.

    Examples
    --------
    >>> leaf_deviations(np.asarray([[0.5, 0.5]]), np.asarray([[40.0, 60.0]]), 3.0, 0.0).round(4).tolist()
    [[0.0424]]
    """
    n_classes = shares.shape[1]
    rows = np.maximum(counts, 0.0).sum(axis=1, keepdims=True) + max(drawn, 1e-9)
    spreads = deviation / rows * np.sqrt((1 - shares) ** 2 + (n_classes - 1) * shares**2)
    # No share is off by more than one half of all there can be.
    spreads = np.minimum(spreads, 0.5)
    return np.asarray(2 * spreads[:, 1:] if n_classes == 2 else spreads)


def leaf_noise(how: Boxes, deviations: Mapping[int, Floats], doubts: Mapping[str, float]) -> Noise:
    """Return the noise of what columns add to a tree's scores.

    That of its leaves, given the questions, and that of the questions: of a column with a doubt of 1, nothing is sure.

    Parameters
    ----------
    how : Boxes
        The tree's leaves.
    deviations : mapping of int to array of shape (n_scores,)
        Of the noise in each leaf's scores.
    doubts : mapping of str to float
        By column, the part of its effects that the noise of selections accounts for, as a standard deviation.
    """
    law = Law.of(how.cells)
    boxes = ((box, deviations[box.place]) for box in how.boxes)
    effects = how.effects(law)
    return tuple(
        ColumnNoise.centered(
            each.column,
            law.shares[each.column],
            np.asarray(each.deviations) ** 2 + (doubts.get(each.column, 0.0) * effects[each.column]) ** 2,
            released=False,
        )
        for each in box_noise(boxes, law, how.n_scores)
    )
