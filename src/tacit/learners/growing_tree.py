"""A decision tree under construction: its nodes, the splits still admissible at each, and the labels of its leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import inf

import numpy as np
from numpy.typing import NDArray

from tacit.features import BinEncoding
from tacit.features.literals import Literal, NumericLiterals, literals
from tacit.learners.conditionals import positive_mean
from tacit.models.literal_tree import DEEPEST, Leaf, Node, Question
from tacit.queries.tree.rows import Branch
from tacit.schema import Categorical


class GrowingTree:
    """Nodes and their questions; everything in it is public.

    Parameters
    ----------
    numeric : {"thresholds", "bins", "both"}
        What is asked of numeric columns.

    Attributes
    ----------
    spans : array of shape (n_questions, 2)
        Where each question's bins start and stop among those of all columns.
    """

    def __init__(self, encoding: BinEncoding, numeric: NumericLiterals = "thresholds"):
        layout = _layout(encoding, numeric)
        self.encoding = encoding
        self.questions: tuple[Literal, ...] = layout.questions
        self.spans, self._offsets, self._question_columns = layout.spans, layout.offsets, layout.question_columns
        self._branches: dict[int, Branch] = {}
        self._parents: dict[int, int] = {}
        self._possible, self._depths = [layout.listed], [0]

    @property
    def leaves(self) -> list[int]:
        """Nodes without a question."""
        return [node for node in range(len(self._possible)) if node not in self._branches]

    def admitted(self, node: int) -> NDArray[np.bool_]:
        """Return which questions some row at the node may answer by yes and another by no, shape (n_questions,).

        None at a node as deep as a model may be, which is public like all else here.
        """
        if self._depths[node] == DEEPEST:
            return np.zeros(len(self.questions), dtype=bool)
        summed = np.concatenate([[0], np.cumsum(self._possible[node])])
        held = summed[self.spans[:, 1]] - summed[self.spans[:, 0]]
        return np.asarray((held > 0) & (held < self._open_bins(node)[self._question_columns]))

    def asked(self, node: int) -> NDArray[np.bool_]:
        """Return which columns have more than one bin left at the node, shape (n_columns,)."""
        return self._open_bins(node) > 1

    def categories_asked(self, node: int) -> str | None:
        """Return the first column asked on the way to a leaf that has more than one category left there, if any."""
        way, at = [], node
        while at in self._parents:
            at = self._parents[at]
            way.append(self._branches[at].literal.column)
        # The root's column comes last on the way up; it was the best of all.
        return next((name for name in reversed(way) if self._categories_left(node, name) > 1), None)

    def branch(self, node: int, question: int) -> Branch:
        """Ask the question at the node and return where it leads."""
        first, stop = self.spans[question]
        column = self._question_columns[question]
        rest = self._possible[node].copy()
        rest[first:stop] = False
        held = self._possible[node].copy()
        held[self._offsets[column] : first] = False
        held[stop : self._offsets[column + 1]] = False
        yes = len(self._possible)
        self._possible += [held, rest]
        self._depths += [self._depths[node] + 1] * 2
        self._branches[node] = Branch(self.questions[question], yes, yes + 1)
        self._parents |= {yes: node, yes + 1: node}
        return self._branches[node]

    def graft(self, stem: GrowingTree) -> None:
        """Take over all nodes of a tree of fewer columns; this one must still be a single leaf."""
        places = {question: at for at, question in enumerate(self.questions)}
        for node, branch in stem._branches_in_order():
            self.branch(node, places[branch.literal])

    @property
    def bins_listed(self) -> list[int]:
        """How many bins each column has, without the one for unlisted categories."""
        return [int(bins) for bins in self._open_bins(0)]

    def children(self, node: int) -> tuple[int, int] | None:
        """Return the children of a node, or None for a leaf."""
        branch = self._branches.get(node)
        return (branch.yes, branch.no) if branch else None

    def finished(self, probabilities: NDArray[np.float64]) -> tuple[Node, ...]:
        """Return the nodes as a model writes them down, from class probabilities of each node."""
        return tuple(
            Question(branch.literal, branch.yes, branch.no)
            if (branch := self._branches.get(node))
            else Leaf(tuple(map(float, probabilities[node])))
            for node in range(len(self._possible))
        )

    def held(self, histogram: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how many rows answer each question by yes, and how many at all, from a released histogram.

        The histogram is (n_leaves, n_classes, n_bins); both answers are (n_leaves, n_questions, n_classes). All rows
        are counted by the column that is asked.
        """
        summed = np.zeros((*histogram.shape[:2], histogram.shape[2] + 1))
        np.cumsum(histogram, axis=2, out=summed[:, :, 1:])
        columns = self._question_columns
        yes = summed[:, :, self.spans[:, 1]] - summed[:, :, self.spans[:, 0]]
        total = summed[:, :, self._offsets[columns + 1]] - summed[:, :, self._offsets[columns]]
        return yes.swapaxes(1, 2), total.swapaxes(1, 2)

    def _branches_in_order(self) -> list[tuple[int, Branch]]:
        return sorted(self._branches.items(), key=lambda item: item[1].yes)

    def question_about(self, column: str, code: int) -> int | None:
        """Return the question whether a category is this one; None if another question's denial says so."""
        return self._single.get((column, code))

    @cached_property
    def _single(self) -> dict[tuple[str, int], int]:
        return {(one.column, one.first): at for at, one in enumerate(self.questions) if one.first == one.last}

    def _categories_left(self, node: int, column: str) -> int:
        if not isinstance(self.encoding.schema.column(column), Categorical):
            return 0
        return int(self._open_bins(node)[self.encoding.columns.index(column)])

    def _open_bins(self, node: int) -> NDArray[np.int64]:
        return np.asarray(np.add.reduceat(self._possible[node].astype(np.int64), self._offsets[:-1]))


@dataclass(frozen=True)
class _Layout:
    """What all trees of an encoding share; arrays cannot be written to."""

    questions: tuple[Literal, ...]
    offsets: NDArray[np.intp]
    """Shape (n_columns + 1,). Where each column's bins start among those of all columns."""
    question_columns: NDArray[np.intp]
    """Shape (n_questions,)."""
    spans: NDArray[np.intp]
    """Shape (n_questions, 2)."""
    listed: NDArray[np.bool_]
    """Shape (n_bins,). Which bins a row may have; a category's last code, for unlisted values, asks no question."""


@lru_cache(maxsize=16)
def _layout(encoding: BinEncoding, numeric: NumericLiterals) -> _Layout:
    questions = literals(encoding, numeric)
    places = {name: at for at, name in enumerate(encoding.columns)}
    offsets = np.concatenate([[0], np.cumsum(encoding.n_codes)]).astype(np.intp)
    columns = np.asarray([places[one.column] for one in questions], dtype=np.intp)
    spans = offsets[columns][:, None] + np.asarray([(one.first, one.last + 1) for one in questions], dtype=np.intp)
    listed = np.ones(offsets[-1], dtype=bool)
    for name, stop in zip(encoding.columns, offsets[1:], strict=True):
        if isinstance(encoding.schema.column(name), Categorical):
            # The last code of a category is for unlisted values, which no question names.
            listed[stop - 1] = False
    for array in (offsets, columns, spans, listed):
        # Shared by all trees of an encoding.
        array.flags.writeable = False
    return _Layout(questions, offsets, columns, spans, listed)


def split_off_categories(
    tree: GrowingTree, counts: Sequence[NDArray[np.float64]], columns: Sequence[str | None], scale: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Split off categories whose majority class differs from their leaf's.

    A category is split off where another class leads by more than the noise's scale.

    Parameters
    ----------
    counts : sequence of arrays of shape (n_bins or 1, n_classes)
        Of each leaf, in the order of ``tree.leaves``; with noise.
    columns : sequence of str or None
        Whose bins the counts are by, if any.

    Returns
    -------
    counts : array of shape (n_leaves, n_classes)
        In the order of ``tree.leaves`` as they are now.
    cells : array of shape (n_leaves,)
        Of how many counts, each with noise of its own, a leaf's are the sums.
    """
    found: dict[int, tuple[NDArray[np.float64], int]] = {}
    for leaf, counted, column in zip(tree.leaves, counts, columns, strict=True):
        rest, cells = counted.sum(axis=0), len(counted)
        if column is not None:
            lead = counted.max(axis=1) - counted[:, rest.argmax()]
            for code in np.argsort(-lead, kind="stable"):
                question = tree.question_about(column, int(code))
                # A lead within the scale may well be noise; a question that is not admitted would split nothing.
                if lead[code] <= scale or question is None or not tree.admitted(leaf)[question]:
                    continue
                branch = tree.branch(leaf, question)
                found[branch.yes] = counted[code], 1
                rest, cells, leaf = rest - counted[code], cells - 1, branch.no
        found[leaf] = rest, cells
    summed, together = zip(*(found[leaf] for leaf in tree.leaves), strict=True)
    return np.asarray(summed), np.asarray(together)


def root_shares(
    counts: NDArray[np.float64],
    variance: float,
    *,
    most: float = inf,
    exact: bool = False,
    usual: Sequence[float] | None = None,
) -> NDArray[np.float64]:
    """Return the classes' shares of all rows, shape (n_classes,), from counts with such a variance of noise each.

    Parameters
    ----------
    counts : array of shape (n_classes,)
    variance : float
    most : float
        Rows of the table, as far as public.
    exact : bool
        Whether it has exactly so many, so that counts are moved alike until they add up to them.
    usual : sequence of float, optional
        Declared shares, from which the table's differ as those of a sample do; even ones, and as far from these as
        shares can be, if not given.

    Examples
    --------
    >>> root_shares(np.asarray([60.0, 20.0]), 0.0, most=100, exact=True).round(3).tolist()  # ten more of each
    [0.7, 0.3]
    """
    n_classes = len(counts)
    if exact:
        counts, variance = counts + (most - counts.sum()) / n_classes, variance * (1 - 1 / n_classes)
    toward = np.full(n_classes, 1 / n_classes) if usual is None else np.asarray(usual)
    return _drawn(counts, toward, variance, most, sampled=usual is not None)


def leaf_probabilities(
    tree: GrowingTree,
    counts: NDArray[np.float64],
    deviations: NDArray[np.float64] | float,
    root: NDArray[np.float64] | None = None,
    *,
    most: float = inf,
) -> NDArray[np.float64]:
    """Return class probabilities of each node, shape (n_nodes, n_classes).

    A node's share of each class is drawn toward its parent's as far as noise demands: a count is what is expected of a
    normal distribution above zero, known by its noise, of which the parent's share is the mean and p (1 - p) the
    variance, the largest that a share of mean p can have. Without noise they are the plain shares; an empty leaf takes
    its parent's.

    Parameters
    ----------
    counts : array of shape (n_leaves, n_classes)
        In the order of ``tree.leaves``; with noise.
    deviations : array of shape (n_leaves,) or float
        Standard deviation of the noise on each count, in rows.
    root : array of shape (n_classes,), optional
        Shares of all rows; what the counts say of them if not given.
    most : float
        Rows of the whole table, as far as public: no node has more. Noise alone would make nodes large at the smallest
        budgets, and what it says of their classes as sure.
    """
    leaves = tree.leaves
    n_nodes, n_classes = max(leaves) + 1, counts.shape[1]
    totals, variances = np.zeros((n_nodes, n_classes)), np.zeros(n_nodes)
    totals[leaves], variances[leaves] = counts, np.square(deviations)
    # Children have higher numbers than their parent, so backward each node follows its children.
    for node in range(n_nodes - 1, -1, -1):
        if below := tree.children(node):
            totals[node] = totals[below[0]] + totals[below[1]]
            variances[node] = variances[below[0]] + variances[below[1]]
    shares = np.zeros((n_nodes, n_classes))
    shares[0] = root_shares(totals[0], variances[0], most=most) if root is None else root
    for node in range(n_nodes):
        for child in tree.children(node) or ():
            shares[child] = _drawn(totals[child], shares[node], variances[child], most)
    return shares


def _drawn(
    counts: NDArray[np.float64], toward: NDArray[np.float64], variance: float, most: float, *, sampled: bool = False
) -> NDArray[np.float64]:
    size = min(float(np.maximum(counts, 0.0).sum()), most)
    if size <= 0:
        return toward
    # A sample's count has a variance of p (1 - p) times its size, the largest that a count may have is the square's.
    prior = toward * (1 - toward) * (size if sampled else size**2)
    trust = prior / np.maximum(prior + variance, 1e-300)
    found = positive_mean(toward * size + trust * (counts - toward * size), np.sqrt(trust * variance))
    return np.asarray(found / found.sum())
