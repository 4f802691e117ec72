"""Audit every learner in every case, and write docs/audit.md: python -m benchmarks.audits [--minutes M] [--out FOLDER].

A page, JSON and JUnit's XML go to the folder. What is done is kept there: the same command goes on where it stopped.
The exit code is 1 if a claim is refuted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.audits.cases import audited, cases
from benchmarks.audits.redrawn import by_mechanism, redrawn, subject
from benchmarks.audits.table import write
from tacit.audit import AuditReport, Finding
from tacit.cli.audit_folder import AuditFolder

PAGE = Path(__file__).parents[2] / "docs" / "audit.md"


def main(arguments: list[str] | None = None) -> int:
    """Return 1 if a claim was refuted, else 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.audits", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="of each audit, 1 by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--learners", help="names, with commas; all by default, and only then is the page written")
    parser.add_argument("--out", type=Path, default=Path("tacit-audit"), help="tacit-audit by default")
    given = parser.parse_args(arguments)
    chosen = set(given.learners.split(",")) if given.learners else None
    folder = AuditFolder.checked(given.out, {"benchmark": "audits", "seed": given.seed})
    found = []
    for one in cases(chosen):
        done = [part for part in folder.parts() if part.subject == one.name]
        finding = audited(one, given.minutes, given.seed, done, partial(_keep, folder))
        found.append((one, finding))
        print(f"{one.name}: {finding.verdict}, reached {finding.bound:.3g}", file=sys.stderr, flush=True)
    drawn = []
    for release, one in by_mechanism(chosen):
        done = [part for part in folder.parts() if part.subject == subject(release, one)]
        drawn.append(done[0] if done else redrawn(release, one, given.minutes, given.seed))
        _keep(folder, drawn[-1:])
        print(f"{drawn[-1].subject}: {drawn[-1].verdict}", file=sys.stderr, flush=True)
    report = AuditReport((*(finding for _, finding in found), *drawn))
    folder.write(report)
    if not chosen:
        write(PAGE, found, drawn)
    return int(report.refuted)


def _keep(folder: AuditFolder, parts: Sequence[Finding]) -> None:
    others = [part for part in folder.parts() if part.subject != parts[0].subject]
    folder.keep([*others, *parts])


if __name__ == "__main__":
    sys.exit(main())
