"""How much privacy may be spent."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.errors import ParameterError
from tacit.privacy.parameters import counting, failure_probability, positive

LARGEST_EPSILON = 1e6


@dataclass(frozen=True)
class Budget:
    """The (epsilon, delta) that all releases of one fit may cost together.

    Parameters
    ----------
    epsilon : float
        In (0, 1e6], nats.
    delta : float
        In [0, 1), and below 1/n_rows.

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
        epsilon = positive("epsilon", self.epsilon)
        if epsilon > LARGEST_EPSILON:
            raise ParameterError(f"Expected an epsilon of at most 1e6, got epsilon={epsilon:g}. Give a smaller one.")
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "delta", failure_probability("delta", self.delta))

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
