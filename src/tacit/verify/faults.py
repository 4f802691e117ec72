"""Faults: what in a certificate's releases and limits contradicts the rest of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import inf, sqrt

from tacit.privacy import Guarantee, PrivacyUnit, ReleaseRecord
from tacit.privacy.gaussians_last import SMOOTHING
from tacit.privacy.limit import Counted, Limit, Slices, disjoint
from tacit.verify.scales import CLOSE, faults, is_apart
from tacit.verify.sensitivities import sensitivity_faults

_ROUNDING = 1e-9
"""Relative; limits and shares are rounded apart by at most some units in the last place."""

_MAX_SCALE = 1e150

_MAX_NUMBER = 1e300
"""Below, sums and ratios of many such numbers are floats; no budget is near."""

_CURRENCIES: dict[Counted, str] = {"pure": "epsilon", "approximate": "epsilon", "zcdp": "rho", "gaussian": "rho"}


def above(value: float | Fraction, limit: float | Fraction) -> bool:
    """Return whether a value is above a limit by more than rounding."""
    return value > limit * (1 + _ROUNDING)


def _differ(one: float, other: float) -> bool:
    return above(one, other) or above(other, one)


def faults_of(part: Guarantee) -> Iterator[str]:
    """Yield what in a certificate of version 2, without that of a learned schema, does not go together."""
    if part.delta >= 1 / part.n_rows or part.epsilon <= 0:
        yield "Epsilon is not above zero, or delta not below one over the number of rows."
    yield from samplers(part)
    yield from _limits(part)
    yield from _summary(part)
    by_slice: dict[Slices, list[ReleaseRecord]] = {limit.slice: [] for limit in part.limits}
    for line in part.releases:
        if line.slice not in by_slice:
            yield f"Release {line.asked!r} is of rows that no limit is for."
        by_slice.setdefault(line.slice, []).append(line)
    unit = PrivacyUnit(part.columns, part.label, persons=part.persons)
    for limit in part.limits:
        yield from _releases(limit, by_slice[limit.slice], unit)


def unusable(part: Guarantee) -> Iterator[str]:
    """Yield what keeps a certificate of version 2 from being computed with; nothing else is to be asked of it then."""
    claim = (part.epsilon, part.delta, part.rho or 0.0, part.gaussian or 0.0)
    lines = [(line.sensitivity, line.noise_scale, line.loss, line.delta) for line in part.releases]
    limits = [(limit.loss, limit.gaussian, limit.epsilon, limit.delta) for limit in part.limits]
    if not all(0 <= number < _MAX_NUMBER for numbers in (*lines, *limits, claim) for number in numbers):
        yield "It has a number below zero, or one that is too large for sums with it."
    if len(set(part.columns)) < len(part.columns):
        yield "It names a protected column twice."


def samplers(part: Guarantee) -> Iterator[str]:
    """Yield that a certificate claims secure noise and names a simulated one, or the other way about."""
    seeded = any("simulated" in words.lower() for words in (part.noise, *(line.sampler for line in part.releases)))
    if part.status == "private" and seeded:
        yield "It claims secure noise, but names a simulated sampler."
    if part.status == "simulated" and not seeded:
        yield "It claims simulated noise, but names none."


def _limits(part: Guarantee) -> Iterator[str]:
    if not part.limits:
        yield "It states no limit for any rows."
    if not disjoint(limit.slice for limit in part.limits):
        yield "Limits are for sets of rows that overlap, so that they would add up."
    if not 0 < sum(limit.n_rows for limit in part.limits) <= part.n_rows:
        yield "Limits are for more rows together than there are, or for none."
    for limit in part.limits:
        if limit.gaussian and (limit.composition != "zcdp" or above(limit.gaussian, limit.loss)):
            yield "The part of a rho for Gaussian noise that comes last is above that rho, or of none."
        if part.runs is not None and (limit.gaussian or limit.epsilon or limit.delta):
            yield "Of a secret number of runs each must have one loss, pure or a rho, without a delta of its own."


def _summary(part: Guarantee) -> Iterator[str]:
    """Compare what the certificate says in short with its limits."""
    rhos = [limit.loss for limit in part.limits if limit.composition == "zcdp"]
    rho = max(rhos) if rhos and len(rhos) == len(part.limits) else None
    gaussians = [limit.gaussian for limit in part.limits]
    pairs = (part.rho, rho), (part.gaussian, max(gaussians, default=0.0) or None)
    unlike = any((one is None) != (other is None) or _differ(one or 0.0, other or 0.0) for one, other in pairs)
    if (part.composition == "zcdp") != (rho is not None) or unlike:
        yield "The composition, rho or part for Gaussian noise that it states is not that of its limits."


def _releases(limit: Limit, lines: list[ReleaseRecord], unit: PrivacyUnit) -> Iterator[str]:
    """Compare the releases of one set of rows with what they may cost together."""
    # A number of releases from a file may be any: no list is as long as it says.
    if len(lines) != limit.released or [line.order for line in lines] != list(range(1, len(lines) + 1)):
        yield f"Releases are not numbered from 1 to {limit.released} in their order: one was left out, added or moved."
    for line in dict.fromkeys(lines):
        found = (*_line(limit, line), *sensitivity_faults(line, unit, limit.n_rows))
        yield from (f"Release {line.asked!r} ({line.mechanism}) {fault}." for fault in found)
    kinds = [line.counted == "gaussian" for line in lines]
    if kinds != sorted(kinds):
        yield "A release follows Gaussian noise that is counted as the last."
    yield from _sums(limit, lines)


def _line(limit: Limit, line: ReleaseRecord) -> Iterator[str]:
    if line.counted is None:
        yield "does not say how its loss is counted"
        return
    ways = {limit.composition, "approximate", *(["gaussian"] if limit.gaussian else [])}
    if line.counted not in ways or line.currency != _CURRENCIES[line.counted]:
        yield f"counts a loss in {line.currency} as {line.counted!r}, which its rows' limit has no place for"
    yield from faults(line)
    if is_apart(line) != (line.counted == "approximate"):
        yield "has a delta of its own, and is not counted so, or the other way about"
    if line.counted == "gaussian":
        yield from _exact(line)


def _exact(line: ReleaseRecord) -> Iterator[str]:
    """Check a loss that is counted by the exact distribution: of a continuous Gaussian, of a little less variance."""
    if line.mechanism not in ("Gaussian", "discrete Gaussian"):
        yield "is counted as Gaussian noise, and is none"
        return
    # Squares of numbers beyond 1e150 are no floats; a scale that counts as a smaller one promises no more.
    variance = min(line.noise_scale, _MAX_SCALE) ** 2 - (SMOOTHING**2 if line.mechanism == "discrete Gaussian" else 0.0)
    ratio = min(line.sensitivity, _MAX_SCALE) / sqrt(variance) if variance > 0 else inf
    if ratio >= _MAX_SCALE or ratio**2 / 2 > line.loss * (1 + CLOSE):
        yield "states a rho below that of the continuous Gaussian noise that it is counted as"


def _sums(limit: Limit, lines: list[ReleaseRecord]) -> Iterator[str]:
    """Compare sums with limits, in fractions, as thousands of float additions could end a little below the truth."""
    last = _total(line.loss for line in lines if line.counted == "gaussian")
    shared = _total(line.loss for line in lines if line.counted in ("pure", "zcdp"))
    aside = _total(line.loss for line in lines if line.counted == "approximate")
    delta = _total(line.delta for line in lines)
    for what, spent, most in (
        ("losses", shared + last, limit.loss),
        ("losses before Gaussian noise that comes last", shared, Fraction(limit.loss) - Fraction(limit.gaussian)),
        ("losses of Gaussian noise that comes last", last, limit.gaussian),
        ("epsilons of approximate releases", aside, limit.epsilon),
        ("deltas", delta, limit.delta),
    ):
        if above(spent, most):
            yield f"The {what} add up to {float(spent):.12g}, above the limit of {float(most):.12g}."


def _total(amounts: Iterable[float]) -> Fraction:
    return sum((Fraction(amount) for amount in amounts), Fraction(0))
