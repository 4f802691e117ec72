"""Guarantee: what one fit protects, at what cost and under which assumptions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar, Final, Literal, get_args

from tacit.errors import ParameterError
from tacit.notebook import as_lines
from tacit.privacy.assumptions import after_fits
from tacit.privacy.certificate import certificate
from tacit.privacy.charge import Charge
from tacit.privacy.conversions import basic_composition
from tacit.privacy.limit import Limit
from tacit.privacy.loss import Share
from tacit.privacy.parameters import counting, failure_probability, nonnegative
from tacit.privacy.plan import Composition
from tacit.privacy.random_runs import RandomRuns
from tacit.privacy.release import ReleaseRecord
from tacit.privacy.unit import Persons

Status = Literal["private", "public", "simulated", "void"]

CERTIFICATE_VERSION: Final = 2
"""Of the certificates that are made; docs/certificate-format.md says what each version holds."""


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
        Public; of a table whose identifier names persons, their number and not that of rows.
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
    persons : Persons, optional
        What of several rows is one person's, who is protected with all of them.
    charge : Charge, optional
        Where a ledger has the charge of this fit.
    runs : RandomRuns, optional
        The distribution of the secret number of runs of which this is the best, where there are several: releases are
        those of the best, and together within what one run may cost; epsilon and delta cover all runs.
    learned : Guarantee, optional
        Of the schema, where it was learned from rows: its cost is part of epsilon and delta.
    gaussian : float, optional
        Of rho, what Gaussian releases that come last cost, where epsilon follows from their exact distribution.
    labeled_public : bool
        Whether rows without a label were left out, as which rows have one is public.
    limits : tuple of Limit
        What the releases of each set of rows may cost together; none in certificates of version 1.
    version : {1, 2}

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
    persons: Persons | None = None
    charge: Charge | None = None
    runs: RandomRuns | None = None
    learned: Guarantee | None = None
    gaussian: float | None = None
    labeled_public: bool = False
    limits: tuple[Limit, ...] = ()
    version: Literal[1, 2] = 1
    # Neither an argument nor with a default, so that pydantic leaves it out of files.
    announced: tuple[tuple[Share, ...], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "announced", ())
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

    @property
    def counted(self) -> str:
        """What ``n_rows`` counts: "rows", or "persons" where an identifier names them."""
        return "persons" if self.persons is not None and self.persons.identifier is not None else "rows"

    @property
    def part_lines(self) -> tuple[str, ...]:
        """What its parts are, in words; none of a single fit."""
        return ()

    @property
    def how_combined(self) -> str:
        """How the parts' losses make its own, as sentences; empty of a single fit."""
        return ""

    @property
    def of_fit(self) -> Guarantee:
        """The part without what learning the schema cost; itself where nothing was learned."""
        if self.learned is None:
            return self
        epsilon, delta = (
            float(Fraction(whole) - Fraction(part))
            for whole, part in ((self.epsilon, self.learned.epsilon), (self.delta, self.learned.delta))
        )
        return replace(self, epsilon=epsilon, delta=delta, learned=None).announcing(self.announced)

    def announcing(self, shares: tuple[tuple[Share, ...], ...]) -> Guarantee:
        """Return it with what all releases that the fit announced may cost, for each slice of the rows."""
        found = replace(self)
        object.__setattr__(found, "announced", shares)
        return found

    def with_learned(self, learned: Guarantee) -> Guarantee:
        """Return the certificate of this fit under a schema that was learned at the cost of another.

        Privacy: both releases together are within the sums of both epsilons and deltas, be the rows the same or not:
        basic composition. Where the schema's noise can be repeated, or hides fewer rows of a person than the fit must,
        or other persons, the certificate is void.
        """
        if self.status == "public":
            return self
        reasons = self.reasons
        if learned.status != "private" and self.status == "private":
            reasons = (*reasons, "The schema was learned without a private certificate.")
        if not covers(learned.persons, self.persons):
            reasons = (*reasons, "The schema was learned for other persons, or for such with fewer rows.")
        epsilon, delta = basic_composition([(self.epsilon, self.delta), (learned.epsilon, learned.delta)])
        status: Status = "void" if reasons else self.status
        both = replace(self, status=status, epsilon=epsilon, delta=delta, reasons=reasons, learned=learned)
        return both.announcing(self.announced)

    def after_fits(self, count: int) -> Guarantee:
        """Return it for a model that is saved after so many other fits of its columns, which may have chosen it."""
        found = replace(self, assumptions=after_fits(self.assumptions, count))
        return found.announcing(self.announced)

    def tightened(self) -> Guarantee:
        """Return it with a lower epsilon at the same delta where numeric composition finds one, or itself.

        Needs the extra ``tight``. Finds one where a fit with a delta announced several releases, all of pure losses or
        all of Gaussian noise on numbers that are no integers. A certificate from a file does not know what was
        announced.

        Raises
        ------
        MissingExtra
            If the extra is not installed.

        Notes
        -----
        Privacy: follows from what was announced before rows were read, made or not, so that no answer moves it. Proof:
        ``proofs/privacy/composition.md``.
        """
        from tacit.privacy.tight import tight_epsilon

        own = self.of_fit
        epsilon = tight_epsilon(own.epsilon, own.delta, own.announced)
        if epsilon < own.epsilon:
            own = replace(own, epsilon=epsilon).announcing(own.announced)
        return own if self.learned is None else own.with_learned(self.learned)

    def __str__(self) -> str:
        return certificate(self)

    def _repr_html_(self) -> str:
        return as_lines(certificate(self))


def covers(mine: Persons | None, its: Persons | None) -> bool:
    """Return whether tables that differ in a person of another unit are neighbors of this one."""
    if mine is not None and mine.identifier is not None:
        # A row that changes its identifier is of two persons.
        return its is not None and its.identifier == mine.identifier
    if its is None:
        return True
    return its.identifier is None and its.most_rows <= (1 if mine is None else mine.most_rows)
