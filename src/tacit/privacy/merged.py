"""Merged guarantee: what a model promises that was made of models of several tables, each with its own certificate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from math import inf, isfinite
from typing import Any, ClassVar, Final, Literal, get_args

from tacit.errors import ParameterError
from tacit.privacy.guarantee import CERTIFICATE_VERSION, Guarantee, Status
from tacit.privacy.rounding import up

People = Literal["at one site", "at several sites", "the same"]
"""Whose data the parts are of: each person's at one site, or perhaps at several; or those of the same table."""

AT_ONE_SITE: Final = (
    "no person is at two of the sites; at which site a person is, and how many each site has, is public"
)
"""What the certificate of different people takes for granted besides; then losses do not add up."""

AT_SEVERAL_SITES: Final = "at which sites a person is, and how many each site has, is public"
"""The same where losses add up."""

_FROM_WORST: tuple[Status, ...] = ("void", "simulated", "private", "public")

_DIGEST: Final = len("sha256:") + 64


@dataclass(frozen=True)
class PartCertificate:
    """The certificate of one part of a merged model."""

    digest: str
    """Of the part as a model file has it."""
    certificate: Guarantee

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    def __post_init__(self) -> None:
        hexadecimal = self.digest.startswith("sha256:") and not set(self.digest[7:]) - set("0123456789abcdef")
        if not hexadecimal or len(self.digest) != _DIGEST:
            raise ParameterError("Expected a SHA-256 of each part, got another digest. Take it from a merged model.")
        if isinstance(self.certificate, MergedGuarantee):
            raise ParameterError("Expected parts that are no merged models, got one that is. Merge its parts.")

    @property
    def name(self) -> str:
        """The beginning of its digest."""
        return self.digest[7:19]


@dataclass(frozen=True)
class MergedGuarantee(Guarantee):
    """A frozen record of what a merged model protects; ``str`` of it is a certificate in plain words.

    Fields that all guarantees have are those of the whole: it lists no release and no limit of its own.

    Parameters
    ----------
    people : {"at one site", "at several sites", "the same"}
        Whose data the parts are of.
    parts : tuple of PartCertificate
        Sorted by digest.

    Raises
    ------
    ParameterError
        If a part is no certificate of one fit, or is there twice.

    Notes
    -----
    Privacy: neighbors replace one person at one site, and no other part moves: the largest epsilon and delta. Where a
    person may be at several sites, or the people are the same, they add up: basic composition. Proof:
    ``proofs/privacy/merged.md``.
    """

    _: KW_ONLY
    people: People
    parts: tuple[PartCertificate, ...]

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    @property
    def part_lines(self) -> tuple[str, ...]:
        """What each part is of, what it claims, and how much of that its schema cost."""
        return tuple(f"{part.name}: {_words(part.certificate)}." for part in self.parts)

    @property
    def how_combined(self) -> str:
        """How the parts' losses make its own, as sentences."""
        if self.people == "at one site":
            return f"That is the most of its {len(self.parts)} parts: each person is in one of them."
        who = "They are of the same people" if self.people == "the same" else "A person may be in several"
        return f"That is the sum of its {len(self.parts)} parts. {who}."

    def __post_init__(self) -> None:
        super().__post_init__()
        digests = [part.digest for part in self.parts]
        if self.people not in get_args(People) or len(digests) < 2 or sorted(set(digests)) != digests:
            raise ParameterError("Expected two parts or more, sorted, each once, got others. Take it from a merge.")


def _words(own: Guarantee) -> str:
    said = f"{own.n_rows:,} {own.counted}, {own.status}, epsilon {own.epsilon:g}, delta {own.delta:g}"
    if own.learned is not None:
        said += f", of which epsilon {own.learned.epsilon:g} learned the schema"
    return f"{said}, charged to {own.charge}" if own.charge else said


def fits_of(guarantee: Guarantee) -> list[tuple[str, Guarantee]]:
    """Return the certificate of each fit by its part's name: of a merged one those of its parts, else itself."""
    if isinstance(guarantee, MergedGuarantee):
        return [(part.name, part.certificate) for part in guarantee.parts]
    return [("", guarantee)]


def merged_guarantee(parts: Sequence[PartCertificate], people: People) -> MergedGuarantee:
    """Return the certificate of a model that is made of these parts alone, by what is public of them.

    Raises
    ------
    ParameterError
        If a delta is 1 or more once the parts' are added up.

    Examples
    --------
    >>> one = Guarantee("public", (), False, 100, 0.0, 0.0, "pure", None, (), "none", (), (), ())
    >>> both = [PartCertificate("sha256:" + 64 * digit, one) for digit in "ab"]
    >>> merged_guarantee(both, "at one site").n_rows
    200
    """
    parts = tuple(sorted(parts, key=lambda part: part.digest))
    epsilon, delta = combined([(part.certificate.epsilon, part.certificate.delta) for part in parts], people)
    return MergedGuarantee(epsilon=epsilon, delta=delta, people=people, parts=parts, **following(parts, people))


def following(parts: Sequence[PartCertificate], people: People) -> dict[str, Any]:
    """Return what follows from the parts in the certificate of all of them, by field, but for what it claims."""
    own = [part.certificate for part in parts]
    assumptions = [words for each in own for words in each.assumptions]
    assumptions += {"at one site": [AT_ONE_SITE], "at several sites": [AT_SEVERAL_SITES], "the same": []}[people]
    return {
        "status": min((each.status for each in own), key=_FROM_WORST.index),
        "columns": own[0].columns,
        "label": own[0].label,
        "n_rows": own[0].n_rows if people == "the same" else sum(each.n_rows for each in own),
        "composition": "pure",
        "rho": None,
        "releases": (),
        "noise": "; ".join(dict.fromkeys(each.noise for each in own)),
        "assumptions": tuple(dict.fromkeys(assumptions)),
        "exact": tuple(dict.fromkeys(words for each in own for words in each.exact)),
        "reasons": tuple(f"Part {part.name} is void." for part in parts if part.certificate.status == "void"),
        "persons": own[0].persons,
        "labeled_public": own[0].labeled_public,
        "version": CERTIFICATE_VERSION,
    }


def combined(claims: Sequence[tuple[float, float]], people: People) -> tuple[float, float]:
    """Return the epsilon and delta of all parts together: the largest, or the sums where people may be the same.

    Examples
    --------
    >>> combined([(0.5, 1e-6), (0.25, 0.0)], "at one site"), combined([(0.5, 1e-6), (0.25, 0.0)], "the same")
    ((0.5, 1e-06), (0.75, 1e-06))
    """
    if people == "at one site":
        return max(epsilon for epsilon, _ in claims), max(delta for _, delta in claims)
    epsilon, delta = (_sum(each) for each in zip(*claims, strict=True))
    return epsilon, delta


def _sum(amounts: Sequence[float]) -> float:
    return up(sum(map(Fraction, amounts), Fraction(0))) if all(map(isfinite, amounts)) else inf
