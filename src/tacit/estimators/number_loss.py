"""What regressors' ``loss`` and ``quantiles`` may be together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal, get_args

from tacit.convex import LossName
from tacit.errors import ParameterError, shown
from tacit.privacy.parameters import NONE, Choice, Kind, Requirement
from tacit.schema import Target

Chosen = tuple[LossName, tuple[float, ...]]
"""A loss, with the quantiles that it learns."""

MAX_QUANTILES = 16
"""Each has a part of the budget: of more, nothing would be learned."""


def _is_ascending(value: object) -> bool:
    """Return whether a value is a list of numbers between 0 and 1, each above the one before."""
    if isinstance(value, str) or (not isinstance(value, Sequence) and not hasattr(value, "__array__")):
        return False
    try:
        found = [float(each) for each in value]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        return False
    inside = all(0 < each < 1 for each in found) and 1 <= len(found) <= MAX_QUANTILES
    return inside and all(one < other for one, other in pairwise(found))


LOSS: dict[str, Requirement] = {
    "loss": Choice(("auto", *get_args(LossName))),
    "quantiles": NONE
    | Kind(
        f"up to {MAX_QUANTILES} numbers between 0 and 1, ascending and each once",
        _is_ascending,
        "Write for example quantiles=(0.05, 0.5, 0.95).",
        lambda value: tuple(float(each) for each in value),
    ),
}
"""What each may be."""


def number_loss(loss: LossName | Literal["auto"], quantiles: Any, target: Target) -> Chosen:
    """Return the loss with its quantiles; raises ParameterError unless they fit together, and the target."""
    if loss == "auto":
        loss = "gamma" if target.scale == "log" else "squared"
    elif target.scale == "log" and loss != "gamma":
        raise ParameterError(
            f"Expected loss='auto' or loss='gamma' for {target.name!r}, whose scale is logarithmic, got loss={loss!r}. "
            "Leave the scale out of the target for another loss."
        )
    if (loss == "poisson" and target.lower < 0) or (loss == "gamma" and target.lower <= 0):
        least = "at least 0" if loss == "poisson" else "above 0"
        raise ParameterError(
            f"Expected a target whose low is {least} for loss={loss!r}, got {target.name!r} with low={target.low:g}. "
            "Write a bound that everybody may know, or take another loss."
        )
    if (loss == "quantile") == (quantiles is not None):
        return loss, quantiles or ()
    if quantiles is None:
        raise ParameterError("Expected quantiles for loss='quantile', got none. Write quantiles=(0.05, 0.5, 0.95).")
    raise ParameterError(
        f"Expected no quantiles for loss={loss!r}, got quantiles={shown(quantiles)}. Write loss='quantile'."
    )
