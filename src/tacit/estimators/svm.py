"""A linear support vector machine with the face of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from tacit.convex import HuberLoss, Loss
from tacit.estimators.linear import LinearClassifier
from tacit.estimators.requirements import LINEAR, LINEAR_METHODS
from tacit.privacy.parameters import Choice, Number, Requirement
from tacit.schema import Schema
from tacit.table import OnInvalid
from tacit.table.feature_encoding import EncodingName


class SVMClassifier(LinearClassifier):
    """A private linear support vector machine with Huber loss; public columns are exact where the label is public.

    Source: Chaudhuri, Monteleoni and Sarwate, "Differentially Private Empirical Risk Minimization" (2011), used by
    Lopuhaä-Zwakenberg and others (2021), Algorithm 2; with rows of a public norm, an intercept inside the norm, and
    a change of curvature that is counted once, as it is of rank one.

    Parameters
    ----------
    schema : Schema or "infer"
        What is public about the table. ``"infer"`` reads it off the rows and voids the certificate.
    epsilon : float
        Privacy to spend, in nats; required.
    delta : float
        Above 0, Gaussian objective perturbation; below 1/n_rows.
    on_invalid : {"raise", "coerce"}
        What to do with values that the schema does not admit; ``"coerce"`` makes the fit total.
    random_state : None, int or Generator
        None draws secure noise. A seed makes the fit repeatable and its certificate simulated.
    method : {"auto", "k-norm", "objective-perturbation", "gaussian-objective"}
        With noise shaped like the rows, with spherical noise as in the paper, or with Gaussian noise for a delta
        above 0.
    encoding : {"binned", "one-hot", "ordinal"}
        As of LogisticClassifier; the paper has ``"ordinal"``, integer codes for categories.
    n_bins : int or "auto"
        Bins of a private number without cut points in the schema; by default 8 to 16, by rows
        and budget.
    huber : float
        Half the width of the loss's rounded corner, the paper's h.
    regularization : float or "auto"
        Lambda of lambda/2 |w|^2, added to a sum over rows: n_rows times the paper's Lambda, 10^-2.5. Raised to what
        the proof needs; refused where the solver might not end: below n_rows * columns / (2e7 * huber).
    intercept : bool or "auto"
        A constant feature among the private ones, regularized and counted in the norm.

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
    the protected columns and label. Proofs: ``proofs/mechanisms/k_norm.md``,
    ``proofs/mechanisms/objective_perturbation.md``.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit.estimators import SVMClassifier
    >>> from tacit.schema import Label, Numeric, Schema
    >>> schema = Schema([Numeric(name, -1, 1) for name in "abc"], label=Label("y", [0, 1]))
    >>> X = np.random.default_rng(0).uniform(-1, 1, (2000, 3))
    >>> y = (X.sum(axis=1) > 0).astype(int)
    >>> SVMClassifier(schema, epsilon=1.0).fit(X, y).privacy_.status
    'private'
    """

    _learner = "svm"
    _parameters: ClassVar[Mapping[str, Requirement]] = {
        **LINEAR,
        "method": Choice(LINEAR_METHODS),
        "huber": Number(1e-3, 1, "The paper takes 0.05."),
    }
    _methods = LINEAR_METHODS

    def __init__(
        self,
        schema: Schema | str | None = None,
        *,
        epsilon: float | None = None,
        delta: float = 0.0,
        on_invalid: OnInvalid = "raise",
        random_state: Any = None,
        method: Literal["auto", "k-norm", "objective-perturbation", "gaussian-objective"] = "auto",
        encoding: EncodingName = "binned",
        n_bins: int | Literal["auto"] = "auto",
        huber: float = 0.05,
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
        self.huber = huber
        self.regularization = regularization
        self.intercept = intercept

    def _loss(self) -> Loss:
        return HuberLoss(self.huber)
