"""Naive Bayes with the face of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from tacit.estimators.base import PrivateClassifier, ProbabilisticMixin
from tacit.estimators.requirements import one_of
from tacit.learners import NaiveBayes
from tacit.learners.naive_bayes import CALIBRATION, SMOOTHING, NumericLaw
from tacit.privacy.parameters import Requirement
from tacit.schema import Schema
from tacit.table import OnInvalid, Table
from tacit.table.bin_encoding import PARTS


class NaiveBayesClassifier(ProbabilisticMixin, PrivateClassifier):
    """Naive Bayes on noisy counts and sums, for mixed columns and any number of classes.

    Everything that is protected leaves in one noisy release. Noisy conditional distributions are shrunk toward the
    marginal as far as the known noise demands; a second, small release corrects the score of two classes for
    columns that repeat each other. With a public label, class counts and public columns are exact and free.
    After Vaidya and others, "Differentially private naive Bayes classification" (2013), and Lopuhaä-Zwakenberg
    and others, "Comparing Classifiers' Performance under Differential Privacy" (2021), Algorithm 1, whose
    sensitivities do not hold and are replaced.

    Parameters
    ----------
    schema : Schema or "infer"
        What is public about the table. ``"infer"`` reads it off the rows and voids the certificate.
    epsilon : float
        Privacy to spend, in nats; required.
    delta : float
        Above 0, Gaussian noise under zero-concentrated differential privacy where that is better; below
        1/n_rows.
    on_invalid : {"raise", "coerce"}
        What to do with values that the schema does not admit; ``"coerce"`` makes the fit total.
    random_state : None, int or Generator
        None draws secure noise. A seed makes the fit repeatable and its certificate simulated.
    numeric : {"binned", "gaussian"}
        Histograms over the schema's cut points, or one normal law in each class.
    n_bins : int
        Equal parts, 2 to 255, of a binned numeric column without cut points.
    smoothing : float
        Rows added to every count, from 1e-9 to 1e9, as ``alpha`` of scikit-learn's CategoricalNB.
    calibration : float
        Share of the budget that corrects slope and threshold of the score, for two classes, from 1e-6 to 0.99; 0 turns
        it off. With more classes it is not used, and nothing is spent on it.

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
    Privacy: releases counts and sums by class (``proofs/queries/class_sums.md``), then counts of rows by level of
    the resulting score and class (``proofs/queries/score_bins.md``), both under replace-one on the protected
    columns and label.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit.estimators import NaiveBayesClassifier
    >>> from tacit.schema import Label, Numeric, Schema
    >>> schema = Schema([Numeric(name, -1, 1) for name in "abc"], label=Label("y", [0, 1]))
    >>> X = np.random.default_rng(0).uniform(-1, 1, (2000, 3))
    >>> y = (X.sum(axis=1) > 0).astype(int)
    >>> model = NaiveBayesClassifier(schema, epsilon=1.0).fit(X, y)
    >>> model.predict_proba(X[:5]).shape
    (5, 2)
    >>> model.privacy_.epsilon
    1.0
    """

    _learner = "naive-bayes"
    _parameters: ClassVar[Mapping[str, Requirement]] = {
        "numeric": one_of(NumericLaw),
        "n_bins": PARTS,
        "smoothing": SMOOTHING,
        "calibration": CALIBRATION,
    }

    def __init__(
        self,
        schema: Schema | str | None = None,
        *,
        epsilon: float | None = None,
        delta: float = 0.0,
        on_invalid: OnInvalid = "raise",
        random_state: Any = None,
        numeric: Literal["binned", "gaussian"] = "binned",
        n_bins: int = 32,
        smoothing: float = 1.0,
        calibration: float = 0.03,
    ):
        self.schema = schema
        self.epsilon = epsilon
        self.delta = delta
        self.on_invalid = on_invalid
        self.random_state = random_state
        self.numeric = numeric
        self.n_bins = n_bins
        self.smoothing = smoothing
        self.calibration = calibration

    def _settings(self, table: Table) -> NaiveBayes:
        return NaiveBayes(
            schema=table.schema,
            numeric=self.numeric,
            parts=self.n_bins,
            smoothing=self.smoothing,
            calibration=self.calibration,
            unlisted=self.on_invalid == "coerce",
        )
