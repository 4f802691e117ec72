"""What can be measured, by name; each measure is loaded where it is first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from tacit.errors import ParameterError
from tacit.study.run.tables import Tables
from tacit.study.run.task import Task

Measure = Callable[[Task, Tables], Mapping[str, Any]]
"""Returns plain JSON values by name: the results of one row."""

MEASURES = {
    "fit": "tacit.study.fit:fit",
    "advice-accuracies": "tacit.study.advice.past_fits:accuracies",
    "advice-reference": "tacit.study.advice.past_fits:reference",
    "shen2022-toy": "tacit.study.papers.shen2022_measures:toy",
    "shen2022-baseline": "tacit.study.papers.shen2022_measures:scaled_baseline",
    "shen2022-alphabetical": "tacit.study.papers.shen2022_measures:alphabetical_logistic",
    "shen2022-staged": "tacit.study.papers.shen2022_measures:staged",
    "nock2015-plain": "tacit.study.papers.nock2015_measures:plain_fold",
    "nock2015-outliers": "tacit.study.papers.nock2015_measures:outliers",
    "nock2015-window": "tacit.study.papers.nock2015_measures:window_fold",
    "nock2015-noise": "tacit.study.papers.nock2015_measures:noisy_fold",
    "lopuhaa2021-fold": "tacit.study.papers.lopuhaa2021_measures:fold",
    "lopuhaa2021-sizes": "tacit.study.papers.lopuhaa2021_measures:sizes",
    "salamatian2021-fit": "tacit.study.papers.salamatian2021_measures:fit",
    "salamatian2021-words": "tacit.study.papers.salamatian2021_measures:words",
    "salamatian2021-boosting": "tacit.study.papers.salamatian2021_measures:boosting",
    "salamatian2021-rademacher": "tacit.study.papers.salamatian2021_measures:rademacher",
    "salamatian2021-search": "tacit.study.papers.salamatian2021_measures:search",
    "salamatian2021-defaults": "tacit.study.papers.salamatian2021_measures:defaults",
    "salamatian2021-cost": "tacit.study.papers.salamatian2021_measures:cost",
}
"""Module and function of each measure."""


def measure(name: str) -> Measure:
    """Return the measure of this name.

    Raises
    ------
    ParameterError
        If there is none.

    Examples
    --------
    >>> measure("fit").__name__
    'fit'
    """
    if name not in MEASURES:
        raise ParameterError(f"Expected a measure, got measure={name!r}. Choose one of {', '.join(MEASURES)}.")
    module, function = MEASURES[name].split(":")
    found: Measure = getattr(import_module(module), function)
    return found
