"""Platt scaling of a learner's log-odds on the training rows, paid for with a share of the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tacit.learners.learner import Wrapped
from tacit.measures.platt_moments import LOG_ODDS, NO_LOG_ODDS, platt_of_sums
from tacit.mechanisms import Releases
from tacit.models.class_shares import as_shares
from tacit.models.rescaled import Linkable, Rescalable, largest_log_odds, log_odds_of_one, rescaled
from tacit.privacy import PlanEntry, PrivacyUnit, in_part
from tacit.privacy.parameters import ZERO, Number
from tacit.privacy.plan import Kind
from tacit.queries.platt_sums import in_rows, plan_platt_sums, platt_sums
from tacit.schema import Schema
from tacit.table import Block, Table

CALIBRATION = ZERO | Number(1e-6, 0.99, "A few percent are usual, and 0 leaves it out.")
"""Of the budget."""


@dataclass(frozen=True)
class PlattScaledLearner(Wrapped):
    """A learner, and the line by which the log-odds of its rows are calibrated.

    Parameters
    ----------
    learner : Learner
    share : float
        Of the budget, for the sums that tell the line; above zero.
    n_classes : int
        Of the label.

    Notes
    -----
    Privacy: one more release, of sums over the rows, of log-odds of the released scorer. Proof:
    ``proofs/queries/platt_sums.md``.
    """

    share: float
    n_classes: int

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the learner's releases, and then the sums as the part "calibration"."""
        others = self.learner.plan(unit)
        return [*others, *in_part("calibration", self._own(others, unit))]

    @property
    def _n_scored(self) -> int:
        """Of how many classes one training's scores are: of one against the rest two."""
        return self.n_classes if self.multiclass else 2

    def _own(self, others: Sequence[PlanEntry], unit: PrivacyUnit) -> list[PlanEntry]:
        if not others:
            return []
        rest = sum(each.weight * each.count for each in others if each.kind != "approximate") or 1.0
        # Gaussian noise that comes last is counted by its exact distribution only where all after it is such noise,
        # too.
        kind: Kind = "last noise" if others[-1].kind == "last noise" else "noise"
        return plan_platt_sums(unit, self._n_scored, rest * self.share / (1 - self.share), kind)

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> Rescalable:
        """Return the learner's scorer with calibrated log-odds.

        Privacy: releases what ``plan`` lists, the sums under the sensitivities of ``platt_sums``.
        """
        scorer = cast(Rescalable, self.learner.train(table, releases, generator))
        if not table.unit.protects_nothing and not self.learner.plan(table.unit):
            return scorer  # nothing was announced, as all is public that it learns from
        own = Releases.none() if table.unit.protects_nothing else releases.part("calibration")
        scores = partial(_log_odds, scorer=scorer, schema=table.schema, one=log_odds_of_one(scorer))
        released = own.noisy(platt_sums(table, scores, self._n_scored, largest_log_odds(scorer)))
        # Where each of a person's rows counts one, all that is public of their number is how large it can be.
        rows = table.n_persons * table.mean_weight
        prior = NO_LOG_ODDS if isinstance(scorer, Linkable) else LOG_ODDS
        sums, deviations = in_rows(released.value, released.deviation)
        known = table.unit.most_rows == 1
        line, share = platt_of_sums(sums, deviations, rows * table.unit.most_rows, prior, rows_known=known)
        return rescaled(scorer, line.slope, line.intercept, as_shares(rows * np.asarray([1 - share, share])))


def _log_odds(block: Block, scorer: Any, schema: Schema, one: float) -> NDArray[np.float64]:
    found: NDArray[np.float64] = block.scored(partial(scorer.scores, schema=schema))
    return one * found
