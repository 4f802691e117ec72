"""The private CART of Lopuhaä-Zwakenberg and others (2021), Algorithm 3, at its cost: not private."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.learners import Tree
from tacit.learners.depth_wise import MAX_LEAVES_OF_LEVEL, MIN_NOISY_COUNT, ask_of_each, best_of_noisy
from tacit.learners.growing_tree import GrowingTree, leaf_probabilities
from tacit.mechanisms import Releases
from tacit.models import LiteralTree
from tacit.privacy import NumericStatistic, PlanEntry, PrivacyUnit, in_part
from tacit.queries.tree.rows import TreeRows
from tacit.queries.tree.scores import question_masses


class PublishedTree(Tree):
    """Grows all leaves of a level by noisy counts of every binary attribute; the leaves are one level more."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.growth, self.criterion) != ("level", "counts"):
            raise ParameterError(
                f"Expected growth='level' and criterion='counts', got growth={self.growth!r} and "
                f"criterion={self.criterion!r}. The paper has no other tree: pass both."
            )

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return one release a level, and one for the leaves."""
        if unit.protects_nothing:
            return []
        return [*in_part("splits", [PlanEntry("noise", count=self.size)]), PlanEntry("noise")]

    def _grow(self, tree: GrowingTree, rows: TreeRows, releases: Releases) -> None:
        if rows.unit.protects_nothing:
            super()._grow(tree, rows, releases)
        else:
            grow_as_published(tree, rows, releases, levels=self.size)

    def _labeled(self, tree: GrowingTree, rows: TreeRows, releases: Releases, loss: float) -> LiteralTree:
        counts = releases.noisy(published_leaf_counts(rows, tree.leaves, len(tree.questions)))
        return LiteralTree(tree.finished(leaf_probabilities(tree, counts.value, 0.0)), self.encoding.n_bins)


def grow_as_published(tree: GrowingTree, rows: TreeRows, releases: Releases, *, levels: int) -> None:
    """Choose questions from the paper's noisy counts, one histogram for each binary attribute."""
    leaves = tree.leaves
    for _ in range(levels):
        leaves = [leaf for leaf in leaves if tree.admitted(leaf).any()]
        if not leaves or len(leaves) > MAX_LEAVES_OF_LEVEL:
            return
        released = releases.noisy(published_attribute_counts(rows, rows.histogram(leaves), tree.spans))
        noisy = np.maximum(released.value, MIN_NOISY_COUNT)
        admitted = np.asarray([tree.admitted(leaf) for leaf in leaves])
        chosen, _ = best_of_noisy(noisy[:, :, 1], noisy[:, :, 0], admitted)
        leaves = ask_of_each(tree, rows, leaves, chosen)


def published_attribute_counts(
    rows: TreeRows, histogram: NDArray[np.int64], spans: NDArray[np.intp]
) -> NumericStatistic:
    """Return rows by (leaf, binary attribute, value, class), shape (n_leaves, n_attributes, 2, n_classes).

    Notes
    -----
    Privacy: charged with L1 sensitivity one for each attribute, their Theorem 3.4. It is two: under replace-one a row
    leaves one cell of each attribute and enters another. Not differentially private at the stated cost.
    """
    held, everyone = question_masses(histogram, spans, rows)
    counts = np.stack([everyone[:, None, :] - held, held], axis=2)
    return _charged("rows by leaf, attribute, value and class", rows, counts, len(spans))


def published_leaf_counts(rows: TreeRows, leaves: list[int], n_attributes: int) -> NumericStatistic:
    """Return rows of each class at each leaf; the paper gives them one attribute's part of a level's budget."""
    counts = rows.totals(leaves) @ rows.groups.mass.T
    return _charged("rows of each class at each leaf", rows, counts, n_attributes)


def _charged(query: str, rows: TreeRows, counts: NDArray[np.int64], n_attributes: int) -> NumericStatistic:
    # Floats get the continuous distribution, as in the paper.
    value = np.asarray(counts, dtype=np.float64)
    return NumericStatistic(query, rows.unit, value, l1=float(n_attributes), l2=float(n_attributes) ** 0.5)
