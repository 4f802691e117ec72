"""Number and depth of boosted trees, and whether ranks come first, from public numbers alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import floor, log2, sqrt
from typing import Any, Literal

from tacit.boosting.boosted_trees import MAX_NUMBERS, SHALLOWEST, BoostedTrees, fit_a_file
from tacit.cut_points import affordable_cuts
from tacit.errors import ParameterError
from tacit.features.oblivious import DEEPEST
from tacit.learners.linear import RankedLogistic
from tacit.learners.linear.defaults import column_codes
from tacit.learners.linear.public_margin import suits_public_trees
from tacit.privacy import Budget, PrivacyUnit, PureDP
from tacit.privacy.plan import Composition, divide
from tacit.queries.leaf_sums import STEPS
from tacit.rules.boosted_trees import (
    MAX_TREES,
    MIN_SNR_FOR_TREES,
    MIN_TREES,
    ROWS_OVER_NOISE,
)
from tacit.rules.cut_points import ROWS_PER_SCALE
from tacit.rules.shared import GRADIENTS, MAX_LEVELS
from tacit.schema import Schema

MAX_FEATURES = 1_024
"""Up to which ranks come first: their time grows with the cube, and is a second or two there."""

Start = Literal["auto", "ranks", "balance"]


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

    Trees are as many, of 10 to 80, as leave n_rows / noise of at least 200, the noise
    being the standard deviation in a leaf's gradient, in rows, and at least one. The depth is
    floor(log2(n_rows / (18.5 noise))) + 2, from 2 to 8, less where a model file would not hold the leaves, and a
    level less for each halving of the classes' variance, by their released shares. Ranks come first under a delta,
    where trees need not be of one column each, unless more than two public classes have public columns. The constants
    are from ``benchmarks/boosted_trees_rules.py``, ``benchmarks/tree_numbers.py``, ``benchmarks/tree_shares.py``, and
    what uneven classes need from ``benchmarks/uneven_trees.py``.
    """
    others["ranks"] = _ranks(schema, budget, start, additive=others.get("structure") == "additive")
    if private_cuts:
        # What is far off in a column may move a number far, where a class is no more than sure. Halved are eight rows.
        most_outer = max(int(n_rows / ROWS_PER_SCALE).bit_length() - MAX_LEVELS, 0) if schema.target else 0
        given = schema, unit, n_rows, budget.epsilon, budget.delta
        others["cuts"] = affordable_cuts(*given, most_outer=most_outer)
    others["lower_if_uneven"] = depth is None
    at_first = depth or 1  # plans and noise do not depend on it
    flat = BoostedTrees(schema, n_trees=n_trees or MIN_TREES, depth=at_first, public_depth=at_first, **others)
    if n_trees is None:
        fitting = [count for count in _numbers_of_trees() if fit_a_file(schema, count, at_first, flat.structure)]
        worth = (count for count in fitting if _is_worth(replace(flat, n_trees=count), unit, budget, n_rows))
        flat = replace(flat, n_trees=next(worth, MIN_TREES))
    noise, composition = leaf_noise(flat, unit, budget)
    # Under pure composition lengths in two leaves add up; a label that stays moves sums less in one leaf than in two.
    uneven = composition == "zcdp" and unit.label and schema.n_classes == 2
    flat = replace(flat, cut_unevenly=uneven)
    if depth is not None:
        return flat
    deepest = max(
        (each for each in range(1, DEEPEST + 1) if fit_a_file(schema, flat.n_trees, each, flat.structure)), default=1
    )
    private, public = (_depth(n_rows / max(each, 1.0)) for each in (noise, 0.0))
    return replace(flat, depth=min(private, deepest), public_depth=min(public, deepest))


def _numbers_of_trees() -> Iterator[int]:
    """Return numbers of trees to choose from, the largest first, each half of the one before."""
    count = MAX_TREES
    while count >= MIN_TREES:
        yield count
        count //= 2


def _ranks(schema: Schema, budget: Budget, start: Start, *, additive: bool) -> RankedLogistic | None:
    """Return settings of logistic regression on ranks that comes before the trees, or None."""
    possible = budget.delta > 0 and not suits_public_trees(schema) and not additive and _few_features(schema)
    if start == "ranks" and not possible:
        raise ParameterError(
            "Expected what start='ranks' needs, got something else. It needs a delta, two classes, and a private label "
            "or only private columns. It needs structure 'mixed' or 'oblivious', and at most "
            f"{MAX_FEATURES:,} features (one a category, two a number), fewer with many classes. Take start='auto'."
        )
    if start == "balance" or not possible:
        return None
    # Half of what ranks alone have, as each takes the time of a tree or two.
    return RankedLogistic(schema, steps=GRADIENTS // 2)


def _few_features(schema: Schema) -> bool:
    """Return whether ranks take little time, and little of a model file, beside trees."""
    codes, n_classes = column_codes(schema), schema.n_classes
    numbers = len(schema.names) - len(codes)
    features, cells = 1 + 2 * numbers + sum(codes), (1 << MAX_LEVELS) * numbers + sum(codes)
    # A file holds a coefficient for each feature and a deviation for each cell, of each class.
    return features <= MAX_FEATURES and (n_classes if n_classes > 2 else 1) * (features + cells) <= MAX_NUMBERS // 4


def _is_worth(settings: BoostedTrees, unit: PrivacyUnit, budget: Budget, n_rows: int) -> bool:
    return n_rows >= MIN_SNR_FOR_TREES * leaf_noise(settings, unit, budget)[0]


def leaf_noise(settings: BoostedTrees, unit: PrivacyUnit, budget: Budget) -> tuple[float, Composition]:
    """Return the standard deviation, in rows, of the noise in a leaf's gradient; 0 where nothing is protected."""
    plan = settings.plan(unit)
    if not plan:
        return 0.0, "pure"
    share, gradient = divide(budget, plan).shares[-1], plan[-1]
    if isinstance(share, PureDP):
        return sqrt(2) * gradient.l1 / share.epsilon / STEPS, "pure"
    return gradient.l2 / sqrt(2 * share.rho) / STEPS, "zcdp"


def _depth(over_noise: float) -> int:
    # Far below one for a budget next to nothing, whose noise may be next to infinite.
    return min(max(floor(log2(max(over_noise / ROWS_OVER_NOISE, 1e-300))) + 2, SHALLOWEST), DEEPEST)
