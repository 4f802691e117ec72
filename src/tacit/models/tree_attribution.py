"""What each column adds to the scores of trees, and of votes of trees and of linear rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from tacit.features import BinEncoding
from tacit.models.attribution import Additive, Attribution, Floats, Part, attribution, linear_parts, summed
from tacit.models.boosted_trees import STEPS, BoostedTreesModel
from tacit.models.boxes import Box, box_effects, box_parts, literal_boxes, oblivious_boxes
from tacit.models.cells import Distribution, cells_of
from tacit.models.literal_tree import Leaf, LiteralTree, LiteralTreeRule
from tacit.models.literal_votes import (
    STEPS_PER_VOTE,
    LiteralRule,
    LiteralVoteModel,
    PublicStart,
    VotingRule,
    start_encoding,
)
from tacit.schema import Schema
from tacit.table import Rows


class Boxes(Attribution):
    """Trees, which are sums of boxes, on top of what rows have first: a constant, or another scorer's scores."""

    def __init__(self, encoding: BinEncoding, boxes: Iterable[Box], first: Attribution):
        self._boxes, self.first = boxes, first
        self.cells = cells_of(encoding)
        self.n_scores = first.n_scores

    @cached_property
    def boxes(self) -> list[Box]:
        """All leaves; made when they are asked for, as checking a file needs none."""
        return list(self._boxes)

    def effects(self, distribution: Distribution) -> dict[str, Floats]:
        """Return by column what each cell adds on average over the other columns, taken to be independent."""
        return summed(self.first.effects(distribution), box_effects(self.boxes, distribution, self.n_scores))

    def parts(self, distribution: Distribution, rows: Rows) -> tuple[Floats, dict[str, Floats]]:
        """Return the mean score, and what columns add beyond it, made known one after the other."""
        codes = {each.column.name: each.codes(rows) for each in self.cells}
        # Code -1 reads the last entry of a mask, that of unlisted categories.
        inside = ([mask[codes[name]].astype(np.float64) for name, mask in box.masks.items()] for box in self.boxes)
        base, found = box_parts(self.boxes, distribution, inside, self.n_scores)
        start, own = self.first.parts(distribution, rows)
        return base + start, summed(own, found)


def constant(scores: Floats) -> Additive:
    """Return what says the same of all rows, shape (n_scores,)."""
    return Additive([], {}, scores)


@attribution.register
def _(scorer: LiteralTree, schema: Schema) -> Attribution:
    return tree_boxes(scorer, schema)


def tree_boxes(scorer: LiteralTree, schema: Schema) -> Boxes:
    """Return the leaves of a tree: of two classes with the second's lead, else with each class's share."""
    encoding, n_classes = scorer.encoding(schema), len(schema.classes)
    inner = np.zeros(n_classes)
    table = np.asarray([node.probabilities if isinstance(node, Leaf) else inner for node in scorer.nodes])
    values = table[:, 1:] - table[:, :1] if n_classes == 2 else table
    return Boxes(encoding, literal_boxes(scorer.nodes, values, encoding), constant(np.zeros(values.shape[1])))


@attribution.register
def _(scorer: BoostedTreesModel, schema: Schema) -> Attribution:
    encoding = scorer.encoding(schema)
    boxes = (box for tree in scorer.trees for box in oblivious_boxes(tree, encoding))
    first = attribution(scorer.first, schema) if scorer.first else constant(np.asarray(scorer.start) / STEPS)
    return Boxes(encoding, boxes, first)


class LiteralVotes(Boxes):
    """Votes of rules, and a public start: a linear form that is clipped and rounded."""

    def __init__(self, scorer: LiteralVoteModel, schema: Schema):
        encoding, self.start, self.schema = scorer.encoding(schema), scorer.start, schema
        boxes = (box for rule, count in scorer.distinct().items() for box in rule_boxes(rule, count, encoding))
        added = dict(_start_parts(scorer.start, schema)) if scorer.start else {}
        intercept = (scorer.start.rule.intercept if scorer.start else 0.0) + scorer.offset
        self._of_start = tuple(added)
        start = Additive([], {name: [part] for name, part in added.items()}, np.asarray([intercept]))
        super().__init__(encoding, boxes, start)

    def parts(self, distribution: Distribution, rows: Rows) -> tuple[Floats, dict[str, Floats]]:
        """Return the mean score, and what columns add; what clipping takes off is taken off all columns of the start.

        In proportion to the size of what they add.
        """
        base, found = super().parts(distribution, rows)
        if self.start:
            features = start_encoding(self.schema).transform(rows)
            linear = features @ np.asarray(self.start.rule.weights) + self.start.rule.intercept
            beyond = (self.start.margins(features) / STEPS_PER_VOTE - linear)[:, None]
            sizes = {name: np.abs(found[name]) + 1e-9 for name in self._of_start}
            total = sum(sizes.values())
            found |= {name: found[name] + beyond * size / total for name, size in sizes.items()}
        return base, found


def _start_parts(start: PublicStart, schema: Schema) -> Iterator[tuple[str, Part]]:
    return linear_parts(start_encoding(schema), np.asarray(start.rule.weights))


@attribution.register
def _(scorer: LiteralVoteModel, schema: Schema) -> Attribution:
    return LiteralVotes(scorer, schema)


def rule_boxes(rule: VotingRule, count: float, encoding: BinEncoding) -> Iterator[Box]:
    """Yield a voting rule's boxes, so many votes each: plus for the second class, minus for the first."""
    if isinstance(rule, LiteralTreeRule):
        second = [isinstance(node, Leaf) and node.probabilities[1] > node.probabilities[0] for node in rule.nodes]
        yield from literal_boxes(rule.nodes, count * (2.0 * np.asarray(second)[:, None] - 1.0), encoding)
    elif isinstance(rule, LiteralRule):
        codes = encoding.codes_of(rule.literal.column)
        holds = rule.literal.holds(codes) != rule.negated
        yield Box(np.asarray([count]), {rule.literal.column: holds})
        yield Box(np.asarray([-count]), {rule.literal.column: ~holds})
    else:
        yield Box(np.asarray([count if rule.second else -count]), {})
