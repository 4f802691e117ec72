"""Learning rate of boosted trees: the larger, the more of the classes' variance is explained."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.mechanisms import ReleasedValue
from tacit.queries.leaf_sums import STEPS
from tacit.rules.boosted_trees import MIN_RATE
from tacit.rules.shared import SURE_DEVIATIONS


class LearningRates:
    """The rates of trees, one after the other.

    A rate is the square of what is explained, but at least 0.3. What is explained is 1 less the sum of p (1 - p) over
    rows, by the mean of all trees so far, over what it is where all rows have their class's share; less two deviations
    of that mean's noise, and the less of it the larger these are, so that noise explains next to nothing.

    Parameters
    ----------
    given : float or None
        The same for all trees; None for the rule.
    variance : float
        The sum of p (1 - p) over rows and scores at the classes' shares, in rows.

    Notes
    -----
    Privacy: follows from released curvatures and class counts alone.

    Examples
    --------
    >>> rates, leaf = LearningRates(None, variance=100.0), np.asarray([0])
    >>> [round(rates.after(ReleasedValue(np.asarray([[each * STEPS]])), leaf), 3) for each in (100, 20, 0)]
    [0.3, 0.3, 0.36]
    """

    def __init__(self, given: float | None, variance: float):
        self._given, self._variance = given, variance
        self._sums, self._noise, self._n_trees = 0.0, 0.0, 0

    def after(self, curvatures: ReleasedValue, reached: NDArray[np.intp]) -> float:
        """Return the rate of the next tree, from the released curvatures of the leaves that rows can reach.

        Parameters
        ----------
        curvatures : ReleasedValue
            Of shape (n_scores, n_leaves).
        reached : int array of shape (n_reached,)
        """
        if self._given is not None:
            return self._given
        of_tree = curvatures.value[:, reached] / STEPS
        self._n_trees += 1
        self._sums += float(of_tree.sum())
        self._noise += of_tree.size * (curvatures.deviation / STEPS) ** 2
        whole = self._n_trees * self._variance
        unsure = SURE_DEVIATIONS * sqrt(self._noise) / whole
        explained = min(max(1 - self._sums / whole - unsure, 0.0), 1.0) / (1 + unsure**2)
        return max(MIN_RATE, explained**2)
