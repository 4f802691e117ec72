"""Every learner of a study by name: private ones, references without privacy, other libraries as peers."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.estimators import PrivateClassifier
from tacit.study.reference_learners import REFERENCES, check_reference
from tacit.study.run.split import Split

Kind = Literal["private", "reference", "peer"]

_SET_BY_THE_STUDY = ("schema", "epsilon", "delta", "random_state")


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """What a learner makes of the test rows.

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


def reference_learners() -> tuple[str, ...]:
    """Return the names of learners without privacy.

    Examples
    --------
    >>> "reference:majority" in reference_learners()
    True
    """
    return tuple(f"reference:{name}" for name in REFERENCES)


def learner_kind(learner: str) -> Kind:
    """Return what kind of learner a name means: "private", "reference" (without privacy) or "peer" (another library's).

    Raises
    ------
    ParameterError
        If the name has a prefix that means nothing.
    """
    prefix, colon, _ = learner.partition(":")
    if not colon:
        return "private"
    if prefix in ("reference", "peer"):
        return prefix  # type: ignore[return-value]
    raise ParameterError(f"Expected learner 'name', 'reference:name' or 'peer:name', got learner={learner!r}.")


def spends_budget(learner: str) -> bool:
    """Tell whether a learner has an epsilon: private ones, and those peers that are private.

    Raises
    ------
    ParameterError
        If the name has a prefix that means nothing, or there is no such peer.

    Examples
    --------
    >>> spends_budget("brc"), spends_budget("reference:majority"), spends_budget("peer:scikit-learn-1.9.1-tree")
    (True, False, False)
    """
    kind = learner_kind(learner)
    if kind != "peer":
        return kind == "private"
    from tacit.study.peers import find_peer

    return find_peer(learner.partition(":")[2]).private


def check_learner(learner: str, parameters: Mapping[str, Any]) -> None:
    """Refuse a learner that is not there, or a parameter that it does not take.

    Raises
    ------
    ParameterError
        If there is one; the message lists the names.
    """
    kind = learner_kind(learner)
    if kind == "reference":
        check_reference(learner.partition(":")[2], parameters)
    if kind == "peer":
        from tacit.study.peers import check_peer

        check_peer(learner.partition(":")[2], parameters)
    if kind != "private":
        return
    known = private_learners()
    if learner not in known:
        listed = ", ".join([*sorted(known), *reference_learners()])
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
    """Return what the learner, trained on the split's training rows, says of its test rows.

    Noise is simulated from the seed, so that a row can be computed again.
    """
    kind = learner_kind(learner)
    if kind == "private":
        return _private(learner, split, epsilon, delta, seed, parameters)
    if kind == "reference":
        return _reference(learner.partition(":")[2], split, seed, parameters)
    from tacit.study.peers import peer_predictions

    name = learner.partition(":")[2]
    return peer_predictions(name, split, epsilon=epsilon, delta=delta, seed=seed, parameters=parameters)


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
    """Return what an estimator of the split's schema, trained on its training rows, says of its test rows."""
    start = perf_counter()
    model = estimator.fit_table(split.table).model_
    trained = perf_counter()
    scores = model.decision_function(split.test)
    return _predicted(scores, trained - start, trained)


def _reference(name: str, split: Split, seed: int, parameters: Mapping[str, Any]) -> Predictions:
    start = perf_counter()
    fitted = REFERENCES[name](split, seed, **parameters)
    trained = perf_counter()
    return _predicted(fitted(split.test), trained - start, trained)


def _predicted(scores: NDArray[np.float64], fit_seconds: float, since: float) -> Predictions:
    two = scores.ndim == 1
    codes = (scores > 0).astype(np.intp) if two else scores.argmax(axis=1)
    return Predictions(codes, scores if two else None, fit_seconds, perf_counter() - since)
