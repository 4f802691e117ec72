"""How sure a tree's questions are: their gain in released counts, against the noise by which they were selected."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.learners.growing_tree import GrowingTree
from tacit.mechanisms import Announced
from tacit.models import LiteralTree
from tacit.models.literal_tree import Question
from tacit.privacy import ZCDP, PureDP
from tacit.queries.tree.scores import RANGES, Criterion, impurity

Floats = NDArray[np.float64]

RARE = 3.0
"""A selection misses the best candidate by more than its scale times (log of their number + 3) in 5 % of cases."""


def selection_loss(announced: Sequence[Announced], criterion: Criterion, n_questions: int) -> float:
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


def _scale(one: Announced, range_: float) -> float:
    assert isinstance(one.share, PureDP | ZCDP)
    return range_ / (one.share.epsilon if isinstance(one.share, PureDP) else sqrt(8 * one.share.rho))
