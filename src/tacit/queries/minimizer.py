"""Minimizers of strongly convex sums over rows: Newton's steps, and a method whose number of steps is proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from tacit.errors import PrivacyError

Numbers = NDArray[np.float64]

VALUE_ROUNDING = 1e-12
"""Relative error of a computed value, roughly; it decides about steps, not about correctness."""

KEEP_FACTOR, LOWER = 0.7, 0.9
"""Second derivatives are kept as long as steps shrink the gradient to the first part or less; the second is what counts
as smaller where values no longer tell."""

ROUGH = 6
"""How many times second derivatives may be rough; who has not arrived by then, needs those of all rows."""

NEWTON_STEPS = 300
"""Evaluations that Newton's method is given; it needs ten to a hundred. What it leaves, the proved method does."""

APPROACH, NEAR = 40, 1e-3
"""Evaluations on the way to another function's minimizer, and how much smaller a gradient is near enough to it."""


@dataclass(frozen=True)
class Smooth:
    """A function, lambda-strongly convex with gradients that are L-Lipschitz.

    Parameters
    ----------
    evaluate : callable
        Takes w, returns value and gradient.
    hessian : callable
        Takes w, returns the second derivatives.
    strong, smooth : float
        Lambda and L.
    rough : callable, optional
        As ``hessian``, cheaper and less exact, for the first steps.
    """

    evaluate: Callable[[Numbers], tuple[float, Numbers]]
    hessian: Callable[[Numbers], Numbers]
    strong: float
    smooth: float
    rough: Callable[[Numbers], Numbers] | None = None


def minimize(function: Smooth, start: Numbers, tolerance: float, newton_steps: int = NEWTON_STEPS) -> Numbers:
    """Return w at which the computed gradient's L2 norm is at most the tolerance.

    Newton's method with step halving; if it has not arrived after ``newton_steps`` evaluations, Nesterov's method goes
    on from the better of its last point and the start, for ``proved_steps``.

    Raises
    ------
    PrivacyError
        If neither arrives: a defect, not an event that a table may cause. Nothing is told about the table.

    Notes
    -----
    Privacy: none of its own. Proof of the number of steps: ``proofs/queries/linear_objective.md``, section 3.
    """
    point, gradient = _newton(function, start, tolerance, newton_steps)
    if np.linalg.norm(gradient) <= tolerance:
        return point
    point = _nesterov(function, point, tolerance)
    if np.linalg.norm(function.evaluate(point)[1]) <= tolerance:
        return point
    raise PrivacyError("Expected the minimizer within the proved number of steps. Nothing was released; report this.")


def approached(function: Smooth, start: Numbers, newton_steps: int = APPROACH) -> Numbers:
    """Return a point on the way to the minimizer, with a gradient a thousandth of the start's or after some steps."""
    tolerance = NEAR * float(np.linalg.norm(function.evaluate(start)[1]))
    return _newton(function, start, tolerance, newton_steps)[0]


def proved_steps(function: Smooth, gradient_norm: float, tolerance: float) -> int:
    """Return a number of Nesterov's steps after which the gradient norm is at most the tolerance.

    sqrt(L / lambda) ln(2 L (gap + lambda/2 distance^2) / tolerance^2), with gap <= g^2 / (2 lambda) and
    distance <= g / lambda for the gradient norm g at the start.
    """
    ratio = 2 * function.smooth / function.strong * (gradient_norm / tolerance) ** 2
    return ceil(sqrt(function.smooth / function.strong) * log(max(ratio, 2.0))) + 1


class _Curvature:
    """Second derivatives at one point, corrected by what gradients have shown since: Liu and Nocedal (1989)."""

    def __init__(self, hessian: Numbers):
        self._factor = cho_factor(hessian)
        self._moves: list[tuple[Numbers, Numbers, float]] = []

    @property
    def fresh(self) -> bool:
        """Whether there is no correction yet."""
        return not self._moves

    def direction(self, gradient: Numbers) -> Numbers:
        """Return the inverse times the gradient."""
        rest, parts = gradient, []
        for move, change, product in reversed(self._moves):
            parts.append(float(move @ rest) / product)
            rest = rest - parts[-1] * change
        answer = np.asarray(cho_solve(self._factor, rest))
        for (move, change, product), part in zip(self._moves, reversed(parts), strict=True):
            answer = answer + (part - float(change @ answer) / product) * move
        return answer

    def learn(self, move: Numbers, change: Numbers) -> None:
        """Take in by how much the gradient changed over a move, unless rounding hides it."""
        product = float(move @ change)
        if product > 0:
            self._moves.append((move, change, product))


def _newton(function: Smooth, point: Numbers, tolerance: float, steps: int) -> tuple[Numbers, Numbers]:
    value, gradient = function.evaluate(point)
    first, used = (point, gradient, value), 0
    curvature: _Curvature | None = None
    rough_left = ROUGH if function.rough else 0
    while np.linalg.norm(gradient) > tolerance and used < steps:
        if curvature is None:
            derivatives = function.rough if function.rough and rough_left else function.hessian
            curvature, rough = _Curvature(derivatives(point)), rough_left > 0
            rough_left -= rough
        direction = curvature.direction(gradient)
        descent, length, found = float(gradient @ direction), 1.0, False
        while not found and used < steps and length > 1e-6:
            candidate = point - length * direction
            next_value, next_gradient = function.evaluate(candidate)
            used += 1
            # Near the minimum values differ by less than their rounding, and the gradient decides.
            lower = bool(np.linalg.norm(next_gradient) <= LOWER * np.linalg.norm(gradient))
            found = next_value <= value - length / 4 * descent or (
                lower and next_value <= value + VALUE_ROUNDING * abs(value)
            )
            length /= 2
        if not found and curvature.fresh and not rough:
            break
        # Second derivatives are the dear part: old ones serve as long as the gradient shrinks well with them.
        shrunk = found and bool(np.linalg.norm(next_gradient) <= KEEP_FACTOR * np.linalg.norm(gradient))
        if found:
            curvature.learn(candidate - point, next_gradient - gradient)
            point, value, gradient = candidate, next_value, next_gradient
        curvature = curvature if shrunk else None
    return (point, gradient) if value <= first[2] or np.linalg.norm(gradient) <= tolerance else first[:2]


def _nesterov(function: Smooth, point: Numbers, tolerance: float) -> Numbers:
    root = sqrt(function.strong / function.smooth)
    momentum = (1 - root) / (1 + root)
    ahead, gradient = point, function.evaluate(point)[1]
    for _ in range(proved_steps(function, float(np.linalg.norm(gradient)), tolerance / 2)):
        following = ahead - gradient / function.smooth
        ahead, point = following + momentum * (following - point), following
        gradient = function.evaluate(ahead)[1]
        if np.linalg.norm(gradient) <= tolerance:
            return ahead
    return point
