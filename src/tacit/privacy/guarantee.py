"""Guarantee: what one fit protects, at what cost and under which assumptions; published with a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from tacit.errors import ParameterError
from tacit.privacy.certificate import certificate
from tacit.privacy.parameters import counting, failure_probability, nonnegative
from tacit.privacy.plan import Composition
from tacit.privacy.release import ReleaseRecord

Status = Literal["private", "public", "simulated", "void"]

ASSUMPTIONS = (
    "each person is in one row only",
    "the number of rows, the schema and all cells that are not protected are public",
    "settings were chosen without looking at these rows",
    "only this fit's releases leave; other fits, and transformers fitted on the same rows, cost extra",
    "nothing else computed from these rows leaves: no predictions of them, and no scores, calibration or thresholds",
    "running time and memory are not observed",
)
"""What every certificate takes for granted."""

IDEAL_DRAWS = (
    "where a release names a floating-point rounding, its draw stays within a norm that it exceeds with a "
    "probability below exp(-190), or else the exact noise that masks its rounding is too small"
)
"""What a certificate with such a release takes for granted besides."""

PARALLEL = (
    "rows were divided into slices without looking at them, each row into one: losses of different slices do not add "
    "up, as each slice is within the budget by itself"
)
"""What a certificate with slices takes for granted besides."""


@dataclass(frozen=True)
class Guarantee:
    """A frozen record of what one fit protects; ``str`` of it is a certificate in plain words.

    Parameters
    ----------
    status : {"private", "public", "simulated", "void"}
        Whether it holds; nothing to protect; noise that can be repeated; or why not, in ``reasons``.
    columns : tuple of str
        Protected columns.
    label : bool
        Whether the label is protected.
    n_rows : int
        Public.
    epsilon, delta : float
        What all releases cost together, replace-one.
    composition : {"pure", "zcdp"}
    rho : float or None
        What releases with a share cost together under zcdp composition.
    releases : tuple of ReleaseRecord
    noise : str
        Where the noise came from.
    assumptions, exact, reasons : tuple of str
        What is taken for granted; what was computed without noise from public cells; why it is void.

    Raises
    ------
    ParameterError
        If it contradicts itself: a private one with reasons against it, a void one without.

    Notes
    -----
    Privacy: holds public values only. ``pydantic.TypeAdapter(Guarantee)`` writes it as JSON and reads it.

    Examples
    --------
    >>> Guarantee("public", (), False, 100, 0.0, 0.0, "pure", None, (), "none", (), (), ()).status
    'public'
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    status: Status
    columns: tuple[str, ...]
    label: bool
    n_rows: int
    epsilon: float
    delta: float
    composition: Composition
    rho: float | None
    releases: tuple[ReleaseRecord, ...]
    noise: str
    assumptions: tuple[str, ...]
    exact: tuple[str, ...]
    reasons: tuple[str, ...]

    def __post_init__(self) -> None:
        nonnegative("epsilon", self.epsilon)
        failure_probability("delta", self.delta)
        counting("n_rows", self.n_rows)
        # A record that was edited by hand, or read from a file, must not say two things at once.
        if self.status not in get_args(Status) or (self.status == "void") != bool(self.reasons):
            raise ParameterError(
                f"Expected reasons for a void status and for no other, got status={self.status!r}. "
                "Take it from an accountant."
            )
        if (self.status == "public" and self.protects) or (self.status == "private" and not self.protects):
            raise ParameterError(
                f"Expected a public status for a unit that protects nothing, got status={self.status!r}. "
                "Take it from an accountant."
            )

    @property
    def protects(self) -> tuple[str, ...]:
        """What is protected, in words."""
        columns = tuple(f"column {name!r}" for name in self.columns)
        return (*columns, "the label") if self.label else columns

    def tightened(self) -> Guarantee:
        """Return it with a lower epsilon at the same delta where numeric composition finds one, or itself.

        Needs the extra ``tight``. Finds one only for Laplace and continuous Gaussian releases.

        Raises
        ------
        MissingExtra
            If the extra is not installed.

        Notes
        -----
        Privacy: valid where the plan of releases was fixed before the fit, as it is for every learner here.
        Proof: ``proofs/privacy/composition.md``.
        """
        from tacit.privacy.tight import tightened

        return tightened(self)

    def __str__(self) -> str:
        return certificate(self)
