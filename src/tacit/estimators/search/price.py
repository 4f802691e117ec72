"""What a search costs, from public quantities alone: rows, budget, number of candidates."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

from tacit.cut_points import affordable_levels, worthwhile_levels
from tacit.privacy import Budget
from tacit.privacy.conversions import zcdp_epsilon, zcdp_rho
from tacit.privacy.random_runs import RandomRuns
from tacit.rules.cut_points import MIN_LEVELS
from tacit.rules.search import MIN_SIGNAL, MIN_SIGNAL_OF_RUN, RUNS_OF_EACH, TRAINING

Pay = Literal["rows", "epsilon"]

MIN_ROWS = 50
"""On which candidates are compared."""


@dataclass(frozen=True)
class _Price:
    candidates: int

    @property
    def searches(self) -> bool:
        """Whether anything is compared."""
        return self.candidates > 1


@dataclass(frozen=True)
class RowPrice(_Price):
    """Price of a search paid in rows.

    Attributes
    ----------
    candidates : int
        How many are tried, the default first; 1 where the search cannot pay.
    training, choosing, final : int
        Rows on which candidates are trained, one is chosen, and the chosen one is trained; each row serves once.
    budget : Budget
        What training one candidate may spend; of the search's budget, which all three slices have in full.
    noise : float
        How many times as much noise a candidate's training carries for each of its rows as the final one.
    """

    training: int
    choosing: int
    final: int
    budget: Budget
    noise: float

    def __str__(self) -> str:
        if not self.searches:
            return _nothing_compared(self.final)
        return (
            f"{self.candidates} candidates: trained on {self.training:,} rows, compared on {self.choosing:,}; the "
            f"chosen one on {self.final:,}; in its training a candidate has epsilon {self.budget.epsilon:.3g}, so "
            f"{self.noise:.3g} times the noise for each row"
        )


@dataclass(frozen=True)
class EpsilonPrice(_Price):
    """Price of a search paid in epsilon.

    Attributes
    ----------
    candidates : int
        How many there are; 1 where the search cannot pay, and the default is trained alone.
    runs : RandomRuns
        The distribution of the secret number of runs; ``runs.mean`` of them on average.
    training, choosing : int
        Rows on which each run trains, and scores; the model is that of the best run.
    budget : Budget
        What one run may spend; under a delta, the rho of this budget.
    noise : float
        How many times as much noise a run carries as a fit with the whole budget.
    """

    runs: RandomRuns
    training: int
    choosing: int
    budget: Budget
    noise: float

    def __str__(self) -> str:
        if not self.searches:
            return _nothing_compared(self.training)
        return (
            f"the best of {self.runs.mean:.3g} runs on average, each of one of {self.candidates} candidates, trained "
            f"on {self.training:,} rows and scored on {self.choosing:,}, with {self.noise:.3g} times the noise of a "
            "fit with the whole budget"
        )


def epsilon_price(n_rows: int, budget: Budget, n_candidates: int, share: float, *, n_classes: int) -> EpsilonPrice:
    """Return what a search over so many candidates costs in epsilon, or that it cannot pay.

    Parameters
    ----------
    n_rows, n_candidates, n_classes : int
    budget : Budget
    share : float
        Of the rows, for scores.
    """
    runs = RandomRuns.of_mean(RUNS_OF_EACH * n_candidates)
    one = runs.of_one(budget)
    choosing = int(n_rows * share)
    if choosing < MIN_ROWS or (n_rows - choosing) * one.epsilon < MIN_SIGNAL_OF_RUN * (n_classes - 1):
        return EpsilonPrice(1, runs, n_rows, 0, budget, 1.0)
    whole = zcdp_rho(budget.epsilon, budget.delta) if budget.delta else 0.0
    noise = sqrt(whole / runs.rho(budget)) if budget.delta else budget.epsilon / one.epsilon
    return EpsilonPrice(n_candidates, runs, n_rows - choosing, choosing, one, noise)


def row_price(
    n_rows: int,
    budget: Budget,
    n_candidates: int,
    share: float,
    *,
    n_classes: int,
    n_cut: int = 0,
    free: bool = False,
) -> RowPrice:
    """Return what a search over so many candidates costs in rows, or that it cannot pay.

    Parameters
    ----------
    n_rows, n_candidates, n_classes : int
    budget : Budget
    share : float
        Of the rows, for the search.
    n_cut : int
        Protected numeric columns without cut points, which learners cut at private quantiles where that pays.
    free : bool
        Whether nothing is protected, so that candidates carry no noise.
    """
    training = int(n_rows * share * TRAINING)
    choosing = int(n_rows * share) - training
    tried = n_candidates if free else _affordable(training / (n_classes - 1), budget, n_candidates)
    final = n_rows - training - choosing
    if choosing < MIN_ROWS or tried < 2 or not (free or _keeps_cuts(n_rows, final, budget, n_cut)):
        return RowPrice(1, 0, 0, n_rows, budget, 1.0)
    each = share_of(budget, tried)
    noise = (budget.epsilon * final) / (each.epsilon * training)
    return RowPrice(tried, training, choosing, final, each, noise)


def share_of(budget: Budget, count: int) -> Budget:
    """Return the budget of one of so many trainings of equal cost; under a delta by equal parts of rho."""
    if budget.delta == 0:
        return Budget(budget.epsilon / count)
    # A little less than a part, never more: what is spent follows from the accountant's division.
    return Budget(zcdp_epsilon(zcdp_rho(budget.epsilon, budget.delta) / count, budget.delta), budget.delta)


def _affordable(training: float, budget: Budget, n_candidates: int) -> int:
    """Return how many candidates have enough signal each, at most all."""
    counts = range(1, n_candidates + 1)
    return max((m for m in counts if training * share_of(budget, m).epsilon >= MIN_SIGNAL), default=1)


def _keeps_cuts(n_rows: int, final: int, budget: Budget, n_cut: int) -> bool:
    """Return whether so many fewer rows leave numbers their private cut points.

    Where bounds are wide, a grid in place of few bins at quantiles costs more than any search gains.
    """
    given = budget.epsilon, budget.delta, n_cut
    rules = (affordable_levels, worthwhile_levels)
    return all(levels(final, *given) >= min(levels(n_rows, *given), MIN_LEVELS) for levels in rules)


def _nothing_compared(n_rows: int) -> str:
    return f"no search: the default on all {n_rows:,} rows, as rows and epsilon are few"
