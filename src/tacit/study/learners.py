"""Every learner of a study by name: private ones, non-private baselines, and those of registered sources."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.estimators import PrivateClassifier
from tacit.study.baselines import BASELINES, check_baseline
from tacit.study.registry import Registry
from tacit.study.splits import Split

_SET_BY_THE_STUDY = ("schema", "epsilon", "delta", "random_state")


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """Predictions of the test rows.

    Attributes
    ----------
    codes : array of shape (n_test,)
        Positions among the sorted classes.
    scores : array of shape (n_test,), or None
        Of two classes, higher for the second.
    fit_seconds, predict_seconds : float
    """

    codes: NDArray[np.integer]
    scores: NDArray[np.float64] | None
    fit_seconds: float
    predict_seconds: float


def private_learners() -> dict[str, type[PrivateClassifier]]:
    """Return the private learners by name.

    Examples
    --------
    >>> private_learners()["naive-bayes"].__name__
    'NaiveBayesClassifier'
    """
    import tacit.estimators as room

    offered = [getattr(room, name) for name in room.__all__]
    classes = [each for each in offered if inspect.isclass(each) and issubclass(each, PrivateClassifier)]
    return {each._learner: each for each in classes if hasattr(each, "_learner")}


class LearnerSource(Protocol):
    """Learners from outside of this package, such as another library's; see `register_learners`."""

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
    ) -> Predictions:
        """Train the learner on the split's training rows and return its predictions of the test rows."""
        ...


_SOURCES: Registry[LearnerSource] = Registry("prefix of learners")


def register_learners(prefix: str, source: LearnerSource) -> None:
    """Let studies name a source's learners, as ``prefix:name``.

    Call it where the source's class is defined, in a module that can be imported: worker processes import it.

    Parameters
    ----------
    prefix : str
    source : LearnerSource

    Raises
    ------
    ParameterError
        If the prefix is taken.
    """
    if prefix in ("baseline", "private"):
        raise ParameterError(f"Expected a prefix of its own, got prefix={prefix!r}. Choose another.")
    _SOURCES.add(prefix, source, module=type(source).__module__)


def source_modules() -> tuple[str, ...]:
    """Return the modules that registered learners."""
    return _SOURCES.modules


def baseline_learners() -> tuple[str, ...]:
    """Return the names of non-private baselines.

    Examples
    --------
    >>> "baseline:majority" in baseline_learners()
    True
    """
    return tuple(f"baseline:{name}" for name in BASELINES)


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
    if prefix == "baseline" or prefix in _SOURCES:
        return prefix
    raise ParameterError(
        f"Expected learner 'name' or 'baseline:name', or a registered prefix, got learner={learner!r}. "
        f"Import the module that registers {prefix!r} first, or choose another learner."
    )


def spends_budget(learner: str) -> bool:
    """Tell whether a learner has an epsilon: private ones, and those of a source that say so.

    Raises
    ------
    ParameterError
        If the name has a prefix that nothing is registered for, or its source has no such learner.

    Examples
    --------
    >>> spends_budget("brc"), spends_budget("baseline:majority")
    (True, False)
    """
    kind = learner_kind(learner)
    if kind in ("private", "baseline"):
        return kind == "private"
    return _SOURCES[kind].spends_budget(learner.partition(":")[2])


def check_learner(learner: str, parameters: Mapping[str, Any]) -> None:
    """Refuse a learner that is not there, or a parameter that it does not take.

    Raises
    ------
    ParameterError
        If there is one; the message lists the names.
    """
    kind = learner_kind(learner)
    if kind == "baseline":
        check_baseline(learner.partition(":")[2], parameters)
    elif kind != "private":
        _SOURCES[kind].check(learner.partition(":")[2], parameters)
    if kind != "private":
        return
    known = private_learners()
    if learner not in known:
        listed = ", ".join([*sorted(known), *baseline_learners()])
        raise ParameterError(f"Expected a learner, got learner={learner!r}. Choose one of {listed}.")
    own = [name for name in inspect.signature(known[learner]).parameters if name not in _SET_BY_THE_STUDY]
    for name in parameters:
        if name not in own:
            raise ParameterError(f"Expected parameters of {learner} ({', '.join(own)}), got {name!r}. Drop it.")


def predictions(
    learner: str,
    split: Split,
    *,
    epsilon: float | None,
    delta: float | None,
    seed: int,
    parameters: Mapping[str, Any],
) -> Predictions:
    """Train the learner on the split's training rows and return its predictions of the test rows.

    Noise is simulated from the seed, so that a row can be computed again.
    """
    kind = learner_kind(learner)
    if kind == "private":
        return _private(learner, split, epsilon, delta, seed, parameters)
    name = learner.partition(":")[2]
    if kind == "baseline":
        return _baseline(name, split, seed, parameters)
    return _SOURCES[kind].predictions(name, split, epsilon=epsilon, delta=delta, seed=seed, parameters=parameters)


def _private(
    learner: str,
    split: Split,
    epsilon: float | None,
    delta: float | None,
    seed: int,
    parameters: Mapping[str, Any],
) -> Predictions:
    given = {"epsilon": epsilon, "delta": delta or 0.0, "random_state": seed, "on_invalid": split.on_invalid}
    return estimator_predictions(private_learners()[learner](split.schema, **(given | dict(parameters))), split)


def estimator_predictions(estimator: PrivateClassifier, split: Split) -> Predictions:
    """Train an estimator of the split's schema on its training rows and return its predictions of the test rows."""
    start = perf_counter()
    model = estimator.fit_table(split.table).model_
    trained = perf_counter()
    scores = model.decision_function(split.test)
    return _predicted(scores, trained - start, trained)


def _baseline(name: str, split: Split, seed: int, parameters: Mapping[str, Any]) -> Predictions:
    start = perf_counter()
    fitted = BASELINES[name](split, seed, **parameters)
    trained = perf_counter()
    return _predicted(fitted(split.test), trained - start, trained)


def _predicted(scores: NDArray[np.float64], fit_seconds: float, since: float) -> Predictions:
    two = scores.ndim == 1
    codes = (scores > 0).astype(np.intp) if two else scores.argmax(axis=1)
    return Predictions(codes, scores if two else None, fit_seconds, perf_counter() - since)
