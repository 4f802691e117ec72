"""How many rows a wanted accuracy needs: the inverse of what is predicted for each number of rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.privacy.parameters import Number
from tacit.study.advice.past_studies import LEAST_R2, PastStudies, by_measure
from tacit.study.advice.prediction import intervals, predict
from tacit.study.advice.query import Query
from tacit.study.advice.similarity import outside_range, uncovered_trait

_MANTISSAS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
"""Round numbers, at most 1.5 times apart: closer than predictions are sure of."""

_SHARE = Number(1e-6, 1.0, "It is a share of right predictions; of a number to predict, R2.")


@dataclass(frozen=True)
class RowsNeeded:
    """Numbers of training rows from which on an accuracy is predicted; None where none that was tried is enough."""

    accuracy: float
    """Or R2, where a number is predicted; so are the others."""
    best: float | None
    """Accuracy of the best without privacy, if that was given."""
    rows: int | None
    fewest: int | None
    most: int | None
    """From the prediction, and from the ends of its 80 % interval."""
    tried: int
    """The most rows that past experiments cover at this budget."""
    reached: float
    low: float
    high: float
    """Predicted accuracy with so many rows, and its interval."""


def rows_needed(
    query: Query, accuracy: float, past: PastStudies | None = None, *, best: float | None = None
) -> RowsNeeded:
    """Return how many rows the learner taken by default needs for an accuracy, other things as in the query.

    Parameters
    ----------
    query : Query
        Its number of rows does not matter.
    accuracy : float
        Wanted, a share of right predictions; where a number is predicted, R2.
    past : PastStudies, optional
        Those of the package if not given.
    best : float, optional
        The accuracy that is reached without privacy, where that is known from public sources. Without it, it is
        predicted from tables of other people, whose labels are easier or harder to tell.

    Raises
    ------
    ParameterError
        If an accuracy is no share, more is wanted than is reached without privacy, or no number of rows was tried.

    Notes
    -----
    Privacy: no row is read.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric, Schema
    >>> schema = Schema([Numeric("age", 0, 90), Numeric("pulse", 20, 250)], label=Label("ill", ["no", "yes"]))
    >>> needed = rows_needed(Query.of(schema, rows=1000, epsilon=1.0), 0.85, best=0.9)
    >>> needed.fewest <= needed.rows
    True
    """
    _SHARE.check("accuracy", accuracy)
    if best is not None:
        _SHARE.check("best", best)
        if accuracy > best:
            raise ParameterError(
                f"Expected no more than is reached without privacy, got accuracy={accuracy:g} and best={best:g}. "
                "No number of rows is enough."
            )
    past = PastStudies.suited(query.outcome, past)
    queries = _covered(query, past)
    if not queries:
        raise ParameterError(
            "Expected a schema and a budget like those of past studies, got others. What was not tried is not known."
        )
    reached, low, high = _accuracies(queries, past, best)
    counts = [each.rows for each in queries]
    rows, fewest, most = (_first(counts, values >= accuracy) for values in (reached, high, low))
    ends = (float(values[-1]) for values in (reached, low, high))
    return RowsNeeded(accuracy, best, rows, fewest, most, counts[-1], *ends)


def _covered(query: Query, past: PastStudies) -> list[Query]:
    """Return the query at each round number of rows that past experiments cover."""
    least, most = (int(past.frame["rows"].sort()[at]) for at in (0, -1))
    powers = 10 ** np.arange(np.floor(np.log10(least)), np.ceil(np.log10(most)) + 1)
    counts = [int(each) for each in np.outer(powers, _MANTISSAS).ravel() if least <= each <= most]
    # A budget refuses a delta of 1/rows and more.
    asked = [replace(query, rows=each) for each in counts if query.delta * each < 1]
    return [each for each in asked if _is_covered(past, each.frame(past.deltas))]


def _is_covered(past: PastStudies, query: pl.DataFrame) -> bool:
    return not outside_range(past, query) and uncovered_trait(past, query) is None


def _accuracies(queries: list[Query], past: PastStudies, best: float | None) -> tuple[NDArray[np.float64], ...]:
    """Return predicted accuracies and the ends of their intervals, each of shape (n_queries,)."""
    measured = by_measure(past, "accuracy" if best is not None else "error")
    assert measured is not None
    prediction = predict(measured, pl.concat([each.frame(past.deltas) for each in queries]))
    low, high = intervals(measured, prediction)
    own = []
    for at, each in enumerate(queries):
        choice = each.choice
        named = choice is not None and choice.learner in measured.learners
        own.append(measured.learners.index(choice.learner) if named and choice else int(prediction.best[at]))
    ceiling, rows = 1.0 if best is None else best, np.arange(len(queries))
    least = LEAST_R2 if past.outcome == "number" else 0.0
    found = (np.clip(ceiling - losses[rows, own], least, 1.0) for losses in (prediction.loss, high, low))
    return tuple(np.asarray(each) for each in found)


def _first(counts: list[int], enough: NDArray[np.bool_]) -> int | None:
    """Return the first number of rows that is enough, as all larger ones are."""
    lasting = np.logical_and.accumulate(enough[::-1])[::-1]
    return counts[int(np.argmax(lasting))] if lasting.any() else None
