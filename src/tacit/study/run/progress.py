"""How far a study is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """How far a study is.

    Attributes
    ----------
    done : int
        Finished tasks, failed ones and those found in the store included.
    total : int
    failed : int
    seconds_left : float or None
        Estimated from the tasks done so far; None before the first.
    """

    done: int
    total: int
    failed: int
    seconds_left: float | None


OnProgress = Callable[[Progress], None]
