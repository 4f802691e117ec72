"""Search paid in epsilon: the best of a secret number of runs, each of a candidate drawn at random."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.errors import ParameterError
from tacit.estimators.row_weights import weighed
from tacit.estimators.search.by_rows import Found, Means, PreparedCandidate, predictor, prepared
from tacit.estimators.search.candidates import Candidate, head_starts
from tacit.estimators.search.price import EpsilonPrice
from tacit.estimators.training import Training, plan_of, train_all
from tacit.mechanisms import announce, own_generator
from tacit.mechanisms.secret_draws import number_of_runs, secret_order
from tacit.privacy import Accountant, NoiseSource, PlanEntry
from tacit.privacy.release import unobserved
from tacit.queries.held_out import held_out_loss, plan_held_out_loss
from tacit.sensitivities.scores import Score
from tacit.table import Table

_KEYS = 2**62


@dataclass(frozen=True)
class Run:
    """What one run would release: who was drawn, its training, and its noisy score."""

    index: int
    trained: Training
    rank: tuple[float, int]
    """Noisy loss, then a random key: outputs are totally ordered, as the proof needs."""
    accountant: Accountant


@dataclass(frozen=True)
class EpsilonSearch:
    """Candidates, how they are compared, and what that costs."""

    candidates: Sequence[Candidate]
    score: Score
    price: EpsilonPrice

    def run(self, table: Table, means: Means) -> Found:
        """Return the best of a secret number of runs.

        Privacy: a run draws a candidate, trains it on one slice of a secret order of the rows, and scores it with noise
        on the other, each slice at the whole budget of a run, in parallel. Of all runs only the one with the least
        noisy score leaves. Proof: ``proofs/privacy/random_runs.md``.
        """
        sizes = [self.price.training, self.price.choosing]
        training, choosing = table.slices(sizes, secret_order(means.noise, table.n_persons))
        # Whatever a candidate refuses, it refuses before anything is spent, drawn or not.
        trials = self._prepared(training, means.random_state)
        means.charge()
        begin = means.accountant.in_runs(self.price.runs)
        best: Run | None = None
        # Neither observers nor warnings may tell how many runs there are.
        with unobserved(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(number_of_runs(means.noise, self.price.runs.stop)):
                index = self._drawn(means.noise)
                run = self._one(index, trials[index], training, choosing, begin(), means)
                best = run if best is None or run.rank < best.rank else best
        assert best is not None
        means.accountant.keep_run(best.accountant)
        return Found(best.index, trials[best.index], best.trained)

    def refuse(self, table: Table, random_state: Any) -> None:
        """Raise what ``run`` refuses of a made-up table, of which there may be any number of rows."""
        table.n_persons = self.price.training
        self._prepared(table, random_state)

    def _prepared(self, table: Table, random_state: Any) -> list[PreparedCandidate]:
        trials = [prepared(each, self.price.budget, table, random_state) for each in self.candidates]
        for trial in trials:
            _check_plan(plan_of(trial.learner, table), approximate=self.price.budget.delta > 0)
        return trials

    def _drawn(self, noise: NoiseSource) -> int:
        """Return a candidate's position: our own default, else the first, in every second run.

        One run may be all there is, and would else be of any candidate.
        """
        starts = head_starts(self.candidates)
        usual = starts.index(True) if any(starts) else 0
        coin, other = noise.integers(np.asarray([2, len(self.candidates) - 1], dtype=np.int64)).tolist()
        return usual if coin else int(other) + (int(other) >= usual)

    def _one(
        self,
        index: int,
        trial: PreparedCandidate,
        training: Table,
        choosing: Table,
        accountant: Accountant,
        means: Means,
    ) -> Run:
        sizes = [self.price.training, self.price.choosing]
        for_training, for_choosing = accountant.in_parallel([training.unit, choosing.unit], n_rows=sizes)
        releases = announce(for_training, plan_of(trial.learner, training))
        trained = train_all(trial.learner, training, releases, own_generator(means.generator))
        model = trial.estimator._model(training.schema, trained, for_training)
        target = training.schema.target
        # Runs are compared with each other: what one of them released cannot be the clip of all.
        clip = target.half_width if target else 1.0
        asked = announce(for_choosing, plan_held_out_loss(choosing.unit))
        loss = asked.noisy(held_out_loss(weighed(choosing), predictor(model, self.score), self.score, clip=clip))
        key = int(means.noise.integers(np.asarray([_KEYS], dtype=np.int64))[0])
        return Run(index, trained, (float(loss.value[0]), key), accountant)


def _check_plan(plan: Sequence[PlanEntry], *, approximate: bool) -> None:
    refused = ("approximate", "pure") if approximate else ("approximate",)
    if any(release.kind in refused for release in plan):
        raise ParameterError(
            "Expected candidates whose runs have a cost in rho under a delta, and in epsilon without, got one that has "
            "neither. Leave it out, drop delta, or pay in rows."
        )
