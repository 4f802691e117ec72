"""Log-odds for a learner whose scores are none: counts of its rows by level of the score and class tell the line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.learners.conditionals import positive_mean
from tacit.learners.surest_line import surest_line
from tacit.mechanisms import Released, Releases
from tacit.models import LinearModel, LiteralVoteModel, VoteModel
from tacit.models.class_shares import as_shares
from tacit.models.links import Link, Linked
from tacit.models.score_line import Line
from tacit.privacy import Persons, Planned, PrivacyUnit, in_part
from tacit.queries import plan_score_bins, score_bins
from tacit.rules.measures import LARGEST_LOG_ODDS as FARTHEST
from tacit.schema import Schema
from tacit.table import Block, Rows, Table

FEW, MANY, PRODUCT_OF_MANY = 16, 32, 1_000.0
"""Levels of even width, of log-odds by the public link from minus to plus ``FARTHEST``; and rows times epsilon of the
counts from which on many are worth their noise, as they say more of where scores are (``benchmarks/paid_links.py``)."""

FINE, PRODUCT_OF_FINE = 128, 3_000.0
"""The same of scores of which nobody knows how large they can be: those of an SVM may all lie in a few hundredths."""

LEAST_PRODUCT, OF_ONE_VS_REST, USUAL_PRODUCT = 3_000.0, 6_000.0, 300.0
"""Rows times epsilon of a training from which on counts are worth their budget, of two classes and of one against the
rest, where probabilities that are a little off add up; and how much of it they should have, as far as that is between
``LEAST_SHARE`` and ``MOST_SHARE`` of it (``benchmarks/paid_links.py``)."""
LEAST_SHARE, MOST_SHARE = 0.05, 0.1


Counted = VoteModel | LiteralVoteModel | LinearModel
"""Scorers whose slope and offset counts may tell."""


class Learner(Protocol):
    """A learner, of two classes here."""

    multiclass: ClassVar[bool]

    def why_not(self, persons: Persons) -> str | None:
        """Return why persons with several rows are not protected, or None if they are."""

    def plan(self, unit: PrivacyUnit) -> list[Planned]:
        """Return the releases of one training."""

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> Any:
        """Return the trained scorer."""


@dataclass(frozen=True)
class CalibratedLearner:
    """A learner, and counts of the rows it was trained on by level of the score and class.

    Parameters
    ----------
    learner : Learner
        Whose scores are no log-odds.
    share : float
        Of the budget, for the counts; above zero.
    product : float
        Rows times epsilon of the counts, as far as public.

    Notes
    -----
    Privacy: one more release, of L1 2, whose score is of the released scorer. Proof: ``proofs/queries/score_bins.md``.
    """

    learner: Learner
    share: float
    product: float

    multiclass: ClassVar[bool] = False

    def why_not(self, persons: Persons) -> str | None:
        """Return the learner's own reason: counts of persons move as those of rows do."""
        return self.learner.why_not(persons)

    def plan(self, unit: PrivacyUnit) -> list[Planned]:
        """Return the learner's releases, and then the counts as the part "calibration"."""
        others = self.learner.plan(unit)
        return [*others, *in_part("calibration", self._own(others, unit))]

    def _own(self, others: Sequence[Planned], unit: PrivacyUnit) -> list[Planned]:
        rest = sum(each.weight * each.count for each in others)
        return plan_score_bins(unit, rest * self.share / (1 - self.share)) if others else []

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> Counted:
        """Return the learner's scorer with the line that the counts tell.

        Privacy: releases what ``plan`` lists, the counts under the sensitivities of ``score_bins``.
        """
        scorer: Counted = self.learner.train(table, releases, generator)
        # In units in which scores of all fits are alike, so that the same levels, and one prior of lines, serve them.
        one = slope_of_levels(scorer)
        odds = partial(_odds, scorer=scorer, schema=table.schema, slope=one)
        edges = np.linspace(-FARTHEST, FARTHEST, n_levels(self.product, scorer) + 1)[1:-1]
        counted = releases.part("calibration").noisy(score_bins(table, odds, edges))
        line = line_of_levels(counted, edges, table)
        offset, shares = line.intercept / (line.slope * one), _shares(counted)
        return replace(scorer, link=Link(line.slope * one, offset, shares))


def calibration_share(n_rows: int, epsilon: float, n_classes: int = 2) -> float:
    """Return the share of a training's budget for the counts, by public numbers alone; 0 where rows are too few.

    Examples
    --------
    >>> [calibration_share(10_000, epsilon) for epsilon in (0.2, 0.3, 0.5, 1.0)]
    [0.0, 0.1, 0.06, 0.05]
    """
    product, least = n_rows * epsilon, LEAST_PRODUCT if n_classes == 2 else OF_ONE_VS_REST
    return float(np.clip(USUAL_PRODUCT / product, LEAST_SHARE, MOST_SHARE)) if product >= least else 0.0


def slope_of_levels(scorer: Linked) -> float:
    """Return log-odds of a score of one, such that the largest score there can be is ``FARTHEST`` at most."""
    reach = float(scorer.reach)
    return min(scorer.log_odds_of_one, FARTHEST / reach) if reach > 0 else scorer.log_odds_of_one


def n_levels(product: float, scorer: Linked) -> int:
    """Return how many levels to count, by public numbers and the released scorer."""
    if not scorer.reach and product >= PRODUCT_OF_FINE:
        return FINE
    return MANY if product >= PRODUCT_OF_MANY else FEW


def line_of_levels(counted: Released, edges: NDArray[np.float64], table: Table) -> Line:
    """Return the surest line from log-odds in levels to those that come true; post-processing of released counts."""
    # Rows of one person may agree: they say as much as one of them.
    person = float(table.unit.most_rows)
    counts = _of_both(counted) / person
    # Of rows that weigh by class, or of several of a person, the sum is private: only the counts tell it.
    known = person == 1 and not table.weighs_classes
    total = float(table.n_persons) if known else max(float(counts.sum()), 1.0)
    return surest_line(counts, edges, total, counted.variance / person**2)


def _shares(counted: Released) -> tuple[float, ...]:
    """Return shares of both classes."""
    spread = counted.deviation * counted.value.shape[1] ** 0.5
    return as_shares(positive_mean(_of_both(counted).sum(axis=1), spread))


def _of_both(counted: Released) -> NDArray[np.float64]:
    """Return counts of the two classes; of one against the rest the others are of no rows."""
    return counted.value[:2].astype(np.float64)


def _odds(block: Block, scorer: Any, schema: Schema, slope: float) -> NDArray[np.float64]:
    return slope * block.scored(partial(_scores, scorer=scorer, schema=schema))


def _scores(rows: Rows, scorer: Any, schema: Schema) -> NDArray[np.float64]:
    found: NDArray[np.float64] = scorer.scores(rows, schema)
    return found
