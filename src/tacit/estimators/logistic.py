"""Logistic regression with the face of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from tacit.convex import LogisticLoss, Loss
from tacit.estimators.base import ProbabilisticMixin
from tacit.estimators.linear import LinearClassifier, MethodName
from tacit.estimators.requirements import LINEAR, LINEAR_METHODS
from tacit.privacy.parameters import Choice, Requirement
from tacit.schema import Schema
from tacit.table import OnInvalid
from tacit.table.feature_encoding import EncodingName


class LogisticClassifier(ProbabilisticMixin, LinearClassifier):
    """Private logistic regression; where the label is public, public columns are fitted exactly and for free.

    By default every column becomes one-hot features, numbers by a public grid; the objective is perturbed by noise
    shaped like the set of all possible rows (K-norm), and only its minimizer is released. Objective perturbation
    is due to Chaudhuri, Monteleoni and Sarwate (2011), K-norm noise to Hardt and Talwar (2010); that both together
    cost nothing for the change of curvature is proved in ``proofs/mechanisms/k_norm.md``.

    Parameters
    ----------
    schema : Schema or "infer"
        What is public about the table. ``"infer"`` reads it off the rows and voids the certificate.
    epsilon : float
        Privacy to spend, in nats; required.
    delta : float
        Above 0, a method with Gaussian noise; below 1/n_rows.
    on_invalid : {"raise", "coerce"}
        What to do with values that the schema does not admit; ``"coerce"`` makes the fit total.
    random_state : None, int or Generator
        None draws secure noise. A seed makes the fit repeatable and its certificate simulated.
    method : str
        ``"auto"``: for a delta of 0 ``"k-norm"``, or ``"mean-operator"`` where n_rows * epsilon is below 8 for each
        coefficient and the label is private; else ``"noisy-gradient"``. Also ``"objective-perturbation"``, with
        spherical noise, and ``"gaussian-objective"``, for a delta above 0. The mean operator is one noisy sum.
    encoding : {"binned", "one-hot", "ordinal"}
        How columns become features: everything one-hot, numbers by a public grid; numbers in [-1, 1] and categories
        one-hot; everything in [-1, 1].
    n_bins : int or "auto"
        Bins of a private number without cut points in the schema; by default 8 to 16, for noisy gradients 4 to
        32, by rows and budget.
    regularization : float or "auto"
        Lambda of lambda/2 |w|^2, added to a sum over rows: 1/C of scikit-learn. Raised to what the proof needs;
        refused where the solver might not end: below n_rows * columns / 4e7.
    intercept : bool or "auto"
        A constant feature among the private ones, regularized; ``"auto"``: where features do not add up to one
        anyway.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if X has names.
    privacy_ : Guarantee
        The certificate.
    model_ : Model
        What may be published.

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

    def __init__(
        self,
        schema: Schema | str | None = None,
        *,
        epsilon: float | None = None,
        delta: float = 0.0,
        on_invalid: OnInvalid = "raise",
        random_state: Any = None,
        method: MethodName = "auto",
        encoding: EncodingName = "binned",
        n_bins: int | Literal["auto"] = "auto",
        regularization: float | Literal["auto"] = "auto",
        intercept: bool | Literal["auto"] = "auto",
    ):
        self.schema = schema
        self.epsilon = epsilon
        self.delta = delta
        self.on_invalid = on_invalid
        self.random_state = random_state
        self.method = method
        self.encoding = encoding
        self.n_bins = n_bins
        self.regularization = regularization
        self.intercept = intercept

    def _loss(self) -> Loss:
        return LogisticLoss()
