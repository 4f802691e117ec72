"""How much privacy may be spent."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.errors import ParameterError
from tacit.privacy.parameters import counting
from tacit.privacy.requirement import Number, Zero

LEAST_EPSILON, LARGEST_EPSILON = 1e-9, 1e6
LEAST_DELTA = 1e-100

EPSILON = Number(LEAST_EPSILON, LARGEST_EPSILON, "Give one such as 1.0.")
"""Below, the noise drowns any table there is, and its scales leave the range of floats."""

DELTA = Zero() | Number(LEAST_DELTA, 1, "Give 0, or one far below 1/n_rows such as 1e-6.", below=True)
"""The least one is still above zero after it was divided among classes and releases."""


@dataclass(frozen=True)
class Budget:
    """The (epsilon, delta) that all releases of one fit may cost together.

    Parameters
    ----------
    epsilon : float
        From 1e-9 to 1e6, nats.
    delta : float
        0, or from 1e-100 to below 1/n_rows.

    Raises
    ------
    ParameterError
        If either is out of range or not a plain number.

    Examples
    --------
    >>> Budget(0.5)
    Budget(epsilon=0.5, delta=0.0)
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", EPSILON.check("epsilon", self.epsilon))
        object.__setattr__(self, "delta", DELTA.check("delta", self.delta))

    def check_rows(self, n_rows: int) -> None:
        """Refuse a delta under which publishing a random person's row whole would count as private.

        Raises
        ------
        ParameterError
            If delta >= 1/n_rows.
        """
        if self.delta >= 1 / counting("n_rows", n_rows):
            raise ParameterError(
                f"Expected a delta below 1/n_rows, got delta={self.delta:g}. Give one far below, as 1e-6."
            )
