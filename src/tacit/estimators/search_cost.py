"""What a search over parameters would spend, told beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, ParameterGrid, RandomizedSearchCV

from tacit.errors import ParameterError
from tacit.estimators.base import PrivateClassifier


@dataclass(frozen=True)
class SearchCost:
    """The number of private fits, and their cost by basic composition if all see the same people.

    Each fit in a cross-validation sees most of the rows, so a person is in nearly all of them: the sum is what
    holds for everybody. The scores that choose among candidates are answers about private rows too, without
    noise: no sum covers them.
    """

    fits: int
    epsilon: float
    delta: float

    def __str__(self) -> str:
        return (
            f"{self.fits} private fits, together epsilon {self.epsilon:g} and delta {self.delta:g}; "
            "the scores that choose between them are released without noise and are not covered"
        )


def search_cost(search: Any, n_splits: int | None = None) -> SearchCost:
    """Return what fitting a search would spend.

    Parameters
    ----------
    search : GridSearchCV or RandomizedSearchCV
        Not fitted; its estimator is a private classifier, or a pipeline that ends in one.
    n_splits : int, optional
        Number of cross-validation folds; by default the search's own, 5 where it leaves that open.

    Raises
    ------
    ParameterError
        If the search is of another kind, or a candidate has no private classifier with an epsilon.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from tacit import BRCClassifier
    >>> search = GridSearchCV(BRCClassifier(epsilon=0.5), {"rounds": [5, 10, 20]}, cv=4)
    >>> search_cost(search).fits
    13
    """
    splits = n_splits if n_splits is not None else _splits(search.cv if hasattr(search, "cv") else None)
    budgets = [_budget(search.estimator, candidate) for candidate in _candidates(search)]
    fits = len(budgets) * splits
    epsilon, delta = (splits * sum(parts) for parts in zip(*budgets, strict=True))
    if search.refit:
        worst = max(budgets)
        fits, epsilon, delta = fits + 1, epsilon + worst[0], delta + max(budget[1] for budget in budgets)
    return SearchCost(fits, epsilon, delta)


def _candidates(search: Any) -> list[dict[str, Any]]:
    if isinstance(search, GridSearchCV):
        return list(ParameterGrid(search.param_grid))
    if isinstance(search, RandomizedSearchCV):
        varying = search.param_distributions
        spaces = varying if isinstance(varying, list) else [varying]
        if any(name.split("__")[-1] in ("epsilon", "delta") for space in spaces for name in space):
            raise ParameterError("Expected fixed epsilon and delta in a randomized search. Fix both, or list a grid.")
        return [{}] * search.n_iter
    raise ParameterError(f"Expected GridSearchCV or RandomizedSearchCV, got {type(search).__name__}.")


def _splits(cv: Any) -> int:
    if cv is None:
        return 5
    if isinstance(cv, int):
        return cv
    if hasattr(cv, "get_n_splits"):
        return int(cv.get_n_splits())
    raise ParameterError("Expected a cv that tells its number of splits, got another. Pass n_splits.")


def _budget(estimator: Any, candidate: dict[str, Any]) -> tuple[float, float]:
    changed = clone(estimator).set_params(**candidate)
    parts = [changed, *changed.get_params(deep=True).values()]
    budgets = [(part.epsilon, part.delta) for part in parts if isinstance(part, PrivateClassifier)]
    if not budgets or any(epsilon is None for epsilon, _ in budgets):
        raise ParameterError("Expected a private classifier with an epsilon in every candidate, got none.")
    return sum(float(epsilon or 0) for epsilon, _ in budgets), sum(delta for _, delta in budgets)
