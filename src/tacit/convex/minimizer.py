"""Minimizers of strongly convex sums over rows: L-BFGS to be fast, then a method whose number of steps is proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, inf, log, sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError

Numbers = NDArray[np.float64]
Metric = Callable[[Numbers], Numbers]
"""Applies the inverse of a positive definite approximation of the Hessian."""

MAX_EVALUATIONS = 2_000
"""Gradients that L-BFGS is given. It needs 15 to 30 with a factored metric, on ill-conditioned problems up to 80; some
hundred with a diagonal one."""

LBFGS_PAIRS = 100
"""Pairs of moves and gradient changes that L-BFGS keeps; with 30, ill-conditioned problems took twice the steps."""

SLOPE_DECREASE, MAX_LINE_SEARCH_TRIALS = 0.5, 20
"""A line search ends where the slope along the line is at most half of what it was, or after so many gradients."""

GRADIENT_DECREASE = 0.25
"""The Hessian is the expensive part: its factorization is kept while the gradient norm keeps shrinking to a quarter."""


@dataclass(frozen=True)
class Smooth:
    """A function, lambda-strongly convex with gradients that are L-Lipschitz."""

    gradient: Callable[[Numbers], Numbers]
    """Takes w."""
    metric: Callable[[Numbers, int], Metric]
    """Takes w and how many metrics were made before; returns an approximate inverse of the Hessian at w. It decides
    about speed alone."""
    strong: float
    smooth: float
    """Lambda and L."""
    moves: int = 3
    """After how many moves a metric is judged, and perhaps renewed: few, unless it is poor everywhere."""


def minimize(function: Smooth, start: Numbers, tolerance: float, evaluations: int = MAX_EVALUATIONS) -> Numbers:
    """Return w at which the computed gradient's L2 norm is at most the tolerance.

    L-BFGS in the function's metric; if it has not arrived after so many evaluations, Nesterov's method goes on, for
    ``proved_steps``.

    Privacy: none of its own. Proof of the number of steps: ``proofs/convex/minimizer.md``.

    Raises
    ------
    PrivacyError
        If neither arrives: a defect, not an event that a table may cause. Nothing is told about the table.
    """
    point, gradient = _quasi_newton(function, start, tolerance, evaluations)
    if not np.linalg.norm(gradient) <= tolerance:
        point, gradient = _nesterov(function, point, gradient, tolerance)
    if not np.linalg.norm(gradient) <= tolerance:
        raise PrivacyError(
            "Expected the minimizer within the proved number of steps. Nothing was released; report this."
        )
    return point


def proved_steps(function: Smooth, gradient_norm: float, tolerance: float) -> int:
    """Return a number of Nesterov's steps after which the gradient norm is at most the tolerance.

    sqrt(L / lambda) ln(2 L (gap + lambda/2 distance^2) / tolerance^2), with gap <= g^2 / (2 lambda) and
    distance <= g / lambda for the gradient norm g at the start.
    """
    ratio = 2 * function.smooth / function.strong * (gradient_norm / tolerance) ** 2
    return ceil(sqrt(function.smooth / function.strong) * log(max(ratio, 2.0))) + 1


class _InverseHessian:
    """An L-BFGS inverse Hessian on top of a given metric: the two-loop recursion of Liu and Nocedal (1989)."""

    def __init__(self, metric: Metric):
        self._metric = metric
        self._pairs: list[tuple[Numbers, Numbers, float]] = []

    def __call__(self, gradient: Numbers) -> Numbers:
        """Return the corrected inverse times the gradient."""
        rest, parts = gradient, []
        for move, change, product in reversed(self._pairs):
            parts.append(float(move @ rest) / product)
            rest = rest - parts[-1] * change
        answer = self._metric(rest)
        for (move, change, product), part in zip(self._pairs, reversed(parts), strict=True):
            answer = answer + (part - float(change @ answer) / product) * move
        return answer

    def learn(self, move: Numbers, change: Numbers) -> None:
        """Add a pair of a move and of the change of the gradient over it."""
        product = float(move @ change)
        if product > 0:  # as for every convex function, unless rounding hides it
            self._pairs = [*self._pairs[1 - LBFGS_PAIRS :], (move, change, product)]


def _quasi_newton(function: Smooth, start: Numbers, tolerance: float, evaluations: int) -> tuple[Numbers, Numbers]:
    """Return a point and its gradient: within the tolerance, or wherever the evaluations ended."""
    first = gradient = function.gradient(start)
    point, norm, used, made = start, float(np.linalg.norm(first)), 1, 0
    while tolerance < norm < inf and used < evaluations:
        metric, made, last = _InverseHessian(function.metric(point, made)), made + 1, inf
        while tolerance < norm <= GRADIENT_DECREASE * last and used < evaluations:
            last = norm
            for _ in range(function.moves):
                move, following, trials = _line_search(function, point, gradient, -metric(gradient))
                metric.learn(move, following - gradient)
                point, gradient, used = point + move, following, used + trials
                norm = float(np.linalg.norm(gradient))
                if norm <= tolerance:
                    break
    # If it went astray, by rounding or overflow, the proved method starts no further away than this one did.
    return (point, gradient) if norm <= np.linalg.norm(first) else (start, first)


def _line_search(
    function: Smooth, point: Numbers, gradient: Numbers, direction: Numbers
) -> tuple[Numbers, Numbers, int]:
    """Return a move along the direction that halves the slope along it, the gradient there, and how many were tried.

    A convex function's slope along a line grows, so its root is bracketed and approached by secants. Values are never
    compared: near the minimum they differ by less than their rounding. Searches that compare them, as SciPy's do,
    give up there, at gradients some hundred times the tolerance.
    """
    fall = -float(gradient @ direction)
    low, low_slope, high, high_slope, length = 0.0, -fall, inf, inf, 1.0
    for trial in range(1, MAX_LINE_SEARCH_TRIALS + 1):
        following = function.gradient(point + length * direction)
        slope = float(following @ direction)
        if abs(slope) <= SLOPE_DECREASE * fall or trial == MAX_LINE_SEARCH_TRIALS:
            break
        if slope < 0:
            low, low_slope = length, slope
        else:
            high, high_slope = length, slope
        if high == inf:
            length = 4 * low
        else:
            # A tenth off both ends, as a kink near one of them would hold secants there.
            secant = low - low_slope * (high - low) / (high_slope - low_slope)
            length = float(np.clip(secant, 0.9 * low + 0.1 * high, 0.1 * low + 0.9 * high))
    return length * direction, following, trial


def _nesterov(function: Smooth, point: Numbers, gradient: Numbers, tolerance: float) -> tuple[Numbers, Numbers]:
    """Return a point and its gradient after at most the proved number of steps: Nesterov (2004), scheme 2.2.9.

    Half of the tolerance is for the exact gradient, the other half for the rounding of the computed one.
    """
    root = sqrt(function.strong / function.smooth)
    # The constant momentum of strong convexity, which the proved number of steps is about.
    momentum = (1 - root) / (1 + root)
    ahead = point
    for _ in range(proved_steps(function, float(np.linalg.norm(gradient)), tolerance / 2)):
        following = ahead - gradient / function.smooth
        ahead, point = following + momentum * (following - point), following
        gradient = function.gradient(ahead)
        if np.linalg.norm(gradient) <= tolerance:
            return ahead, gradient
    return point, function.gradient(point)
