"""`python -m reproductions audits`: audits other libraries, and writes the findings and the page about them."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Annotated

import typer

from reproductions.audits.cases import CASES, Case
from reproductions.audits.external_runs import ExternalRuns, ServedRuns
from reproductions.audits.page import page
from tacit.audit import AuditReport, Effort, Finding, RunStore
from tacit.audit.objects import audit_samplers

FINDINGS = Path(__file__).parent / "findings.json"
"""What was found last, with versions and dates."""

PAGE = Path(__file__).parents[2] / "docs" / "audit-others.md"


def audits(
    only: Annotated[str, typer.Option(help="Audit those whose name has this text, and keep the other findings.")] = "",
    minutes: Annotated[float, typer.Option(help="Of each audit.")] = 2.0,
    store: Annotated[str, typer.Option(help="A file of finished runs, to go on after an interruption.")] = ":memory:",
    write_page: Annotated[bool, typer.Option("--page-only", help="Write the page from the findings kept.")] = False,
) -> None:
    """Audit other libraries by sampling, in environments of their own: `external install` makes them."""
    kept = {each.subject: each for each in _read().findings}
    with RunStore(store) as runs:
        for case in () if write_page else CASES:
            if only in case.name:
                found = audit_case(case, Effort(minutes=minutes, most=MAX_RUNS), runs)
                kept[found.subject] = found
                typer.echo(f"{case.name}: at least {found.bound:.2f} at {case.claim.epsilon:g}: {found.verdict}")
                _write(kept)
    _write(kept)


MAX_RUNS = 44_000
"""Runs a side."""


def audit_case(case: Case, effort: Effort, store: RunStore) -> Finding:
    """Return what sampling finds about a case; the subject names the library's version."""
    with ServedRuns(case.environment) as served:
        claimed, halved = ExternalRuns(case, served), ExternalRuns(case, served, factor=2.0)
        found = audit_samplers(
            [claimed], [halved], case.claim, subject=case.name, effort=effort, store=store, stop_above=inf
        )
        package = "diffprivlib" if case.environment == "diffprivlib" else "interpret-core"
        return replace(found, versions={**found.versions, package: served.version})


def _read() -> AuditReport:
    return AuditReport.from_json(FINDINGS.read_text()) if FINDINGS.exists() else AuditReport(())


def _write(kept: dict[str, Finding]) -> None:
    report = AuditReport(tuple(kept[case.name] for case in CASES if case.name in kept))
    FINDINGS.write_text(report.to_json() + "\n")
    PAGE.write_text(page(report))
