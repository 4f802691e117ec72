"""The page of an audit: one file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from tacit.audit import AuditReport, Finding
from tacit.audit.findings import REACHED
from tacit.audit.verdict import MEANING, claim_words, reached_words, reasons, release_words, verdict_words
from tacit.report import audit_figures
from tacit.report.layout import ON_DARK, Figure
from tacit.report.page.document import CHARTS, document, escaped, filled, html_list, html_table, made, resource
from tacit.saving import write_atomically

_NOTHING = "\N{EN DASH}"
_LOOK = {"refuted": "refuted", "not refuted": "held", "too weak to say": "weak"}


def write_audit_page(report: AuditReport, path: str | os.PathLike[str], *, title: str = "Audit") -> None:
    """Write the page of an audit: one file that opens without a network and requests nothing.

    Parameters
    ----------
    report : AuditReport
    path : str or path
        A page that is there is replaced, at once and whole.
    title : str
    """
    write_atomically(Path(path), audit_page(report, title=title))


def audit_page(report: AuditReport, *, title: str = "Audit") -> str:
    """Return the page of an audit, as HTML; see `write_audit_page`."""
    findings = report.findings
    body = filled(
        "audit.html",
        title=escaped(title),
        facts=escaped(_facts(findings)),
        meaning=escaped(MEANING),
        summary=_summary(findings) if len(findings) > 1 else "",
        findings="\n".join(_section(at, finding) for at, finding in enumerate(findings)),
        made=escaped(made()),
    )
    scripts = [resource(CHARTS), "\n".join(resource(name) for name in ("drawing.js", "audit.js"))]
    figures = dict(pair for at, finding in enumerate(findings) for pair in _figures(at, finding))
    return document(title=title, body=body, scripts=scripts, data={"figures": figures, "dark": ON_DARK})


def _facts(findings: Iterable[Finding]) -> str:
    verdicts = [finding.verdict for finding in findings]
    counted = [f"{verdicts.count(verdict)} {verdict}" for verdict in _LOOK if verdict in verdicts]
    days = sorted({finding.made[:10] for finding in findings if finding.made})
    return " · ".join([*counted, *days])


def _summary(findings: Iterable[Finding]) -> str:
    headings = ("audited", "claimed", "reached", "half the noise", "tried", "verdict")
    lines = [
        (each.subject, f"{each.claim.epsilon:g}", _number(each.bound), _number(each.half_noise), f"{each.tried:,}",
         each.verdict)
        for each in findings
    ]  # fmt: skip
    return _titled("summary", "All audits", _table("Epsilon claimed and epsilon found", headings, lines, ("verdict",)))


def _section(at: int, finding: Finding) -> str:
    words = verdict_words(finding)
    parts = [
        f'<p class="verdict {_LOOK[finding.verdict]}">{escaped(words[0].upper() + words[1:])}.</p>',
        html_list(_entries(finding)),
        _chart(f"bounds-{at}", "Epsilon found by this audit and by its controls, and the claim"),
        *_refuted(finding),
        *_releases(at, finding),
        *_controls(finding),
        "<h3>What this audit does not see</h3>",
        _list(finding.not_seen or ("Nothing is named.",)),
    ]
    return _titled(f"finding-{at}", finding.subject, "\n".join(parts))


def _entries(finding: Finding) -> Iterator[tuple[str, str]]:
    yield "Claimed", claim_words(finding)
    yield "Reached", reached_words(finding)
    half = "not tried" if finding.half_noise is None else f"would have shown epsilon {_number(finding.half_noise)}"
    yield "Half the noise", half
    if finding.certificate:
        yield "Certificate", f"SHA-256 {finding.certificate}"
    yield "Method", f"{finding.method}, seed {finding.seed}, {finding.seconds:.3g} seconds"
    if finding.versions:
        yield "Versions", ", ".join(f"{name} {version}" for name, version in finding.versions.items())
    if finding.made:
        yield "Made", finding.made


def _refuted(finding: Finding) -> Iterator[str]:
    if finding.verdict == "refuted":
        yield "<h3>What refutes the claim</h3>"
        yield _list(reasons(finding))


def _releases(at: int, finding: Finding) -> Iterator[str]:
    if not finding.releases:
        return
    yield "<h3>Releases: largest loss over share</h3>"
    many = len(finding.releases) > audit_figures.MAX_BARS
    few = f" Shown are {audit_figures.MAX_BARS} of {len(finding.releases)}; the table holds all." if many else ""
    note = f"Each release may lose its share (full line); a strong search reaches {REACHED:g} of it (dotted line).{few}"
    yield _chart(f"shares-{at}", "Largest loss of each release over its share", note)
    headings = ("release", "mechanism", "share", "largest loss", "loss over share", "pairs", "what is said of it")
    lines = [
        (each.query, each.mechanism, f"{each.share:.4g} {each.currency}", f"{each.largest:.4g}", f"{each.reached:.3f}",
         f"{each.pairs:,}" if each.pairs else _NOTHING, release_words(each))
        for each in finding.releases
    ]  # fmt: skip
    yield _table("All releases", headings, lines, ("mechanism", "what is said of it"))


def _controls(finding: Finding) -> Iterator[str]:
    if finding.controls:
        yield "<h3>Controls: the same audit of what is known</h3>"
        lines = [
            (each.name, "broken" if each.broken else "exact", _number(each.bound), "yes" if each.caught else "no")
            for each in finding.controls
        ]
        headings = ("control", "known to be", "epsilon found", "refuted")
        yield _table("Broken ones should be refuted, exact ones not", headings, lines, ("known to be", "refuted"))


def _figures(at: int, finding: Finding) -> Iterator[tuple[str, Figure]]:
    yield f"bounds-{at}", audit_figures.bounds(finding)
    if finding.releases:
        yield f"shares-{at}", audit_figures.shares(finding.releases)


def _titled(name: str, title: str, body: str) -> str:
    heading = f'<h2 id="{name}-title">{escaped(title)}</h2>'
    return f'<section id="{name}" aria-labelledby="{name}-title">\n{heading}\n{body}\n</section>'


def _chart(name: str, label: str, note: str = "") -> str:
    said = f"<figcaption>{escaped(note)}</figcaption>" if note else ""
    chart = (
        f'<div class="chart" id="{name}" role="img" aria-label="{escaped(label)}. The tables hold its numbers."></div>'
    )
    return f"<figure>{chart}{said}</figure>"


def _table(caption: str, headings: tuple[str, ...], lines: Iterable[tuple[str, ...]], texts: tuple[str, ...]) -> str:
    inner = html_table(caption, headings, lines, texts=texts)
    return f'<div class="scroll" role="region" aria-label="{escaped(caption)}" tabindex="0">{inner}</div>'


def _list(texts: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escaped(text)}</li>' for text in texts)}</ul>"


def _number(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:.4g}"
