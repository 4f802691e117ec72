"""Exact output densities of objective perturbation, and an attack that looks for the largest log ratio.

The output w has density nu(B(w)) det(H(w)), with B minus the gradient and H the second derivatives of the objective;
all three come from the code under test. Minimizer, tolerance and mask play no part: they are tested elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from harness.neighbors import Pair
from tacit.convex import Loss
from tacit.features import LinearEncoding
from tacit.queries import Design, LinearObjective, LinearProblem, Offset
from tacit.table import Table

MAX_STARTS = 16
"""Orthants that a search begins in: of many features, some that are drawn."""

LogDensity = Callable[[NDArray], float]


def log_density(objective: LinearObjective, noise: LogDensity, weights: NDArray) -> float:
    """The logarithm of the density of releasing these weights."""
    gradient = objective.gradient(weights)
    sign, determinant = np.linalg.slogdet(objective.hessian(weights))
    assert sign > 0
    return noise(-gradient) + float(determinant)


def shifted(table: Table, design: Design, offset: float | None) -> LinearProblem:
    """The problem with the same public offset for every row."""
    if offset is None:
        return LinearProblem(table, design)
    return LinearProblem(table, design, Offset(LinearEncoding(table.schema, ()), np.zeros(0), offset))


def worst_loss(
    pairs: Iterable[Pair],
    design: Design,
    loss: Loss,
    regularization: float,
    noise: LogDensity,
    *,
    offsets: Sequence[float | None] = (None,),
    scale: float = 30.0,
    repeats: int = 1,
    evaluations: int = 80,
    seed: int = 0,
) -> float:
    """The largest log ratio that an optimizer finds over pairs, offsets and outputs: the true epsilon, from below."""
    generator = np.random.default_rng(seed)
    worst = 0.0
    starts = [*product([-1.0, 1.0], repeat=design.n_features)]
    starts = [starts[at] for at in generator.permutation(len(starts))[:MAX_STARTS]]
    for pair in pairs:
        tables = pair.tables()
        objectives = [LinearObjective(shifted(table, design, 0.0), loss, regularization) for table in tables]

        def gain(point, objectives=objectives, free=True, fixed=None):
            offset = point[-1] if free else fixed
            ratio = [
                log_density(
                    replace(one, problem=shifted(one.problem.table, design, offset)), noise, point[: design.n_features]
                )
                for one in objectives
            ]
            return -abs(ratio[0] - ratio[1])

        for offset in offsets:
            free = offset is not None
            for signs in starts * repeats:
                start = np.asarray(signs) * scale / 4 * generator.uniform(0.1, 1.0, design.n_features)
                start = np.append(start, offset) if free else start
                found = minimize(
                    gain, start, args=(objectives, free, offset), method="Nelder-Mead", options={"maxfev": evaluations}
                )
                worst = max(worst, -float(found.fun))
    return worst
