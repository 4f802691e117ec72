"""The tables of docs/audit.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from pathlib import Path

from tacit.audit import AuditReport, Finding
from tacit.audit.every_case import Replayable
from tacit.audit.findings import REACHED, ReleaseLoss
from tacit.audit.verdict import release_words

Found = Sequence[tuple[Replayable, Finding]]

BEGIN, END = "<!-- audits: made by python -m benchmarks.audits -->", "<!-- audits: end -->"


def rewritten(text: str, report: AuditReport, found: Found) -> str:
    """Return the page with its tables in place of those between the marks.

    Examples
    --------
    >>> rewritten(f"a {BEGIN} old {END} b", AuditReport(()), []).partition(END)[2]
    ' b'
    """
    before, mark, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise ValueError(f"Expected the marks {BEGIN!r} and {END!r}, got a text without. Put them where tables belong.")
    return "\n".join([before + BEGIN, "", *_tables(report, found), "", END + after])


def write(page: Path, report: AuditReport, found: Found) -> None:
    """Put the tables into the page."""
    page.write_text(rewritten(page.read_text(encoding="utf-8"), report, found), encoding="utf-8", newline="\n")


def _tables(report: AuditReport, found: Found) -> Iterator[str]:
    days = sorted({finding.made[:10] for finding in report.findings})
    versions = {name: version for finding in report.findings for name, version in finding.versions.items()}
    made = ", ".join(f"{name} {version}" for name, version in versions.items())
    pairs = sum(finding.tried for finding in report.findings)
    yield f"{len(found)} audits, {pairs:,} pairs of neighbors, {' to '.join(days)}; {made}."
    yield ""
    yield "| learner | claimed | reached | half the noise | pairs | refuted | not refuted | too weak to say |"
    yield "|---|---|---|---|---|---|---|---|"
    for name in dict.fromkeys(_named(one) for one, _ in found):
        yield _line(name, [finding for one, finding in found if _named(one) == name])
    yield ""
    yield from _below(found)


def _named(one: Replayable) -> str:
    return one.name.replace(f", {one.case}", "")


def _line(name: str, findings: Sequence[Finding]) -> str:
    """Return a row: the case in which most was reached, and how many cases had which verdict."""
    verdicts = [finding.verdict for finding in findings]
    best = max(findings, key=lambda finding: finding.bound)
    half = max((finding.half_noise or 0.0 for finding in findings), default=0.0)
    cells = (
        name,
        f"{best.claim.epsilon:.2f}",
        f"{best.bound:.2f}",
        f"{half:.2f}",
        f"{sum(finding.tried for finding in findings):,}",
        *(str(verdicts.count(verdict)) for verdict in ("refuted", "not refuted", "too weak to say")),
    )
    return f"| {' | '.join(cells)} |"


def _below(found: Found) -> Iterator[str]:
    """List releases that stay below in every case, each with the most that any case reached."""
    best: dict[tuple[str, str, str], ReleaseLoss] = {}
    for one, finding in found:
        for release in finding.releases:
            key = _named(one), release.query, release.mechanism
            best[key] = max(best.get(key, release), release, key=attrgetter("reached"))
    low = [(name, release) for (name, _, _), release in best.items() if release.reached < REACHED]
    if not low:
        yield f"Every release reached {REACHED:g} of its share in some case."
        return
    yield f"Of {len(best)} releases, these reached {REACHED:g} of their share in no case:"
    yield ""
    yield "| learner | release | mechanism | reached | why |"
    yield "|---|---|---|---|---|"
    for name, release in low:
        yield f"| {name} | {release.query} | {release.mechanism} | {release.reached:.2f} | {release_words(release)} |"
