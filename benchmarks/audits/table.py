"""The tables of docs/audit.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from pathlib import Path

from benchmarks.audits.every_case import Replayable
from tacit.audit import Finding
from tacit.audit.findings import REACHED, ReleaseLoss
from tacit.audit.mutants import MUTANTS
from tacit.audit.verdict import release_words

Found = Sequence[tuple[Replayable, Finding]]

BEGIN, END = "<!-- audits: made by python -m benchmarks.audits -->", "<!-- audits: end -->"


def rewritten(text: str, found: Found, drawn: Sequence[Finding]) -> str:
    """Return the page with its tables in place of those between the marks.

    Examples
    --------
    >>> rewritten(f"a {BEGIN} old {END} b", [], []).partition(END)[2]
    ' b'
    """
    before, mark, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise ValueError(f"Expected the marks {BEGIN!r} and {END!r}, got a text without. Put them where tables belong.")
    return "\n".join([before + BEGIN, "", *_tables(found, drawn), "", END + after])


def write(page: Path, found: Found, drawn: Sequence[Finding]) -> None:
    """Put the tables into the page."""
    page.write_text(rewritten(page.read_text(encoding="utf-8"), found, drawn), encoding="utf-8", newline="\n")


def _tables(found: Found, drawn: Sequence[Finding]) -> Iterator[str]:
    findings = [finding for _, finding in found]
    days = sorted({finding.made[:10] for finding in (*findings, *drawn)})
    versions = {name: version for finding in findings for name, version in finding.versions.items()}
    made = ", ".join(f"{name} {version}" for name, version in versions.items())
    pairs = sum(finding.tried for finding in findings)
    yield f"{len(found)} audits, {pairs:,} pairs of neighbors, {' to '.join(days)}; {made}."
    yield ""
    yield "| learner | claimed | reached | half the noise | pairs | refuted | not refuted | too weak to say |"
    yield "|---|---|---|---|---|---|---|---|"
    for name in dict.fromkeys(_named(one) for one, _ in found):
        yield _line(name, [finding for one, finding in found if _named(one) == name])
    yield ""
    yield from _below(found)
    yield ""
    yield from _broken(findings)
    yield ""
    yield from _drawn(drawn)


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
            key = _named(one).replace(f", epsilon {one.claim.epsilon:g}", ""), release.query, release.mechanism
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


def _broken(findings: Sequence[Finding]) -> Iterator[str]:
    """List each release, and of how many audits those were that caught it with half the noise or sensitivity."""
    caught: dict[str, dict[str, list[bool]]] = {}
    for finding in findings:
        for control in finding.controls:
            mutant, _, release = control.name.partition(": ")
            if release and mutant in MUTANTS:
                caught.setdefault(release, {}).setdefault(mutant, []).append(control.caught)
    yield "Each release broken alone, on the tables where it loses most: caught by replay in so many of its audits."
    yield ""
    yield f"| release, mechanism | {' | '.join(MUTANTS)} |"
    yield f"|---|{'---|' * len(MUTANTS)}"
    for release, by_mutant in sorted(caught.items()):
        audits = [by_mutant.get(mutant, []) for mutant in MUTANTS]
        cells = [f"{sum(each)} of {len(each)}" for each in audits]
        yield f"| {release} | {' | '.join(cells)} |"


def _drawn(drawn: Sequence[Finding]) -> Iterator[str]:
    """List what was redrawn, each release with how steep its draws' log ratios are shown to be."""
    yield "Mechanisms drawn many times on two tables: how steep their draws' log ratios are at least, at 95 %"
    yield "confidence, where one is what is stated, and whether half the noise was seen in as much time."
    yield ""
    yield "| mechanism | release | learner | share | draws | steepness | half the noise |"
    yield "|---|---|---|---|---|---|---|"
    for finding in drawn:
        for release, control in zip(finding.releases, finding.controls, strict=True):
            seen = "refuted" if control.caught else f"too weak to say ({control.bound / finding.claim.epsilon:.2f})"
            share = f"{release.currency} {release.share:.3g}"
            learner = finding.subject.partition(", everything private")[0]
            cells = (
                release.mechanism,
                release.query,
                learner,
                share,
                f"{release.pairs:,}",
                f"{release.reached:.2f}",
                seen,
            )
            yield f"| {' | '.join(cells)} |"
