"""AdaBoost over examples with RadoBoost's weak learner, for comparison: Nock and others (2015), section 4; no privacy.

Confidence-rated, as Schapire and Singer (1999): a feature divided by its largest size is a weak rule in [-1, 1].
Weights change by the same rule (11), so that it is the loop of ``radoboost`` over edges, label times features, in place
of rados.
"""

from __future__ import annotations

import numpy as np

from tacit.boosting.rado_makers import Floats
from tacit.boosting.radoboost import BoostedRule, RoundSettings, boost_rados


def boost_examples(
    edges: Floats, settings: RoundSettings, *, keep_best: bool = True, rows: np.ndarray | None = None
) -> BoostedRule:
    """Return the rule that boosting over examples ends with, or its iterate of the least training error.

    Parameters
    ----------
    edges : array of shape (n_rows, n_features)
        Label, -1 or 1, times features.
    settings : RoundSettings
        ``least_edge`` is the supplement's remedy for outliers.
    keep_best : bool
        Take the iterate with the least share of wrong examples in training, as the paper does.
    rows : integer array, optional
        Learn from these rows alone: AdaBoost(n).

    Examples
    --------
    >>> edges = np.array([[1.0, 0.2], [0.5, -1.0], [-0.1, 0.3]])
    >>> boost_examples(edges, RoundSettings(rounds=20)).theta.shape
    (2,)
    """
    used = edges if rows is None else edges[rows]
    return boost_rados(used, settings, reached=TrainingError(used) if keep_best else None)


class TrainingError:
    """The share of wrong examples of a rule that changes one feature at a time; reads the examples.

    Parameters
    ----------
    edges : array of shape (n_rows, n_features)

    Examples
    --------
    >>> TrainingError(np.array([[1.0], [-1.0], [2.0], [3.0]]))(np.array([1.0]))
    0.25
    """

    def __init__(self, edges: Floats):
        self._columns = np.asfortranarray(edges, dtype=np.float64)
        self._theta = np.zeros(edges.shape[1])
        self._margins = np.zeros(len(edges))

    def __call__(self, theta: Floats) -> float:
        """Return the error; margins are updated where theta moved."""
        for feature in np.flatnonzero(theta != self._theta):
            self._margins += (theta[feature] - self._theta[feature]) * self._columns[:, feature]
        self._theta = theta.copy()
        return float(np.mean(self._margins <= 0))
