"""Values that leave under noise of other norms than L1 and L2: gauged sums, and minimizers of objectives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.privacy.gauge import ProductOfBalls
from tacit.privacy.parameters import nonnegative, positive
from tacit.privacy.statistic import Statistic


@final
@dataclass(frozen=True, eq=False)
class GaugeStatistic(Statistic):
    """A vector whose movement is bounded in the norm of a product of balls.

    Parameters
    ----------
    query : str
    unit : PrivacyUnit
    unreleased_value : float64 array of shape (ball.dimension,)
    ball : ProductOfBalls
    sensitivity : float
        Largest gauge of the difference between the exact vectors of two neighboring tables.
    error : float
        Bounds the L2 distance between the computed and the exact vector, on every table.

    Raises
    ------
    ParameterError
        If shape, sensitivity or error are out of range.

    Notes
    -----
    Privacy: nothing is released until an accountant does so.
    """

    ball: ProductOfBalls
    sensitivity: float
    error: float

    def __post_init__(self) -> None:
        super().__post_init__()
        nonnegative("sensitivity", self.sensitivity)
        positive("error", self.error)
        if self.unreleased_value.shape != (self.ball.dimension,):
            raise ParameterError("Expected one coordinate for each dimension of the ball.")


@dataclass(frozen=True)
class RowGeometry:
    """What is known of every admitted row's loss: l(w . z), z in the ball, slope in [0, 1]; public.

    Parameters
    ----------
    ball : ProductOfBalls
        Holds the features z of every row.
    squared_radius : float
        Largest squared L2 norm of z.
    curvature : float
        Largest second derivative of the loss.
    logistic : bool
        Whether the second derivative is s (1 - s) where the slope is s.
    """

    ball: ProductOfBalls
    squared_radius: float
    curvature: float
    logistic: bool


@final
@dataclass(frozen=True, eq=False)
class ObjectiveStatistic(Statistic):
    """A sum of convex losses of linear forms plus lambda/2 |w|^2, of which a perturbed minimizer may leave.

    Parameters
    ----------
    query : str
    unit : PrivacyUnit
    unreleased_value : float64 array of shape (dimension,)
        Gradient at zero.
    rows : RowGeometry
    regularization : float
        Lambda, added to a sum over rows, not to a mean.
    tolerance : float
        Fixed beforehand: bounds the L2 norm of the true gradient at what ``minimizer`` returns.
    minimizer : callable
        Takes b and returns an approximate minimizer of the objective plus b . w; the exact one is a function of
        the table and b alone. Its result is as secret as the rows.

    Raises
    ------
    ParameterError
        If regularization or tolerance are not above zero.

    Notes
    -----
    Privacy: nothing is released until an accountant does so; neither b nor the minimizer before noise may leave.
    """

    rows: RowGeometry
    regularization: float
    tolerance: float
    minimizer: Callable[[NDArray[np.float64]], NDArray[np.float64]] = field(repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("regularization", self.regularization)
        positive("tolerance", self.tolerance)

    @property
    def error(self) -> float:
        """Bound on the L2 distance between the approximate and the exact minimizer: strong convexity."""
        return self.tolerance / self.regularization
