"""`tacit audit --membership`: what attacks that output checkers know would find."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.cli.console import Terminal, checked_output, emit, quoted

if TYPE_CHECKING:
    from tacit.audit.membership import AttackPower, MembershipReport, Rate

RESULTS = ("membership.html", "membership.json")


def audit_membership(
    learner: str, settings: Sequence[str], schema_path: Path, epsilon: float, delta: float, n_fits: int, seed: int,
    out: Path | None, as_json: bool, terminal: Terminal,
) -> None:  # fmt: skip
    """Attack fits to made-up rows, and write what was found to a folder if one is named."""
    from tacit.audit import Claim
    from tacit.audit.membership import MembershipGame, membership_tests
    from tacit.cli.settings import learner_class, read_settings
    from tacit.privacy import Budget
    from tacit.schema import Schema

    cls: Any = learner_class(learner)
    budget, schema = Budget(epsilon, delta), Schema.from_toml(schema_path)
    own = read_settings(cls, settings) | {"on_invalid": "coerce"}
    targets = [checked_output(out / name, schema_path, force=False) for name in RESULTS] if out and out.exists() else []
    if out and not targets:
        checked_output(out, force=False)
    game = MembershipGame.made_up(schema, seed)
    with terminal.between("Fitting") as say:
        report = membership_tests(
            lambda at: cls(schema, epsilon=at, delta=budget.delta, **own),
            Claim(budget.epsilon, budget.delta),
            game,
            n_fits=n_fits,
            seed=seed,
            subject=", ".join([learner, *settings]),
            follow=lambda done: say(f"{done} of {2 * n_fits} fits"),
        )
    document = json.dumps(report.document(), indent=1) + "\n"
    if out:
        _write(report, document, out)
    if as_json:
        emit(document)
        return
    terminal.say(*_words(report))
    if out:
        terminal.say(f"Wrote {', '.join(RESULTS)} in {out}.", f"Next: open {quoted(out / RESULTS[0])} in a browser.")


def _write(report: MembershipReport, document: str, out: Path) -> None:
    from tacit.report import write_picture
    from tacit.report.audit_figures import membership
    from tacit.saving import write_atomically

    out.mkdir(exist_ok=True)
    write_atomically(out / RESULTS[1], document)
    said = " ".join((_subject(report), *_conclusion(report)))
    write_picture(membership(report), out / RESULTS[0], title=f"Membership tests: {report.subject}", caption=said)


def _subject(report: MembershipReport) -> str:
    delta = f", delta {report.claim.delta:g}" if report.claim.delta else ""
    return (
        f"{report.subject}, epsilon {report.claim.epsilon:g}{delta}: {report.n_targets} of {report.n_rows:,} "
        f"made-up rows attacked in {report.n_fits} fits."
    )


def _words(report: MembershipReport) -> Iterator[str]:
    from tacit.audit.membership import FALSE_ALARMS, allowed_auc

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


def _rate(rate: Rate, form: str) -> str:
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
