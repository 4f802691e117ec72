"""Probabilities from scores that are no log-odds: a logistic link that is public, or that counts of rows tell."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tacit.errors import ModelFileError
from tacit.models.class_shares import check_shares
from tacit.rules.measures import MAX_LOG_ODDS
from tacit.schema import Schema
from tacit.table import Rows
from tacit.table.by_class import class_shares

MIN_SLOPE, MAX_SLOPE, MAX_OFFSET = 1e-12, 1e6, 1e15
"""Of a model file: far beyond what counts tell."""


@dataclass(frozen=True)
class Link:
    """What counts of the rows by score and class tell: log-odds of the second class are slope * (score + offset)."""

    slope: float
    """Above zero."""
    offset: float
    """In units of the score."""
    class_shares: tuple[float, ...]
    """Of the rows of both classes, which count as much as in training."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "allow_inf_nan": False}

    def __post_init__(self) -> None:
        if not MIN_SLOPE <= self.slope <= MAX_SLOPE or not abs(self.offset) <= MAX_OFFSET:
            raise ModelFileError("Expected a slope above 0 and a bounded offset of scores. The file is damaged.")
        check_shares(self.class_shares, 2)


class LinkedScorer:
    """A scorer of two classes whose scores are no log-odds.

    Without counts, log-odds are taken to be a constant times the score, bent before ``MAX_LOG_ODDS``. The constant
    is the same for every fit: a middle of those that held-out rows of synthetic tables choose, which differ by a
    factor of two either way (``benchmarks/probabilities.py``). So the order of rows is right, and the size of a
    probability a rough one.

    Where counts of the rows by score and class were released, they tell the ``link``, whose offset is part of scores.
    """

    reach: Any
    link: Any
    """A Link, or None for the public one."""
    log_odds_of_one: ClassVar[float]
    """Of the second class at a score of one, near zero, by the public link."""

    @property
    def offset(self) -> float:
        """What is added to scores."""
        return self.link.offset if self.link else 0.0

    @property
    def offset_words(self) -> tuple[str, ...]:
        """A line about what is added to scores, if anything is."""
        return (f"{self.offset:+.4g} for every row, by sums of all rows",) if self.offset else ()

    @property
    def class_shares(self) -> tuple[float, ...]:
        """Shares of the rows of both classes, where counts tell them; else none."""
        return self.link.class_shares if self.link else ()

    @abstractmethod
    def scores(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        """Return scores, shape (n_rows,)."""

    def probabilities(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        """Return class probabilities, shape (n_rows, 2)."""
        scores = self.scores(rows, schema)
        if self.link:
            return logistic(scores / unit_of(self))
        return logistic(MAX_LOG_ODDS * np.tanh(self.log_odds_of_one / MAX_LOG_ODDS * scores))


def unit_of(scorer: Any) -> float:
    """Return what scores of one-vs-rest scorers are divided by to be compared: log-odds, or shares of their reach."""
    link = scorer.link if isinstance(scorer, LinkedScorer) else None
    return 1.0 / link.slope if link else float(scorer.reach or 1.0)


def has_public_link(scorers: Sequence[Any]) -> bool:
    """Tell whether probabilities follow from the order of the scores alone."""
    return all(isinstance(each, LinkedScorer) and each.link is None for each in scorers)


def linked_together(scores: NDArray[np.float64], scorers: Sequence[LinkedScorer]) -> NDArray[np.float64]:
    """Return probabilities of one-vs-rest scorers, (n_rows, n_classes), in the order of their comparable scores.

    Parameters
    ----------
    scores : array of shape (n_rows, n_classes)
        In units of the scorers' reach, where they have one.
    """
    return class_shares(slope_together(scorers) * scores, axis=1)


def slope_together(scorers: Sequence[LinkedScorer]) -> float:
    """Return what comparable scores are multiplied by: no more than leads to ``MAX_LOG_ODDS`` at the largest."""
    slope = float(np.mean([each.log_odds_of_one * (each.reach or 1.0) for each in scorers]))
    return min(slope, MAX_LOG_ODDS) if any(each.reach for each in scorers) else slope


def logistic(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities of both classes, shape (n_rows, 2), from log-odds of the second."""
    return np.column_stack([expit(-odds), expit(odds)])
