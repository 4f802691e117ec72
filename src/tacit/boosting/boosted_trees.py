"""Boosting of random oblivious trees with noisy leaves.

Gradient boosting (Friedman 2001) of oblivious trees whose structure is drawn without looking at rows, as in Extremely
Randomized Trees (Geurts and others 2006); a few candidates are compared by one private selection, and all leaves of the
chosen one are released together. Logistic regression on ranks may come first, which learns what is additive from fewer
answers; trees then correct what it leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import floor, log2
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from tacit.boosting.closer_clip import CloserClip
from tacit.boosting.effect_noise import boosted_noise
from tacit.boosting.leaf_steps import LeafSteps
from tacit.boosting.learning_rates import LearningRates
from tacit.boosting.random_trees import Structure, dividing, draw_tree, is_of_one_column, n_levels
from tacit.convex import SquaredLoss
from tacit.cut_points import PrivateCuts
from tacit.errors import ParameterError
from tacit.features import BinEncoding, Cuts
from tacit.features.oblivious import DEEPEST
from tacit.learners.linear import RankedLogistic
from tacit.learners.linear.coefficients import ranked_effects
from tacit.learners.linear.known_shares import KnownShares
from tacit.learners.linear.ranked import ranked_scores
from tacit.mechanisms import Releases
from tacit.models import BoostedTreesModel, ObliviousTree, RankedModel
from tacit.models.boosted_trees import MAX_TREES_OF_MODEL
from tacit.models.document import MAX_VALUES
from tacit.models.monotone import projected
from tacit.models.monotone_sums import monotone_sum
from tacit.models.monotone_trees import masses_of
from tacit.privacy import Persons, PlanEntry, PrivacyUnit, in_part
from tacit.privacy.parameters import Number, Whole
from tacit.queries import LeafSums, plan_leaf_sums
from tacit.queries.class_sums import class_counts
from tacit.queries.forests import Tests
from tacit.queries.leaf_sums import EVEN, MAX_RESIDUAL, STEPS, uneven
from tacit.queries.ranked_gradients import RankedScores
from tacit.queries.tree_parts import parts_of
from tacit.rules.boosted_trees import (
    MAX_TREES,
    N_CANDIDATES,
)
from tacit.rules.shared import LARGE_SHARE, SMALL_SHARE, TINY_SHARE
from tacit.schema import Categorical, Schema
from tacit.table import Table

TREES = Whole(1, MAX_TREES_OF_MODEL, "80 is the default of large budgets.")
CANDIDATES = Whole(1, 256, "8 is the default.")
DEPTH = Whole(1, DEEPEST, "Leaves double with each level, and each gets noise of its own.")
LEARNING_RATE = Number(1e-3, 1.0, "'auto' takes 0.3 to 1: more where columns tell the classes.")

SHALLOWEST = 2
"""Least depth that follows from rows, budget and class shares."""


class TreeShares(NamedTuple):
    """Shares of a tree's part of the budget for its three releases."""

    selection: float
    curvature: float
    gradient: float


USUAL_SHARES = TreeShares(LARGE_SHARE, SMALL_SHARE, 1 - LARGE_SHARE - SMALL_SHARE)

KNOTS = 4
"""Parts of the rows between cut points of ranks, three of those that were released for trees. Declared ones stay."""

MAX_NUMBERS = MAX_VALUES // 2
"""Leaf values and categories of all trees: half of what a model file may hold."""


@dataclass(frozen=True)
class BoostedTrees:
    """Settings of the algorithm; ``train`` runs it."""

    schema: Schema
    n_trees: int = MAX_TREES
    candidates: int = N_CANDIDATES
    """Trees drawn for each one that is kept."""
    depth: int = 5
    public_depth: int = 5
    """Of trees of public columns under a public label."""
    lower_if_uneven: bool = False
    """Whether trees lose a level for each halving of the classes' variance, by their released shares."""
    cut_unevenly: bool = False
    """Whether residuals of the rarer of two classes are cut less and the other's more, by their released shares: under
    a delta and a private label leaves' noise stays the same, and a choice's is up to 1.41 times as large."""
    learning_rate: float | None = None
    """What a tree's step is multiplied by; None for a rule (``LearningRates``)."""
    structure: Structure = "mixed"
    n_bins: int = 32
    """Equal parts of numeric columns without cut points."""
    cuts: PrivateCuts | None = None
    """Releases cut points first, by private quantiles."""
    shares: TreeShares = USUAL_SHARES
    """Of a tree's part of the budget."""
    ranks: RankedLogistic | None = None
    """Learned before the trees, unless a public label has public columns; its cut points are some of theirs."""
    weighs_classes: bool = False
    """Whether tables have class weights, with which curvatures read the label."""
    closer: CloserClip | None = None
    """How residuals of a number are clipped nearer, once ranks were learned, and nearer still where parts of candidates
    are chosen; None for where numbers are clipped, and whole candidates."""
    monotone: tuple[tuple[str, int], ...] = ()
    """Numbers along which the one score rises (1) or falls (-1), for two classes or a number to predict."""

    multiclass: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name, bounds in (("n_trees", TREES), ("candidates", CANDIDATES), ("depth", DEPTH)):
            bounds.check(name, getattr(self, name))
        if not fit_a_file(self.schema, self.n_trees, max(self.depth, self.public_depth), self.structure):
            raise ParameterError(
                f"Expected trees that a model file holds, got n_trees={self.n_trees}, depth={self.depth} for "
                f"{self._n_classes} classes. Take fewer trees, or a lower depth."
            )

    def unsupported(self, persons: Persons) -> str | None:
        """Return None: sums of persons move as those of rows do."""
        return None

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the releases: cut points, the class balance, ranks, and of each tree a choice and two sums."""
        other = 1.0 if self.schema.target else 1 - TINY_SHARE
        # Of a scaled number the start is known.
        balance = [] if self.schema.target else class_counts(self.schema).planned(unit, TINY_SHARE)
        weights = {name: other / self.n_trees * share for name, share in self.shares._asdict().items()}
        if self.candidates == 1:
            weights["selection"] = 0.0
        most = MAX_RESIDUAL if self.cut_unevenly else max(EVEN)
        tree = plan_leaf_sums(unit, self._n_classes, **weights, weighs_classes=self.weighs_classes, most=most)
        first = _weighing(LARGE_SHARE * other, in_part("ranks", self.ranks.plan(unit) if self.ranks else []))
        one = [release for name, plan in tree.items() for release in in_part(name, plan)]
        one = _weighing(1 - LARGE_SHARE if first else 1.0, one)
        trees = [release for at in range(self.n_trees) for release in in_part(_name(at), one)]
        clip = in_part("clip", self.closer.plan(unit, trees)) if self.closer else []
        rest = [*in_part("balance", balance), *first, *clip, *trees]
        return [*in_part("cuts", self.cuts.plan(unit, rest) if self.cuts else []), *rest]

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> BoostedTreesModel:
        """Return the sum of trees.

        Privacy: releases what ``plan`` lists. Under a public label, trees of public columns are boosted first,
        without noise. Proof: ``proofs/queries/leaf_sums.md``.
        """
        cuts = self.cuts.release(table, releases.part("cuts")) if self.cuts else ()
        encoding = BinEncoding(table.schema, table.schema.names, self.n_bins, released=cuts)
        start, rows, known = self._start(table, releases.part("balance"))
        less = _halvings(start) if self.lower_if_uneven and known else 0
        first, scores, unsure = self._ranks(table, encoding, cuts, known, releases.part("ranks"))
        sums = LeafSums(table, encoding, start, scores, uneven(_shares(start)[1]) if self.cut_unevenly else EVEN)
        if self.closer and isinstance(table.loss, SquaredLoss):
            sums.clip_by(*self.closer.released(sums, table.loss, releases.part("clip")))
        rates = LearningRates(self.learning_rate, _variance(start) * rows)
        trees, sure = list[ObliviousTree](), list[NDArray[np.float64]]()
        # Tree by tree: what all keep for their effects' noise would take a hundred megabytes with ten classes.
        steps = _noting(trees, sure, self._lower(less)._stages(sums, table, releases, rates, generator))
        noise = boosted_noise(steps, encoding, len(start), unsure)
        grown = tuple(trees)
        if self.monotone:
            signs = dict(self.monotone)
            grown, first = monotone_sum(trees, first, encoding, signs, masses_of(trees, sure, encoding, signs))
        return BoostedTreesModel(tuple(start.tolist()), grown, self.n_bins, cuts, noise, first)

    def _lower(self, levels: int) -> BoostedTrees:
        """Return the settings with so many levels less, but for the least."""
        private, public = (max(each - levels, min(each, SHALLOWEST)) for each in (self.depth, self.public_depth))
        return replace(self, depth=private, public_depth=public)

    def _ranks(
        self, table: Table, encoding: BinEncoding, cuts: Cuts, known: KnownShares | None, releases: Releases
    ) -> tuple[RankedModel | None, RankedScores | None, dict[str, NDArray[np.float64]]]:
        """Return the form of ranks, what it says of rows, and covariances of the noise in its effects, by column."""
        if self.ranks is None:
            return None, None, {}
        outer = self.cuts.outer if self.cuts else 0
        knots = tuple((name, _knots(own, outer)) for name, own in cuts)
        model, noise = self.ranks.learned(table, knots, releases, known)
        effects = ranked_effects(model, noise, encoding)
        model = projected(model, table.schema, dict(self.monotone)) if self.monotone else model
        return model, ranked_scores(model, table.schema), effects

    def _stages(
        self, sums: LeafSums, table: Table, releases: Releases, rates: LearningRates, generator: np.random.Generator
    ) -> Iterator[LeafSteps]:
        """Yield the trees of public columns, where the label is public and no ranks come first, and those of all.

        Where nothing is protected ranks may come first, and all trees are of public columns.
        """
        is_free = table.unit.protects_nothing
        if not table.unit.label and table.schema.public_columns and (self.ranks is None or is_free):
            nothing = [Releases.none()] * self.n_trees
            yield from self._boost(sums, table.schema.public_columns, self.public_depth, nothing, rates, generator)
        if not is_free:
            each = [releases.part(_name(at)) for at in range(self.n_trees)]
            yield from self._boost(sums, table.schema.names, self.depth, each, rates, generator)

    def _boost(
        self,
        sums: LeafSums,
        columns: Sequence[str],
        depth: int,
        releases: Sequence[Releases],
        rates: LearningRates,
        generator: np.random.Generator,
    ) -> Iterator[LeafSteps]:
        """Yield one tree for each of the releases: draw, select, release, step."""
        asked, chosen = dividing(sums.encoding, columns), list[str]()
        for at, of_tree in enumerate(releases if asked else ()):
            alone = is_of_one_column(self.structure, at)
            levels, choices = n_levels(depth, one_column=alone), of_tree.part("selection")
            draw = partial(draw_tree, sums.encoding, asked, generator=generator, one_column=alone)
            if self.closer and self.candidates > 1 and not alone:
                tests = self._part(sums, partial(draw, favored=tuple(chosen)), levels, choices)
                chosen += [test.column for test in tests]
            else:
                drawn = [draw(levels) for _ in range(self.candidates)]
                tests = drawn[choices.best(sums.scores(drawn)) if self.candidates > 1 else 0]
            curvatures = of_tree.part("curvature").noisy(sums.curvatures(tests))
            gradients = of_tree.part("gradient").noisy(sums.gradients(tests))
            reached = ObliviousTree(tests, ()).reached(sums.encoding)
            rate = rates.after(curvatures, reached)
            step = LeafSteps.of(tests, reached, gradients, curvatures.times(sums.curved), rate)
            sums.advance(tests, np.asarray(step.tree.values))
            yield step

    def _part(self, sums: LeafSums, draw: Callable[[int], Tests], levels: int, releases: Releases) -> Tests:
        """Return so many of the tests of one of the candidates, which have as many as sums are made for at once."""
        drawn = [draw(DEEPEST) for _ in range(self.candidates)]
        parts = [part for tests in drawn for part in parts_of(tests, levels)]
        return parts[releases.best(sums.scores_of_parts(drawn, levels))]

    @property
    def _n_classes(self) -> int:
        return self.schema.n_classes

    def _start(self, table: Table, releases: Releases) -> tuple[NDArray[np.int64], float, KnownShares | None]:
        """Return the scores of the class shares alone, in steps, how many rows were counted, as they weigh, and these.

        A scaled number begins at zero.
        """
        if self.schema.target:
            return np.zeros(1, dtype=np.int64), table.n_persons * table.mean_weight, None
        released = releases.noisy(class_counts(self.schema).statistic(table))
        counted = table.n_persons * table.mean_weight
        shares = released.value / counted
        # Within what its own noise can tell from none and from all: a start drawn from noise alone would be far off.
        least = min((released.deviation + 1) / counted, 1 / self._n_classes)
        logs = np.log(np.clip(shares, least, 1 - (self._n_classes - 1) * least))
        scores = logs[1:] - logs[:1] if len(logs) == 2 else logs - logs.mean()
        # The public number of persons would not do: classes may have weights, and persons several rows.
        rows = max(float(released.value.sum()), 1.0)
        return np.asarray(np.rint(scores * STEPS), dtype=np.int64), rows, KnownShares.released(released, table)


def _shares(start: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the classes' shares of rows that all have these scores."""
    scores = start / STEPS
    return np.asarray(softmax(scores if len(scores) > 1 else np.asarray([0.0, scores[0]])))


def _variance(start: NDArray[np.int64]) -> float:
    """Return p (1 - p) of these scores, added up over the scores.

    Examples
    --------
    >>> round(_variance(np.asarray([np.log(0.1 / 0.9) * STEPS])), 6), round(_variance(np.asarray([0, 0, 0])), 6)
    (0.09, 0.666667)
    """
    shares = _shares(start)
    return float((1 - shares @ shares) / (2 if len(shares) == 2 else 1))


def _halvings(start: NDArray[np.int64]) -> int:
    """Return how often the classes' variance, of which curvatures are made, is halved against even classes.

    Examples
    --------
    >>> _halvings(np.asarray([np.log(0.1 / 0.9) * STEPS]))  # 0.1 * 0.9 is between a quarter and a half of 0.5 * 0.5
    1
    """
    ratio = _variance(start) / _variance(np.zeros_like(start))
    return floor(-log2(float(np.clip(ratio, 2.0**-DEEPEST, 1.0))))  # one and a rounding would add a level


def _weighing(share: float, plan: Sequence[PlanEntry]) -> list[PlanEntry]:
    """Return the releases with this share of their weights."""
    return [replace(release, weight=share * release.weight) for release in plan]


def _knots(cuts: tuple[float, ...], outer: int = 0) -> tuple[float, ...]:
    """Return the cut points that divide the rows into ``KNOTS`` parts; all where there are no more.

    Of ``outer`` levels the outermost intervals alone were halved: so many cut points at both ends are left out.
    """
    cuts = cuts[outer : len(cuts) - outer] if len(cuts) - 2 * outer >= KNOTS else cuts
    at = [round((len(cuts) + 1) * part / KNOTS) - 1 for part in range(1, KNOTS)]
    return tuple(cuts[each] for each in at) if len(cuts) >= KNOTS else cuts


def _noting(
    trees: list[ObliviousTree], sure: list[NDArray[np.float64]], steps: Iterable[LeafSteps]
) -> Iterator[LeafSteps]:
    """Yield the steps, and note their trees and, for the first score, what is sure of leaves' curvatures."""
    for step in steps:
        trees.append(step.tree)
        of_leaves = np.zeros(len(step.tree.values[0]))
        of_leaves[step.reached] = step.curvature[0]
        sure.append(of_leaves)
        yield step


def fit_a_file(schema: Schema, n_trees: int, depth: int, structure: Structure) -> bool:
    """Return whether a model file holds so many trees of this depth, and as many of public columns where they come."""
    scores = schema.n_scores
    halves = (column.n_codes // 2 for column in schema.columns if isinstance(column, Categorical))
    levels = n_levels(depth, one_column=structure != "oblivious")
    one = scores * (1 << levels) + levels * (4 + max(halves, default=0))
    stages = 2 if schema.public_columns and not schema.label.private else 1
    return stages * n_trees * one <= MAX_NUMBERS


def _name(tree: int) -> str:
    return f"tree {tree}"
