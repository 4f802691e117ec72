"""`tacit audit`: how it runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tacit.cli.audit_options import AuditOptions
from tacit.cli.console import Terminal, emit, error_line, time_left
from tacit.cli.ledger_commands import without_ledger
from tacit.cli.options import command_of
from tacit.errors import ParameterError

if TYPE_CHECKING:
    from tacit.audit import Auditor, AuditReport, Claim, Finding
    from tacit.cli.audit_folder import AuditFolder

REFUTED = 1
"""Exit code."""

_MINUTES = 1.0


@command_of(AuditOptions)
def audit(options: AuditOptions) -> None:
    """Try to refute a guarantee, and say what would have been seen. Exit code 1 if it is refuted."""
    terminal = Terminal(options.quiet)
    options.check()
    without_ledger()
    if options.membership is not None:
        from tacit.cli.audit_membership import audit_membership

        audit_membership(options, terminal)
        return
    with terminal.busy("Starting"):
        run = _prepared(options)
        from tacit.cli.audit_folder import AuditFolder

        folder = AuditFolder.checked(options.out, options.arguments()) if options.out else None
    try:
        report = run(folder, terminal)
    except KeyboardInterrupt:
        if folder:
            terminal.note("What is done is kept: the same command goes on from there.")
        raise
    _leave(report, folder, terminal, options.as_json)


Run = Callable[["AuditFolder | None", Terminal], "AuditReport"]


def _prepared(options: AuditOptions) -> Run:
    """Return the audit, with everything refused that can be refused before it begins."""
    if options.model is not None:
        return _of_file(options.model)
    return _of_object(options) if options.object is not None else _of_learner(options)


def _of_file(path: Path) -> Run:
    from tacit.audit import AuditReport, audit_certificate, read_certificate

    certified = read_certificate(path)

    def run(folder: AuditFolder | None, terminal: Terminal) -> AuditReport:
        report = AuditReport((audit_certificate(certified),))
        if folder:
            folder.keep(report.findings)
        return report

    return run


def _of_learner(options: AuditOptions) -> Run:
    from tacit.audit import Claim
    from tacit.cli.settings import learner_class, read_settings, regressor_class
    from tacit.privacy import Budget
    from tacit.schema import Schema

    assert options.learner is not None and options.schema is not None and options.epsilon is not None
    schema = Schema.from_toml(options.schema)
    cls: Any = (regressor_class if schema.target else learner_class)(options.learner)
    if schema.target and options.sampling:
        raise ParameterError("Expected no --sampling for a number to predict, got it. Leave it out: fits are replayed.")
    # Neighbors hold odd cells, and a failed fit is no private output.
    own = read_settings(cls, options.settings or ()) | {"on_invalid": "coerce"}
    budget = Budget(options.epsilon, options.delta or 0.0)
    auditor = _auditor(options, Claim(budget.epsilon, budget.delta), schema)
    subject = ", ".join([options.learner, *(options.settings or ())])

    def make() -> Any:
        return cls(schema, epsilon=budget.epsilon, delta=budget.delta, **own)

    def run(folder: AuditFolder | None, terminal: Terminal) -> AuditReport:
        if options.sampling:
            return _sampled_learner(options.learner, auditor, own, folder, terminal)
        with terminal.between("Replaying") as say:

            def keep(parts: Sequence[Finding]) -> None:
                if folder:
                    folder.keep(parts)
                left = 60 * auditor.minutes - sum(part.seconds for part in parts)
                pairs = sum(part.tried for part in parts if part.method == "replay")
                say(f"{pairs:,} pairs, {time_left(left)}")

            auditor.refute(make, subject=subject, done=folder.parts() if folder else (), keep=keep)
        return auditor.report

    return run


def _of_object(options: AuditOptions) -> Run:
    from tacit.audit import load_maker
    from tacit.schema import Schema

    assert options.object is not None and options.claim is not None
    # The console script's own folder is there in place of this one.
    sys.path.insert(0, "")
    make = load_maker(options.object)
    claim = _claim(options.claim, options.relation or "replace-one")
    auditor = _auditor(options, claim, Schema.from_toml(options.schema) if options.schema else None)
    return lambda folder, terminal: _sampled(
        lambda **how: auditor.sample(make, subject=str(options.object), **how), folder, terminal
    )


def _auditor(options: AuditOptions, claim: Claim, schema: Any) -> Auditor:
    from tacit.audit import Auditor

    return Auditor(claim, schema, options.seed or 0, _MINUTES if options.minutes is None else options.minutes)


def _claim(text: str, relation: Any) -> Claim:
    from tacit.audit import Claim
    from tacit.privacy import Budget

    pairs = dict(part.partition("=")[::2] for part in text.replace(" ", "").split(","))
    try:
        if not {"epsilon"} <= set(pairs) <= {"epsilon", "delta"}:
            raise ValueError
        numbers = {name: float(value) for name, value in pairs.items()}
    except ValueError:
        raise ParameterError(f"Expected epsilon=E or epsilon=E,delta=D, got claim={text!r}. Write it so.") from None
    budget = Budget(**numbers)
    return Claim(budget.epsilon, budget.delta, relation)


def _sampled_learner(
    learner: Any, auditor: Auditor, settings: Any, folder: AuditFolder | None, terminal: Terminal
) -> AuditReport:
    from tacit.audit import Effort, audit_learner

    effort = Effort(minutes=auditor.minutes, seed=auditor.seed)
    claim, schema = auditor.claim, auditor.schema

    def sample(**how: Any) -> Finding:
        return audit_learner(
            learner, epsilon=claim.epsilon, delta=claim.delta, schema=schema, settings=settings, effort=effort, **how
        )

    return _sampled(sample, folder, terminal)


def _sampled(sample: Callable[..., Finding], folder: AuditFolder | None, terminal: Terminal) -> AuditReport:
    from tacit.audit import AuditReport, Progress

    with closing(folder.runs()) if folder else nullcontext() as store, terminal.between("Sampling") as say:

        def follow(part: str, at: Progress) -> None:
            say(f"{part}: {at.runs:,} runs, epsilon at least {at.bound:.3g}")

        report = AuditReport((sample(store=store, progress=follow),))
    if folder:
        folder.keep(report.findings)
    return report


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
