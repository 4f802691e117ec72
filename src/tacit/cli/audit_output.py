"""What `tacit audit` says."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.audit import AuditReport, Finding
from tacit.audit.findings import REACHED
from tacit.audit.verdict import MEANING, claim_words, reached_words, reasons, release_words, verdict_words
from tacit.cli.audit_folder import AuditFolder
from tacit.cli.console import quoted

_MAX_LINES = 12
"""Of one list; the page holds all."""


def words(report: AuditReport, folder: AuditFolder | None, written: list[str]) -> Iterator[str]:
    """Return what goes to stdout, in order."""
    for finding in report.findings:
        yield from _finding(finding)
        yield ""
    yield MEANING
    if folder:
        yield f"Wrote {', '.join(written)} in {folder.given}."
        yield f"Next: open {quoted(folder.given / 'audit.html')} in a browser."


def _finding(finding: Finding) -> Iterator[str]:
    said = verdict_words(finding)
    yield f"{finding.subject}: {said[0].upper() + said[1:]}."
    yield f"  claimed         {claim_words(finding)}"
    yield f"  reached         {reached_words(finding)}"
    half = "not tried" if finding.half_noise is None else f"would have shown epsilon {finding.half_noise:.4g}"
    yield f"  half the noise  {half}"
    if finding.certificate:
        yield f"  certificate     SHA-256 {finding.certificate}"
    if finding.verdict == "refuted":
        yield from _listed("What refutes the claim:", reasons(finding))
    yield from _releases(finding)
    yield from _listed("What this audit does not see:", finding.not_seen)


def _releases(finding: Finding) -> Iterator[str]:
    low = [each for each in finding.releases if each.reached < REACHED]
    if finding.releases:
        reached = f"{len(finding.releases) - len(low)} of {len(finding.releases)}"
        yield f"{reached} releases reached {REACHED:g} of their share."
    lines = [f"{each.query} ({each.mechanism}): {each.reached:.3f} of its share; {release_words(each)}" for each in low]
    yield from _listed("Below:", lines)


def _listed(title: str, lines: list[str] | tuple[str, ...]) -> Iterator[str]:
    if lines:
        yield title
        yield from (f"  - {line}" for line in lines[:_MAX_LINES])
    if len(lines) > _MAX_LINES:
        yield f"  and {len(lines) - _MAX_LINES} more."
