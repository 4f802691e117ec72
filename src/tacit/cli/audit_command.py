"""`tacit audit`: its options, checked as far as they contradict each other, and how it runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.console import Debug, Json, Quiet, Terminal, emit, error_line
from tacit.errors import ParameterError

if TYPE_CHECKING:
    from tacit.audit import AuditReport
    from tacit.cli.audit_folder import AuditFolder

REFUTED = 1
"""Exit code."""


@dataclass(frozen=True)
class AuditOptions:
    """The options of `tacit audit` as they were given; None where one was left out."""

    model: Path | None = None
    out: Path | None = None

    def check(self) -> None:
        """Refuse options that do not go together.

        Raises
        ------
        ParameterError
            With the first thing that is wrong.
        """
        if self.model is None:
            raise ParameterError("Expected a model, --learner or --object, got none. Say what to audit.")

    def arguments(self) -> dict[str, Any]:
        """Return what makes an audit the same as an earlier one in the same folder."""
        return {"model": str(self.model)}


def audit(
    model: Annotated[
        Path | None, typer.Argument(help="A file that `tacit fit` or `tacit rados make` wrote.", show_default=False)
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder of the page, JSON and JUnit's XML.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Try to refute a guarantee, and say what would have been seen. Exit code 1 if it is refuted."""
    terminal = Terminal(quiet)
    options = AuditOptions(model, out)
    options.check()
    with terminal.busy("Starting"):
        from tacit.cli.audit_folder import AuditFolder

        folder = AuditFolder.checked(out, options.arguments()) if out else None
    report = _of_file(options, terminal)
    if folder:
        folder.keep(report.findings)
    _leave(report, folder, terminal, as_json)


def _of_file(options: AuditOptions, terminal: Terminal) -> AuditReport:
    from tacit.audit import AuditReport, audit_certificate, read_certificate

    assert options.model is not None
    with terminal.busy("Reading the certificate"):
        return AuditReport((audit_certificate(read_certificate(options.model)),))


def _leave(report: AuditReport, folder: AuditFolder | None, terminal: Terminal, as_json: bool) -> None:
    from tacit.cli.audit_output import words

    written = folder.write(report) if folder else []
    if as_json:
        emit(report.to_json() + "\n")
    else:
        terminal.say(*words(report, folder, written))
    if report.refuted:
        refuted = [finding.subject for finding in report.findings if finding.verdict == "refuted"]
        error_line(f"refuted: {', '.join(refuted)}.")
        raise typer.Exit(REFUTED)
