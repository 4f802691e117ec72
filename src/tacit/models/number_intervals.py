"""Intervals about predicted numbers: what is asked of them, what they are, and what to say where noise hides an end."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from tacit.convex import LossName
from tacit.errors import ModelFileError, ParameterError, shown
from tacit.measures.held_out_residuals import HeldOutResiduals
from tacit.measures.prediction_sets import Counting
from tacit.measures.residual_intervals import Reach, reach_of
from tacit.models.decisions import SEVERAL_ROWS
from tacit.privacy.parameters import Number
from tacit.schema import Target

_SHARE = Number(1e-9, 1 - 1e-9)


def reach(held_out: HeldOutResiduals, counted: str, coverage: float, confidence: float | None) -> Reach:
    """Return how far about a prediction its interval goes; raises as ``RegressionModel.predict_interval``."""
    coverage = _SHARE.check("coverage", coverage)
    confidence = None if confidence is None else _SHARE.check("confidence", confidence)
    if held_out.rows_of_person > 1:
        raise ParameterError(SEVERAL_ROWS.format("intervals"))
    counting: Counting = "weights" if held_out.weighed else "shares" if counted == "persons" else "rows"
    return reach_of(held_out, 1 - coverage, confidence, counting)


def within_reach(predicted: NDArray[np.float64], reach: Reach, target: Target) -> NDArray[np.float64]:
    """Return intervals about predicted numbers, within the target's bounds, shape (n_rows, 2)."""
    below, above = (infinite if end is None else end for end, infinite in zip(reach, (-inf, inf), strict=True))
    # A sum that is rounded must not leave out a number at the end: it is moved outwards.
    with np.errstate(over="ignore"):
        low, high = np.nextafter(predicted + below, -inf), np.nextafter(predicted + above, inf)
    return np.asarray(np.clip(np.column_stack([low, high]), target.lower, target.upper))


def hidden_ends(reach: Reach) -> str:
    """Return a sentence about the ends that noise hides; empty where it hides none."""
    low, high = (end is None for end in reach)
    if low and high:
        return (
            "Intervals are the target's whole range: noise hides how far numbers are from their predictions. Keep back "
            "more rows, or raise epsilon."
        )
    if not (low or high):
        return ""
    side, bound = ("below", "lower") if low else ("above", "upper")
    return (
        f"Intervals end at the target's {bound} bound: noise hides how far {side} their predictions numbers are. Keep "
        "back more rows, or raise epsilon."
    )


def check_quantiles(loss: LossName, quantiles: Sequence[tuple[float, float]], target: Target) -> None:
    """Raise ModelFileError unless a quantile loss, and no other, has quantiles that ascend, within the bounds."""
    shares = [share for share, _ in quantiles]
    ascending = all(one < other for one, other in pairwise([0.0, *shares, 1.0]))
    inside = all(target.lower <= start <= target.upper for _, start in quantiles)
    if bool(quantiles) != (loss == "quantile") or not (ascending and inside):
        raise ModelFileError("Expected quantiles of a quantile loss, ascending, got others. The file is damaged.")


def checked_quantiles(quantiles: Sequence[float] | None) -> NDArray[np.float64]:
    """Return quantiles as an array; raises ParameterError unless they are numbers between 0 and 1, and there is one."""
    try:
        found = [_SHARE.check("quantiles", each) for each in quantiles or ()]
    except TypeError:
        found = []
    if not found:
        raise ParameterError(
            f"Expected a list of numbers between 0 and 1, got quantiles={shown(quantiles)}. Pass [0.05, 0.5, 0.95]."
        )
    return np.asarray(found)
