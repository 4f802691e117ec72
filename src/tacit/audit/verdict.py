"""A finding in words, and as JUnit's XML: what was refuted, what would have been seen or could not be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree as Xml

from tacit.audit.findings import REACHED, AuditReport, Finding, Relation, ReleaseLoss

MEANING = (
    "No audit shows that a guarantee holds. It is refuted, or it is not and the audit says what it would have seen, or "
    "the audit is too weak to say."
)
"""Printed on every page and in the documentation."""

_NEIGHBORS: dict[Relation, str] = {
    "replace-one": "one row replaced",
    "add-remove": "one row added or removed",
    "replace-person": "all rows of one person replaced",
}


def verdict_words(finding: Finding) -> str:
    """Return the verdict as one sentence without its full stop.

    Examples
    --------
    >>> from tacit.audit import Claim
    >>> verdict_words(Finding("tree", Claim(1.0), "replay", 0.98, 1.0, 10, 0, half_noise=1.96))
    'not refuted, this audit would have seen half the noise (epsilon 1.96)'
    """
    verdict = finding.verdict
    if verdict == "refuted":
        return f"refuted: {reasons(finding)[0]}"
    if verdict == "too weak to say":
        return f"too weak to say: {_weakness(finding)}"
    broken = [each.name for each in finding.controls if each.broken and each.name != "half the noise"]
    # Of one release each: their names go on with the release.
    alone = sum(": " in name for name in broken)
    others = [name for name in broken if ": " not in name] + (
        [f"{alone} release{'s' * (alone > 1)} broken alone"] if alone else []
    )
    seen = [f"half the noise (epsilon {finding.half_noise:.3g})", *others]
    return f"not refuted, this audit would have seen {', '.join(seen)}"


def reasons(finding: Finding) -> tuple[str, ...]:
    """Return everything that refutes the claim."""
    above = [each for each in finding.releases if each.is_violated]
    redrawn = finding.method == "sampling" and bool(above)
    return (
        *finding.differences,
        *(
            f"draws of {each.query} show at least {each.reached:.4g} of its share"
            if redrawn
            else f"{each.query} lost {each.reached:.4g} of its share"
            for each in above
        ),
        # Of releases that were redrawn, the bound only repeats what the worst of them lost.
        *([f"epsilon is at least {finding.bound:.4g}"] if finding.is_exceeded and not redrawn else []),
    )


def claim_words(finding: Finding) -> str:
    """Return what is claimed."""
    claim = finding.claim
    neighbors = _NEIGHBORS[claim.relation]
    return f"epsilon {claim.epsilon:g}" + (f", delta {claim.delta:g}" if claim.delta else "") + f", {neighbors}"


def reached_words(finding: Finding) -> str:
    """Return the bound, and how sure it is."""
    sure = "exact" if finding.confidence == 1 else f"at confidence {finding.confidence:g}"
    tried = {"replay": "pairs of neighbors replayed", "sampling": "runs", "certificate": "releases derived again"}
    return f"epsilon {finding.bound:.4g}, {sure}, from {finding.tried:,} {tried[finding.method]}"


def release_words(release: ReleaseLoss) -> str:
    """Return why a release stays below 0.9 of its share, that nothing explains it, or nothing where it does not."""
    if release.is_violated:
        return "more than its share"
    if release.reached >= REACHED:
        return release.reason
    return release.reason or "no reason proved: noise or search is weak here"


def _weakness(finding: Finding) -> str:
    return "; ".join(_weaknesses(finding))


def _weaknesses(finding: Finding) -> Iterator[str]:
    if finding.half_noise is None:
        yield "half the noise was not tried"
    elif finding.half_noise <= finding.claim.epsilon:
        yield f"half the noise reached no more than epsilon {finding.half_noise:.3g}"
    missed = [control.name for control in finding.controls if control.broken and not control.caught]
    if missed:
        yield f"it missed {', '.join(missed)}"


# XML 1.0 has no place for these, however they are escaped; subjects quote names of columns.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: AuditReport) -> str:
    """Return the XML: a refuted claim is a failure, and one that the audit is too weak for is skipped.

    Examples
    --------
    >>> from tacit.audit import Claim
    >>> print(junit(AuditReport((Finding("tree", Claim(1.0), "replay", 1.5, 1.0, 10, 0),)))[39:97])
    <testsuites tests="1" failures="1" skipped="0" time="0.0">
    """
    verdicts = [finding.verdict for finding in report.findings]
    counts = {
        "tests": str(len(verdicts)),
        "failures": str(verdicts.count("refuted")),
        "skipped": str(verdicts.count("too weak to say")),
        "time": str(sum(finding.seconds for finding in report.findings)),
    }
    root = Xml.Element("testsuites", counts)
    suite = Xml.SubElement(root, "testsuite", {"name": "tacit audit", "errors": "0", **counts})
    for finding in report.findings:
        suite.append(_case(finding))
    Xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _case(finding: Finding) -> Xml.Element:
    name = f"{finding.subject}: {claim_words(finding)}"
    attributes = {"classname": f"audit.{finding.method}", "name": _plain(name), "time": str(finding.seconds)}
    case = Xml.Element("testcase", attributes)
    words = _plain(verdict_words(finding))
    if finding.verdict == "refuted":
        Xml.SubElement(case, "failure", {"message": words}).text = _plain("\n".join(reasons(finding)))
    elif finding.verdict == "too weak to say":
        Xml.SubElement(case, "skipped", {"message": words})
    Xml.SubElement(case, "system-out").text = _plain(f"Reached {reached_words(finding)}; {words}.")
    return case


def _plain(text: str) -> str:
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
