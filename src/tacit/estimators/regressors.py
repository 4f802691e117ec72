"""Private regressors as scikit-learn estimators: each is a fit, and what scikit-learn asks of an estimator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ClassVar

from sklearn.base import RegressorMixin

from tacit.estimators.estimator import PrivateEstimator
from tacit.estimators.fitted import FittedRegressor
from tacit.estimators.regression import AutoRegressionFit, BoostedTreesRegressionFit, LinearRegressionFit
from tacit.estimators.regression_fit import RegressionFit
from tacit.estimators.row_weights import NO_CLASSES, ArgumentError

_REFUSED = {
    "class_weight": NO_CLASSES,
    "holdout_by": (
        "Leave it out: residuals are counted for all held-out rows together. To measure a group, give its rows, of "
        "people that no model was fitted on, to `tacit evaluate`."
    ),
}
"""What classifiers take, and why regressors do not."""


def _refusing(init: Callable[..., None]) -> Callable[..., None]:
    """Return a constructor that says why it takes none of these; its signature stays."""

    @wraps(init)
    def made(self: object, *args: Any, **given: Any) -> None:
        for refused, why in _REFUSED.items():
            if refused in given:
                name = type(self).__name__
                raise ArgumentError(f"{name}() got an unexpected keyword argument {refused!r}. {why}")
        init(self, *args, **given)

    return made


class PrivateRegressor(FittedRegressor, RegressionFit, RegressorMixin, PrivateEstimator):
    """A regressor that pays for what it learns from protected cells.

    Notes
    -----
    What all regressors share, their parameters and what they release first are in ``RegressionFit``.
    """

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        cls.__init__ = _refusing(cls.__init__)  # type: ignore[method-assign]


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
