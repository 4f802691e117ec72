"""Search paid in rows: candidates trained on a slice, one chosen on another, and trained on the rest."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, log, log2, sqrt
from statistics import median
from typing import Any

import numpy as np

from tacit.errors import ParameterError
from tacit.estimators.row_weights import mean_of, weighed
from tacit.estimators.search.candidates import Candidate, SearchedFit, head_starts
from tacit.estimators.search.price import RowPrice
from tacit.estimators.training import Trainable, Training, plan_of, train_all
from tacit.mechanisms import Releases, announce, own_generator
from tacit.mechanisms.secret_draws import secret_order
from tacit.models import Model, RegressionModel
from tacit.privacy import Accountant, Budget, NoiseSource, PlanEntry, in_part
from tacit.queries.held_out import Predictor, held_out_losses, plan_held_out_losses
from tacit.rules.search import HANDICAP, MISMATCH
from tacit.rules.shared import SURE_DEVIATIONS
from tacit.sensitivities.scores import Score, largest_loss
from tacit.table import Table


@dataclass(frozen=True)
class PreparedCandidate:
    """A candidate that a table does not refuse: its learner there, and the estimator and reason of a rule."""

    learner: Trainable
    estimator: SearchedFit
    why: str


@dataclass(frozen=True)
class Found:
    """What a search releases: the chosen candidate's position, and its training."""

    index: int
    prepared: PreparedCandidate
    trained: Training


@dataclass(frozen=True)
class Means:
    """What a search spends and draws from."""

    accountant: Accountant
    noise: NoiseSource
    generator: np.random.Generator
    charge: Callable[[], None]
    """Counts the search, once nothing can refuse it any more."""
    random_state: Any
    """Of candidates."""


@dataclass(frozen=True)
class RowSearch:
    """Candidates, how they are compared, and what that costs."""

    candidates: Sequence[Candidate]
    score: Score
    price: RowPrice
    budget: Budget

    def run(self, table: Table, means: Means) -> Found:
        """Return the chosen candidate, trained on the rows that the search did not use.

        Privacy: three slices of a secret order of the rows, each at the whole budget, in parallel. On the first,
        candidates divide the budget; on the second, one selection at a range of two losses; the third trains the chosen
        one. Proofs: ``proofs/queries/held_out_losses.md``, ``proofs/privacy/composition.md``.
        """
        sizes = [self.price.training, self.price.choosing, self.price.final]
        training, choosing, final = table.slices(sizes, secret_order(means.noise, table.n_persons))
        # Whatever a candidate refuses, it refuses before anything is spent.
        finals = self._prepared(final, self.budget, means.random_state)
        trials = self._prepared(training, self.price.budget, means.random_state)
        plan = joint_plan([plan_of(trial.learner, training) for trial in trials])
        means.charge()
        slices = means.accountant.in_parallel([part.unit for part in (training, choosing, final)], n_rows=sizes)
        models = trained(trials, training, announce(slices[0], plan), slices[0], means.generator)
        asked: dict[str, Any] = {"handicaps": self._handicaps(mean_of(choosing)), "clip": _released_clip(models)}
        losses = held_out_losses(weighed(choosing), [predictor(m, self.score) for m in models], self.score, **asked)
        at = announce(slices[1], plan_held_out_losses(choosing.unit)).best(losses)
        releases = announce(slices[2], plan_of(finals[at].learner, final))
        own = own_generator(means.generator)
        return Found(at, finals[at], train_all(finals[at].learner, final, releases, own))

    def refuse(self, table: Table, random_state: Any) -> None:
        """Raise what ``run`` refuses of a made-up table, of which there may be any number of rows."""
        table.n_persons = self.price.final
        self._prepared(table, self.budget, random_state)
        table.n_persons = self.price.training
        joint_plan([plan_of(each.learner, table) for each in self._prepared(table, self.price.budget, random_state)])

    def _prepared(self, table: Table, budget: Budget, random_state: Any) -> list[PreparedCandidate]:
        return [prepared(each, budget, table, random_state) for each in self.candidates[: self.price.candidates]]

    def _handicaps(self, mean: float) -> list[int]:
        """Return what each candidate's loss is raised by: by what chance may do, where settings of ours compete.

        Rows count as much as their declared mean weight.
        """
        tried, counted = self.candidates[: self.price.candidates], self.price.choosing * mean
        chance = HANDICAP * sqrt(counted * log(len(tried)))
        mismatch = MISMATCH * counted * log2(max(self.price.noise, 1.0))
        handicap = ceil((chance + mismatch) * largest_loss(self.score))
        favored = head_starts(tried)
        return [handicap if any(favored) and not start else 0 for start in favored]


def prepared(candidate: Candidate, budget: Budget, table: Table, random_state: Any) -> PreparedCandidate:
    """Return a candidate's learner for a table and budget; refuses what its own fit would refuse."""
    estimator, why = candidate.paid(budget, random_state)._taken_for(table)
    return PreparedCandidate(estimator._learner_for(table), estimator, why)


def joint_plan(plans: Sequence[Sequence[PlanEntry]]) -> list[PlanEntry]:
    """Return one plan of all candidates' trainings, of equal shares.

    Raises ParameterError if releases of one have a loss of their own, which cannot be divided.
    """
    if any(release.kind == "approximate" for plan in plans for release in plan):
        raise ParameterError(
            "Expected candidates whose releases share a budget, got one that spends epsilon and delta in one release, "
            "as method 'gaussian-objective' does. Leave it out of the search."
        )
    parts = []
    for at, plan in enumerate(plans):
        total = sum(release.count * release.weight for release in plan)
        parts += in_part(_name(at), [replace(release, weight=release.weight / total) for release in plan])
    return parts


def predictor(model: Model | RegressionModel, score: Score) -> Predictor:
    """Return what a score compares with labels: positions of predicted classes, probabilities, or numbers."""
    if isinstance(model, RegressionModel):
        return model.predict
    if score == "accuracy":
        return lambda rows: np.searchsorted(model.classes, model.predict(rows))
    return model.predict_proba


def trained(
    trials: Sequence[PreparedCandidate],
    table: Table,
    releases: Releases,
    accountant: Accountant,
    generator: np.random.Generator,
) -> list[Model | RegressionModel]:
    """Return the candidates' models; ``releases`` are those of their joint plan."""
    found = [
        train_all(trial.learner, table, releases.part(_name(at)), own_generator(generator))
        for at, trial in enumerate(trials)
    ]
    return [trial.estimator._model(table.schema, one, accountant) for trial, one in zip(trials, found, strict=True)]


def _released_clip(models: Sequence[Model | RegressionModel]) -> float:
    """Return where absolute errors are clipped: at the median of twice the spreads that models released."""
    scales = [model.scale for model in models if isinstance(model, RegressionModel)]
    # Of numbers near the largest float a clip may be infinite, and all errors would count as nothing.
    clips = [min(scale.spread * SURE_DEVIATIONS, sys.float_info.max) for scale in scales]
    return median(clips) if clips else 1.0


def _name(at: int) -> str:
    return f"candidate {at}"
