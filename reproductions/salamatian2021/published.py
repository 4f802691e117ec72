"""LazyBB at the cost that Salamatian (2021) publishes: Algorithms 1 to 3, Theorems 2.7.2 and 4.2.2."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from reproductions.framework.published import PublishedCost
from reproductions.salamatian2021.composition import PublishedRounds
from reproductions.salamatian2021.published_rules import PublishedOneRule
from reproductions.salamatian2021.published_trees import PublishedWeakTree
from tacit.boosting import LazyBB, WeakLearner
from tacit.cut_points import PrivateCuts
from tacit.estimators import LazyBBClassifier
from tacit.mechanisms import Releases
from tacit.models import LiteralVoteModel
from tacit.privacy import Budget, PlanEntry, PrivacyUnit
from tacit.privacy.plan import in_part
from tacit.table import Table


@dataclass(frozen=True)
class PublishedLazyBB(LazyBB):
    """``LazyBB`` whose rounds have equal shares of the budget.

    Parameters
    ----------
    composed : Budget, optional
        With a delta: what the rounds may cost under the composition that is published; the accountant's budget must
        hold it, and the cut points' share besides.
    """

    composed: Budget | None = None

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the releases of one run: cut points if asked for, then those of the weak learner, each round."""
        rounds = self._rounds(unit)
        if not (self.composed and rounds):
            return super().plan(unit)
        # Rounds are set aside before shares are divided, so that cut points share what is left.
        cuts = self.cuts.plan(unit, rounds) if self.cuts else []
        return [*in_part("cuts", cuts), *self._composition(unit, self.composed).plan()]

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> LiteralVoteModel:
        """Return the vote that boosting ends with."""
        if self.composed and not table.unit.protects_nothing:
            releases = self._composition(table.unit, self.composed).releases(releases)
        return super().train(table, releases, generator)

    def _heaviest(self, round_: int) -> float:
        return 1.0

    def _composition(self, unit: PrivacyUnit, budget: Budget) -> PublishedRounds:
        return PublishedRounds(budget, self.rounds, self.weak_learner.plan(unit))


class PublishedLazyBBClassifier(PublishedCost, LazyBBClassifier):
    """``LazyBBClassifier`` at the published cost; its certificate is void.

    With a delta, rounds compose by the advanced theorem where that allows more. Trees split by the Gini index.
    """

    def _settings(self, table: Table) -> PublishedLazyBB:
        settings = super()._settings(table)
        own = {field.name: getattr(settings, field.name) for field in fields(settings)}
        return PublishedLazyBB(**own, composed=self._composed(table, settings.cuts))

    def _weak_learner(self) -> WeakLearner:
        if self.weak_learner == "tree":
            return PublishedWeakTree(self.max_splits, "gini", self.literals)
        return PublishedOneRule(self.literals)

    def _composed(self, table: Table, cuts: PrivateCuts | None) -> Budget | None:
        """Return what one run may cost under the published composition, which differs where there is a delta."""
        if self._delta == 0:
            return None
        assert self.epsilon is not None
        runs = 1 if table.n_classes == 2 else table.n_classes
        kept = 1 - cuts.share if cuts and cuts.levels else 1.0
        return Budget(self.epsilon * kept / runs, self._delta * kept / runs)
