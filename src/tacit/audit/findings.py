"""What an audit found, and how hard it tried: the one thing that replays and sampling audits both give back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal, Self

from pydantic import TypeAdapter, ValidationError

from tacit.errors import ModelFileError

Verdict = Literal["refuted", "not refuted", "too weak to say"]
Method = Literal["replay", "sampling", "certificate"]
Relation = Literal["replace-one", "add-remove", "replace-person"]

REACHED = 0.9
"""The fraction of its share that a release's largest loss should reach; far below, noise or search is weak."""

REASONS = {
    "objective perturbation": "Only tables of millions of rows, in which both exchanged rows have extreme slopes, "
    "approach its share: proofs/mechanisms/objective_perturbation.md, Attained.",
    "Gaussian objective perturbation": "Up to a quarter of its share is set aside for curvature, which is zero where "
    "the gradient moves most: proofs/mechanisms/gaussian_objective.md, Attained.",
    "residuals and curvatures of log-odds": "What a model's numbers bound its log-odds by is more than any row has: "
    "proofs/queries/platt_sums.md, Attained.",
}
"""Why the largest loss of a mechanism, or of a query, may stay below ``REACHED`` of its share, where that is proved."""

_ROUNDING = 1e-9
"""Relative error of a log ratio of densities in float64, for releases that spend their share exactly."""


@dataclass(frozen=True)
class Claim:
    """What is said to hold: (epsilon, delta) for one relation between neighboring tables.

    Parameters
    ----------
    epsilon : float
    delta : float
    relation : {"replace-one", "add-remove", "replace-person"}
        The last where rows are of persons: all rows of one are replaced.
    """

    epsilon: float
    delta: float = 0.0
    relation: Relation = "replace-one"


@dataclass(frozen=True)
class ReleaseLoss:
    """The largest loss of one announced release over all neighbors tried, exact.

    Parameters
    ----------
    query, mechanism : str
    share : float
        What the release may cost.
    currency : {"epsilon", "rho"}
    largest : float
        In the same currency.
    pairs : int
        Replayed; or runs, of draws.
    reason : str
        Why less than 0.9 of the share is reached, where that is proved.
    """

    query: str
    mechanism: str
    share: float
    currency: Literal["epsilon", "rho"]
    largest: float
    pairs: int
    reason: str = ""

    @property
    def reached(self) -> float:
        """Largest loss over share: above one is a violation."""
        return self.largest / self.share

    @property
    def is_violated(self) -> bool:
        """Whether it lost more than its share, beyond rounding."""
        return self.reached > 1 + _ROUNDING


@dataclass(frozen=True)
class Control:
    """The same audit of something known to be broken, or known to be exact: what it would have seen.

    Parameters
    ----------
    name : str
        Such as "half the noise".
    bound : float
        The epsilon that the audit found for it.
    broken : bool
        Whether its true loss is above the claim.
    caught : bool
        Whether the audit refuted it.
    """

    name: str
    bound: float
    broken: bool
    caught: bool


@dataclass(frozen=True)
class Finding:
    """One subject's audit: the claim, the largest loss found, and what would have been seen.

    Parameters
    ----------
    subject : str
        Learner, settings and case; or the object's name and version.
    claim : Claim
    method : {"replay", "sampling", "certificate"}
    bound : float
        The largest epsilon found. By sampling, and by replay where all releases are pure, a lower bound on the true
        epsilon at the claim's delta. By replay of zCDP releases, the epsilon at delta of one Gaussian release of the
        rho that they lost together: a lower bound if all of them are Gaussian; with selections the true epsilon may
        be less, and a bound above the claim says that they lost more rho than the claim was converted from. Releases
        at (epsilon, delta) add theirs. Of a certificate, what its own noise scales add up to; of redraws, the claim's
        epsilon times how steep the log ratios of one release's draws are shown to be, where one is what it states.
    confidence : float
        Of the bound; 1 where it is exact.
    tried : int
        Pairs replayed, or runs sampled.
    seed : int
    half_noise : float or None
        The bound for the same subject with half the noise.
    releases : tuple of ReleaseLoss
    differences : tuple of str
        What differed between two neighbors although all answers were the same: exact leaks.
    controls : tuple of Control
    not_seen : tuple of str
        What this method cannot see, in words.
    versions : dict of str to str
        Of Python and of the libraries that took part.
    made : str
        Date, ISO 8601.
    seconds : float
    certificate : str
        SHA-256 of the certificate's JSON that was audited; empty where there is none.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid", "ser_json_inf_nan": "constants"}

    subject: str
    claim: Claim
    method: Method
    bound: float
    confidence: float
    tried: int
    seed: int
    half_noise: float | None = None
    releases: tuple[ReleaseLoss, ...] = ()
    differences: tuple[str, ...] = ()
    controls: tuple[Control, ...] = ()
    not_seen: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    made: str = ""
    seconds: float = 0.0
    certificate: str = ""

    @property
    def is_exceeded(self) -> bool:
        """Whether the bound is above the claim, beyond rounding."""
        return self.bound > self.claim.epsilon * (1 + _ROUNDING)

    @property
    def verdict(self) -> Verdict:
        """Never "passed": no audit can show that a guarantee holds."""
        if self.differences or self.is_exceeded or any(release.is_violated for release in self.releases):
            return "refuted"
        missed = any(control.broken and not control.caught for control in self.controls)
        seen = self.half_noise is not None and self.half_noise > self.claim.epsilon
        return "not refuted" if seen and not missed else "too weak to say"


@dataclass(frozen=True)
class AuditReport:
    """Findings of one run.

    Parameters
    ----------
    findings : tuple of Finding
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    findings: tuple[Finding, ...]

    @property
    def refuted(self) -> bool:
        """Whether any claim was refuted: exit status 1."""
        return any(finding.verdict == "refuted" for finding in self.findings)

    def to_json(self) -> str:
        """Return the report as JSON, which ``from_json`` reads back."""
        return _REPORTS.dump_json(self, indent=1).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a report.

        Raises
        ------
        ModelFileError
            If the text is none.
        """
        try:
            return _REPORTS.validate_json(text)  # type: ignore[return-value]
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
        raise ModelFileError(f"Expected an audit's report, got {first['msg']!r} at {first['loc']!r}. Run it again.")


_REPORTS = TypeAdapter(AuditReport)
