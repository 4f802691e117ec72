"""Full-batch noisy gradient descent on one-hot bins: a few large steps, shrunk where noise dominates.

After Song, Chaudhuri and Sarwate (2013) and Bassily, Smith and Thakurta (2014), with full batches under zCDP, a
preconditioner from released counts of bins, and the average of the later half of the steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.features import OneHotEncoding
from tacit.learners.linear.coefficients import Coefficients, averaged_noise
from tacit.learners.linear.preconditioner import MAX_CURVATURE, Preconditioner, cleaned_counts
from tacit.mechanisms import Releases
from tacit.privacy import Persons, PlanEntry, PrivacyUnit
from tacit.queries import Design, LinearProblem
from tacit.queries.gradients import RESIDUAL_STEPS, Gradients, plan_gradients, plan_marginals
from tacit.rules.priors import HOPELESS, SPREAD
from tacit.rules.shared import GRADIENTS, MAX_LEVELS, SURE_DEVIATIONS, TINY_SHARE

MIN_PRIOR_PRECISION = 1e-6
"""Of the prior, in rows: keeps bins without rows where they are."""


@dataclass(frozen=True)
class NoisyGradient:
    """Settings of the algorithm; ``weights`` runs it.

    All defaults are constants. The step adapts to rows, budget and features through the size of the noise, which is
    public. They were chosen on synthetic tables: ``benchmarks/noisy_gradient_rules.py``.
    """

    steps: int = GRADIENTS
    """How many noisy gradients are released."""
    clip: float = 0.5
    """Largest residual of a row; see ``Gradients``. At one half, sensitivity is half of the unclipped one."""
    step_size: float = 1.0
    """Part of a (regularized, approximate) Newton step."""
    counting: float = TINY_SHARE
    """Share of the budget for the counts of bins that the preconditioner needs."""
    spread: float = SPREAD
    """How large coefficients are expected to be, as the standard deviation of a prior. Directions in which noise of the
    whole budget outweighs that are hardly moved."""
    level: float = SPREAD
    smoothness: float = 1 / (1 << MAX_LEVELS)
    """Of that prior, for numbers; see ``roughness``."""
    hopeless: float = HOPELESS
    """How many times the curvature the prior's pull is where it begins to grow with the noise's square, so that in the
    end noise moves nothing, and a public model is left unchanged."""

    def __post_init__(self) -> None:
        if not 1 <= self.steps <= 10_000:
            raise ParameterError(f"Expected 1 to 10000 steps, got steps={self.steps!r}. Take 16.")
        if not 0 < self.counting < 1:
            raise ParameterError(f"Expected 0 < counting < 1, got counting={self.counting!r}. Take 0.02.")

    def unsupported(self, persons: Persons) -> str | None:
        """Return None: sums of persons move as those of rows do."""
        return None

    def plan(self, design: Design, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the releases: counts of bins where a column is private, then the gradients."""
        encoding, weight = _one_hot(design), (1 - self.counting) / self.steps
        steps = plan_gradients(encoding, unit, self.clip, count=self.steps, weight=weight)
        return [*plan_marginals(encoding.columns, unit, self.counting), *steps]

    def coefficients(self, problem: LinearProblem, releases: Releases) -> Coefficients:
        """Return coefficients with the covariances of their noise: see ``averaged_noise``.

        Privacy: releases what ``plan`` lists under the sensitivities of ``Gradients``; all else is computed
        from released answers and the size of their noise.
        """
        gradients = Gradients(problem.table, _one_hot(problem.design), problem.offset, self.clip)
        return self._descend(gradients, releases, problem.design)

    def _descend(self, gradients: Gradients, releases: Releases, design: Design) -> Coefficients:
        encoding, n_rows = gradients.encoding, gradients.table.n_persons
        counts = releases.noisy(gradients.marginals())
        cleaned = cleaned_counts(encoding, counts.value.astype(np.float64), counts.deviation, n_rows)
        mean_weight = gradients.table.mean_weight
        preconditioner = Preconditioner(
            encoding, cleaned, mean_weight * n_rows, level=self.level, smoothness=self.smoothness
        )
        usual = max(preconditioner.usual, MIN_PRIOR_PRECISION)
        w = np.zeros(encoding.n_features)
        visited, known = [], -1.0
        for _ in range(self.steps):
            gradient = releases.noisy(gradients.statistic(w))
            # The noise of the whole budget, were it spent on one gradient, times the number of steps to go.
            pull = gradient.deviation / RESIDUAL_STEPS * self.steps**0.5 * self.step_size / self.spread
            # Beyond hopeless times the curvature the prior grows with the noise's square: see the parameter.
            pull *= 1 + pull / (self.hopeless * usual)
            if pull != known:  # the same at every step where the clip is at most one half
                known, inverse = pull, preconditioner.inverse(max(pull, MIN_PRIOR_PRECISION))
            w = w - self.step_size * inverse(gradient.value.astype(np.float64) / RESIDUAL_STEPS)
            visited.append(w)
        # The later half: averaging removes noise, the first half is still on its way.
        weights = np.asarray(np.mean(visited[self.steps // 2 :], axis=0))
        noise, prior = gradient.deviation / RESIDUAL_STEPS, max(known, MIN_PRIOR_PRECISION)
        part = preconditioner.curvature(weights) / MAX_CURVATURE
        sure = preconditioner.sure_blocks(SURE_DEVIATIONS * counts.deviation * mean_weight)
        covariances = [
            noise**2 * averaged_noise(part * least, np.linalg.inv(own + prior * pull), self.steps, self.step_size)
            for least, (own, pull) in zip(sure, preconditioner.blocks, strict=True)
        ]
        # A bin whose rows noise may have made has a share of zero, and what is said of it is no finding.
        off = SURE_DEVIATIONS * counts.deviation / n_rows
        shares = [np.where(own > off, own, 0.0) for own in preconditioner.shares]
        return Coefficients(_with_intercept(weights, design), covariances, shares)


def _one_hot(design: Design) -> OneHotEncoding:
    if isinstance(design.encoding, OneHotEncoding):
        return design.encoding
    raise ParameterError("Expected binned columns for noisy gradients, got another encoding. Take encoding='binned'.")


def _with_intercept(weights: NDArray[np.float64], design: Design) -> NDArray[np.float64]:
    """Return the coefficients and an intercept of zero: each column's features sum to one already."""
    return np.append(weights, 0.0) if design.intercept else weights
