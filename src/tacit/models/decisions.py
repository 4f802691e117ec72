"""From probabilities to classes: the likeliest, by a threshold, or as if all classes were equally frequent."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError, shown
from tacit.measures.held_out import HeldOut
from tacit.measures.prediction_sets import SetBound, counting_of, left_out, marginal_bounds, set_bounds
from tacit.measures.score_cells import TIE_BITS, class_cells, score_cells
from tacit.privacy.parameters import UNFIT, Number
from tacit.schema import Label, Schema

_SHARE = Number(1e-9, 1 - 1e-9)

Threshold = Literal["majority", "balanced"] | float
"""The class that the scores favor; the one whose probability is the largest multiple of its share; or the least
probability of the second of two classes that is enough for it."""


SEVERAL_ROWS = (
    "Expected persons whose rows count one together for {}, got persons of whom several rows count one each. Write "
    'rows = "mean" under [identifier], or keep one row of each.'
)
"""Rows of one person are not exchangeable one by one: a person who counts several times may make all the difference."""


def checked_threshold(threshold: object, n_classes: int) -> Threshold:
    """Return a threshold as plain Python.

    Raises ParameterError if it is none, or a number where there are more than two classes.
    """
    if isinstance(threshold, str) and threshold in ("majority", "balanced"):
        return threshold  # type: ignore[return-value]
    number = _SHARE.read(threshold)
    if number is UNFIT:
        raise ParameterError(
            f"Expected 'majority', 'balanced' or a number between 0 and 1, got threshold={shown(threshold)}. "
            "A number is the least probability of the second class that is enough for it."
        )
    if n_classes > 2:
        raise ParameterError(
            f"Expected 'majority' or 'balanced' for more than two classes, got threshold={number:g}. "
            "Decide by predict_proba."
        )
    return float(number)


def winners(likely: NDArray[np.float64], threshold: Threshold, shares: NDArray[np.float64] | None) -> NDArray[np.intp]:
    """Return the position of each row's class, shape (n_rows,).

    Raises ParameterError if the threshold is "balanced" and no shares are known.

    Parameters
    ----------
    likely : array of shape (n_rows, n_classes)
    threshold : "balanced" or float
    shares : array of shape (n_classes,), optional
        Of the sorted classes, public or released.
    """
    if not isinstance(threshold, str):
        return np.asarray(likely[:, 1] >= threshold, dtype=np.intp)
    if shares is None:
        raise ParameterError(
            "Expected shares of the classes that are public or released for threshold='balanced', got none. Pass "
            "Label(..., prevalence=[...]) in the schema if they are public, fit with class_weight='balanced' or "
            "holdout=0.1, which release them, or give a number."
        )
    return np.asarray((likely / shares).argmax(axis=1))


def checked_confidence(confidence: float | None, schema: Schema) -> float | None:
    """Return the confidence; raises ParameterError if none is proved, as the schema was learned from held-out rows."""
    if confidence is not None and schema.learned is not None:
        raise ParameterError(
            f"Expected no confidence with a schema that was learned from rows, got confidence={shown(confidence)}. "
            "Held-out rows were among them, and nothing is proved of single fits then. Leave it out."
        )
    return confidence


def bounds_of_sets(
    held_out: HeldOut | None, counted: str, coverage: float, confidence: float | None = None, *, by_class: bool = True
) -> list[SetBound]:
    """Return what leaves each class out of a set; raises ParameterError as ``Model.predict_set`` does."""
    coverage = _SHARE.check("coverage", coverage)
    confidence = None if confidence is None else _SHARE.check("confidence", confidence)
    if held_out is None:
        raise ParameterError("Expected held-out rows to make prediction sets by, got none. Fit with holdout=0.2.")
    if held_out.rows_of_person > 1:
        raise ParameterError(SEVERAL_ROWS.format("prediction sets"))
    if not isinstance(by_class, bool):
        raise ParameterError(f"Expected True or False, got by_class={shown(by_class)}. Leave it out for each class.")
    bounds = set_bounds if by_class else marginal_bounds
    return bounds(held_out, 1 - coverage, confidence, counting_of(held_out, counted))


def in_sets(likely: NDArray[np.float64], favored: NDArray[np.intp], bounds: Sequence[SetBound]) -> NDArray[np.bool_]:
    """Return which classes are in each row's set, (n_rows, n_classes); see ``Model.predict_set``."""
    # The scores by which the held-out rows were counted, computed in the same way.
    cells = score_cells(likely, favored) if likely.shape[1] == 2 else class_cells(likely)
    sets = ~left_out(bounds, cells >> TIE_BITS)
    sets[np.arange(len(sets)), favored] = True
    return np.asarray(sets)


def shares_of(
    label: Label,
    scorers: Sequence[object],
    held_out: HeldOut | None = None,
    class_weights: Sequence[float] | None = None,
    released: Sequence[float] | None = None,
) -> NDArray[np.float64] | None:
    """Return the shares of the sorted classes: public ones of the label, else released ones, else None.

    Parameters
    ----------
    class_weights : sequence of float, optional
        With which rows counted in what a scorer tells of its own.
    released : sequence of float, optional
        Of rows that count the same: exact where the label is public, or released for class weights.
    """
    if label.sorted_prevalence is not None:
        return _normal(np.asarray(label.sorted_prevalence))
    if released is not None:
        return np.asarray(released)
    own: list[tuple[float, ...]] = [getattr(scorer, "class_shares", ()) for scorer in scorers]
    if all(own):
        # Of one against the rest, each scorer tells of its own class.
        counted = np.asarray(own[0]) if len(own) == 1 else _normal(np.asarray([each[-1] for each in own]))
        return counted if class_weights is None else _normal(counted / np.asarray(class_weights))
    if held_out is not None:
        # A share that noise has brought to zero is still one of a class that may occur.
        return _normal(np.asarray([max(share.value, 1 / held_out.n_rows) for share in held_out.prevalence]))
    return None


def weights_in_words(classes: Sequence[object] | NDArray[np.generic], weights: Sequence[float]) -> str:
    """Return how much rows of each class counted in training, as sentences.

    Examples
    --------
    >>> weights_in_words(["no", "yes"], (0.111, 1.0))
    'In training a row of no counted 0.111, of yes 1. Probabilities are those of rows with these weights.'
    """
    each = ", of ".join(
        f"{name} {'counted ' * (not at)}{weight:.3g}"
        for at, (name, weight) in enumerate(zip(classes, weights, strict=True))
    )
    return f"In training a row of {each}. Probabilities are those of rows with these weights."


def _normal(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(shares / shares.sum())


def logarithms(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return natural logarithms, shape (n_rows, n_classes), in each row in the order of its probabilities.

    Those of small probabilities that differ in their last bits alone round to one: the larger one's is the next double
    then.

    Examples
    --------
    >>> logarithms(np.asarray([[0.0, 1.0]])).tolist()
    [[-inf, 0.0]]
    """
    with np.errstate(divide="ignore"):  # a warning would tell of a row
        found = np.log(probabilities)
    rows = np.arange(len(found))
    for lower, upper in pairwise(np.argsort(probabilities, axis=1, kind="stable").T):
        low, high = (rows, lower), (rows, upper)
        is_lost = (probabilities[high] > probabilities[low]) & (found[high] <= found[low])
        found[high] = np.where(is_lost, np.nextafter(found[low], np.inf), found[high])
    return found
