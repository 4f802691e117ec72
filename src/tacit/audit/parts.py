"""Parts of a long audit: each is a finding of its own, and together they are one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import attrgetter

from tacit.audit.findings import REACHED, Control, Finding, ReleaseLoss


def merged(parts: Sequence[Finding]) -> Finding:
    """Return what several audits of one subject and claim found together: the largest of each, and all pairs.

    Raises
    ------
    ValueError
        If there are none, or they are of different subjects, claims or methods.

    Examples
    --------
    >>> from tacit.audit import Claim
    >>> part = Finding("tree", Claim(1.0), "replay", 0.9, 1.0, 10, 0)
    >>> merged([part, replace(part, bound=0.8)]).tried
    20
    """
    first = parts[0] if parts else None
    if first is None or any(_about(part) != _about(first) for part in parts):
        raise ValueError("Expected parts of one audit, got none, or parts of several. Merge those of one subject.")
    halves = [part.half_noise for part in parts if part.half_noise is not None]
    return replace(
        parts[-1],
        bound=max(part.bound for part in parts),
        tried=sum(part.tried for part in parts),
        seed=first.seed,
        half_noise=max(halves, default=None),
        releases=tuple(_largest(part.releases for part in parts)),
        differences=tuple(dict.fromkeys(each for part in parts for each in part.differences)),
        controls=tuple(_best(part.controls for part in parts)),
        seconds=sum(part.seconds for part in parts),
    )


def is_strong(finding: Finding) -> bool:
    """Return whether every release came close to its share, or is known not to, and nothing broken was missed."""
    close = all(release.reached >= REACHED or release.reason for release in finding.releases)
    return close and finding.verdict == "not refuted"


def _about(finding: Finding) -> tuple[object, ...]:
    return finding.subject, finding.claim, finding.method, finding.confidence


def _largest(parts: Iterable[Sequence[ReleaseLoss]]) -> list[ReleaseLoss]:
    found: dict[tuple[str, str], ReleaseLoss] = {}
    for release in (each for part in parts for each in part):
        known = found.setdefault((release.query, release.mechanism), replace(release, pairs=0))
        best = max(known, release, key=attrgetter("reached"))
        found[release.query, release.mechanism] = replace(best, pairs=known.pairs + release.pairs)
    return list(found.values())


def _best(parts: Iterable[Sequence[Control]]) -> list[Control]:
    found: dict[str, Control] = {}
    for control in (each for part in parts for each in part):
        known = found.setdefault(control.name, control)
        best = max(known, control, key=attrgetter("bound"))
        found[control.name] = replace(best, caught=known.caught or control.caught)
    return list(found.values())
