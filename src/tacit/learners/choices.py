"""Answers of statistics: exact where nothing protected was read, else released for the next share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError
from tacit.mechanisms import additive, selection
from tacit.mechanisms.joint_selection import JointSelection
from tacit.privacy import Accountant, NumericStatistic, SelectionStatistic, Share
from tacit.privacy.joint_selection import JointSelectionStatistic
from tacit.privacy.mechanism import Mechanism
from tacit.queries.exact import exact_answer

SelectionMechanism = Mechanism[SelectionStatistic, int]


class Choices:
    """Takes one share for each answer about protected cells.

    Parameters
    ----------
    shares : sequence of PureDP or ZCDP
        In the order of the plan.
    accountant : Accountant
    select : callable, optional
        Makes the mechanism of a selection from its share.
    """

    def __init__(
        self,
        shares: Sequence[Share],
        accountant: Accountant | None,
        select: Callable[[Share], SelectionMechanism] = selection,
    ):
        self._shares, self._accountant, self._select = iter(shares), accountant, select

    @classmethod
    def of_public_rows(cls) -> Choices:
        """Return choices that answer only where nothing protected was read."""
        return cls((), None)

    def best(self, scores: SelectionStatistic) -> int:
        """Return a good candidate."""
        if scores.unit.protects_nothing:
            return int(np.argmax(exact_answer(scores)))
        return int(self._door.release(self._select(next(self._shares)), scores))

    def best_of_each(self, scores: JointSelectionStatistic) -> NDArray[np.intp]:
        """Return a good candidate of each choice, shape (n_choices,)."""
        if scores.unit.protects_nothing:
            return np.asarray(np.where(scores.admitted, exact_answer(scores), -np.inf).argmax(axis=1))
        return self._door.release(JointSelection(next(self._shares)), scores)

    def numbers(self, values: NumericStatistic) -> tuple[NDArray[Any], float]:
        """Return the numbers, noisy or exact, and the scale of their noise."""
        if values.unit.protects_nothing:
            return exact_answer(values), 0.0
        answer = self._door.release(additive(next(self._shares)), values)
        return answer, self._door.ledger[-1].noise_scale

    @property
    def _door(self) -> Accountant:
        if self._accountant is None:
            raise PrivacyError("Expected public cells alone, got protected ones. Pass an accountant and shares.")
        return self._accountant
