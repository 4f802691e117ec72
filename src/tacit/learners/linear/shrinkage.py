"""Empirical Bayes shrinkage of a minimizer from noisy gradients, which estimate the prior's widths, too.

A gradient at w is about H (w - best), H being the Hessian: H w less the gradient is a noisy *answer* to what H best is,
wherever w was, and all answers count together. ``regressed`` puts them together and finds what the assumed Hessian
lacks; ``LearnedPrior`` solves for the coefficients. Both read released values and the distribution of their noise
alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from tacit.learners.linear.low_rank import LowRank, LowRankFactors
from tacit.learners.linear.posterior import DensePosterior, LowRankPosterior
from tacit.learners.linear.tridiagonal import Tridiagonal, TridiagonalFactors, tridiagonal
from tacit.rules.priors import (
    CHANCE_OF_UNEVEN,
    DEGREES_OF_FREEDOM,
    LOG_DEVIATION,
    MAX_MISFIT,
    UNEVEN_WIDER,
)
from tacit.rules.shared import SURE_DEVIATIONS

Floats = NDArray[np.float64]
Hessian = Floats | LowRank

MISFITS = (0.0, MAX_MISFIT / 10, MAX_MISFIT / 3, MAX_MISFIT)
"""Deviations of what correlations of features are beyond the assumed ones; each counts as likely as it makes the
answers."""

_WIDTHS = np.geomspace(0.03, 8.0, 25)
"""Far enough on both sides for the prior of the width to leave nothing beyond; a quarter apart, closer than the answers
can tell."""

LONGEST_STEP = 2.0
"""Times the released gradient: how far a step may change it, as the assumed Hessian says. Where what that lacks is
learned from many nearby points, single steps were 50 times as long, and led away from the minimum."""

_MIN_CURVATURE = 1e-9
"""Over the largest: of a feature that is the same in all rows nothing is left when its mean is taken off."""

_MIN_VARIANCE = 1e-10
"""Of noise, over what it is beside: without any, directions that no row has stay where they are."""


@dataclass(frozen=True, eq=False)
class Equation:
    """What answers say together: hessian @ best = answer, the answer's numbers having noise of this variance.

    Parameters
    ----------
    hessian : array or LowRank of shape (n, n)
    answer : array of shape (n, n_outputs)
    variance : float
    """

    hessian: Hessian
    answer: Floats
    variance: float


def regressed(points: Sequence[Floats], gradients: Sequence[Floats], variance: float, hessian: Hessian) -> Equation:
    """Return the equation that noisy gradients obey, by ridge regression of answers on points.

    Where the Hessian is the assumed one it stays, and the answer is the mean of all. How much features go together
    beyond what was assumed is as likely as it makes the answers (MacKay 1992).

    Parameters
    ----------
    points : sequence of arrays of shape (n, n_outputs)
        Where gradients were taken. The first coefficient is the constant's.
    gradients : sequence of arrays of that shape
    variance : float
        Of the noise in each number of a gradient.
    hessian : array or LowRank of shape (n, n)
        As assumed.
    """
    w, gradient = (np.moveaxis(np.asarray(each), 1, 2) for each in (points, gradients))  # (n_points, n_outputs, n)
    y, n, first = w @ hessian - gradient, len(hessian), hessian[0]
    variance = max(variance, _MIN_VARIANCE * float(np.square(y).mean()), np.finfo(float).tiny)
    # What answers have in common is anything, one number an output: taken off, it leaves a regression through zero.
    middle, level = w.mean(axis=0), y.mean(axis=0)
    # Features that are the same in all rows go together with nothing: of each but the constant its mean is taken off,
    # and the noise of the constant's answer comes with it.
    means = np.append(0.0, first[1:] / first[0])
    moved, answers = w - middle, y - level
    moved[..., 0] += moved @ means
    answers -= answers[..., :1] * means
    curvatures = diagonal_of(hessian) - means * first
    noises = variance * (1 + means**2)
    # A correlation r of two features adds r times the root of both curvatures to the Hessian: in these units what it
    # lacks is as large everywhere.
    scales = np.sqrt(np.maximum(curvatures, _MIN_CURVATURE * curvatures.max()))
    left, lengths, right = np.linalg.svd((moved * scales).reshape(-1, n), full_matrices=False)
    turned = left.T @ answers.reshape(-1, n)
    ratios, evidence = [], []
    for misfit in MISFITS:
        prior = (misfit * scales) ** 2 / noises
        told = 1 + np.outer(lengths**2, prior)  # variance of what is seen, over that of its noise
        ratios.append(prior / told)
        evidence.append(float(((1 - 1 / told) * turned**2 / noises).sum() - np.log(told).sum()) / 2)
    # The mean over misfits, and not the likeliest one, which at first is often noise.
    ratio = np.tensordot(softmax(evidence), ratios, axes=1)
    # Of answers over points, and then of those that are not centered.
    slope = _not_centered((turned * ratio * lengths[:, None]).T, right * scales, means, isinstance(hessian, LowRank))
    # As sure as the regression is at the last point, near which the solution is.
    away = (moved[-1] * scales) @ right.T
    doubt = 1 / len(w) + float((away**2 @ ratio).mean())
    return Equation(hessian - slope, (level - middle @ slope.T).T, variance * doubt)


def diagonal_of(hessian: Hessian) -> Floats:
    """Return the diagonal of a matrix, shape (n,)."""
    return hessian.all_diagonal() if isinstance(hessian, LowRank) else np.diag(hessian)


def quicker_in_factors(n_features: int, rank: int, steps: int) -> bool:
    """Whether so many gradients are put together in less time than where second moments are written out.

    The longest of both: a product of two factors for each width, against a product of two matrices. Each step adds a
    product to the Hessian, the prior another, and its square has twice as many.
    """
    return len(_WIDTHS) * (2 * (rank + steps + 2)) ** 2 < n_features**2


def _not_centered(left: Floats, right: Floats, means: Floats, in_factors: bool) -> Any:
    """Return a product of two factors, which is of centered features, for those that are not centered."""
    # Features less their means are the others less a multiple of the constant, on either side.
    if in_factors:
        right = right + np.outer(right[:, 0], means)
        return LowRank(np.zeros(len(left)), left + np.outer(means, left[0]), right.T)
    slope = left @ right
    slope += np.outer(slope[:, 0], means)
    slope += np.outer(means, slope[0])
    return slope


@dataclass(frozen=True, eq=False)
class OutputNoise:
    """Covariances of the noise in coefficients.

    Parameters
    ----------
    distinct : sequence of arrays of shape (n, n)
        Of some output each, as many outputs have the same.
    of_output : array of shape (n_outputs,)
        Which of them is each output's.
    """

    distinct: Sequence[Floats]
    of_output: NDArray[np.intp]

    def covariances(self, features: Floats, at: slice) -> Floats:
        """Return those of what features at these places add to rows' scores, (n_outputs, n_rows, n_rows)."""
        return np.stack([features @ one[at, at] @ features.T for one in self.distinct])[self.of_output]

    def variances(self, features: Floats, at: slice) -> Floats:
        """Return those of what features at these places add to rows' scores, (n_outputs, n_rows)."""
        each = [(features @ one[at, at] * features).sum(axis=1) for one in self.distinct]
        return np.stack(each)[self.of_output]


@dataclass(eq=False)
class LearnedPrior:
    """A normal prior of coefficients, whose widths are learned from equations that these obey.

    One width for all, the most likely one (Morris 1983), times one for each column, which makes the prior a Student
    distribution of columns (Lange, Little and Taylor 1989).

    Parameters
    ----------
    starts : sequence of int
        Where each column's coefficients start, and how many there are last. What is before the first is the constant.
    means : array of shape (n - 1,)
        Of the features but the constant, over the constant's. What a column adds on the average row is taken off
        the constant: else the prior would have many columns move all rows together, by more than classes are uneven.
    uneven : bool
        Whether classes may be so uneven that the constant's prior is ``UNEVEN_WIDER`` times as wide.
    base : array of shape (n_outputs,), optional
        What the constant is where the classes' shares are known: the mean of its prior, that of all others being zero.
    curved : array of shape (n_outputs,) or float
        How many times the equations' Hessian each output's is: they are then about coefficients times as much.
    usual : float
        The width that is likeliest before any answer: less where features are longer.
    """

    starts: Sequence[int]
    means: Floats
    uneven: bool = False
    base: Floats | None = None
    curved: Floats | float = 1.0
    usual: float = 1.0
    width: float = field(init=False)
    relative: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.width = self.usual
        self.relative = np.ones(self.starts[-1])

    def learn(self, told: Equation) -> None:
        """Take the widths that an equation makes likely; of each the mean of its logarithm."""
        self.relative[0] = 1.0
        shaped, beyond = self._shaped(told.hessian, self.relative), self._beyond_base(told)
        # Turned so, an answer is a sum of what the prior explains, which goes together with its neighbors' alone, and
        # of noise: a third of the time of independent ones.
        turned, answers, constant = _turned(shaped, beyond)
        noise = max(told.variance, _MIN_VARIANCE * turned.largest)
        wider, chances = [1.0], [1.0]
        if self.uneven:
            wider, chances = [1.0, UNEVEN_WIDER], [1 - CHANCE_OF_UNEVEN, CHANCE_OF_UNEVEN]
        # A wider constant adds one number that all answers share.
        shared = constant[:, 0] * np.sqrt(np.asarray(wider)[:, None] ** 2 - 1)
        likely = np.zeros((len(wider), len(_WIDTHS)))
        for times, outputs in self._as_curved(answers):
            for at, width in enumerate(times * self.usual * _WIDTHS):
                likely[:, at] += _log_likelihoods(answers[:, outputs], turned.plus(width**2, noise), width * shared)
        far = np.log(_WIDTHS) / LOG_DEVIATION
        found = softmax(likely - far**2 / 2 + np.log(chances)[:, None])
        self.width = self.usual * float(np.exp(found.sum(axis=0) @ np.log(_WIDTHS)))
        # Without evidence it stays near the usual one, where the mean of their squares would be near the widest.
        self.relative[0] = np.exp(found.sum(axis=1) @ np.log(wider))
        # The posterior's mean and variances, in units of the prior's deviations.
        squares = np.empty_like(beyond)
        for outputs, posterior in self._posteriors(told):
            squares[:, outputs] = posterior.squares(beyond[:, outputs])
        self._learn_columns(squares * self.relative[:, None] ** 2)

    def coefficients(self, told: Equation) -> Floats:
        """Return the expected coefficients, shape (n, n_outputs)."""
        answers = self._beyond_base(told)
        numbers = np.empty_like(answers)
        for outputs, posterior in self._posteriors(told):
            numbers[:, outputs] = posterior.numbers(answers[:, outputs])
        found: Floats = self._unshaped(numbers, self.width * self.relative)
        return found if self.base is None else found + np.outer(np.eye(len(found))[0], self.base)

    def noise(self, told: Equation, wider: float) -> OutputNoise:
        """Return what the answers' noise leaves in expected coefficients, with deviations so many times as large."""
        distinct, of_output = list[Floats](), np.zeros(told.answer.shape[1], dtype=np.intp)
        for at, (outputs, posterior) in enumerate(self._posteriors(told)):
            gain = self._unshaped(posterior.gain(), self.width * self.relative)
            covariance = _product_with_itself(wider * gain, told.variance)
            distinct.append(covariance.dense() if isinstance(covariance, LowRank) else covariance)
            of_output[outputs] = at
        return OutputNoise(distinct, of_output)

    def _beyond_base(self, told: Equation) -> Floats:
        """Return the answer to what coefficients are beyond the prior's mean."""
        if self.base is None:
            return told.answer
        return told.answer - told.hessian.T[0][:, None] * (self.base * self.curved)

    def _as_curved(self, answers: Floats) -> Iterator[tuple[float, NDArray[np.intp]]]:
        """Yield how many times the Hessian some outputs' is, and these."""
        curved = np.broadcast_to(self.curved, answers.shape[1])
        for times in np.unique(curved):
            yield float(times), np.flatnonzero(curved == times)

    def _posteriors(self, told: Equation) -> Iterator[tuple[NDArray[np.intp], DensePosterior | LowRankPosterior]]:
        """Yield outputs that are as curved, with what their answers say of the numbers behind coefficients."""
        shaped = self._shaped(told.hessian, self.width * self.relative)
        square = _product_with_itself(shaped, 1.0)
        noise = max(told.variance, _MIN_VARIANCE * float(diagonal_of(square).sum()))
        for times, outputs in self._as_curved(told.answer):
            if isinstance(shaped, LowRank):
                yield outputs, LowRankPosterior(times * shaped, square.plus(times**2, noise))
                continue
            explained = times**2 * square
            explained.flat[:: len(explained) + 1] += noise
            yield outputs, DensePosterior(times * shaped, explained)

    def _shaped(self, hessian: Hessian, deviations: Floats) -> Any:
        """Return the Hessian times what independent normal numbers are multiplied by for coefficients of the prior."""
        if isinstance(hessian, LowRank):
            return hessian.times(self._factor(deviations))
        shaped = hessian * deviations
        shaped[:, 1:] -= np.outer(hessian[:, 0], self.means * deviations[1:])
        return np.asarray(shaped)

    def _unshaped(self, numbers: Hessian, deviations: Floats) -> Any:
        """Return the coefficients of independent numbers."""
        if isinstance(numbers, LowRank):
            return self._factor(deviations).times(numbers)
        found = deviations[:, None] * numbers
        found[0] -= self.means @ found[1:]
        return np.asarray(found)

    def _factor(self, deviations: Floats) -> LowRank:
        """Return what independent numbers are multiplied by for coefficients of the prior."""
        always = np.zeros((len(deviations), 1))
        always[0] = -1.0
        return LowRank(deviations, always, (np.append(0.0, self.means) * deviations)[:, None])

    def _learn_columns(self, squares: Floats) -> None:
        # Expectation-maximization's step, from the posterior's second moments in units of the width.
        for start, end in zip(self.starts[:-1], self.starts[1:], strict=True):
            counted = (end - start) * squares.shape[1]
            seen = float(squares[start:end].sum())
            self.relative[start:end] = np.sqrt((DEGREES_OF_FREEDOM + seen) / (DEGREES_OF_FREEDOM + counted))


def _turned(shaped: Hessian, answers: Floats) -> tuple[Tridiagonal | LowRank, Floats, Floats]:
    """Return a matrix times its transpose, answers, and its first column, turned so that all is quickly solved."""
    if isinstance(shaped, LowRank):
        return shaped.times(shaped.T), answers, shaped.T[0][:, None]
    square, [turned, constant] = tridiagonal(shaped @ shaped.T, [answers, shaped[:, :1]])
    return square, turned, constant


def _product_with_itself(matrix: Hessian, times: float) -> Any:
    """Return a multiple of a matrix times its transpose."""
    if isinstance(matrix, LowRank):
        return times * matrix.times(matrix.T)
    return times * matrix @ matrix.T


def _log_likelihoods(answers: Floats, covariance: TridiagonalFactors | LowRankFactors, shared: Floats) -> Floats:
    """Return how likely answers of a covariance are, (n, n_outputs), in logarithms, shape (n_distributions,).

    All answers of an output share one normal number besides, times ``shared``, (n_distributions, n).
    """
    solved = covariance.solve(np.concatenate([shared.T, answers], axis=1))
    of_shared, of_answers = solved[:, : len(shared)], solved[:, len(shared) :]
    share = (shared * of_shared.T).sum(axis=1)
    # By Sherman and Morrison.
    squares = (answers * of_answers).sum() - np.square(of_shared.T @ answers).sum(axis=1) / (1 + share)
    return np.asarray(-(answers.shape[1] * (covariance.log_determinant + np.log1p(share)) + squares) / 2)


@dataclass(eq=False)
class TrustRegion:
    """How far a step may lead, as in trust-region methods (Conn, Gould and Toint 2000), from released values alone.

    A point is good unless its gradient is longer than that of the last good one by more than noise is. Steps start at
    the last good point, and after a bad one they may be half as long; after a good one twice as long again.

    Parameters
    ----------
    point : array of shape (n, n_outputs)
        The first.

    Examples
    --------
    >>> region = TrustRegion(np.zeros((1, 1)))
    >>> region.judge(region.point, np.ones((1, 1)), deviation=0.1)
    >>> float(region.toward(np.full((1, 1), 3.0), np.eye(1))[0, 0])  # changes the gradient of 1 by 2
    2.0
    >>> region.judge(np.full((1, 1), 2.0), np.full((1, 1), 1.5), deviation=0.1)
    >>> float(region.toward(np.full((1, 1), 3.0), np.eye(1))[0, 0])
    1.0
    """

    point: Floats
    length: float = field(init=False, default=inf)
    allowed: float = field(init=False, default=LONGEST_STEP)

    def judge(self, point: Floats, gradient: Floats, deviation: float) -> None:
        """Take a point for the last good one if its gradient, with noise of this deviation, admits it."""
        # Where it is noise alone it is about so long: one that happens to be shorter says nothing.
        length = max(float(np.linalg.norm(gradient)), deviation * sqrt(gradient.size))
        if length <= self.length + SURE_DEVIATIONS * deviation:
            self.point, self.length, self.allowed = point, length, min(2 * self.allowed, LONGEST_STEP)
        else:
            self.allowed /= 2

    def toward(self, target: Floats, hessian: Hessian, curved: Floats | float = 1.0) -> Floats:
        """Return the target, or a point before it, as far from the last good one as a step may lead.

        ``curved``: how many times this Hessian each output's is.
        """
        move, most = target - self.point, self.allowed * self.length
        change = float(np.linalg.norm(hessian @ (move * curved)))
        return target if change <= most else np.asarray(self.point + move * (most / change))
