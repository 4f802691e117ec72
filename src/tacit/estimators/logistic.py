"""The scikit-learn estimator of private logistic regression."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from tacit.convex import LogisticLoss, Loss
from tacit.estimators.base import ProbabilisticMixin
from tacit.estimators.linear import LinearClassifier
from tacit.estimators.requirements import LINEAR, LINEAR_METHODS
from tacit.privacy.parameters import Choice, Requirement


@dataclass(kw_only=True, eq=False, repr=False)
class LogisticClassifier(ProbabilisticMixin, LinearClassifier):
    """Private logistic regression; where the label is public, public columns are fitted exactly and for free.

    By default every column becomes one-hot features, numbers by a public grid; the objective is perturbed by noise
    shaped like the set of all possible rows (K-norm), and only its minimizer is released. Objective perturbation
    is due to Chaudhuri, Monteleoni and Sarwate (2011), K-norm noise to Hardt and Talwar (2010); that both together
    cost nothing for the change of curvature is proved in ``proofs/mechanisms/k_norm.md``.

    Parameters
    ----------
    method : str
        ``"auto"``: for a delta of 0 ``"k-norm"``, or ``"mean-operator"`` where n_rows * epsilon is below 8 for each
        coefficient and the label is private; else ``"noisy-gradient"``. Also ``"objective-perturbation"``, with
        spherical noise, and ``"gaussian-objective"``, for a delta above 0. The mean operator is one noisy sum.
    regularization : float or "auto"
        Lambda of lambda/2 |w|^2, added to a sum over rows: 1/C of scikit-learn. Raised to what the proof needs;
        refused where the solver might not end: below n_rows * columns / 4e7.

    Notes
    -----
    Privacy: one release for two classes, one for each of more than two, whose budgets add up; under replace-one on
    the protected columns and label. Proofs: ``proofs/mechanisms/k_norm.md``, ``proofs/queries/linear_objective.md``.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit.estimators import LogisticClassifier
    >>> from tacit.schema import Label, Numeric, Schema
    >>> schema = Schema([Numeric(name, -1, 1) for name in "abc"], label=Label("y", [0, 1]))
    >>> X = np.random.default_rng(0).uniform(-1, 1, (2000, 3))
    >>> y = (X.sum(axis=1) > 0).astype(int)
    >>> model = LogisticClassifier(schema, epsilon=1.0).fit(X, y)
    >>> model.predict_proba(X[:5]).shape
    (5, 2)
    >>> model.privacy_.epsilon
    1.0
    """

    _learner = "logistic"
    _parameters: ClassVar[Mapping[str, Requirement]] = {
        **LINEAR,
        "method": Choice((*LINEAR_METHODS, "noisy-gradient", "mean-operator")),
    }

    def _loss(self) -> Loss:
        return LogisticLoss()
