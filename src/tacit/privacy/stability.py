"""Rows by value of a column whose possible values nobody listed: only values of many rows may leave."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.privacy.parameters import counting, positive
from tacit.privacy.statistic import Statistic

ColumnValue = str | int
"""A category: a text, or a code."""


@final
@dataclass(frozen=True, eq=False)
class StabilityStatistic(Statistic):
    """How many rows have each value that occurs; the values are as secret as their counts.

    Raises ParameterError if values are not in their own order, each once, one for each count, or a count is not
    above zero.

    Parameters
    ----------
    query : str
        What is asked, in words; public.
    unreleased_value : int64 array of shape (n_values,)
        Rows of each value.
    values : tuple of str or int
        Ascending, as their order must not tell of rows.
    moved : int
        How many rows one person has at most: so many rows leave their values for others, which may be new.
    l1, l2 : float
        Largest distances between the counts of two neighboring tables, a value that does not occur counting zero.

    Notes
    -----
    Privacy: nothing is released until an accountant does so. Proof: ``proofs/queries/value_counts.md``.

    Examples
    --------
    >>> from tacit.privacy import PrivacyUnit
    >>> unit = PrivacyUnit(("job",), label=False)
    >>> StabilityStatistic("jobs", unit, np.asarray([40, 2]), ("clerk", "smith"), 1, 2.0, 2**0.5).unit == unit
    True
    """

    values: tuple[ColumnValue, ...] = field(repr=False)
    moved: int
    l1: float
    l2: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "moved", counting("moved", self.moved))
        for name in ("l1", "l2"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))
        counts: NDArray[Any] = self.unreleased_value
        ascending = all(one < next_ for one, next_ in zip(self.values, self.values[1:], strict=False))  # type: ignore[operator]
        if counts.shape != (len(self.values),) or counts.dtype != np.int64 or not ascending or (counts < 1).any():
            raise ParameterError("Expected a count above zero of each value, in the values' order. The query is wrong.")

    def __repr__(self) -> str:
        return f"StabilityStatistic(query={self.query!r}, unit={self.unit!r})"

    @property
    def counts(self) -> dict[ColumnValue, int]:
        """Rows by value; as secret as the rows."""
        return dict(zip(self.values, self.unreleased_value.tolist(), strict=True))
