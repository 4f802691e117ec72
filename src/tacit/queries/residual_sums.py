"""The sum over rows of residual times features: the mean operator, all that a linear loss knows of a table."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tacit.privacy import Planned, PrivacyUnit
from tacit.privacy.gauge import ProductOfBalls
from tacit.privacy.objective import GaugeStatistic
from tacit.queries.grouped_bins import MOST_CELLS
from tacit.queries.linear_problem import LinearProblem
from tacit.queries.linear_rows import STRIP
from tacit.table import Block

UNIT_ROUNDOFF = 2.0**-53


def residual_sums(problem: LinearProblem) -> GaugeStatistic:
    """Return the sum of r z over rows, r = y - sigma(o) being the residual of the public offset o, +-1/2 without one.

    Notes
    -----
    Privacy: moves by at most 2 sigma(O) in the gauge of the features' ball under replace-one, O being the largest
    public offset that the schema admits; by 1 without an offset. Proof: ``proofs/queries/residual_sums.md``.
    """
    largest = float(expit(problem.offset.reach)) * (1 + 2.0**-40) if problem.offset else 0.5
    n_rows, radius = problem.table.n_rows, sqrt(problem.design.squared_radius)
    return GaugeStatistic(
        query="sum of residuals times features",
        unit=problem.table.unit,
        unreleased_value=_sums(problem),
        ball=ProductOfBalls(problem.design.widths),
        sensitivity=2 * largest,
        error=n_rows * radius * (STRIP + problem.table.strips(STRIP) + MOST_CELLS + 16) * UNIT_ROUNDOFF,
    )


def plan_residual_sums(unit: PrivacyUnit) -> list[Planned]:
    """Return the release to announce."""
    return [] if unit.protects_nothing else [Planned("pure")]


def _sums(problem: LinearProblem) -> NDArray[np.float64]:
    sums = problem.rows.no_sums()

    def add(block: Block) -> None:
        residuals = (block.labels == 1) - expit(problem.offsets(block))
        for strip in problem.rows.strips(block):
            strip.add(residuals[strip.rows], sums)  # one strip after the other, as the bound on rounding has it

    problem.table.visit(add)
    return problem.rows.features(sums)
