"""Where an audit leaves its files: the page, JSON, JUnit's XML, and the parts that are done."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.audit import AuditReport, Finding
from tacit.audit.runs import RunStore
from tacit.audit.verdict import junit
from tacit.cli.console import checked_output
from tacit.errors import ModelFileError, ParameterError
from tacit.saving import write_atomically

RESULTS = ("audit.html", "audit.json", "junit.xml")
N_BINS, RUNS = "parts.json", "runs.sqlite"
_FORMAT = "tacit-audit"

# Files that sqlite makes while it writes, and parts of files that a killed process did not finish.
_BESIDE = re.compile(rf"{re.escape(RUNS)}-(journal|wal|shm)|\.[a-z]+\.(html|json|xml)\..*\.part")


@dataclass(frozen=True)
class AuditFolder:
    """A folder that holds one audit and nothing else.

    Parameters
    ----------
    path : Path
        Links followed.
    given : Path
        As it was named.
    arguments : dict
        What is audited and how; the same ones go on where an earlier run stopped.
    results : tuple of str
        The files that an audit of this kind leaves.
    """

    path: Path
    given: Path
    arguments: Mapping[str, Any]
    results: tuple[str, ...] = RESULTS

    @classmethod
    def checked(cls, path: Path, arguments: Mapping[str, Any], results: tuple[str, ...] = RESULTS) -> AuditFolder:
        """Return the folder, once it is sure that it can be made, or holds this very audit; writes nothing.

        Raises
        ------
        ParameterError
            If it is no folder, holds something else, or cannot be written to.
        """
        folder = cls(Path(os.path.realpath(path)), path, arguments, results)
        if not folder.path.exists():
            checked_output(folder.path, force=False)
            return folder
        if not folder.path.is_dir():
            raise ParameterError(f"Expected a folder for --out, got {str(path)!r}, which is none. Name a folder.")
        there = {each.name for each in folder.path.iterdir() if not _BESIDE.fullmatch(each.name)}
        own = (*results, N_BINS, RUNS)
        if there and (N_BINS not in there or there - set(own)):
            raise folder._refusal("which holds something else")
        for name in own:
            checked_output(folder.path / name, force=True)
        folder.parts()
        return folder

    def parts(self) -> tuple[Finding, ...]:
        """Return what an earlier run finished.

        Raises
        ------
        ParameterError
            If it was another audit's.
        """
        path = self.path / N_BINS
        if not path.exists():
            return ()
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            same = kept["format"] == _FORMAT and kept["arguments"] == json.loads(json.dumps(self.arguments))
            found = AuditReport.from_json(json.dumps(kept["report"])).findings if same else ()
        except (ValueError, KeyError, TypeError, RecursionError, ModelFileError):
            raise self._refusal("whose parts are damaged") from None
        if not same:
            raise self._refusal("which holds an audit with other arguments")
        return found

    def keep(self, parts: Sequence[Finding]) -> None:
        """Write what is done, whole; a later run goes on from there."""
        self.path.mkdir(exist_ok=True)
        report = json.loads(AuditReport(tuple(parts)).to_json())
        document = {"format": _FORMAT, "arguments": self.arguments, "report": report}
        write_atomically(self.path / N_BINS, json.dumps(document, indent=1) + "\n")

    def runs(self) -> RunStore:
        """Return the runs of a sampling audit, those of an earlier call among them."""
        self.keep(self.parts())  # the folder is this audit's from the first run on
        return RunStore(self.path / RUNS)

    def write(self, report: AuditReport) -> list[str]:
        """Write the results, and return the names of the files."""
        from tacit.report.page.audit_page import write_audit_page

        self.path.mkdir(exist_ok=True)
        subjects = ", ".join(finding.subject for finding in report.findings)
        write_atomically(self.path / "audit.json", report.to_json() + "\n")
        write_atomically(self.path / "junit.xml", junit(report))
        write_audit_page(report, self.path / "audit.html", title=f"Audit: {subjects}")
        return list(RESULTS)

    def _refusal(self, why: str) -> ParameterError:
        return ParameterError(
            f"Expected a new folder for --out, or one of this audit, got {str(self.given)!r}, {why}. Name another."
        )
