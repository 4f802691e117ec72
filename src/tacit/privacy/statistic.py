"""Statistics: unreleased values, each with its sensitivity to the change of one row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from math import lgamma, log
from typing import Any, NoReturn, final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError, PrivacyError
from tacit.privacy.basis import Basis
from tacit.privacy.parameters import counting, nonnegative, positive
from tacit.privacy.unit import PrivacyUnit


@dataclass(frozen=True)
class ProductOfBalls:
    """A product of L1 balls of radius one, and the norm (gauge) of which it is the unit ball.

    A number in [-1, 1] and a one-hot group of m categories both lie in an L1 ball, of dimension 1 and m.
    """

    widths: tuple[int, ...]
    """Dimension of each ball, in the order of the coordinates."""

    def __post_init__(self) -> None:
        if not self.widths or min(self.widths) < 1:
            raise ParameterError(f"Expected balls of at least one dimension, got widths={self.widths!r}.")

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return sum(self.widths)

    def gauge(self, vector: NDArray[np.float64]) -> float:
        """Return the least factor by which the product must be stretched to hold the vector."""
        # One sum a ball, over its consecutive coordinates.
        return float(np.add.reduceat(np.abs(vector), self._starts).max())

    @property
    def log_volume(self) -> float:
        """Logarithm of the volume: 2^m / m! for each ball."""
        return sum(width * log(2) - lgamma(width + 1) for width in self.widths)

    @cached_property
    def _starts(self) -> NDArray[np.intp]:
        return np.concatenate([[0], np.cumsum(self.widths)[:-1]]).astype(np.intp)


@dataclass(frozen=True, eq=False)
class Statistic(ABC):
    """An unreleased value with its privacy unit; abstract.

    Its representation never shows the value, and it can neither be pickled nor copied.
    """

    query: str
    unit: PrivacyUnit
    unreleased_value: NDArray[Any] = field(repr=False)
    basis: Basis | None = field(default=None, kw_only=True, repr=False)
    """The public numbers that its sensitivity follows from."""

    @abstractmethod
    def __post_init__(self) -> None:
        # A view, so that it can be made read-only without freezing the query's own array.
        value = np.asarray(self.unreleased_value).view()
        if value.dtype not in (np.float64, np.int64):
            raise ParameterError(f"Expected int64 or float64 values, got dtype={value.dtype}. Convert them.")
        # Integers are finite; asking a million of them takes longer than a selection from them.
        if value.dtype == np.float64 and not np.isfinite(value).all():
            raise PrivacyError(f"Expected finite values in the statistic {self.query!r}. Its query is at fault.")
        value.flags.writeable = False
        object.__setattr__(self, "unreleased_value", value)

    @property
    def is_public(self) -> bool:
        """Whether the value is the same on all neighboring tables, so that it may leave without noise."""
        return self.unit.protects_nothing

    @property
    def public_value(self) -> NDArray[Any]:
        """The value itself, of a statistic that is public.

        Raises PrivacyError if neighboring tables may have another.
        """
        if not self.is_public:
            raise PrivacyError(f"Expected public cells only, got query={self.query!r} of protected ones. Release it.")
        return self.unreleased_value

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("Expected a statistic to stay in its process: it cannot be pickled. Release it instead.")

    def __copy__(self) -> NoReturn:
        raise PrivacyError("Expected one statistic: it cannot be copied. Release it instead.")

    def __deepcopy__(self, memo: dict[int, object]) -> NoReturn:
        raise PrivacyError("Expected one statistic: it cannot be copied. Release it instead.")


@final
@dataclass(frozen=True, eq=False)
class NumericStatistic(Statistic):
    """Numbers that leave with noise on each.

    Privacy: nothing is released until an accountant does so; the value's type and shape must be public.

    Raises ParameterError if a sensitivity is negative or not finite, or l2 exceeds l1.

    Parameters
    ----------
    query : str
        What is asked, in words; public.
    unreleased_value : array of any shape, int64 or float64
    """

    l1: float
    l2: float
    """Largest L1 and L2 distance between the values on two neighboring tables, rounding errors included."""
    unit_weight: int = 1
    """How much of the value counts as one: what leaves is divided by it, after noise."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "unit_weight", counting("unit_weight", self.unit_weight))
        object.__setattr__(self, "l1", nonnegative("l1", self.l1))
        object.__setattr__(self, "l2", nonnegative("l2", self.l2))
        # Two sums of the same rounded terms may differ in their last digits, hence a little room.
        if self.l2 > self.l1 * (1 + 1e-9):
            raise ParameterError(f"Expected l2 of at most l1, got l2={self.l2:g}, l1={self.l1:g}. Check their order.")
        if self.l1 > 0 and self.l2 == 0:  # Gaussian noise for it would be none
            raise ParameterError(f"Expected l2 above zero as l1 is, got l2=0, l1={self.l1:g}. Name both sensitivities.")

    @property
    def is_public(self) -> bool:
        """Whether the unit protects nothing, or nothing that it protects moves the value."""
        # Not so for scores of a selection: a range of zero lets all of them move alike.
        return self.unit.protects_nothing or self.l1 == 0


@final
@dataclass(frozen=True, eq=False)
class SelectionStatistic(Statistic):
    """Scores of candidates, of which only the index of a good one leaves.

    Privacy: nothing is released until an accountant does so; the candidates must be public.

    Raises ParameterError if the range is negative or not finite, or there is no candidate.

    Parameters
    ----------
    query : str
        What is asked, in words; public.
    unreleased_value : array of shape (n_candidates,), int64 or float64
        Scores, higher is better.
    """

    range: float
    """Largest change, over two neighboring tables and two candidates, of the difference of their scores; rounding
    included. At most twice the scores' sensitivity."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.unreleased_value.ndim != 1 or self.unreleased_value.size == 0:
            raise ParameterError(
                f"Expected a row of scores, got shape={self.unreleased_value.shape}. Give each candidate one."
            )
        object.__setattr__(self, "range", nonnegative("range", self.range))


@final
@dataclass(frozen=True, eq=False)
class JointSelectionStatistic(Statistic):
    """Scores of candidates for each of several choices; of each only the index of a good one leaves.

    Privacy: nothing is released until an accountant does so; candidates and choices must be public. Proof that
    the choices together cost what one selection of this range costs: ``proofs/mechanisms/joint_selection.md``.

    Parameters
    ----------
    query : str
        What is asked, in words; public.
    unreleased_value : array of shape (n_choices, n_candidates), int64 or float64
        Scores, higher is better.
    """

    range: float
    """Largest sum over the choices, for two neighboring tables, of the largest change of the difference of two
    candidates' scores; rounding included."""
    admitted: NDArray[np.bool_]
    """Shape (n_choices, n_candidates). Which candidates each choice has, at least one; public."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "range", nonnegative("range", self.range))
        admitted: NDArray[Any] = np.asarray(self.admitted, dtype=bool)
        if self.unreleased_value.ndim != 2 or admitted.shape != self.unreleased_value.shape:
            raise ParameterError("Expected one row of scores for each choice, and as many marks of what is admitted.")
        if not admitted.any(axis=1).all():
            raise ParameterError("Expected a candidate for each choice, got a choice without. Leave it out.")
        object.__setattr__(self, "admitted", admitted)

    def __repr__(self) -> str:
        return f"JointSelectionStatistic(query={self.query!r}, unit={self.unit!r}, range={self.range!r})"


@final
@dataclass(frozen=True, eq=False)
class GaugeStatistic(Statistic):
    """A vector whose movement is bounded in the norm of a product of balls.

    Privacy: nothing is released until an accountant does so.

    Parameters
    ----------
    unreleased_value : float64 array of shape (ball.dimension,)
    """

    ball: ProductOfBalls
    sensitivity: float
    """Largest gauge of the difference between the exact vectors of two neighboring tables."""
    error: float
    """Bounds the L2 distance between the computed and the exact vector, on every table."""

    def __post_init__(self) -> None:
        super().__post_init__()
        nonnegative("sensitivity", self.sensitivity)
        positive("error", self.error)
        if self.unreleased_value.shape != (self.ball.dimension,):
            raise ParameterError("Expected one coordinate for each dimension of the ball.")


@dataclass(frozen=True)
class RowGeometry:
    """What is known of every admitted row's loss: l(w . z), z in the ball, slope in [0, 1]; public."""

    ball: ProductOfBalls
    """Holds the features z of every row."""
    squared_radius: float
    """Largest squared L2 norm of z."""
    curvature: float
    """Largest second derivative of the loss."""
    self_bounded: bool
    """Whether the second derivative is s (1 - s) where the slope is s."""
    several: bool = False
    """Whether rows of one person weigh one together: their curvatures add up to a matrix of a rank above one."""


@final
@dataclass(frozen=True, eq=False)
class ObjectiveStatistic(Statistic):
    """A sum of convex losses of linear forms plus lambda/2 |w|^2, of which a perturbed minimizer may leave.

    Privacy: nothing is released until an accountant does so; neither b nor the minimizer before noise may leave.

    Parameters
    ----------
    unreleased_value : float64 array of shape (dimension,)
        Gradient at zero.
    """

    rows: RowGeometry
    regularization: float
    """Lambda, added to a sum over rows, not to a mean."""
    tolerance: float
    """Fixed beforehand: bounds the L2 norm of the true gradient at what ``minimizer`` returns."""
    minimizer: Callable[[NDArray[np.float64]], NDArray[np.float64]] = field(repr=False)
    """Takes b and returns an approximate minimizer of the objective plus b . w; the exact one is a function of the
    table and b alone. Its result is as secret as the rows."""
    derivatives: Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]] = field(repr=False)
    """Takes w and returns the objective's gradient and Hessian there, without a perturbation; as secret as the rows."""

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("regularization", self.regularization)
        positive("tolerance", self.tolerance)

    @property
    def error(self) -> float:
        """Bound on the L2 distance between the approximate and the exact minimizer: strong convexity."""
        return self.tolerance / self.regularization
