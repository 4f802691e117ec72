"""Trees as sums of boxes: a value wherever each of some columns is in certain cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.features import BinEncoding
from tacit.models.boosted_trees import STEPS, ObliviousTree
from tacit.models.cells import Distribution
from tacit.models.literal_tree import Leaf, Node
from tacit.models.noise import ColumnNoise, Noise

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Box:
    """A leaf: what it adds to each score, and in which cells each column that was asked about must be."""

    value: Floats
    """Shape (n_scores,)."""
    masks: dict[str, NDArray[np.bool_]]
    """Shape (n_cells,) each, of categories one more for unlisted ones; in the order in which the columns are asked."""
    place: int = 0
    """Of the leaf in its tree."""

    def shares(self, distribution: Distribution) -> Floats:
        """Return the share of rows that each mask admits, shape (n_masks,)."""
        return np.asarray(
            [distribution.shares[name] @ mask[: len(distribution.shares[name])] for name, mask in self.masks.items()]
        )

    def weights(self, distribution: Distribution) -> Iterator[tuple[str, Floats]]:
        """Yield, for each column asked, what the box's value counts in each cell's effect, centered, (n_cells,)."""
        shares = self.shares(distribution)
        for at, (name, mask) in enumerate(self.masks.items()):
            yield name, float(np.delete(shares, at).prod()) * (mask[: len(distribution.shares[name])] - shares[at])


def literal_boxes(nodes: Sequence[Node], values: Floats, encoding: BinEncoding) -> Iterator[Box]:
    """Yield the leaves of a tree of literals, values being of shape (n_nodes, n_scores)."""
    waiting: dict[int, dict[str, NDArray[np.bool_]]] = {0: {}}
    for at, node in enumerate(nodes):
        masks = waiting.pop(at)
        if isinstance(node, Leaf):
            yield Box(values[at], masks, at)
            continue
        name = node.literal.column
        holds = node.literal.holds(encoding.codes_of(name))
        before = masks.get(name, np.ones(len(holds), dtype=bool))
        waiting[node.yes] = {**masks, name: before & holds}
        waiting[node.no] = {**masks, name: before & ~holds}


def oblivious_boxes(tree: ObliviousTree, encoding: BinEncoding) -> Iterator[Box]:
    """Yield the leaves of an oblivious tree that rows can reach."""
    patterns = tree.patterns(encoding)
    asked = {name: sum(1 << at for at, test in enumerate(tree.tests[::-1]) if test.column == name) for name in patterns}
    values = np.asarray(tree.values, dtype=np.float64).T / STEPS
    for leaf in tree.reached(encoding).tolist():
        masks = {name: pattern == leaf & asked[name] for name, pattern in patterns.items()}
        yield Box(values[leaf], masks, leaf)


def box_effects(boxes: Sequence[Box], distribution: Distribution, n_scores: int) -> dict[str, Floats]:
    """Return by column what each cell adds to the scores on average, centered, (n_scores, n_cells) each."""
    found: dict[str, Floats] = {}
    for box in boxes:
        for name, weights in box.weights(distribution):
            total = found.setdefault(name, np.zeros((n_scores, len(weights))))
            total += np.outer(box.value, weights)
    return found


def box_parts(
    boxes: Sequence[Box], distribution: Distribution, inside: Iterable[list[Floats]], n_scores: int
) -> tuple[Floats, dict[str, Floats]]:
    """Return the mean score, (n_scores,), and by column what it adds to each row's beyond that, (n_rows, n_scores).

    Columns are made known one after the other, in the order of the questions and in the reverse order, and the mean of
    both is taken; what is not known yet counts by its shares. The sum is the score.

    Parameters
    ----------
    inside : iterable of lists of arrays of shape (n_rows,)
        For each box, by column: 1 for the rows that its mask admits, else 0.
    """
    base, found = np.zeros(n_scores), dict[str, Floats]()
    for box, admitted in zip(boxes, inside, strict=True):
        shares = box.shares(distribution)
        base += box.value * shares.prod()
        for at, name in enumerate(box.masks):
            part = found.setdefault(name, np.zeros((len(admitted[at]), n_scores)))
            part += np.multiply.outer(_made_known(admitted, shares, at), box.value)
    return base, found


def box_noise(boxes: Iterable[tuple[Box, Floats]], distribution: Distribution, n_scores: int) -> Noise:
    """Return the noise of what columns add, from boxes and the deviations of their values, (n_scores,) each.

    The values' noise is independent.
    """
    found: dict[str, Floats] = {}
    for box, deviations in boxes:
        for name, weights in box.weights(distribution):
            total = found.setdefault(name, np.zeros((n_scores, len(weights))))
            # Centered box by box, as covariances of thousands of categories would not fit in memory.
            total += np.multiply.outer(deviations**2, (weights - distribution.shares[name] @ weights) ** 2)
    return tuple(
        ColumnNoise.centered(name, distribution.shares[name], own, released=False) for name, own in found.items()
    )


def _made_known(inside: list[Floats], shares: Floats, at: int) -> Floats:
    """Return how much more a box counts in each row once a column is known, the mean of both orders."""
    before, after = _product(inside[:at]), _product(inside[at + 1 :])
    return np.asarray((inside[at] - shares[at]) * (before * shares[at + 1 :].prod() + after * shares[:at].prod()) / 2)


def _product(factors: list[Floats]) -> Any:
    return np.prod(factors, axis=0) if factors else 1.0
