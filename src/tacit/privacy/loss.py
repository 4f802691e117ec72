"""Privacy losses in their three currencies, and the budget that bounds a fit's."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.errors import ParameterError
from tacit.privacy.conversions import pure_to_zcdp
from tacit.privacy.parameters import ZERO, Number, counting, failure_probability, nonnegative, positive

MIN_EPSILON, MAX_EPSILON = 1e-9, 1e6
MIN_DELTA = 1e-100

EPSILON = Number(MIN_EPSILON, MAX_EPSILON, "Give one such as 1.0.")
"""Below, the noise drowns any table there is, and its scales leave the range of floats."""

MAX_USUAL_DELTA = 1e-5
"""Of small tables, too, a person's risk should be small by itself, and not only beside one over the rows."""

DELTA = ZERO | Number(MIN_DELTA, 1, "Give 0, or one far below 1/n_rows such as 1e-6.", below=True)
"""The least one is still above zero after it was divided among classes and releases."""


@dataclass(frozen=True)
class PureDP:
    """Pure differential privacy: no output becomes more than exp(epsilon) times as likely."""

    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))

    def in_pure(self) -> float | None:
        """Return epsilon."""
        return self.epsilon

    def in_zcdp(self) -> float | None:
        """Return a rho that holds for every mechanism of this loss: epsilon * tanh(epsilon / 2)."""
        return pure_to_zcdp(self.epsilon)


@dataclass(frozen=True)
class ZCDP:
    """Zero-concentrated differential privacy: the Rényi divergence of order a is at most a * rho."""

    rho: float
    gaussian: bool = False
    """Whether it is for Gaussian noise alone, which comes after all else and is counted by its exact distribution."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", positive("rho", self.rho))

    def in_pure(self) -> float | None:
        """Return None: no pure loss follows."""
        return None

    def in_zcdp(self) -> float | None:
        """Return rho."""
        return self.rho


@dataclass(frozen=True)
class ApproximateDP:
    """Approximate differential privacy: exp(epsilon) times as likely, plus delta. Composes by addition only."""

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", nonnegative("epsilon", self.epsilon))
        object.__setattr__(self, "delta", failure_probability("delta", self.delta))

    def in_pure(self) -> float | None:
        """Return epsilon if delta is zero, else None."""
        return self.epsilon if self.delta == 0 else None

    def in_zcdp(self) -> float | None:
        """Return None: no rho follows."""
        return None


Share = PureDP | ZCDP
"""What ``Accountant.split`` gives out for one release."""


@dataclass(frozen=True)
class UpToDelta:
    """A share that holds outside of an event whose probability is at most delta; both add up under composition.

    Delta-approximate zCDP, and its like for pure losses: Bun and Steinke (2016), section 8. Proof:
    ``proofs/privacy/composition.md``.
    """

    share: Share
    delta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", failure_probability("delta", self.delta))


PrivacyLoss = PureDP | ZCDP | ApproximateDP | UpToDelta
"""What a mechanism may say that it costs."""


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
            If delta >= 1/n_rows. A delta that holds for a table holds for all its slices, which have fewer rows.
        """
        # A mechanism that prints one row at random is (0, 1/n)-DP.
        if self.delta >= 1 / counting("n_rows", n_rows):
            raise ParameterError(
                f"Expected a delta below 1/n_rows, got delta={self.delta:g}. Give one far below, such as "
                f"{usual_delta(n_rows):g}."
            )


def usual_delta(n_rows: int) -> float:
    """Return the largest power of ten of at most a tenth of 1/n_rows, and at most 1e-5.

    Examples
    --------
    >>> [usual_delta(n_rows) for n_rows in (500, 10_000, 10_001, 2_000_000)]
    [1e-05, 1e-05, 1e-06, 1e-08]
    """
    return min(MAX_USUAL_DELTA, float(f"1e-{len(str(counting('n_rows', n_rows) - 1)) + 1}"))
