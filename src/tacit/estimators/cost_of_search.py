"""What a search over parameters, a calibration or another estimator of scikit-learn spends on private fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, ParameterGrid, RandomizedSearchCV

from tacit.errors import ParameterError
from tacit.estimators.estimator import PrivateEstimator
from tacit.estimators.requirements import COMMON
from tacit.estimators.search import PaidRegressionSearch, PaidSearch
from tacit.estimators.search.search_fit import SearchFit
from tacit.estimators.usual_delta import largest_delta
from tacit.privacy.loss import EPSILON
from tacit.privacy.parameters import Whole

_SCORES = "the scores that choose between candidates"
_CALIBRATION = "the calibration"
_THRESHOLD = "the decision threshold"


@dataclass(frozen=True)
class SearchCost:
    """The number of private fits, and their cost by basic composition if all see the same people.

    Each fit in a cross-validation sees most of the rows, so a person is in nearly all of them: the sum is what
    holds for everybody. What is computed besides from rows without noise is named, and no sum covers it.

    Attributes
    ----------
    fits : int
        Where the refit of a search may be of any candidate, the most expensive one counts.
    epsilon, delta : float
        A delta of ``"auto"``, which follows from the number of rows, counts as the largest that it can be.
    without_noise : tuple of str
        What is computed from private rows without noise.
    """

    fits: int
    epsilon: float
    delta: float
    without_noise: tuple[str, ...] = ()

    def __str__(self) -> str:
        spent = f"{self.fits} private fits, together epsilon {self.epsilon:g} and delta {self.delta:g}"
        open_ = "; not covered, as computed from the rows without noise: " + ", ".join(self.without_noise)
        return spent + (open_ if self.without_noise else "")


SPLITS = Whole(1, 100_000, "5 is scikit-learn's own number.")
CANDIDATES = Whole(1, 1_000_000, "Try fewer: each is fitted once a fold, and paid for.")


def search_cost(search: Any, n_splits: int | None = None) -> SearchCost:
    """Return what fitting a search, or another estimator around private estimators, would spend.

    Parameters
    ----------
    search : estimator of scikit-learn
        Not fitted. Searches over a grid or at random, pipelines, calibration, tuned or fixed thresholds, and bagging
        without repeated rows, in any nesting, around private estimators. Everything else is refused, as its number
        of fits is not known beforehand, or a person may be in several rows of one fit.
    n_splits : int, optional
        Number of cross-validation folds of ``search`` itself; by default its own, 5 where it leaves that open.

    Raises
    ------
    ParameterError
        If the number of fits or their budgets are not known beforehand, or nothing private would be fitted.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from tacit import BRCClassifier
    >>> search = GridSearchCV(BRCClassifier(epsilon=0.5), {"rounds": [5, 10, 20]}, cv=4)
    >>> search_cost(search).fits
    13
    """
    if isinstance(search, PrivateEstimator):
        raise ParameterError(
            f"Expected an estimator around private estimators, got {type(search).__name__}. "
            "One fit spends its epsilon and delta."
        )
    if n_splits is not None:
        folds = SPLITS.check("n_splits", n_splits)
        if not hasattr(search, "cv"):
            raise ParameterError(f"Expected n_splits for an estimator with cv only, got {type(search).__name__}.")
        search = clone(search).set_params(cv=folds)
    return _cost(search)


def _cost(estimator: Any) -> SearchCost:
    if isinstance(estimator, PrivateEstimator):
        return _of_one_fit(estimator)
    # The exact type: a subclass may fit as often as it likes.
    count = _counted().get(type(estimator))
    if count is not None:
        return count(estimator)
    if _private_inside(estimator):
        raise ParameterError(
            f"Expected estimators whose number of fits is known beforehand, got {type(estimator).__name__}. "
            "Count its fits by hand, or use a grid search, a calibration, a threshold or bagging without bootstrap."
        )
    raise ParameterError(
        f"Expected a private estimator with an epsilon in every candidate, got {type(estimator).__name__}."
    )


def _counted() -> dict[type, Callable[[Any], SearchCost]]:
    """Return the estimators whose fits can be counted from their parameters; imported here, as some load slowly."""
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.ensemble import BaggingClassifier
    from sklearn.frozen import FrozenEstimator
    from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
    from sklearn.pipeline import Pipeline

    return {
        GridSearchCV: _of_grid,
        RandomizedSearchCV: _of_random_search,
        Pipeline: _of_pipeline,
        BaggingClassifier: _of_bagging,
        CalibratedClassifierCV: _of_calibration,
        TunedThresholdClassifierCV: _of_tuned_threshold,
        FixedThresholdClassifier: lambda fixed: _cost(fixed.estimator),
        PaidRegressionSearch: _of_one_fit,
        PaidSearch: _of_one_fit,  # one budget for search and model
        FrozenEstimator: lambda frozen: SearchCost(0, 0.0, 0.0),  # it never fits
    }


def _of_one_fit(classifier: PrivateEstimator | SearchFit) -> SearchCost:
    if isinstance(classifier, PrivateEstimator) and _private_inside(classifier):
        raise ParameterError("Expected a private estimator that fits no other private estimator, got one that does.")
    if classifier.epsilon is None:
        raise ParameterError("Expected a private estimator with an epsilon in every candidate, got epsilon=None.")
    if getattr(classifier, "protection", None) in ("none", "marginal"):  # of rados: no differential privacy
        raise ParameterError(
            "Expected differentially private fits, got a protection that is none. Pass an epsilon alone."
        )
    delta = classifier.asked_delta if isinstance(classifier, SearchFit) else classifier.delta
    epsilon, delta = EPSILON.check("epsilon", classifier.epsilon), COMMON["delta"].check("delta", delta)
    return SearchCost(1, epsilon, largest_delta(delta))


def _of_grid(search: GridSearchCV) -> SearchCost:
    candidates = ParameterGrid(search.param_grid)
    CANDIDATES.check("candidates of the grid", len(candidates))
    return _searched(search, [_cost(clone(search.estimator).set_params(**candidate)) for candidate in candidates])


def _of_random_search(search: RandomizedSearchCV) -> SearchCost:
    varying = search.param_distributions
    spaces = varying if isinstance(varying, list) else [varying]
    for name in sorted({name for space in spaces for name in space}):
        if _changes_cost(search.estimator, name):
            raise ParameterError(
                "Expected a randomized search over parameters that change neither budget nor number of fits, "
                f"got {name!r}. Fix it, or search over a grid."
            )
    draws = CANDIDATES.check("n_iter", search.n_iter)
    if all(hasattr(values, "__len__") for space in spaces for values in space.values()):
        draws = min(draws, len(ParameterGrid(varying)))  # as scikit-learn does: lists are drawn without repetition
    return _searched(search, [_cost(search.estimator)] * draws)


def _changes_cost(estimator: BaseEstimator, name: str) -> bool:
    path, _, last = name.rpartition("__")
    owner = estimator.get_params().get(path) if path else estimator
    if isinstance(owner, PrivateEstimator):
        return last in ("epsilon", "delta", "public_learner")
    return owner is None or _private_inside(owner)


def _searched(search: Any, candidates: Sequence[SearchCost]) -> SearchCost:
    total = _times(_sum(candidates), _splits(search.cv))
    if search.refit:
        # Which candidate is refitted depends on the scores: the most expensive one is paid for.
        worst = [max(getattr(each, name) for each in candidates) for name in ("fits", "epsilon", "delta")]
        total = _sum([total, SearchCost(*worst)])
    return _besides(total, _SCORES)


def _of_pipeline(pipeline: Any) -> SearchCost:
    *before, (_, last) = pipeline.steps
    if any(isinstance(step, PrivateEstimator) or _private_inside(step) for _, step in before):
        raise ParameterError("Expected a private estimator as the last step of a pipeline only, got one before.")
    return _cost(last)


def _of_bagging(bagging: Any) -> SearchCost:
    if bagging.bootstrap:
        raise ParameterError(
            "Expected bagging without repeated rows, got bootstrap=True: a person would be in several rows of one "
            "fit, which its certificate does not cover. Pass bootstrap=False and max_samples below 1."
        )
    if bagging.warm_start:
        raise ParameterError("Expected bagging that starts from nothing, got warm_start=True. Leave it out.")
    return _times(_cost(bagging.estimator), int(bagging.n_estimators))


def _of_calibration(calibrated: Any) -> SearchCost:
    from sklearn.frozen import FrozenEstimator

    frozen = isinstance(calibrated.estimator, FrozenEstimator)
    if frozen or calibrated.cv == "prefit":
        return _besides(SearchCost(0, 0.0, 0.0), _CALIBRATION)
    # Without an ensemble, one more fit on all rows gives the model.
    more = 0 if calibrated.ensemble in ("auto", True) else 1
    return _besides(_times(_cost(calibrated.estimator), _splits(calibrated.cv) + more), _CALIBRATION)


def _of_tuned_threshold(tuned: Any) -> SearchCost:
    if tuned.cv == "prefit":
        return _besides(SearchCost(0, 0.0, 0.0), _THRESHOLD)
    one_split = isinstance(tuned.cv, Real) and not isinstance(tuned.cv, int | np.integer)
    splits = 1 if one_split else _splits(tuned.cv)
    return _besides(_times(_cost(tuned.estimator), splits + 1), _THRESHOLD)  # with and without refit one fit more


def _splits(cv: Any) -> int:
    if cv is None:
        return 5
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        return int(SPLITS.check("cv", cv))
    if hasattr(cv, "get_n_splits"):
        try:
            return int(cv.get_n_splits())
        except (TypeError, ValueError):  # it asks for rows or groups
            pass
    elif isinstance(cv, Sized) and getattr(cv, "shape", None) != ():  # an array of no dimension has no length
        return int(SPLITS.check("number of splits in cv", len(cv)))
    raise ParameterError("Expected a cv that tells its number of splits without rows, got another. Pass n_splits.")


def _private_inside(estimator: Any) -> bool:
    inside = estimator.get_params(deep=True).values() if isinstance(estimator, BaseEstimator) else ()
    return any(isinstance(each, PrivateEstimator) for each in inside)


def _sum(costs: Sequence[SearchCost]) -> SearchCost:
    named = tuple(dict.fromkeys(name for cost in costs for name in cost.without_noise))
    fits = sum(cost.fits for cost in costs)
    return SearchCost(fits, sum(cost.epsilon for cost in costs), sum(cost.delta for cost in costs), named)


def _times(cost: SearchCost, times: int) -> SearchCost:
    return replace(cost, fits=times * cost.fits, epsilon=times * cost.epsilon, delta=times * cost.delta)


def _besides(cost: SearchCost, named: str) -> SearchCost:
    return replace(cost, without_noise=tuple(dict.fromkeys((*cost.without_noise, named))))
