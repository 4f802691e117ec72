"""Boosting with random classifiers: Shen, Krishnaswamy, Kulkarni and Munagala (2022), Algorithms 2 and 3."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tacit.boosting.effect_noise import vote_noise
from tacit.boosting.public_models import PublicBooster
from tacit.boosting.random_classifiers import (
    DrawClassifiers,
    DrawnRules,
    RandomClassifiers,
    RandomRules,
    SelectedRules,
    draw_centered,
    draw_uniform,
    intercept_grids,
)
from tacit.errors import ParameterError
from tacit.features import LinearEncoding
from tacit.mechanisms import Releases
from tacit.models import LinearRule, Vote, VoteModel
from tacit.privacy import Persons, PlanEntry, PrivacyUnit
from tacit.privacy.parameters import Number, Whole
from tacit.queries import InterceptErrors, WeightedErrors
from tacit.schema import Schema
from tacit.table import Table

CAP = Number(1, 1e6, "The paper has sqrt(2).")

WEIGHT_GRID_STEPS = 512
"""Steps of the logarithmic grid between 1/c1 and c2."""


@dataclass(frozen=True)
class CappedWeights:
    """Update of a row's weight: times exp(alpha) for a mistake, unless that leaves [1/c1, c2].

    A weight is exp(step * level). Released coefficients alpha are public, so rounding them to the grid costs
    nothing; in return a row's weight is an integer level, rows are counted by level, and counts are exact.

    Shen, Krishnaswamy, Kulkarni and Munagala (2022), Algorithm 2, steps 13 to 18. Proof that a row's weight follows
    from that row and from released values alone: ``proofs/boosting/capped_weights.md``.
    """

    c1: float
    c2: float
    """Caps of the weights, at least 1."""

    def __post_init__(self) -> None:
        CAP.check("c1", self.c1)
        CAP.check("c2", self.c2)

    @cached_property
    def step(self) -> float:
        """Step of the grid, in nats; of no matter where both caps are 1 and weights never move."""
        return max(float(np.log(self.c1) + np.log(self.c2)), 1e-9) / WEIGHT_GRID_STEPS

    @cached_property
    def _levels_below(self) -> int:
        levels = int(np.log(self.c1) / self.step)
        # Rounding of log and exp may put the last level just outside of the cap, on which the sensitivity leans.
        while np.exp(-self.step * levels) < 1 / self.c1:
            levels -= 1
        return levels

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The weight of each level, ascending, all within [1/c1, c2]."""
        above = int(np.log(self.c2) / self.step)
        while np.exp(self.step * above) > self.c2:
            above -= 1
        return np.asarray(np.exp(self.step * np.arange(-self._levels_below, above + 1)))

    @property
    def start(self) -> int:
        """The level of weight 1."""
        return self._levels_below

    def after_mistake(self, alpha: float) -> NDArray[np.int64]:
        """Return the level that follows each level when a classifier of coefficient alpha was wrong.

        Steps 14 to 18: the weight times exp(alpha), unless that leaves [1/c1, c2]; then the weight is kept.
        """
        levels = np.arange(len(self.weights))
        # Twice the whole grid leads out of it from any level: larger coefficients need no larger integers.
        moved = levels + int(np.rint(np.clip(alpha / self.step, -2 * WEIGHT_GRID_STEPS, 2 * WEIGHT_GRID_STEPS)))
        inside = (moved >= 0) & (moved < len(levels))
        return np.where(inside, moved, levels)


ROUNDS = Whole(1, 10_000, "The paper has 25.")
"""Far beyond what a budget is good for."""

Intercept = Literal["auto", "zero", "uniform", "selected"]
MIN_FEATURES_FOR_ZERO = 3
"""With fewer features, planes through the center are too few to separate much."""


@dataclass(frozen=True, eq=False)
class BRC:
    """Settings of the algorithm; ``train`` runs it."""

    rounds: int
    weighting: CappedWeights
    """How private weights change, within [1/c1, c2]."""
    intercept: Intercept
    encoding: Literal["ordinal", "one-hot"]
    public_learner: Any
    """Makes an unfitted classifier of scikit-learn's kind."""
    draw_classifiers: DrawClassifiers | None = None
    """Replaces the drawing of random classifiers; must not look at the rows."""

    multiclass: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.intercept not in get_args(Intercept):
            raise ParameterError(
                f"Expected intercept 'auto', 'zero', 'uniform' or 'selected', got intercept={self.intercept!r}."
            )
        ROUNDS.check("rounds", self.rounds)
        if self.draw_classifiers is not None and not callable(self.draw_classifiers):
            raise ParameterError(f"Expected a function, got draw_classifiers={self.draw_classifiers!r}.")
        if self.draw_classifiers is not None and self.intercept == "selected":
            raise ParameterError("Expected draw_classifiers without intercept='selected'. Drop one of the two.")

    def unsupported(self, persons: Persons) -> str | None:
        """Return None: the weight of a person's rows is between those of one row, or so many times as much."""
        return None

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the releases of one run: in each round a noisy error, after a selection where asked."""
        if unit.protects_nothing:
            return []
        noise, choice = PlanEntry("noise", continuous=True), PlanEntry("selection")
        # Equal shares: no round is known beforehand to matter more than another.
        return ([choice, noise] if self.intercept == "selected" else [noise]) * self.rounds

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> VoteModel:
        """Return the vote that boosting ends with.

        Privacy: releases what ``plan`` lists, each under the sensitivities of ``WeightedErrors`` and
        ``InterceptErrors``. With a public label, public columns are used exactly; with a protected one they
        count like all others inside the random classifiers (Algorithm 3).
        """
        private = self._random_rules(table, generator)
        public = self._public_booster(table)
        votes, deviations = zip(*boost(self.rounds, self.weighting, private, public, releases), strict=True)
        model = VoteModel(votes, self.encoding)
        # Every round's error has the same sensitivity and share, hence the same noise.
        return replace(model, noise=vote_noise(model, max(deviations), table.schema))

    def _random_rules(self, table: Table, generator: np.random.Generator) -> RandomRules | None:
        columns = random_columns(table.schema)
        if not columns:
            return None
        encoding = LinearEncoding(table.schema, columns, self.encoding)
        classifiers = self._draw(encoding.n_features, generator)
        rules = _rules(classifiers, self._full(table).positions(columns), self._full(table).n_features)
        if self.intercept == "selected":
            grids = intercept_grids(classifiers.coefficients, encoding)
            choices = InterceptErrors(table, encoding, classifiers.coefficients, grids, self.weighting)
            return SelectedRules(rules, grids, choices)
        errors = WeightedErrors(table, encoding, classifiers.coefficients, classifiers.intercepts, self.weighting)
        return DrawnRules(rules, errors)

    def _draw(self, n_features: int, generator: np.random.Generator) -> RandomClassifiers:
        draw = self.draw_classifiers or self._paper_draw(n_features)
        drawn = draw(self.rounds, n_features, generator)
        if not isinstance(drawn, tuple) or len(drawn) != 2:
            raise ParameterError("Expected draw_classifiers to return a tuple: coefficients and intercepts.")
        classifiers = RandomClassifiers(*drawn)
        if classifiers.coefficients.shape != (self.rounds, n_features):
            raise ParameterError(
                "Expected draw_classifiers to return one row of coefficients a round, one column a feature."
            )
        return classifiers

    def _paper_draw(self, n_features: int) -> DrawClassifiers:
        if self.intercept == "uniform" or (self.intercept == "auto" and n_features < MIN_FEATURES_FOR_ZERO):
            return draw_uniform
        return draw_centered

    def _public_booster(self, table: Table) -> PublicBooster | None:
        columns = table.schema.public_columns
        if table.unit.label:
            return None
        labels = table.public_labels()
        # Without public columns only a constant could be fitted, which is of use where all labels are the same.
        if not columns and labels.min() < labels.max():
            return None
        features = table.public_features(LinearEncoding(table.schema, columns, self.encoding))
        full = self._full(table)
        return PublicBooster(self.public_learner, features, labels, full.positions(columns), full.n_features)

    def _full(self, table: Table) -> LinearEncoding:
        return LinearEncoding(table.schema, table.schema.names, self.encoding)


def boost(
    rounds: int, weighting: CappedWeights, private: RandomRules | None, public: PublicBooster | None, releases: Releases
) -> Iterator[tuple[Vote, float]]:
    """Yield the votes of Algorithm 2, or of Algorithm 3 where there is no public booster, and the noise's deviation.

    Each round takes the private or the public classifier, whichever is further from guessing. The paper's
    "implementation details" give the coefficient the opposite sign of its pseudocode; the pseudocode holds.
    """
    deviation = 0.0
    for _ in range(rounds):
        if private:
            rule = private.draw(releases)  # step 5: a random classifier
            error = releases.noisy(private.error())
            deviation = error.deviation
            edge = 0.5 - float(error.value)  # step 6: 0.5 minus its noisy weighted error
        if public and (not private or _outdoes(public.edge, edge)):  # step 7
            yield Vote.of(public.edge, public.rule, "public"), deviation
            public.reweigh()  # steps 8 and 9, and step 4 of the next round
            alpha = 0.0  # private weights stay as they are
        elif private:
            yield Vote.of(edge, rule, "private"), deviation
            alpha = edge  # step 12
        if private:
            private.reweigh(weighting.after_mistake(alpha))  # steps 13 to 18


def _outdoes(public_edge: float, noisy_edge: float) -> bool:
    """Tell whether the public classifier is further from guessing; no true edge exceeds 1/2, whatever noise says."""
    return abs(public_edge) > abs(noisy_edge) or abs(public_edge) >= 0.5


def random_columns(schema: Schema) -> tuple[str, ...]:
    """Return the columns that the random classifiers read: the protected ones, all under a protected label."""
    return schema.names if schema.label.private else schema.private_columns


def _rules(classifiers: RandomClassifiers, positions: NDArray[np.intp], n_features: int) -> list[LinearRule]:
    """Return the classifiers as rules of all features, zero on those they do not read."""
    full = np.zeros((len(classifiers.coefficients), n_features))
    full[:, positions] = classifiers.coefficients
    return [
        LinearRule(tuple(row.tolist()), float(intercept))
        for row, intercept in zip(full, classifiers.intercepts, strict=True)
    ]
