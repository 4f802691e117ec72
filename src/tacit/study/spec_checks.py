"""What a study's spec must hold, each with an error that says what to write instead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from math import isfinite
from typing import TYPE_CHECKING, Any

from tacit.datasets import names
from tacit.errors import ParameterError
from tacit.study.data import DataSpec
from tacit.study.learners import spends_budget
from tacit.study.plain_values import check_share
from tacit.study.privacy_cases import CASES

if TYPE_CHECKING:
    from tacit.study.study import Study

MOST_REPEATS = 100_000
"""Of splits or folds: all tasks are listed in memory."""


def check_study(study: Study) -> None:
    """Refuse a study that contradicts itself.

    Raises
    ------
    ParameterError
        With the first thing that is wrong.
    """
    _check_datasets(study.datasets)
    _check_different([each.called for each in study.learners], "learners", "LearnerSpec(..., name=...)")
    _check_budgets(study)
    _check_whole(study.repeats, "repeats", 1, MOST_REPEATS)
    _check_whole(study.seed, "seed", 0)
    if study.cv is not None:
        _check_whole(study.cv, "cv", 2, MOST_REPEATS)
    check_share(study.test_share, "test_share")
    if not isinstance(study.balanced, bool):
        raise ParameterError(f"Expected balanced to be true or false, got balanced={study.balanced!r}. Write one.")
    _check_listed(study.privacy, "privacy", tuple(CASES))
    _check_listed([study.split], "split", ("shuffle", "official"))
    if study.cv is not None and study.split == "official":
        raise ParameterError("Expected either cv or split='official', got both. Leave one out.")


def _check_datasets(datasets: Sequence[str | DataSpec]) -> None:
    for data in datasets:
        if not isinstance(data, DataSpec) and data not in names():
            near = get_close_matches(str(data), names(), n=1)
            remedy = f"Did you mean {near[0]!r}?" if near else "For a table on disk, write DataSpec(path, schema=...)."
            raise ParameterError(f"Expected the name of a packaged data set, got datasets={data!r}. {remedy}")
    called = [data.called if isinstance(data, DataSpec) else data for data in datasets]
    _check_different(called, "datasets", "DataSpec(..., name=...)")


def _check_different(called: Sequence[str], what: str, remedy: str) -> None:
    if not called:
        raise ParameterError(f"Expected at least one of {what}, got none. Name one.")
    for name in called:
        if called.count(name) > 1:
            raise ParameterError(f"Expected {what} of different names, got {name!r} twice. Write {remedy}.")


def _check_budgets(study: Study) -> None:
    paying = [each for each in study.learners if spends_budget(each.learner)]
    if paying and not study.epsilons:
        raise ParameterError("Expected at least one epsilon, got none. Write for example epsilons=[0.1, 1.0].")
    for epsilon in study.epsilons:
        if not (isfinite(epsilon) and epsilon > 0):
            raise ParameterError(f"Expected every epsilon above 0, got epsilon={epsilon}. Write for example 0.1.")
    if paying and not study.deltas:
        raise ParameterError("Expected at least one delta, got none. Write deltas=[0.0] for pure privacy.")
    for delta in (*study.deltas, *(delta for each in paying for delta in each.deltas or ())):
        if not 0 <= delta < 1:
            raise ParameterError(f"Expected every delta at least 0 and below 1, got delta={delta}. Write 0.0 or 1e-6.")


def _check_whole(value: Any, name: str, least: int, most: int | None = None) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least or (most is not None and value > most):
        until = "on" if most is None else f"to {most}"
        raise ParameterError(
            f"Expected {name} to be a whole number from {least} {until}, got {name}={value!r}. Write one."
        )


def _check_listed(values: Iterable[Any], name: str, known: Sequence[str]) -> None:
    listed = list(values)
    if not listed:
        raise ParameterError(f"Expected at least one {name}, got none. Choose from {', '.join(known)}.")
    for value in listed:
        if value not in known:
            raise ParameterError(f"Expected {name} from {', '.join(known)}, got {name}={value!r}. Choose one.")
        if listed.count(value) > 1:
            raise ParameterError(f"Expected each {name} once, got {value!r} twice. Drop one.")
