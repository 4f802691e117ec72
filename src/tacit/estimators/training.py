"""Training of a learner on a table: the plan of its releases; one training, or one for each class against the rest."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from threadpoolctl import ThreadpoolController

from tacit.estimators.class_weights import ClassWeights, public_shares
from tacit.estimators.profiles import ProfileSettings
from tacit.estimators.row_weights import RowWeights
from tacit.learners.learner import Learner
from tacit.learners.target_scale import TargetScaling
from tacit.mechanisms import Releases
from tacit.models import Scorer, TargetScale
from tacit.models.profile import Profile
from tacit.privacy import PlanEntry, in_part
from tacit.table import Table

MAX_CELLS = 20_000_000
"""A million rows of 20 columns. On two busy cores logistic regression on 70,000 rows took six times as long with the
threads that the libraries start by themselves."""


@dataclass(frozen=True)
class WeightedLearner:
    """A learner whose rows count as much as their classes weigh."""

    learner: Learner
    weights: ClassWeights


@dataclass(frozen=True)
class ScaledLearner:
    """A learner of numbers, which are scaled by released quantiles first."""

    learner: Learner
    scaling: TargetScaling

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of each training's releases within the plan; nothing where there is one training."""
        quantiles = self.scaling.quantiles
        return tuple(f"quantile {each}" for each in quantiles) if len(quantiles) > 1 else ("",)


@dataclass(frozen=True)
class ProfiledLearner:
    """A learner whose model is then counted with the rows, to explain it."""

    learner: Learner | WeightedLearner
    settings: ProfileSettings


@dataclass(frozen=True)
class RowWeightedLearner:
    """A learner whose rows count as their own weights say."""

    learner: Learner | WeightedLearner | ProfiledLearner | ScaledLearner
    weights: RowWeights


@dataclass(frozen=True)
class Training:
    """Scorers, how much rows of each of the sorted classes counted, if not the same, and what explains them."""

    scorers: tuple[Scorer, ...]
    class_weights: tuple[float, ...] | None = None
    released_shares: tuple[float, ...] | None = None
    """Of the sorted classes, where something else than a scorer tells them."""
    profile: Profile | None = None
    scale: TargetScale | None = None
    """Of a number to predict."""
    quantiles: tuple[tuple[float, float], ...] = ()
    """Of a number whose quantiles are predicted, each with the number at which its scores begin."""


Trainable = Learner | WeightedLearner | ProfiledLearner | ScaledLearner | RowWeightedLearner


def plan_of(learner: Trainable, table: Table) -> list[PlanEntry]:
    """Return the releases of all trainings, one for each class against the rest where that is needed."""
    if isinstance(learner, RowWeightedLearner):
        return learner.weights.before(plan_of(learner.learner, table), table.unit)
    if isinstance(learner, ProfiledLearner):
        return learner.settings.after(plan_of(learner.learner, table), table.unit, len(table.schema.columns))
    if isinstance(learner, WeightedLearner):
        return learner.weights.before(plan_of(learner.learner, table), table.unit)
    if isinstance(learner, ScaledLearner):
        own = learner.learner.plan(table.unit)
        others = [one for part in learner.parts for one in (in_part(part, own) if part else own)]
        return [*in_part("scale", learner.scaling.plan(table.unit, others)), *others]
    # One plan for all classes, so that the budget is divided once and all trainings are equally noisy.
    return [one for at in range(_trainings(learner, table)) for one in in_part(f"class {at}", learner.plan(table.unit))]


def train_all(learner: Trainable, table: Table, releases: Releases, generator: np.random.Generator) -> Training:
    """Train one scorer, or one for each class against the rest; together they cost the budget once."""
    if isinstance(learner, RowWeightedLearner):
        return train_all(learner.learner, learner.weights.weighed(table, releases), releases, generator)
    if isinstance(learner, ProfiledLearner):
        trained = train_all(learner.learner, table, releases, generator)
        return replace(trained, profile=learner.settings.released(trained.scorers, table, releases.part("profile")))
    if isinstance(learner, WeightedLearner):
        weighed, weights, shares = learner.weights.weighed(table, releases)
        trained = train_all(learner.learner, weighed, releases, generator)
        # Those of a public label are known from training, whatever the weights.
        known = shares or trained.released_shares
        return replace(trained, class_weights=weights, released_shares=known)
    if isinstance(learner, ScaledLearner):
        return _scaled(learner, table, releases, generator)
    count = _trainings(learner, table)
    targets = [table] if count == 1 else [table.one_against_rest(k) for k in range(count)]
    # Sums are exact in any order, so that the number of threads changes nothing but the time.
    with _controller().limit(limits=1) if is_small(table) else nullcontext():
        scorers = []
        for at, target in enumerate(targets):
            scorers.append(learner.train(target, releases.part(f"class {at}"), generator))
        return Training(tuple(scorers), released_shares=public_shares(table, releases))


def _scaled(learner: ScaledLearner, table: Table, releases: Releases, generator: np.random.Generator) -> Training:
    """Release the scale of the numbers, and train a scorer for each loss."""
    scale, quantiles = learner.scaling.release(table.unweighed, releases.part("scale"))
    starts = [start for _, start in quantiles] or [scale.origin]
    scorers = []
    with _controller().limit(limits=1) if is_small(table) else nullcontext():
        for part, start, loss in zip(learner.parts, starts, learner.scaling.losses(scale), strict=True):
            own = releases.part(part) if part else releases
            scorers.append(learner.learner.train(table.scaled(start, scale.counted_in, loss), own, generator))
    return Training(tuple(scorers), scale=scale, quantiles=quantiles)


def is_small(table: Table) -> bool:
    """Tell whether a fit is done before threads of linear algebra have waited for each other; of public numbers."""
    return table.n_persons * len(table.schema.columns) <= MAX_CELLS


@cache
def _controller() -> ThreadpoolController:
    """Return what knows the libraries with threads; looking for them takes longer than a small fit."""
    return ThreadpoolController()


def _trainings(learner: Learner, table: Table) -> int:
    return 1 if table.n_classes == 2 or learner.multiclass else table.n_classes
