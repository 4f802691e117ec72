"""Number and depth of boosted trees, and whether ranks come first, from public numbers alone."""

from __future__ import annotations

from dataclasses import replace
from math import floor, log2, sqrt
from typing import Any, Literal

from tacit.boosting.boosted_trees import MOST_NUMBERS, PURE_SHARES, SHALLOWEST, ZCDP_SHARES, BoostedTrees, fit_a_file
from tacit.cut_points import affordable_cuts
from tacit.cut_points.rule import MOST_LEVELS
from tacit.errors import ParameterError
from tacit.learners.linear import RankedLogistic
from tacit.learners.linear.defaults import column_codes
from tacit.privacy import Budget, PrivacyUnit, PureDP
from tacit.privacy.plan import Composition, divide
from tacit.queries.leaf_sums import STEPS
from tacit.rules import linear
from tacit.schema import Schema
from tacit.table.oblivious import DEEPEST

TREES = (80, 40, 20, 10)
"""Numbers of trees to choose from."""

WORTH = {"zcdp": 35.0, "pure": 200.0}
"""How many times the noise in a leaf's gradient the table should have rows for so many trees. Under pure composition
the noise grows in proportion to their number, and fewer are better."""

FEW_COLUMNS, WORTH_OF_FEW = 7, 10.0
"""Up to how many columns fewer trees have asked all there is to ask, and how many times as many rows over noise the
largest number of trees is then worth (``benchmarks/tree_numbers.py``)."""

MOST_FEATURES = 1_024
"""Up to which ranks come first: their time grows with the cube, and is a second or two there."""

STEPS_OF_RANKS = 8
"""Noisy gradients of ranks that come first: half of what ranks alone have, as each takes the time of a tree or two."""

Start = Literal["auto", "ranks", "balance"]

ROWS_OVER_NOISE = {"zcdp": 18.5, "pure": 16.0}
"""How many times the noise in its gradient a leaf should have rows, two levels before the last."""

FEWEST_ROWS = 64.0
"""The same in rows: with less noise, or none, trees are no deeper than with so many."""


def sized(
    schema: Schema,
    unit: PrivacyUnit,
    budget: Budget,
    n_rows: int,
    *,
    n_trees: int | None = None,
    depth: int | None = None,
    private_cuts: bool = True,
    start: Start = "auto",
    **others: Any,
) -> BoostedTrees:
    """Return settings whose cut points, number of trees and depth, where not given, follow a rule.

    Trees are as many, of 10 to 80, as leave n_rows / noise of at least 35 (200 under pure composition), the noise
    being the standard deviation in a leaf's gradient, in rows; for 80 trees of up to seven columns ten times that.
    The depth is floor(log2(n_rows / (c noise))) + 2, c being 18.5 (16 under pure composition), from 2 to 8, less
    where a model file would not hold the leaves, and a level less for each halving of the classes' variance, by
    their released shares. Ranks come first under a delta and a private label, where trees need not be of one column
    each. The constants are from ``benchmarks/boosted_trees_rules.py``, ``benchmarks/tree_numbers.py``,
    ``benchmarks/tree_shares.py``, and what uneven classes need from ``benchmarks/uneven_trees.py``.
    """
    others["ranks"] = _ranks(schema, unit, budget, start, additive=others.get("structure") == "additive")
    others["shares"] = ZCDP_SHARES if budget.delta > 0 else PURE_SHARES
    if private_cuts:
        others["cuts"] = affordable_cuts(schema, unit, n_rows, budget.epsilon, budget.delta)
    others["lower_if_uneven"] = depth is None
    at_first = depth or 1  # plans and noise do not depend on it
    flat = BoostedTrees(schema, n_trees=n_trees or TREES[-1], depth=at_first, public_depth=at_first, **others)
    if n_trees is None:
        fitting = [count for count in TREES if fit_a_file(schema, count, at_first, flat.structure)]
        worth = (count for count in fitting if _is_worth(replace(flat, n_trees=count), unit, budget, n_rows))
        flat = replace(flat, n_trees=next(worth, TREES[-1]))
    noise, composition = leaf_noise(flat, unit, budget)
    # Under pure composition lengths in two leaves add up; a label that stays moves sums less in one leaf than in two.
    uneven = composition == "zcdp" and unit.label and len(schema.label.classes) == 2
    flat = replace(flat, cut_unevenly=uneven)
    if depth is not None:
        return flat
    deepest = max(
        (each for each in range(1, DEEPEST + 1) if fit_a_file(schema, flat.n_trees, each, flat.structure)), default=1
    )
    private, public = (_depth(n_rows, ROWS_OVER_NOISE[composition] * each) for each in (noise, 0.0))
    return replace(flat, depth=min(private, deepest), public_depth=min(public, deepest))


def _ranks(schema: Schema, unit: PrivacyUnit, budget: Budget, start: Start, *, additive: bool) -> RankedLogistic | None:
    """Return settings of logistic regression on ranks that comes before the trees, or None."""
    possible = budget.delta > 0 and unit.label and not additive and _few_features(schema)
    if start == "ranks" and not possible:
        raise ParameterError(
            f"Expected a delta, a private label, at most {MOST_FEATURES:,} features (one a category, two a number), "
            "fewer with many classes, and structure 'mixed' or 'oblivious' for start='ranks'. Take start='auto'."
        )
    if start == "balance" or not possible:
        return None
    return RankedLogistic(schema, moments=linear.USUAL_MOMENTS, steps=STEPS_OF_RANKS, bends=True)


def _few_features(schema: Schema) -> bool:
    """Return whether ranks take little time, and little of a model file, beside trees."""
    codes, n_classes = column_codes(schema), len(schema.label.classes)
    numbers = len(schema.names) - len(codes)
    features, cells = 1 + 2 * numbers + sum(codes), (1 << MOST_LEVELS) * numbers + sum(codes)
    # A file holds a coefficient for each feature and a deviation for each cell, of each class.
    return features <= MOST_FEATURES and (n_classes if n_classes > 2 else 1) * (features + cells) <= MOST_NUMBERS // 4


def _is_worth(settings: BoostedTrees, unit: PrivacyUnit, budget: Budget, n_rows: int) -> bool:
    noise, composition = leaf_noise(settings, unit, budget)
    few = len(settings.schema.inputs) <= FEW_COLUMNS and settings.n_trees == TREES[0]
    return n_rows >= WORTH[composition] * (WORTH_OF_FEW if few else 1.0) * noise


def leaf_noise(settings: BoostedTrees, unit: PrivacyUnit, budget: Budget) -> tuple[float, Composition]:
    """Return the standard deviation, in rows, of the noise in a leaf's gradient; 0 where nothing is protected."""
    plan = settings.plan(unit)
    if not plan:
        return 0.0, "pure"
    share, gradient = divide(budget, plan).shares[-1], plan[-1]
    if isinstance(share, PureDP):
        return sqrt(2) * gradient.l1 / share.epsilon / STEPS, "pure"
    return gradient.l2 / sqrt(2 * share.rho) / STEPS, "zcdp"


def _depth(n_rows: int, of_leaf: float) -> int:
    ratio = n_rows / max(of_leaf, FEWEST_ROWS)
    # Far below one for a budget next to nothing, whose noise may be next to infinite.
    return min(max(floor(log2(max(ratio, 1e-300))) + 2, SHALLOWEST), DEEPEST)
