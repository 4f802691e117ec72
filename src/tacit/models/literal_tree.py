"""A decision tree whose questions are literals of the schema, as a model releases it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ModelFileError
from tacit.features import BinEncoding
from tacit.features.bin_encoding import Codes
from tacit.features.encoding import Cuts, check_cuts
from tacit.features.literals import Literal
from tacit.kept import kept
from tacit.models.class_shares import check_shares
from tacit.models.noise import Noise
from tacit.schema import Schema
from tacit.table import Rows

DEEPEST = 500
"""Questions one after the other; no tree here is grown deeper."""

_STRICT: dict[str, Any] = {"extra": "forbid", "allow_inf_nan": False}


@dataclass(frozen=True)
class Question:
    """An inner node: where rows go for which the literal holds, and the others."""

    literal: Literal
    yes: int
    no: int

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


@dataclass(frozen=True)
class Leaf:
    """A leaf: the probability of each sorted class."""

    probabilities: tuple[float, ...]

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


Node = Question | Leaf


@dataclass(frozen=True)
class LiteralTreeRule:
    """Decides for the second class where the leaf that a row reaches does."""

    nodes: tuple[Node, ...]
    """The root first; children come after their parents."""
    kind: OneOf["literal-tree"] = "literal-tree"

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    def __post_init__(self) -> None:
        check_shape(self.nodes)

    def decide(self, codes: Codes, encoding: BinEncoding) -> NDArray[np.bool_]:
        """Return whether each row goes into the second class, shape (n_rows,)."""
        second = [isinstance(node, Leaf) and node.probabilities[1] > node.probabilities[0] for node in self.nodes]
        return np.asarray(second)[reached_leaves(self.nodes, codes, encoding)]

    def check(self, encoding: BinEncoding) -> None:
        """Raise ModelFileError unless the questions are ones of the encoding."""
        check_nodes(self.nodes, encoding, n_classes=2)

    def words(self, encoding: BinEncoding, classes: tuple[Any, Any] = ("first", "second")) -> tuple[str, ...]:
        """Return the tree as indented lines, a line for each answer."""
        return tuple(_lines(self.nodes, 0, "", encoding, classes))


@dataclass(frozen=True)
class LiteralTree:
    """Class probabilities from yes-or-no questions about single columns."""

    nodes: tuple[Node, ...]
    """The root first; children come after their parents."""
    n_bins: int = 32
    """Equal parts of numeric columns that name no cut points."""
    cuts: Cuts = ()
    """Cut points of numeric columns that are not the schema's."""
    noise: Noise = ()
    """How sure what is said of each column is; empty where that is not known."""
    class_shares: tuple[float, ...] = ()
    """Of the training rows, as class weights weigh them, in each of the sorted classes, as far as released; empty in
    files of earlier versions."""
    kind: OneOf["literal-tree"] = "literal-tree"

    multiclass: ClassVar[bool] = True
    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    def __post_init__(self) -> None:
        check_shape(self.nodes)

    def scores(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        """Return the second class's lead, shape (n_rows,); or probabilities for more than two classes."""
        likely = self.probabilities(rows, schema)
        return likely[:, 1] - likely[:, 0] if likely.shape[1] == 2 else likely

    def probabilities(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        """Return class probabilities, shape (n_rows, n_classes)."""
        encoding = self.encoding(schema)
        return np.asarray(self._shares(schema)[reached_leaves(self.nodes, encoding.transform(rows), encoding)])

    @property
    def depth(self) -> int:
        """The most questions asked of a row."""
        return _depth(self.nodes)

    @property
    def reach(self) -> float:
        """The largest score there can be."""
        return 1.0

    def check(self, schema: Schema) -> None:
        """Raise ModelFileError unless the tree asks the schema's columns and knows its classes."""
        check_cuts(schema, self.cuts)
        n_classes = len(schema.classes)
        check_nodes(self.nodes, self.encoding(schema), n_classes=n_classes)
        if self.class_shares:
            check_shares(self.class_shares, n_classes)

    @kept
    def encoding(self, schema: Schema) -> BinEncoding:
        """Return the codes that the questions are about."""
        return BinEncoding(schema, schema.names, self.n_bins, released=self.cuts)

    @kept
    def _shares(self, schema: Schema) -> NDArray[np.float64]:
        """Return the class probabilities of each node, shape (n_nodes, n_classes), zero where it is no leaf."""
        inner = (0.0,) * len(schema.classes)
        return np.asarray([node.probabilities if isinstance(node, Leaf) else inner for node in self.nodes])

    def words(self, schema: Schema) -> tuple[str, ...]:
        """Return the tree as indented lines, a line for each answer."""
        return tuple(_lines(self.nodes, 0, "", self.encoding(schema), sorted(schema.classes)))


def reached_leaves(nodes: tuple[Node, ...], codes: Codes, encoding: BinEncoding) -> NDArray[np.intp]:
    """Return the leaf of each row, shape (n_rows,)."""
    positions = encoding.positions
    reached = np.zeros(len(codes), dtype=np.intp)
    waiting = {0: np.arange(len(codes))}
    # Parents come before their children, so that one pass takes every row to its leaf.
    for at, node in enumerate(nodes):
        here = waiting.pop(at)
        if isinstance(node, Leaf):
            reached[here] = at
            continue
        holds = node.literal.holds(codes[here, positions[node.literal.column]])
        waiting[node.yes], waiting[node.no] = here[holds], here[~holds]
    return reached


def check_shape(nodes: tuple[Node, ...]) -> None:
    """Raise ModelFileError unless every node but the root has one earlier parent, at most ``DEEPEST`` above."""
    children = [(at, child) for at, node in enumerate(nodes) if isinstance(node, Question) for child in _below(node)]
    in_order = all(at < child for at, child in children)
    if not nodes or not in_order or sorted(child for _, child in children) != list(range(1, len(nodes))):
        raise ModelFileError("Expected a tree whose nodes have one earlier parent each. The file is damaged.")
    if (depth := _depth(nodes)) > DEEPEST:
        raise ModelFileError(
            f"Expected at most {DEEPEST} questions one after the other, got depth={depth}. "
            "The file was not written by this package; get another."
        )


def check_nodes(nodes: tuple[Node, ...], encoding: BinEncoding, *, n_classes: int) -> None:
    """Raise ModelFileError unless questions fit the encoding, and leaves the number of classes."""
    bins = encoding.bins_of
    for node in nodes:
        if isinstance(node, Leaf):
            shares = node.probabilities
            fits = len(shares) == n_classes and all(0 <= share <= 1 for share in shares)
        else:
            fits = 0 <= node.literal.first <= node.literal.last < bins.get(node.literal.column, 0)
            fits = fits and node.literal.last - node.literal.first + 1 < bins[node.literal.column]
        if not fits:
            raise ModelFileError("Expected questions and classes that fit the schema. The file is damaged.")


def _depth(nodes: tuple[Node, ...]) -> int:
    depths = [0] * len(nodes)
    for at, node in enumerate(nodes):
        if isinstance(node, Question):
            depths[node.yes] = depths[node.no] = depths[at] + 1
    return max(depths)


def _below(node: Question) -> tuple[int, int]:
    return node.yes, node.no


def _lines(nodes: tuple[Node, ...], at: int, indent: str, encoding: BinEncoding, classes: Any) -> Iterator[str]:
    node = nodes[at]
    if isinstance(node, Leaf):
        yield f"{indent}always: {_verdict(node, classes)}"
        return
    for child, negated in ((node.yes, False), (node.no, True)):
        said, below = node.literal.words(encoding, negated=negated), nodes[child]
        if isinstance(below, Leaf):
            yield f"{indent}{said}: {_verdict(below, classes)}"
        else:
            yield f"{indent}{said}:"
            yield from _lines(nodes, child, indent + "  ", encoding, classes)


def _verdict(leaf: Leaf, classes: Any) -> str:
    best = int(np.argmax(leaf.probabilities))
    return f"{classes[best]} ({leaf.probabilities[best]:.2f})"
