"""Candidates of a search: estimators with their grids, or small public ones, checked before any row is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from tacit.errors import ParameterError, shown
from tacit.estimators.base import PrivateFit
from tacit.estimators.beforehand import check_schema_given
from tacit.estimators.classifiers import (
    AutoClassifier,
    BoostedTreesClassifier,
    LogisticClassifier,
    NaiveBayesClassifier,
    PrivateClassifier,
    TreeClassifier,
)
from tacit.estimators.regression_fit import RegressionFit
from tacit.estimators.regressors import AutoRegressor, BoostedTreesRegressor, LinearRegressor, PrivateRegressor
from tacit.privacy import Budget
from tacit.privacy.parameters import Whole
from tacit.schema import Schema
from tacit.sensitivities.scores import Score

CANDIDATES = Whole(1, 1_000, "Each is trained on a share of the search's budget.")

SHARED = ("schema", "epsilon", "delta", "on_invalid", "ledger", "random_state")
"""Parameters that are the search's own, or the same for all candidates."""


SearchedEstimator = PrivateClassifier | PrivateRegressor
SearchedFit = PrivateFit | RegressionFit


@dataclass(frozen=True)
class Candidate:
    """An estimator with one setting of its grid.

    Parameters
    ----------
    estimator : PrivateClassifier or PrivateRegressor
        Without a budget.
    settings : dict
        What the grid sets; the estimator's own values where this is the estimator as it was given.
    """

    estimator: SearchedEstimator
    settings: Mapping[str, Any]

    def paid(self, budget: Budget, random_state: Any) -> SearchedEstimator:
        """Return it with a budget, its parameters checked."""
        epsilon, delta = budget.epsilon, budget.delta
        made: SearchedEstimator = clone(self.estimator).set_params(epsilon=epsilon, delta=delta)
        # Generators are shared and not copied, as the search draws from them as well.
        made.random_state = random_state
        return made._checked()


def candidates_of(estimator: Any, grid: Any, score: Score) -> tuple[Candidate, ...]:
    """Return the first estimator as it is given, then all other settings, each once, the likeliest first.

    Raises ParameterError if an estimator or a grid is not fit for a search.
    """
    estimators = list(estimator) if isinstance(estimator, list | tuple) else [estimator]
    if not estimators:
        raise ParameterError("Expected a private estimator or a list of them, got an empty list. Pass one.")
    for each in estimators:
        _check_estimator(each, score)
    if isinstance(grid, str) and grid == "auto":
        estimators += other_learners(estimators)
    grids = _grids(estimators, grid)
    for each in estimators:
        if each.schema != estimators[0].schema or each.on_invalid != estimators[0].on_invalid:
            raise ParameterError("Expected candidates of one schema and one on_invalid, got several. Pass the same.")
    listed = [
        (rank, _candidate(each, _names(spaces), settings))
        for each, spaces in zip(estimators, grids, strict=True)
        for rank, settings in _settings(each, spaces)
    ]
    listed.sort(key=lambda ranked: ranked[0])  # stable: else as listed
    found = [_candidate(estimators[0], _names(grids[0]), {}), *(candidate for _, candidate in listed)]
    distinct = [one for at, one in enumerate(found) if not any(_same(one, other) for other in found[:at])]
    if len(distinct) < 2:
        raise ParameterError("Expected at least two candidates, got the default alone. Add settings to the grid.")
    CANDIDATES.check("number of candidates", len(distinct))
    return tuple(distinct)


def head_starts(candidates: Sequence[Candidate]) -> list[bool]:
    """Return which candidates have our own default settings; the automatic choice alone, if it is among them.

    Those settings follow rules of rows, columns and budget that were made on many tables, so that a few held-out rows
    must say something clear against them.
    """
    own = [_same(one, Candidate(_by_default(type(one.estimator), one.estimator), {})) for one in candidates]
    automatic = [start and one.estimator._learner == "auto" for start, one in zip(own, candidates, strict=True)]
    return automatic if any(automatic) else own


def _grids(estimators: Sequence[Any], grid: Any) -> list[list[Mapping[str, Any]]]:
    """Return the spaces of each estimator: dictionaries from names to lists of values."""
    if isinstance(grid, str) and grid == "auto":
        return [default_grid(each) for each in estimators]
    listed = [grid] if len(estimators) == 1 and not _is_list_of_grids(grid) else grid
    if not isinstance(listed, list | tuple) or len(listed) != len(estimators):
        raise ParameterError("Expected a grid for each estimator, got another number of them. Pass {} for one without.")
    spaces = [list(each) if isinstance(each, list | tuple) else [each] for each in listed]
    for space in (space for each in spaces for space in each):
        if not isinstance(space, Mapping):
            raise ParameterError(
                f"Expected a grid as a dictionary of lists, got {shown(space)}. Write {{name: [...]}}."
            )
    return spaces


def _is_list_of_grids(grid: Any) -> bool:
    """Return whether a list holds one estimator's grids in a list of its own."""
    return isinstance(grid, list | tuple) and len(grid) == 1 and isinstance(grid[0], list | tuple)


def _check_estimator(estimator: Any, score: Score) -> None:
    name = type(estimator).__name__
    of_number = score == "absolute-error"
    if isinstance(estimator, PrivateClassifier if of_number else PrivateRegressor):
        kinds = ("regressors", "PaidSearch") if of_number else ("classifiers", "PaidRegressionSearch")
        raise ParameterError(f"Expected private {kinds[0]}, got {name}. Pass it to tacit.{kinds[1]}.")
    if not isinstance(estimator, PrivateClassifier | PrivateRegressor):
        what = "regressors" if of_number else "classifiers"
        raise ParameterError(
            f"Expected private {what} of this package, got {name}. Searches, pipelines and other libraries' "
            "estimators cannot share a budget."
        )
    check_schema_given(estimator.schema)
    if not isinstance(estimator.schema, Schema):
        raise ParameterError("Expected a tacit.Schema, got a schema to infer. Declare it: a search reads it first.")
    if estimator.epsilon is not None or estimator.delta != type(estimator).delta:
        raise ParameterError(f"Expected {name} without epsilon and delta, got some. Pass them to PaidSearch alone.")
    if estimator.holdout:
        raise ParameterError(f"Expected {name} without a holdout, got one. Pass it to PaidSearch alone.")
    if estimator.random_state is not None:
        raise ParameterError(f"Expected {name} without random_state, got one. Pass it to PaidSearch alone.")
    if getattr(estimator, "protection", None) in ("none", "marginal"):
        raise ParameterError(f"Expected differentially private fits, got {name} with a protection that is none.")
    if isinstance(estimator, PrivateClassifier) and score != "accuracy" and not estimator._learns_probabilities():
        share = ", or give it a calibration such as 0.05" if hasattr(estimator, "calibration") else ""
        raise ParameterError(
            f"Expected candidates whose probabilities are learned for scoring={score!r}, got {name}. Use "
            f"'accuracy'{share}."
        )


def _settings(estimator: SearchedEstimator, spaces: Sequence[Mapping[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    """Return all settings, and of each how far from first its values stand in their lists, added up."""
    for space in spaces:
        for name, values in space.items():
            _check_values(estimator, name, values)
    CANDIDATES.check("number of candidates", max(1, sum(len(ParameterGrid(dict(space))) for space in spaces)))
    found = []
    for space in spaces:
        ranks = ParameterGrid({name: range(len(values)) for name, values in space.items()})
        found += [(sum(at.values()), {name: space[name][k] for name, k in at.items()}) for at in ranks]
    return found


def _check_values(estimator: SearchedEstimator, name: str, values: Any) -> None:
    known = [each for each in estimator.get_params(deep=False) if each not in SHARED]
    if name in SHARED:
        raise ParameterError(
            f"Expected parameters of the learner in the grid, got {shown(name)}. Pass it outside of the grid."
        )
    if name not in known:
        listed = ", ".join(known) or "none"
        raise ParameterError(f"Expected a parameter of {type(estimator).__name__}, got {shown(name)}. It has {listed}.")
    if isinstance(values, str) or not hasattr(values, "__len__") or len(values) == 0:
        found = "an empty one" if isinstance(values, list | tuple) else shown(values)
        raise ParameterError(f"Expected a list of values for {name!r} in the grid, got {found}. List some.")


def _candidate(estimator: SearchedEstimator, names: Sequence[str], settings: Mapping[str, Any]) -> Candidate:
    made: SearchedEstimator = clone(estimator).set_params(**settings)
    return Candidate(made, {name: getattr(made, name) for name in names})


def _names(spaces: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for space in spaces for name in space))


def _same(one: Candidate, other: Candidate) -> bool:
    mine, its = one.estimator.get_params(deep=False), other.estimator.get_params(deep=False)
    # By type as well: True would equal 1.
    return type(one.estimator) is type(other.estimator) and all(
        type(mine[name]) is type(its[name]) and mine[name] == its[name] for name in mine
    )


GRIDS: dict[str, Mapping[str, list[Any]]] = {
    "boosted-trees": {"structure": ["oblivious", "additive"], "learning_rate": [0.15, "auto"], "depth": ["auto", 3]},
    "linear": {"cut_points": ["auto", "grid"]},
    "logistic": {"encoding": ["auto", "binned"], "cut_points": ["auto", "grid"]},
    "tree": {"max_splits": ["auto", 2, 5, 12], "criterion": ["auto", "gini"]},
    "naive-bayes": {"n_bins": [8, 32], "numeric": ["binned", "gaussian"]},
    "lazybb": {"rounds": ["auto", 10, 40]},
    "brc": {"rounds": ["auto", 5, 30]},
    "svm": {"n_bins": ["auto", 4, 16]},
    "radoboost": {"rule": ["boosted", "linear"]},
}
"""By name of the learner; the automatic choice has no settings of its own."""


def default_grid(estimator: SearchedEstimator) -> list[Mapping[str, Any]]:
    """Return the grid of an estimator's learner."""
    name = estimator._learner
    if name == "auto":
        return [{}]
    if name not in GRIDS:
        raise ParameterError(f"Expected a grid, as {type(estimator).__name__} has no default one. Pass a dictionary.")
    return [GRIDS[name]]


def other_learners(estimators: list[SearchedEstimator]) -> list[SearchedEstimator]:
    """Return the learners that compete with the automatic choice where it is the only candidate."""
    if len(estimators) > 1 or not isinstance(estimators[0], AutoClassifier | AutoRegressor):
        return []
    if isinstance(estimators[0], AutoRegressor):
        return [_by_default(made, estimators[0]) for made in (LinearRegressor, BoostedTreesRegressor)]
    others = (LogisticClassifier, BoostedTreesClassifier, TreeClassifier, NaiveBayesClassifier)
    asked = bool(getattr(estimators[0], "monotone", None))
    return [_by_default(made, estimators[0]) for made in others if not asked or hasattr(made, "monotone")]


def _by_default(made: type[SearchedEstimator], given: PrivateClassifier) -> SearchedEstimator:
    """Return a learner with its own defaults for what another was given for: its table, and what is to be monotone."""
    monotone = getattr(given, "monotone", None)
    settings = {"monotone": monotone} if monotone and hasattr(made, "monotone") else {}
    return made(given.schema, on_invalid=given.on_invalid, **settings)
