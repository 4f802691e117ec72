"""Private regressors as scikit-learn estimators: each is a fit, and what scikit-learn asks of an estimator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sklearn.base import RegressorMixin

from tacit.estimators.estimator import PrivateEstimator
from tacit.estimators.fitted import FittedRegressor
from tacit.estimators.regression import AutoRegressionFit, BoostedTreesRegressionFit, LinearRegressionFit
from tacit.estimators.regression_fit import RegressionFit


class PrivateRegressor(FittedRegressor, RegressionFit, RegressorMixin, PrivateEstimator):
    """A regressor that pays for what it learns from protected cells.

    Notes
    -----
    What all regressors share, their parameters and what they release first are in ``RegressionFit``.
    """


class LinearRegressor(LinearRegressionFit, PrivateRegressor):
    __doc__ = LinearRegressionFit.__doc__


class BoostedTreesRegressor(BoostedTreesRegressionFit, PrivateRegressor):
    __doc__ = BoostedTreesRegressionFit.__doc__


class AutoRegressor(AutoRegressionFit, PrivateRegressor):
    __doc__ = AutoRegressionFit.__doc__

    _handed: ClassVar[Mapping[type[RegressionFit], type[RegressionFit]]] = {
        LinearRegressionFit: LinearRegressor,
        BoostedTreesRegressionFit: BoostedTreesRegressor,
    }
