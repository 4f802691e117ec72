"""`tacit audit --membership`: what attacks that output checkers know would find."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING, Any

from tacit.cli.audit_folder import AuditFolder
from tacit.cli.console import Terminal, emit, quoted
from tacit.cli.ledger_commands import note_uncovered
from tacit.cli.settings import learner_class, read_settings

if TYPE_CHECKING:
    from tacit.audit.membership import AttackPower, MembershipReport
    from tacit.audit.membership_game import MembershipGame
    from tacit.cli.audit_options import AuditOptions
    from tacit.measures.intervals import Estimate
    from tacit.privacy import Budget
    from tacit.schema import Schema

RESULTS = ("membership.html", "membership.json")


def audit_membership(options: AuditOptions, terminal: Terminal) -> None:
    """Attack fits to made-up rows or to real ones, and write what was found to a folder if one is named."""
    from tacit.audit.membership import check_fits
    from tacit.privacy import Budget
    from tacit.schema import Schema

    assert options.schema and options.epsilon is not None and options.membership is not None
    with terminal.busy("Reading"):
        budget, schema = Budget(options.epsilon, options.delta or 0.0), Schema.from_toml(options.schema)
        make = _maker(options, schema, budget)
        check_fits(options.membership)
        game, identity = _game(options, schema)
        _rehearse(make, budget, game)
        folder = AuditFolder.checked(options.out, options.arguments() | identity, RESULTS) if options.out else None
    if game.real:
        note_uncovered(options.ledger, "membership tests", "membership tests")
    try:
        report = _report(options, make, budget, game, folder, terminal)
    except KeyboardInterrupt:
        if folder:
            terminal.note("Finished fits are kept: the same command goes on from there.")
        raise
    # So that the first line says what the report is.
    document = json.dumps(report.document(), indent=1).replace("{\n ", "{", 1) + "\n"
    if folder:
        _write(report, document, folder)
    if options.as_json:
        emit(document)
        return
    terminal.say(*_words(report))
    if folder:
        out = folder.given
        terminal.say(f"Wrote {', '.join(RESULTS)} in {out}.", f"Next: open {quoted(out / RESULTS[0])} in a browser.")


def _maker(options: AuditOptions, schema: Schema, budget: Budget) -> Callable[[float], Any]:
    """Return what makes an unfitted learner of an epsilon."""
    cls: Any = learner_class(str(options.learner))
    own = read_settings(cls, options.settings or ()) | {"on_invalid": "coerce"}
    return lambda epsilon: cls(schema, epsilon=epsilon, delta=budget.delta, **own)


def _rehearse(make: Callable[[float], Any], budget: Budget, game: MembershipGame) -> None:
    """Raise what a fit would raise, without a row, before anything is noted or written."""
    from tacit.estimators.recipe import recipe

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        recipe(make(budget.epsilon), game.n_rows)


def _game(options: AuditOptions, schema: Schema) -> tuple[MembershipGame, dict[str, Any]]:
    """Return the tables, and by what a later call knows the same file of rows."""
    from tacit.audit.membership_game import MembershipGame

    seed = options.seed or 0
    if options.rows is None:
        return MembershipGame.made_up(schema, seed), {}
    from tacit.report.evidence.apart import refuse_evidence
    from tacit.study.data import DataSpec, packaged_or_file, read_data

    if options.out:
        refuse_evidence(options.out)
    on_invalid = options.on_invalid or "raise"
    written = {"encoding": options.encoding, "sheet": options.sheet}
    inputs = packaged_or_file(DataSpec(options.rows, str(options.schema), on_invalid=on_invalid, **written))
    table = read_data(inputs)
    return MembershipGame.of_rows(table.frame, table.target, schema, seed, on_invalid=on_invalid), {"rows": inputs}


def _report(
    options: AuditOptions,
    make: Callable[[float], Any],
    budget: Budget,
    game: MembershipGame,
    folder: AuditFolder | None,
    terminal: Terminal,
) -> MembershipReport:
    from tacit.audit import Claim
    from tacit.audit.membership import membership_tests
    from tacit.study.run.progress import Progress

    n_fits = options.membership or 0
    with closing(folder.runs()) if folder else nullcontext() as store, terminal.following("Fitting") as say:

        def follow(done: int, seconds: float) -> None:
            say(Progress(done, 2 * n_fits, 0, seconds / done * (2 * n_fits - done)))

        return membership_tests(
            make,
            Claim(budget.epsilon, budget.delta),
            game,
            n_fits=n_fits,
            seed=options.seed or 0,
            subject=", ".join([str(options.learner), *(options.settings or ())]),
            store=store,
            follow=follow,
        )


def _write(report: MembershipReport, document: str, folder: AuditFolder) -> None:
    from tacit.audit.membership import NOT_PRIVATE
    from tacit.report import write_picture
    from tacit.report.audit_figures import membership
    from tacit.saving import write_atomically

    write_atomically(folder.path / RESULTS[1], document)
    said = " ".join((*((NOT_PRIVATE,) if report.real else ()), _subject(report), *_conclusion(report)))
    title = f"{'NOT PRIVATE. ' if report.real else ''}Membership tests: {report.subject}"
    write_picture(membership(report), folder.path / RESULTS[0], title=title, caption=said)


def _subject(report: MembershipReport) -> str:
    delta = f", delta {report.claim.delta:g}" if report.claim.delta else ""
    return (
        f"{report.subject}, epsilon {report.claim.epsilon:g}{delta}: {report.n_targets} of {report.n_rows:,} "
        f"{'real' if report.real else 'made-up'} rows attacked in {report.n_fits} fits."
    )


def _words(report: MembershipReport) -> Iterator[str]:
    from tacit.audit.membership import FALSE_ALARMS, NOT_PRIVATE, allowed_auc

    if report.real:
        yield NOT_PRIVATE
    few, many = (f"{each:.0%}" for each in FALSE_ALARMS)
    yield _subject(report)
    yield f"{'':24}{'AUC':>18}{f'found at {few}':>18}{f'found at {many}':>18}"
    for title, powers in (("with noise", report.private), ("without noise", report.exposed)):
        yield title
        yield from (_line(one) for one in powers)
    allowed = [f"{allowed_auc(report.claim):.2f}", *(f"{each:.1%}" for each in report.allowed)]
    yield f"{'at most, by the claim':24}" + "".join(f"{each:>18}" for each in allowed)
    yield f"Found at {few}: the share of members found while {few} of the others are called members."
    yield "In brackets: intervals of 95 % over fits and rows. An AUC of 0.5 is guessing."
    yield from _conclusion(report)


def _line(one: AttackPower) -> str:
    found = "".join(f"{_rate(each, '.1%'):>18}" for each in one.found)
    return f"  {one.attack:22}{_rate(one.auc, '.2f'):>18}{found}"


def _rate(rate: Estimate, form: str) -> str:
    low, high = (format(each, form).rstrip("%") for each in (rate.low, rate.high))
    return f"{format(rate.value, form)} ({low}-{high})"


def _conclusion(report: MembershipReport) -> Iterator[str]:
    """Yield what a reader is to take home."""
    best, exposed = (max(powers, key=lambda one: one.auc.value) for powers in (report.private, report.exposed))
    yield (
        f"Without noise the best attack finds {exposed.found[0].value:.0%} of the members at 1% false alarms; "
        f"with it, {best.found[0].value:.1%}. No attack may find more than {report.allowed[0]:.1%}."
    )
    if exposed.auc.low <= 0.5:
        yield "The attacks find nothing even without noise: they are too weak here to say anything."
    if report.exceeds:
        yield "A rate is above what the claim allows: look closer with --sampling, which bounds epsilon from below."
    yield "Attacks show leaks and never that there are none; the certificate holds for every attack."
