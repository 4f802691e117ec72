"""How sure a tree is: noise of its leaves' scores, and its questions' gains against that of their selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.learners.growing_tree import GrowingTree
from tacit.mechanisms import AnnouncedRelease
from tacit.models import LiteralTree
from tacit.models.boxes import box_noise
from tacit.models.cells import Distribution
from tacit.models.literal_tree import Question
from tacit.models.noise import ColumnNoise, Noise
from tacit.models.tree_attribution import Boxes
from tacit.privacy import ZCDP, PureDP
from tacit.queries.tree.scores import impurity
from tacit.sensitivities.masses import RANGES, Criterion

Floats = NDArray[np.float64]


def leaf_deviations(shares: Floats, counts: Floats, deviations: Floats) -> Floats:
    """Return the standard deviation of the noise in each leaf's scores, (n_leaves, n_scores).

    At most, to first order, given the questions: of shares of all counts, or of as many rows as the noise's deviation
    where they are fewer; drawing them toward a parent's makes it less. Of two classes the score is the second's lead.

    Parameters
    ----------
    shares, counts : arrays of shape (n_leaves, n_classes)
    deviations : array of shape (n_leaves,)
        Of the noise on each of a leaf's counts, in rows.

    Examples
    --------
    >>> leaf_deviations(np.asarray([[0.5, 0.5]]), np.asarray([[40.0, 57.0]]), np.asarray([3.0])).round(4).tolist()
    [[0.0437]]
    """
    n_classes = shares.shape[1]
    wide = deviations[:, None]
    rows = np.maximum(np.maximum(counts, 0.0).sum(axis=1, keepdims=True), np.maximum(wide, 1e-9))
    spreads = wide / rows * np.sqrt((1 - shares) ** 2 + (n_classes - 1) * shares**2)
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
    distribution = Distribution.of(how.cells)
    boxes = ((box, deviations[box.place]) for box in how.boxes)
    effects = how.effects(distribution)
    return tuple(
        ColumnNoise.centered(
            each.column,
            distribution.shares[each.column],
            np.asarray(each.deviations) ** 2 + (doubts.get(each.column, 0.0) * effects[each.column]) ** 2,
            released=False,
        )
        for each in box_noise(boxes, distribution, how.n_scores)
    )


RARE = 3.0
"""A selection misses the best candidate by more than its scale times (log of their number + 3) in 5 % of cases."""


def selection_loss(announced: Sequence[AnnouncedRelease], criterion: Criterion, n_questions: int) -> float:
    """Return by how many rows' improvement a selection may miss the best question; exceeded in 5 % of cases.

    An exponential mechanism, or permute-and-flip, of scale s misses the best of m candidates by more than
    s (log m + t) with a probability of at most exp(-t): McSherry and Talwar (2007), McKenna and Sheldon (2020).
    """
    scales = [_scale(one, RANGES[criterion]) for one in announced if one.planned.kind == "selection"]
    return max(scales, default=0.0) * (log(max(n_questions, 1)) + RARE)


def question_doubts(
    tree: GrowingTree, model: LiteralTree, counts: Floats, criterion: Criterion, loss: float
) -> dict[str, float]:
    """Return for each column which part of its effects a selection may have missed: 1/2 where it is its whole gain.

    Two standard deviations are then all of it: another fit may ask about other columns instead.

    Parameters
    ----------
    counts : array of shape (n_leaves, n_classes)
        Released, in the order of ``tree.leaves``.
    loss : float
        Of a selection, in rows.
    """
    totals = np.zeros((len(model.nodes), counts.shape[1]))
    totals[tree.leaves] = np.maximum(counts, 0.0)
    gains: dict[str, float] = {}
    for at in range(len(model.nodes) - 1, -1, -1):  # children come after their parents
        node = model.nodes[at]
        if isinstance(node, Question):
            totals[at] = totals[node.yes] + totals[node.no]
            before, *after = impurity(totals[[at, node.yes, node.no]], criterion).tolist()
            gains[node.literal.column] = gains.get(node.literal.column, 0.0) + before - sum(after)
    return {name: min(1.0, loss / (2 * max(gain, 1e-9))) for name, gain in gains.items()}


def _scale(one: AnnouncedRelease, range_: float) -> float:
    assert isinstance(one.share, PureDP | ZCDP)
    return range_ / (one.share.epsilon if isinstance(one.share, PureDP) else sqrt(8 * one.share.rho))
