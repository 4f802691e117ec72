"""Several choices made at once, over which one person's influence is bounded in total."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.privacy.parameters import nonnegative
from tacit.privacy.statistic import Statistic


@final
@dataclass(frozen=True, eq=False)
class JointSelectionStatistic(Statistic):
    """Scores of candidates for each of several choices; of each only the index of a good one leaves.

    Parameters
    ----------
    query : str
        What is asked, in words; public.
    unit : PrivacyUnit
    unreleased_value : array of shape (n_choices, n_candidates), int64 or float64
        Scores, higher is better.
    range : float
        Largest sum over the choices, for two neighboring tables, of the largest change of the difference of two
        candidates' scores; rounding included.
    admitted : array of bool, shape (n_choices, n_candidates)
        Which candidates each choice has, at least one; public.

    Raises
    ------
    ParameterError
        If the range is negative or not finite, shapes differ, or a choice has no candidate.

    Notes
    -----
    Privacy: nothing is released until an accountant does so; candidates and choices must be public. Proof that
    the choices together cost what one selection of this range costs: ``proofs/mechanisms/joint_selection.md``.

    Examples
    --------
    >>> from tacit.privacy import PrivacyUnit
    >>> unit = PrivacyUnit(("age",), label=False)
    >>> scores = np.asarray([[3.0, 5.0], [0.0, 1.0]])
    >>> JointSelectionStatistic("cuts", unit, scores, range=4.0, admitted=np.ones((2, 2), bool)).range
    4.0
    """

    range: float
    admitted: NDArray[np.bool_]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "range", nonnegative("range", self.range))
        admitted: NDArray[Any] = np.asarray(self.admitted, dtype=bool)
        if self.unreleased_value.ndim != 2 or admitted.shape != self.unreleased_value.shape:
            raise ParameterError("Expected one row of scores for each choice, and as many marks of what is admitted.")
        if not admitted.any(axis=1).all():
            raise ParameterError("Expected a candidate for each choice, got a choice without. Leave it out.")
        object.__setattr__(self, "admitted", admitted)

    def __repr__(self) -> str:
        return f"JointSelectionStatistic(query={self.query!r}, unit={self.unit!r}, range={self.range!r})"
