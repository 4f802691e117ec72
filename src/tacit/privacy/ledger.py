"""One line for each release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True)
class LedgerLine:
    """What was released at what cost. The fields are fixed: nothing computed from rows may join them.

    Parameters
    ----------
    query, mechanism : str
    sensitivity : float
        Under which the noise was scaled.
    sensitivity_kind : {"l1", "l2", "range", "gauge"}
    noise_scale : float
        In the query's units.
    loss : float
        Charged, in the currency of the composition.
    currency : {"epsilon", "rho"}
    sampler : str
        What drew the noise.
    delta : float
        Charged besides; zero but for mechanisms that are private only up to a failure probability.

    Examples
    --------
    >>> LedgerLine("rows above 30", "Laplace", 1.0, "l1", 2.0, 0.5, "epsilon", "OpenDP").loss
    0.5
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    query: str
    mechanism: str
    sensitivity: float
    sensitivity_kind: Literal["l1", "l2", "range", "gauge"]
    noise_scale: float
    loss: float
    currency: Literal["epsilon", "rho"]
    sampler: str
    delta: float = 0.0
