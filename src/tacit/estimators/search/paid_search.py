"""The estimators that choose settings and learners on private rows, with one certificate for search and model."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from tacit.estimators.base import PrivateFit
from tacit.estimators.fitted import FittedClassifier, FittedRegressor
from tacit.estimators.grouping import HOLDOUT_BY, check_by, check_holdout_by, groups_of
from tacit.estimators.holdout import Check, HoldoutSplit
from tacit.estimators.regression_fit import RegressionFit
from tacit.estimators.requirements import one_of
from tacit.estimators.residual_holdout import check_residuals
from tacit.estimators.search.candidates import SearchedFit
from tacit.estimators.search.search_fit import SearchFit, SearchSettings
from tacit.models import Model, RegressionModel, ReleasedModel
from tacit.privacy import Accountant
from tacit.schema import Schema
from tacit.sensitivities.scores import ClassScore, NumberScore


@dataclass(eq=False, repr=False, kw_only=True)
class PaidSearch(SearchFit, FittedClassifier, ClassifierMixin, BaseEstimator):
    """Chooses settings, and the learner, on private rows, and pays for that: one certificate covers all of it.

    Parameters
    ----------
    estimator : private classifier or list of them
        Without epsilon, delta and random_state. The first, as it is given, is always a candidate: the default.
    grid : dict, list or "auto"
        Lists of values by name of a parameter, or a list of such dictionaries, whose settings are all candidates; for a
        list of estimators, one of these for each. ``"auto"``: a small public grid of each learner. List the likeliest
        values first: where rows and epsilon pay for some candidates only, those that come first in all lists are tried.
    epsilon : float
        Privacy to spend, for search and model together.
    delta : float or "auto", optional
        The same; see the classifiers. By default as the first estimator has it if it is left out there.
    pay : {"rows", "epsilon"}
        ``"rows"``: a share of the rows, drawn in secret, at the full budget, and the rest of the rows for the model.
        ``"epsilon"``: the best of a secret number of fits with more noise, scored on that share of the rows; how
        long it takes tells their number.
    rows : float
        The share of the rows that the search, or its scores, use, from 0.02 to 0.5. Paid in rows, two thirds of them
        train candidates and a third compares them.
    scoring : {"log-loss", "accuracy", "brier"}
        Of held-out rows; the log-loss is clipped at 3 nats.
    holdout : float
        As for a classifier: rows that neither the search nor the model uses. Not with ``pay="epsilon"``.
    holdout_by : str, optional
        As for a classifier.
    ledger : str or Path, optional
        As for a classifier; search and model are one charge. The candidates' own are not used.
    random_state : None, int or Generator
        As for a classifier.

    Attributes
    ----------
    best_estimator_ : private classifier
        Fitted.
    best_params_ : dict
        The chosen values of what its grid varies.
    best_index_ : int
        Among the candidates; 0 is the default.
    classes_ : array of shape (n_classes,)
    n_features_in_ : int
    privacy_ : Guarantee
        The certificate of search and model.
    model_ : Model
        What may be published.

    Notes
    -----
    Privacy: the price is known before any row is read, see ``cost``. Where rows and epsilon are too few to compare
    candidates, none are: the default is trained on all rows. Proof: ``proofs/queries/held_out_losses.md``.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit import Label, Numeric, Schema, TreeClassifier
    >>> schema = Schema([Numeric(name, -1, 1) for name in "ab"], label=Label("y", [0, 1]))
    >>> X = np.random.default_rng(0).uniform(-1, 1, (8000, 2))
    >>> y = (X[:, 0] > 0).astype(int)
    >>> search = PaidSearch(TreeClassifier(schema, max_splits=1), {"max_splits": [1, 4]}, epsilon=2.0, delta=1e-6)
    >>> search.cost(len(X)).candidates
    2
    >>> search.fit(X, y).privacy_.epsilon
    2.0
    """

    scoring: ClassScore = "log-loss"
    holdout_by: str | None = None

    _scores = one_of(ClassScore)

    def _settled(self) -> SearchSettings:
        HOLDOUT_BY.check("holdout_by", self.holdout_by)
        settled = super()._settled()
        check_holdout_by(self.holdout, self.holdout_by, settled.schema)
        return settled

    def _check(self, schema: Schema) -> Check:
        return check_by(groups_of(schema, self.holdout_by))

    def _held(self, default: SearchedFit) -> SearchedFit:
        assert isinstance(default, PrivateFit)
        default.holdout_by = self.holdout_by
        return super()._held(default)

    def _measured(
        self, estimator: SearchedFit, model: ReleasedModel, parts: HoldoutSplit, whole: Accountant, rest: Accountant
    ) -> ReleasedModel:
        assert isinstance(estimator, PrivateFit) and isinstance(model, Model)
        groups = groups_of(model.schema, self.holdout_by)
        return estimator._measured(model, parts, whole, rest, groups=groups, searched=True)


@dataclass(eq=False, repr=False, kw_only=True)
class PaidRegressionSearch(SearchFit, FittedRegressor, RegressorMixin, BaseEstimator):
    """``PaidSearch`` of regressors: chooses settings, and the learner, on private rows, and pays for that.

    Candidates are compared by the absolute error on held-out rows. A row's error is clipped, so that one row decides
    about little. Paid in rows, it is clipped where candidates clip residuals, at the median of what they released; paid
    in epsilon, at half of the distance between the target's bounds.

    Parameters
    ----------
    estimator : private regressor or list of them
        As for ``PaidSearch``, which is for classifiers.
    grid, epsilon, delta, pay, rows, ledger, random_state
        As for ``PaidSearch``.
    scoring : {"absolute-error"}
        Of held-out rows.
    holdout : float
        As for a regressor: rows that neither the search nor the model uses. Not with ``pay="epsilon"``.

    Attributes
    ----------
    best_estimator_ : private regressor
        Fitted.
    best_params_ : dict
        The chosen values of what its grid varies.
    best_index_ : int
        Among the candidates; 0 is the default.
    n_features_in_ : int
    privacy_ : Guarantee
        The certificate of search and model.
    model_ : RegressionModel
        What may be published.

    Notes
    -----
    Privacy: that of ``PaidSearch``. Proof: ``proofs/queries/held_out_losses.md``.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit import LinearRegressor, Numeric, Schema, Target
    >>> schema = Schema([Numeric(name, -1, 1) for name in "ab"], label=Target("y", -10, 10))
    >>> X = np.random.default_rng(0).uniform(-1, 1, (8000, 2))
    >>> search = PaidRegressionSearch(LinearRegressor(schema), epsilon=2.0, delta=1e-6)
    >>> search.cost(len(X)).candidates
    2
    >>> search.fit(X, 5 * X[:, 0]).privacy_.epsilon
    2.0
    """

    scoring: NumberScore = "absolute-error"

    _of_number = True
    _scores = one_of(NumberScore)

    def _check(self, schema: Schema) -> Check:
        return check_residuals

    def _measured(
        self, estimator: SearchedFit, model: ReleasedModel, parts: HoldoutSplit, whole: Accountant, rest: Accountant
    ) -> ReleasedModel:
        assert isinstance(estimator, RegressionFit) and isinstance(model, RegressionModel)
        return estimator._measured(model, parts, whole, rest, searched=True)
