"""The exact loss of diffprivlib's trees and forests on two tables whose rows all reach one leaf of each tree.

Thresholds and features are drawn without the rows, so that a tree's loss is its leaf's: with two classes,
permute-and-flip takes the rarer one with probability exp(-epsilon gap) / 2. A forest gives each tree rows of its own,
one stretch of the table after another. Source: ``models/forest.py`` of diffprivlib 0.6.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

Labels = Sequence[int]


def largest_loss(first: Labels, second: Labels, trees: int = 1, *, epsilon: float = 1.0) -> float:
    """Return the largest log ratio of what all trees show together, of two tables' labels, each 0 or 1.

    Examples
    --------
    >>> round(largest_loss([0, 1], [0, 0]), 6), round(largest_loss([0, 1], [0]), 6)
    (2.0, 1.0)
    """
    distributions = [[_distribution(part, epsilon) for part in stretches(labels, trees)] for labels in (first, second)]
    # Trees are independent: the worst outputs in either direction add up.
    ratios = [
        [log(one / other) for one, other in zip(mine, its, strict=True)]
        for mine, its in zip(*distributions, strict=True)
    ]
    return max(sum(max(each) for each in ratios), sum(max(-one for one in each) for each in ratios))


def stretches(labels: Labels, trees: int) -> list[list[int]]:
    """Return each tree's labels.

    Examples
    --------
    >>> stretches([0, 1, 2, 3, 4], 2)
    [[0, 1, 2], [3, 4]]
    """
    size = len(labels) / trees
    return [[label for at, label in enumerate(labels) if int(at // size) == tree] for tree in range(trees)]


def _distribution(labels: Labels, epsilon: float) -> tuple[float, float]:
    gap = sum(labels) * 2 - len(labels)
    rare = exp(-epsilon * abs(gap)) / 2
    return (rare, 1 - rare) if gap > 0 else (1 - rare, rare)
