"""Audit of a certificate, from its file alone: whether the sums and noise scales of its releases are what it claims."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from math import inf
from pathlib import Path
from time import perf_counter

from tacit.audit.contradictions import contradictions, epsilon_limit, scale_epsilon, slices
from tacit.audit.findings import Claim, Control, Finding, ReleaseLoss
from tacit.models import read_model
from tacit.models.advisories import Advisory
from tacit.models.document import certificate_digest
from tacit.models.merged import MergedParts
from tacit.models.rado_set import read_rados
from tacit.privacy import Guarantee, MergedGuarantee
from tacit.privacy.marginal import MarginalGuarantee
from tacit.privacy.merged import combined, fits_of
from tacit.privacy.release import ReleaseRecord
from tacit.verify.faults import above
from tacit.verify.merged import merged_faults
from tacit.verify.scales import CLOSE, faults, implied, is_readable
from tacit.version import __version__

UNSEEN = (
    "Whether the sensitivities are those of the queries: proofs derive them, and a replay of the learner tests them.",
    "Whether the noise was drawn as the lines say, and whether a release was left out of the file.",
    "Whether settings were chosen without looking at the rows, and what else left them.",
)
"""What no file can show."""

_TOLD = {
    "void": "Anything: the certificate is void and promises nothing, so there is nothing to refute.",
    "simulated": "Privacy: the certificate says that its noise can be repeated, so nothing is private.",
    "public": "Privacy: the certificate says that every column and the label are public, so nothing is protected.",
}


@dataclass(frozen=True)
class CertifiedClaim:
    """What a file says of its privacy.

    Parameters
    ----------
    subject : str
        The file's name, and what is in it.
    guarantee : Guarantee
    fitted_with : str
        Version of this package.
    advisories : tuple of Advisory
        Known flaws of that version.
    marginal : MarginalGuarantee, optional
        Of rados that hide one column's entries and no person.
    """

    subject: str
    guarantee: Guarantee
    fitted_with: str = __version__
    advisories: tuple[Advisory, ...] = ()
    marginal: MarginalGuarantee | None = None


def read_certificate(path: str | Path) -> CertifiedClaim:
    """Return the certificate of a model file or of a set of rados.

    Raises
    ------
    ModelFileError
        If the file is neither, or damaged.
    """
    path = Path(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # advisories are part of what is returned
        if _is_parquet(path):
            made = read_rados(path).description
            subject = _named(path, "rados", made.guarantee)
            return CertifiedClaim(subject, made.guarantee, made.fitted_with, made.advisories, made.marginal)
        model = read_model(path)
    versions = {part.fitted_with for part in model.parts} if isinstance(model, MergedParts) else {model.fitted_with}
    subject = _named(path, model.learner, model.guarantee)
    return CertifiedClaim(subject, model.guarantee, ", ".join(sorted(versions)), model.advisories)


def audit_certificate(certified: CertifiedClaim) -> Finding:
    """Return whether a certificate's releases add up to its claim at the scales that they state.

    Each loss is derived again from sensitivity, mechanism and scale, and losses are added under the certificate's
    composition and converted to (epsilon, delta). The bound is what the scales alone give.

    Examples
    --------
    >>> from tacit.privacy.assumptions import ASSUMPTIONS
    >>> line = ReleaseRecord("rows", "Laplace", 1.0, "l1", 2.0, 0.5, "epsilon", "exact")
    >>> half = Guarantee("private", ("age",), True, 99, 0.5, 0.0, "pure", None, (line,), "exact", ASSUMPTIONS, (), ())
    >>> audit_certificate(CertifiedClaim("by hand", half)).verdict
    'not refuted'
    """
    started, guarantee = perf_counter(), certified.guarantee
    void, parts = guarantee.status == "void", _parts(guarantee)
    known = certified.fitted_with == __version__
    told = (f"{where}{words}" for where, part in parts for words in contradictions(part, known_words=known))
    found = () if void else (*told, *_of_whole(guarantee))
    lines = Counter(line for _, part in parts for line in part.releases)
    readable = all(map(is_readable, lines))
    return Finding(
        subject=certified.subject,
        claim=Claim(guarantee.epsilon, guarantee.delta, "replace-person" if guarantee.persons else "replace-one"),
        method="certificate",
        bound=0.0 if void else _scale_epsilon(guarantee) if readable else inf,
        confidence=1.0,
        tried=sum(lines.values()),
        seed=0,
        half_noise=_scale_epsilon(guarantee, noise_scale=0.5) if readable and lines and not void else None,
        releases=() if void or found else tuple(_release(line, count) for line, count in lines.items()),
        differences=found,
        controls=() if void or found else tuple(each for where, part in parts for each in _controls(part, where)),
        not_seen=(*_told(certified), *UNSEEN),
        versions={"tacit": __version__, "python": sys.version.split()[0], "fitted with tacit": certified.fitted_with},
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=perf_counter() - started,
        certificate=certificate_digest(guarantee),
    )


def _parts(guarantee: Guarantee) -> list[tuple[str, Guarantee]]:
    """Return the certificates of each fit, and of the schema if it was learned, each under the words for it."""
    found = []
    for name, fit in fits_of(guarantee):
        learned = [(f"of the schema{f' of part {name}' if name else ''}: ", fit.learned)] if fit.learned else []
        found += [(f"of part {name}: " if name else "", fit.of_fit), *learned]
    return found


def _of_whole(guarantee: Guarantee) -> Iterator[str]:
    """Yield what in a merged certificate contradicts its parts."""
    if isinstance(guarantee, MergedGuarantee):
        yield from merged_faults(guarantee)
        claims = [(fit.epsilon, fit.delta) for _, fit in fits_of(guarantee)]
        epsilon, delta = combined(claims, guarantee.people)
        if above(epsilon, guarantee.epsilon) or above(delta, guarantee.delta):
            yield f"epsilon {guarantee.epsilon:g} is claimed; what the parts claim makes it {epsilon:g}"


def _scale_epsilon(guarantee: Guarantee, **factors: float) -> float:
    """Return the epsilon that the scales give for a person, after numbers of every line were multiplied."""
    of_fits = [sum(scale_epsilon(_each(part, **factors)) for _, part in _parts(fit)) for _, fit in fits_of(guarantee)]
    people = guarantee.people if isinstance(guarantee, MergedGuarantee) else "the same"
    return combined([(each, 0.0) for each in of_fits], people)[0]


def _named(path: Path, what: str, guarantee: Guarantee) -> str:
    return f"{path.name} ({what}, {guarantee.status} certificate)"


def _is_parquet(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(4) == b"PAR1"
    except (OSError, ValueError):
        return False  # what reads models says why


def _release(line: ReleaseRecord, count: int) -> ReleaseLoss:
    named = f"{count} x {line.asked}" if count > 1 else line.asked
    low, high = implied(line)
    reason = f"the scale allows for {low:.4g} to {high:.4g}: curvature is not in the file" if high > low else ""
    reason = reason if line.sensitivity else "no neighbor moves it, so it is exact"
    return ReleaseLoss(named, line.mechanism, line.loss, line.currency, min(low, line.loss), 0, reason)


def _controls(guarantee: Guarantee, where: str) -> Iterator[Control]:
    """Change each line once, in each of its numbers, and look whether that is found."""
    for name, changed in (
        ("half the noise", {"noise_scale": 0.5}),
        ("half of a sensitivity", {"sensitivity": 0.5}),
        ("half of a loss", {"loss": 0.5}),
        ("twice a loss", {"loss": 2.0}),
    ):
        wrong = _each(guarantee, **changed)
        # A line of sensitivity zero is answered exactly: half of it is the same line.
        lines = [new for old, new in zip(guarantee.releases, wrong.releases, strict=True) if old.sensitivity]
        if lines:
            # Scales alone say what is lost: a wrong sensitivity or loss is a wrong line over the same noise.
            bound = scale_epsilon(wrong if "noise_scale" in changed else guarantee)
            yield Control(f"{where}{name}", bound, broken=True, caught=all(map(faults, dict.fromkeys(lines))))


def _each(guarantee: Guarantee, **factors: float) -> Guarantee:
    """Return the certificate with numbers of every line multiplied."""
    return replace(
        guarantee,
        releases=tuple(
            replace(line, **{name: getattr(line, name) * factor for name, factor in factors.items()})
            for line in guarantee.releases
        ),
    )


def _told(certified: CertifiedClaim) -> Iterator[str]:
    guarantee, version = certified.guarantee, certified.fitted_with
    if guarantee.status in _TOLD:
        yield " ".join([_TOLD[guarantee.status], *guarantee.reasons])
    yield from (f"A known bug of tacit {version}, which fitted it. {each}" for each in certified.advisories)
    if certified.marginal:
        epsilon = certified.marginal.epsilon
        yield f"The marginal guarantee of one entry, epsilon {epsilon:g}, which is no differential privacy."
    for name, fit in fits_of(guarantee):
        spent = max((_share(fit.of_fit, lines) for _, lines in slices(fit.of_fit)), default=0.0)
        if guarantee.status in ("private", "simulated") and spent < 1 - CLOSE:
            what = f"the budget of part {name}" if name else "the budget"
            yield f"What the rest of {what} went to: the losses use {spent:.3g} of it."
    if version != __version__:
        yield f"Whether it names all that tacit {version} takes for granted: this is {__version__}."


def _share(guarantee: Guarantee, lines: list[ReleaseRecord]) -> float:
    """Return the largest part of a currency's limit that the losses use."""
    limits = {"epsilon": float(epsilon_limit(guarantee, Fraction(guarantee.epsilon))), "rho": guarantee.rho or inf}
    sums = {name: sum(line.loss for line in lines if line.currency == name) for name in limits}
    return max(sums[name] / limits[name] for name in limits) if guarantee.epsilon else 0.0
