"""Every learner of a study by name: private ones, non-private baselines, and those of registered sources."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.estimators import PrivateClassifier, PrivateRegressor
from tacit.schema import Schema
from tacit.study.baselines import BASELINES, logistic
from tacit.study.number_baselines import NUMBER_BASELINES
from tacit.study.registry import Registry
from tacit.study.splits import Split
from tacit.table import Rows

ValueT = TypeVar("ValueT")

_STRIP = 2**18
"""Test rows that are scored at once; fewer stay as they were read, for several fits."""

_SET_BY_THE_STUDY = ("schema", "epsilon", "delta", "ledger", "random_state")


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """Predictions of the test rows."""

    codes: NDArray[np.integer]
    """Of shape (n_test,). Positions among the sorted classes."""
    scores: NDArray[np.float64] | None
    """Of shape (n_test,). Of two classes, higher for the second."""
    fit_seconds: float
    predict_seconds: float
    likely: NDArray[np.float64] | None = None
    """Of shape (n_test, n_classes). Probabilities, of learners that have some."""


@dataclass(frozen=True, eq=False, repr=False)
class PredictedNumbers:
    """Predictions of the test rows' numbers, where the schema has a number to predict."""

    numbers: NDArray[np.float64]
    """Of shape (n_test,). In the target's unit."""
    fit_seconds: float
    predict_seconds: float


Predicted = Predictions | PredictedNumbers


def private_learners() -> dict[str, type[PrivateClassifier]]:
    """Return the private classifiers by name; ``private_learners()["brc"]`` is `BRCClassifier`."""
    return _offered(PrivateClassifier)


def private_regressors() -> dict[str, type[PrivateRegressor]]:
    """Return the private regressors by name; ``private_regressors()["linear"]`` is `LinearRegressor`."""
    return _offered(PrivateRegressor)


def _offered(kind: type[Any]) -> dict[str, Any]:
    import tacit.estimators as room

    offered = [getattr(room, name) for name in room.__all__]
    classes = [each for each in offered if inspect.isclass(each) and issubclass(each, kind)]
    return {each._learner: each for each in classes if hasattr(each, "_learner")}


class LearnerSource(Protocol):
    """Learners under one prefix, from this package or from outside, such as another library's."""

    def check(self, name: str, parameters: Mapping[str, Any]) -> None:
        """Raise ParameterError if there is no learner of this name, or it does not take one of the parameters."""
        ...

    def spends_budget(self, name: str) -> bool:
        """Tell whether the learner has an epsilon."""
        ...

    def predictions(
        self,
        name: str,
        split: Split,
        *,
        epsilon: float | None,
        delta: float | None,
        seed: int,
        parameters: Mapping[str, Any],
    ) -> Predicted:
        """Train the learner on the split's training rows and return its predictions of the test rows."""
        ...


@runtime_checkable
class StatesUnit(Protocol):
    """A source that says what the epsilon of its learners protects."""

    def unit(self, name: str, parameters: Mapping[str, Any]) -> str:
        """Return "add/remove one row" or "replace one row"."""
        ...


class _Private:
    """The private learners; noise is simulated from the seed, so that a row can be computed again.

    A name may be of a classifier and a regressor: the schema says which of the two is meant.
    """

    def check(self, name: str, parameters: Mapping[str, Any]) -> None:
        known = [kind[name] for kind in (private_learners(), private_regressors()) if name in kind]
        if not known:
            names = sorted({*private_learners(), *private_regressors()})
            listed = ", ".join([*names, *baseline_learners(), *baselines_of_numbers()])
            raise ParameterError(f"Expected a learner, got learner={name!r}. Choose one of {listed}.")
        own = [each for learner in known for each in inspect.signature(learner).parameters]
        _check_known(name, parameters, [each for each in dict.fromkeys(own) if each not in _SET_BY_THE_STUDY])

    def spends_budget(self, name: str) -> bool:
        return True

    def predictions(
        self,
        name: str,
        split: Split,
        *,
        epsilon: float | None,
        delta: float | None,
        seed: int,
        parameters: Mapping[str, Any],
    ) -> Predicted:
        given: dict[str, Any] = {"epsilon": epsilon, "delta": delta or 0.0, "random_state": seed}
        # Noise is simulated: no charge would cover it.
        given |= {"on_invalid": split.on_invalid, "ledger": "none"}
        if split.schema.target:
            regressor = _of_kind(private_regressors(), name, _NUMBER)
            return _number_predictions(regressor(split.schema, **(given | dict(parameters))), split)
        classifier = _of_kind(private_learners(), name, _CLASSES)
        return estimator_predictions(classifier(split.schema, **(given | dict(parameters))), split)


class _Baselines:
    """The non-private baselines."""

    def check(self, name: str, parameters: Mapping[str, Any]) -> None:
        known: list[Callable[..., Any]] = [kind[name] for kind in (BASELINES, NUMBER_BASELINES) if name in kind]
        if not known:
            listed = ", ".join(dict.fromkeys([*BASELINES, *NUMBER_BASELINES]))
            raise ParameterError(f"Expected a baseline, got learner='baseline:{name}'. Choose one of {listed}.")
        owner = logistic if name == "logistic-public" else known[0]  # which passes all of its own on
        _check_known(f"baseline:{name}", parameters, list(inspect.signature(owner).parameters)[2:])

    def spends_budget(self, name: str) -> bool:
        return False

    def predictions(
        self, name: str, split: Split, *, seed: int, parameters: Mapping[str, Any], **budget: Any
    ) -> Predicted:
        start = perf_counter()
        if split.schema.target:
            numbers = _of_kind(NUMBER_BASELINES, name, _NUMBER, "baseline:")(split, seed, **parameters)
            trained = perf_counter()
            return PredictedNumbers(in_strips(numbers, split.test), trained - start, perf_counter() - trained)
        fitted = _of_kind(BASELINES, name, _CLASSES, "baseline:")(split, seed, **parameters)
        trained = perf_counter()
        made = _predicted(in_strips(fitted.scores, split.test), trained - start, trained)
        return made if fitted.likely is None else replace(made, likely=in_strips(fitted.likely, split.test))


_NUMBER, _CLASSES = "a number to predict", "classes"


def _of_kind(known: Mapping[str, ValueT], name: str, what: str, prefix: str = "") -> ValueT:
    """Return the learner of this name that predicts what the schema has."""
    if name in known:
        return known[name]
    listed = ", ".join(f"{prefix}{each}" for each in sorted(known))
    raise ParameterError(f"Expected a learner of {what}, got learner='{prefix}{name}'. Choose one of {listed}.")


def _check_known(learner: str, parameters: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in parameters:
        if name not in known:
            listed = ", ".join(known) or "it has none"
            raise ParameterError(f"Expected parameters of {learner} ({listed}), got {name!r}. Drop it.")


_SOURCES: Registry[LearnerSource] = Registry("prefix of learners")
_SOURCES.add("private", _Private(), module=__name__)
_SOURCES.add("baseline", _Baselines(), module=__name__)


def register_learners(prefix: str, source: LearnerSource) -> None:
    """Let studies name a source's learners, as ``prefix:name``; a prefix that is taken is refused.

    Call it where the source's class is defined, in a module that can be imported: worker processes import it.
    """
    _SOURCES.add(prefix, source, module=type(source).__module__)


def source_modules() -> tuple[str, ...]:
    """Return the modules that registered learners."""
    return _SOURCES.modules


def baseline_learners() -> tuple[str, ...]:
    """Return the names of non-private baselines, ``baseline:majority`` among them."""
    return tuple(f"baseline:{name}" for name in BASELINES)


def check_predicts(learner: str, schema: Schema) -> None:
    """Refuse a private learner or a baseline that does not predict what the schema has.

    Raises
    ------
    ParameterError
    """
    kind, name = learner_kind(learner), _own_name(learner)
    what = _NUMBER if schema.target else _CLASSES
    if kind == "private":
        _of_kind(private_regressors() if schema.target else private_learners(), name, what)
    if kind == "baseline":
        _of_kind(NUMBER_BASELINES if schema.target else BASELINES, name, what, "baseline:")


def baselines_of_numbers() -> tuple[str, ...]:
    """Return the names of non-private baselines of a number to predict, ``baseline:mean`` among them."""
    return tuple(f"baseline:{name}" for name in NUMBER_BASELINES)


def learner_kind(learner: str) -> str:
    """Return the kind of a learner: "private", "baseline" (non-private), or its source's prefix.

    Raises
    ------
    ParameterError
        If the name has a prefix that nothing is registered for.
    """
    prefix, colon, _ = learner.partition(":")
    if not colon:
        return "private"
    if prefix in _SOURCES and prefix != "private":
        return prefix
    raise ParameterError(
        f"Expected learner 'name' or 'baseline:name', or a registered prefix, got learner={learner!r}. "
        f"Import the module that registers {prefix!r} first, or choose another learner."
    )


def spends_budget(learner: str) -> bool:
    """Tell whether a learner has an epsilon: private ones, and those of a source that say so."""
    return _SOURCES[learner_kind(learner)].spends_budget(_own_name(learner))


def unit_of(learner: str, parameters: Mapping[str, Any]) -> str:
    """Return what the epsilon of another library's learner protects; empty for learners of Tacit and without privacy.

    Examples
    --------
    >>> unit_of("naive-bayes", {}), unit_of("baseline:majority", {})
    ('', '')
    """
    if learner_kind(learner) in ("private", "baseline") or not spends_budget(learner):
        return ""
    source = _SOURCES[learner_kind(learner)]
    return source.unit(_own_name(learner), parameters) if isinstance(source, StatesUnit) else "unit not stated"


def check_learner(learner: str, parameters: Mapping[str, Any]) -> None:
    """Refuse a learner that is not there, or a parameter that it does not take; the message lists the names."""
    _SOURCES[learner_kind(learner)].check(_own_name(learner), parameters)


def predictions(learner: str, split: Split, **settings: Any) -> Predicted:
    """Train a learner as `LearnerSource.predictions` does, which takes the settings."""
    return _SOURCES[learner_kind(learner)].predictions(_own_name(learner), split, **settings)


def _own_name(learner: str) -> str:
    return learner.partition(":")[2] or learner


def estimator_predictions(estimator: PrivateClassifier, split: Split) -> Predictions:
    """Train an estimator of the split's schema on its training rows and return its predictions of the test rows."""
    start = perf_counter()
    model = estimator.fit_table(split.table).model_
    trained = perf_counter()
    made = _predicted(in_strips(model.decision_function, split.test), trained - start, trained)
    return replace(made, likely=in_strips(model.predict_proba, split.test))


def _number_predictions(estimator: PrivateRegressor, split: Split) -> PredictedNumbers:
    """Train a regressor of the split's schema on its training rows and return its predictions of the test rows."""
    start = perf_counter()
    model = estimator.fit_table(split.table).model_
    trained = perf_counter()
    return PredictedNumbers(in_strips(model.predict, split.test), trained - start, perf_counter() - trained)


def in_strips(function: Callable[[Rows], NDArray[np.float64]], rows: Rows) -> NDArray[np.float64]:
    """Return a function's values of rows, some at a time, so that what it makes on the way is never large."""
    strips = [rows.slice(start, start + _STRIP) for start in range(0, len(rows), _STRIP)]
    return function(rows) if len(strips) == 1 else np.concatenate([function(strip) for strip in strips])


def _predicted(scores: NDArray[np.float64], fit_seconds: float, since: float) -> Predictions:
    two = scores.ndim == 1
    # A score of exactly 0 goes to the first class, as in a model.
    codes = (scores > 0).astype(np.intp) if two else scores.argmax(axis=1)
    return Predictions(codes, scores if two else None, fit_seconds, perf_counter() - since)
