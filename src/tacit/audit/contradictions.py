"""Contradictions in a certificate: losses that its scales do not give, sums above its budget, words that do not fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import accumulate, takewhile
from math import inf

from tacit.privacy import Guarantee
from tacit.privacy.assumptions import (
    IDEAL_DRAWS,
    OWN_WEIGHT,
    PARALLEL,
    SEARCHED,
    as_fitted,
    assumptions_for,
    weighs_rows,
)
from tacit.privacy.conversions import zcdp_epsilon, zcdp_rho
from tacit.privacy.gaussians_last import SMOOTHING, epsilon_of, rho_of
from tacit.privacy.loss import Budget
from tacit.privacy.random_runs import UNSEEN_RUNS, RandomRuns
from tacit.privacy.release import ReleaseRecord
from tacit.verify.claim import too_small
from tacit.verify.faults import faults_of, samplers, unusable
from tacit.verify.scales import CLOSE, faults, implied, is_apart


def contradictions(guarantee: Guarantee, *, known_words: bool) -> Iterator[str]:
    """Yield what in a certificate contradicts the rest of it.

    Parameters
    ----------
    guarantee : Guarantee
        Of the fit alone, or of a schema that was learned.
    known_words : bool
        Whether this version wrote it, so that its assumptions must be in this version's words.
    """
    if guarantee.status == "public":
        if guarantee.releases or guarantee.epsilon or guarantee.delta:
            yield "nothing is protected, but the certificate lists releases or a budget"
        return
    if known_words:
        yield from _assumptions(guarantee)
    if guarantee.version == 1:
        yield from _of_first_version(guarantee)
    else:
        # As the other contradictions are written: half a sentence.
        found = tuple(unusable(guarantee)) or (*faults_of(guarantee), *too_small(guarantee))
        yield from (fault[0].lower() + fault[1:].removesuffix(".") for fault in found)


def _of_first_version(guarantee: Guarantee) -> Iterator[str]:
    """Yield contradictions of a certificate without limits, whose slices are in the text of its queries alone."""
    for line in dict.fromkeys(guarantee.releases):
        yield from (f"release {line.query!r} ({line.mechanism}) {fault}" for fault in faults(line))
    yield from samplers(guarantee)
    yield from _words(guarantee)
    if not 0 < guarantee.epsilon < inf or guarantee.delta >= 1 / guarantee.n_rows:
        yield "epsilon is not above zero, or delta not below one in the number of rows"
        return
    yield from _last(guarantee)
    grouped = slices(guarantee)
    if len(grouped) > 1 and any(not name for name, _ in grouped):
        yield "it lists releases of all rows and of slices, whose losses would add up"
    for name, lines in grouped:
        yield from (f"{name}: {fault}" if name else fault for fault in _sums(guarantee, lines))


def _last(guarantee: Guarantee) -> Iterator[str]:
    """Compare what is counted by an exact distribution with the releases, and with what the composition allows for."""
    if guarantee.gaussian is None:
        return
    if not _counts_gaussians(guarantee):
        yield "the part of rho for Gaussian noise that comes last is not between zero and rho"
        return
    before, last = _divided(guarantee)
    limit = (guarantee.rho or 0.0) - guarantee.gaussian
    if not last or sum(line.loss for line in before) > limit * (1 + CLOSE):
        yield "releases cost more than the part of rho for Gaussian noise that comes last, or for what comes before"
    if guarantee.runs is not None or guarantee.composition != "zcdp" or any(name for name, _ in slices(guarantee)):
        yield "it counts Gaussian noise by its exact distribution together with slices or secret runs, or without a rho"


def _sums(guarantee: Guarantee, lines: list[ReleaseRecord]) -> Iterator[str]:
    """Compare sums of losses with the budget, in fractions, as the accountant adds them."""
    apart = [line for line in lines if is_apart(line)]
    epsilon = Fraction(guarantee.epsilon) - sum(Fraction(line.loss) for line in apart)
    delta = Fraction(guarantee.delta) - sum(Fraction(line.delta) for line in lines)
    shared = [line for line in lines if not is_apart(line)]
    if epsilon < 0 or delta < 0:
        yield "the releases with a delta of their own cost more than the budget"
        return
    spent = sum((Fraction(line.loss) for line in shared), Fraction(0))
    currencies = {line.currency for line in shared}
    if len(currencies) > 1 or ("rho" in currencies and not delta):
        yield "losses are in epsilon and in rho, or in rho without a delta: they have no common sum"
    elif "rho" in currencies:
        limit = rho_limit(guarantee, float(epsilon), float(delta))
        if spent > Fraction(limit * (1 + 1e-9)):
            yield f"losses add up to rho {float(spent):.6g}, but epsilon and delta allow for {limit:.6g}"
    elif spent > epsilon_limit(guarantee, epsilon):
        limit = float(epsilon_limit(guarantee, epsilon))
        yield f"losses add up to epsilon {float(spent):.12g}, above the {limit:.12g} that is left for them"


def epsilon_limit(guarantee: Guarantee, epsilon: Fraction) -> Fraction:
    """Return what pure losses may add up to: of one of a secret number of runs, half."""
    return epsilon if guarantee.runs is None else epsilon / 2


def rho_limit(guarantee: Guarantee, epsilon: float, delta: float) -> float:
    """Return what the rhos of all releases may add up to; 0 without a delta."""
    if not delta:
        return 0.0
    if _counts_gaussians(guarantee):
        assert guarantee.gaussian is not None and guarantee.rho is not None
        return rho_of(epsilon, delta, guarantee.gaussian / guarantee.rho)
    return zcdp_rho(epsilon, delta) if guarantee.runs is None else guarantee.runs.rho(Budget(epsilon, delta))


def _counts_gaussians(guarantee: Guarantee) -> bool:
    """Return whether a part of rho is stated that can be one."""
    part, rho = guarantee.gaussian, guarantee.rho
    return part is not None and rho is not None and 0 < part <= rho < inf


def _words(guarantee: Guarantee) -> Iterator[str]:
    """Compare the composition and rho that are stated with those that the releases call for."""
    sliced = any(name for name, _ in slices(guarantee))
    currencies = {line.currency for line in guarantee.releases if not is_apart(line)}
    wanted = {"pure": "epsilon", "zcdp": "rho"}[guarantee.composition]
    if (guarantee.rho is None) != (guarantee.composition == "pure") or (not sliced and currencies - {wanted}):
        yield f"composition {guarantee.composition!r} does not go with the releases' losses and the rho that is stated"
    elif guarantee.rho is not None and not any(line.delta for line in guarantee.releases):
        limit = rho_limit(guarantee, guarantee.epsilon, guarantee.delta)
        if abs(guarantee.rho - limit) > CLOSE * limit:
            yield f"it states rho {guarantee.rho:.6g}, but epsilon and delta allow for {limit:.6g}"


def _assumptions(guarantee: Guarantee) -> Iterator[str]:
    sliced = any(name for name, _ in slices(guarantee))
    floating = any("floating-point" in line.sampler for line in guarantee.releases)
    required = [
        *assumptions_for(
            guarantee.persons,
            searched=SEARCHED in guarantee.assumptions,
            labeled_public=guarantee.labeled_public,
        ),
        *([OWN_WEIGHT] if weighs_rows(guarantee.assumptions) else []),
        *([IDEAL_DRAWS] if floating else []),
        *([PARALLEL] if sliced else []),
        *([UNSEEN_RUNS] if guarantee.runs else []),
    ]
    taken = as_fitted(guarantee.assumptions)
    missing = [words for words in required if words not in taken]
    yield from (f"it does not say that {words!r} is taken for granted" for words in missing)


def slices(guarantee: Guarantee) -> list[tuple[str, list[ReleaseRecord]]]:
    """Return the lines of each slice of the rows, whose losses do not add up with another's."""
    grouped: dict[str, list[ReleaseRecord]] = {}
    for line in guarantee.releases:
        # In version 1 a column's name may end like a slice's: losses only fall apart where rows are said to be divided.
        named = guarantee.version > 1 or PARALLEL in guarantee.assumptions
        grouped.setdefault(line.rows if named else "", []).append(line)
    return list(grouped.items())


def scale_epsilon(guarantee: Guarantee) -> float:
    """Return the epsilon that the scales give at the certificate's delta."""
    if guarantee.gaussian is not None:
        return _epsilon_of_gaussians_last(guarantee)
    return max((_epsilon(lines, guarantee.delta, guarantee.runs) for _, lines in slices(guarantee)), default=0.0)


def _epsilon_of_gaussians_last(guarantee: Guarantee) -> float:
    """Return the epsilon of a certificate of which the last releases are counted by their exact distribution."""
    before, last = _divided(guarantee)
    losses = [implied(line)[0] for line in guarantee.releases]
    if not last or not guarantee.delta or inf in losses or any(line.currency != "rho" for line in before):
        return inf
    # A discrete distribution is as good as a continuous one of a little less variance.
    excess = [SMOOTHING**2 if line.mechanism.startswith("discrete") else 0.0 for line in last]
    # A scale whose square is beyond the floats counts as a smaller one, which is no less safe.
    variances = [min(line.noise_scale, 1e150) ** 2 - less for line, less in zip(last, excess, strict=True)]
    if min(variances) <= 0:
        return inf
    gaussian = sum(line.sensitivity**2 / variance / 2 for line, variance in zip(last, variances, strict=True))
    return epsilon_of(sum(losses[: len(before)]), gaussian, guarantee.delta)


def _divided(guarantee: Guarantee) -> tuple[tuple[ReleaseRecord, ...], tuple[ReleaseRecord, ...]]:
    """Return the releases before Gaussian noise that comes last, and as many as its part of rho pays for.

    Counts that are released before may have Gaussian noise, too, which the other part pays for: what is stated holds
    wherever among Gaussian releases the line is drawn.
    """
    lines, limit = guarantee.releases, (guarantee.gaussian or 0.0) * (1 + CLOSE)
    sums = accumulate(line.loss for line in takewhile(_is_gaussian, reversed(lines)))
    first = len(lines) - sum(1 for _ in takewhile(lambda spent: spent <= limit, sums))
    return lines[:first], lines[first:]


def _is_gaussian(line: ReleaseRecord) -> bool:
    return line.mechanism in ("Gaussian", "discrete Gaussian") and line.currency == "rho"


def _epsilon(lines: Iterable[ReleaseRecord], delta: float, runs: RandomRuns | None) -> float:
    sums = {"epsilon": Fraction(0), "rho": Fraction(0)}
    left = Fraction(delta)
    for line in lines:
        loss = implied(line)[0]
        if loss == inf:
            return inf
        left -= Fraction(line.delta)
        sums[line.currency] += Fraction(loss)
    if sums["rho"] and left <= 0:
        return inf
    if runs is not None:
        return 2 * float(sums["epsilon"]) + (runs.epsilon(float(sums["rho"]), float(left)) if sums["rho"] else 0.0)
    return float(sums["epsilon"]) + (zcdp_epsilon(float(sums["rho"]), float(left)) if sums["rho"] else 0.0)
