"""The claim of a certificate, recomputed from its limits: docs/certificate-format.md, in the order of its steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import Any

from tacit.models.document import bodies_of
from tacit.privacy import Guarantee, ReleaseRecord
from tacit.privacy.conversions import zcdp_epsilon
from tacit.privacy.gaussians_last import epsilon_of
from tacit.privacy.guarantee import covers
from tacit.privacy.limit import Limit
from tacit.privacy.merged import MergedGuarantee, combined
from tacit.privacy.random_runs import RandomRuns
from tacit.privacy.rounding import down
from tacit.verify.faults import above, faults_of, unusable
from tacit.verify.merged import merged_fault, merged_faults
from tacit.verify.released_parts import contradictions
from tacit.verify.sensitivities import is_as_stated


@dataclass(frozen=True)
class RecomputedClaim:
    """What follows from a certificate's limits, and what in it contradicts its claim."""

    epsilon: float
    """At the delta below; infinite where none follows."""
    delta: float
    """What is needed of the delta that is claimed: 0 where all losses are pure."""
    faults: tuple[str, ...]
    """Why the claim does not follow; empty where it does."""
    unknown: tuple[str, ...]
    """What the certificate is too old to tell, or does not promise."""
    as_stated: tuple[ReleaseRecord, ...] = ()
    """Releases whose sensitivities are taken as stated; those of all others were computed again."""

    @property
    def holds(self) -> bool:
        """Whether the claim follows from what is listed."""
        return not self.faults and not self.unknown


def recomputed(certificate: Guarantee, model: Mapping[str, Any] | None = None) -> RecomputedClaim:
    """Return the epsilon and delta that follow from what a certificate lists, and every fault in it.

    Parameters
    ----------
    certificate : Guarantee
    model : mapping, optional
        The model that it is of, as its file has it (``read_written``): whether a release that a part of it needs, or
        the cost of its learned schema, was left out is then a fault, too.

    Notes
    -----
    Of simulated noise this is what the same fit with secure noise would promise. What no file can show is whether
    noise was drawn as listed, and whether a release and all that tells of it was left out.

    Examples
    --------
    >>> from tacit.privacy import Guarantee, ReleaseRecord
    >>> recomputed(Guarantee("public", (), False, 100, 0.0, 0.0, "pure", None, (), "none", (), (), ())).holds
    True
    """
    if isinstance(certificate, MergedGuarantee):
        return _of_parts(certificate, model)
    found = _recomputed(certificate)
    # A void certificate promises nothing, a public one has nothing to list, and one of version 1 cannot name queries.
    if model is None or found.unknown or certificate.status == "public":
        return found
    return replace(found, faults=(*found.faults, *contradictions(model, certificate)))


def _of_parts(certificate: MergedGuarantee, model: Mapping[str, Any] | None) -> RecomputedClaim:
    """Recompute the claim of each part by itself, and of these that of the whole."""
    if model is not None and (fault := merged_fault(model)):
        return RecomputedClaim(inf, certificate.delta, (fault,), ())
    bodies = [None] * len(certificate.parts) if model is None else list(bodies_of(model))
    # Nothing else is asked of parts of a void certificate, which promises nothing.
    if certificate.status == "void":
        return _recomputed(certificate)
    found = [recomputed(part.certificate, body) for part, body in zip(certificate.parts, bodies, strict=True)]
    epsilon, delta = combined([(each.epsilon, each.delta) for each in found], certificate.people)
    named = list(zip(certificate.parts, found, strict=True))
    faults = [f"Part {part.name}: {fault}" for part, each in named for fault in each.faults]
    faults += merged_faults(certificate)
    if above(epsilon, certificate.epsilon) or above(delta, certificate.delta):
        faults.append(
            f"Epsilon {certificate.epsilon:.12g}, delta {certificate.delta:g} are claimed; from the parts follow "
            f"{epsilon:.12g}, {delta:g}."
        )
    unknown = tuple(f"Part {part.name}: {words}" for part, each in named for words in each.unknown)
    as_stated = tuple(line for each in found for line in each.as_stated)
    return RecomputedClaim(epsilon, delta, tuple(faults), unknown, as_stated)


def _recomputed(certificate: Guarantee) -> RecomputedClaim:
    if certificate.status == "void":
        return RecomputedClaim(inf, 1.0, (), ("It is void and promises nothing.",))
    if certificate.status == "public":
        spent = certificate.releases or certificate.limits or certificate.epsilon or certificate.delta
        return RecomputedClaim(0.0, 0.0, ("Nothing is protected, but something was released.",) if spent else (), ())
    learned = certificate.learned
    if learned is None:
        return _claimed(certificate, [certificate])
    if learned.epsilon > certificate.epsilon or learned.delta > certificate.delta:
        fault = "What learning the schema cost is more than what is claimed for schema and fit together."
        return RecomputedClaim(inf, certificate.delta, (fault,), ())
    return _claimed(certificate, [certificate.of_fit, learned])


def _claimed(certificate: Guarantee, parts: list[Guarantee]) -> RecomputedClaim:
    """Compare the claim with the sums over the fit and the schema that it learned from rows."""
    old = tuple(
        "It is of version 1: of what slice a release is, how its loss is counted and what all may cost is not in it."
        for part in parts
        if part.version == 1
    )
    if old:
        return RecomputedClaim(inf, certificate.delta, (), old)
    if beyond := tuple(fault for part in parts for fault in unusable(part)):
        return RecomputedClaim(inf, certificate.delta, beyond, ())
    found = [fault for part in parts for fault in (*faults_of(part), *too_small(part))]
    found += [fault for learned in parts[1:] for fault in _unfit(learned, certificate)]
    epsilon = float(sum(_epsilon(part) for part in parts))
    delta = min(certificate.delta, sum(map(_delta, parts)))
    as_stated = tuple(line for part in parts for line in part.releases if is_as_stated(line))
    return RecomputedClaim(epsilon, delta, tuple(found), (), as_stated)


def too_small(part: Guarantee) -> Iterator[str]:
    """Yield that the epsilon of a part is below what its limits give, if it is."""
    epsilon = _epsilon(part)
    if above(epsilon, part.epsilon):
        yield f"Epsilon {part.epsilon:.12g} is claimed at delta {part.delta:g}; from the limits follows {epsilon:.12g}."


def _unfit(learned: Guarantee, certificate: Guarantee) -> Iterator[str]:
    """Refuse a schema whose own certificate holds nothing, or was made for other persons."""
    if learned.status != "private" or learned.learned is not None:
        yield "The schema was learned without a private certificate of its own."
    if not covers(learned.persons, certificate.persons):
        yield "The schema was learned for other persons, or for such with fewer rows."


def _epsilon(part: Guarantee) -> float:
    """Return the epsilon of the costliest set of rows: a person is in one of them."""
    return max((_of_limit(limit, part.delta, part.runs) for limit in part.limits), default=inf)


def _delta(part: Guarantee) -> float:
    return max((part.delta if limit.composition == "zcdp" else limit.delta for limit in part.limits), default=0.0)


def _of_limit(limit: Limit, delta: float, runs: RandomRuns | None) -> float:
    if above(limit.delta, delta):
        return inf
    left = down(max(Fraction(0), Fraction(delta) - Fraction(limit.delta)))
    return limit.epsilon + (
        _of_pure(limit.loss, runs) if limit.composition == "pure" else _of_rho(limit, left, runs) if left else inf
    )


def _of_pure(loss: float, runs: RandomRuns | None) -> float:
    return loss if runs is None else 2 * loss


def _of_rho(limit: Limit, delta: float, runs: RandomRuns | None) -> float:
    if runs is not None:
        return runs.epsilon(limit.loss, delta)
    if limit.gaussian:
        return epsilon_of(max(0.0, limit.loss - limit.gaussian), limit.gaussian, delta)
    return zcdp_epsilon(limit.loss, delta)
