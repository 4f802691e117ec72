"""`tacit rados make` and `tacit rados fit`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tacit.cli.charges import proposing_check, writing_paid
from tacit.cli.console import (
    Delta,
    ModelFile,
    NoiseSeed,
    OnInvalid,
    OutputAnswerOptions,
    SchemaFile,
    Terminal,
    checked_output,
    emit_json,
    quoted,
)
from tacit.cli.file_options import JoinedOptions
from tacit.cli.ledger_commands import LedgerOption
from tacit.cli.options import command_of, group_of_commands
from tacit.cli.schema_files import refuse_guesses
from tacit.errors import PrivacyError

rados_app = group_of_commands("Make Rademacher observations of a table, or learn from them.")


Protection = Literal["private", "edges", "marginal", "none"]
Allow = Literal["none", "marginal", "simulated", "void"]
"""What a file may lack."""

AllowOption = Annotated[Allow | None, typer.Option("--allow", help="Write a file although this is all that protects.")]


@dataclass(frozen=True)
class MakeOptions(JoinedOptions, OutputAnswerOptions):
    """The options of `tacit rados make`."""

    schema: SchemaFile
    out: Annotated[Path, typer.Option("--out", "-o", help="Parquet file to write.", show_default=False)]
    epsilon: Annotated[float | None, typer.Option("--epsilon", "-e", help="Privacy to spend; means private.")] = None
    delta: Delta = 0.0
    protection: Annotated[Protection | None, typer.Option("--protection", help="What protects the rados.")] = None
    column: Annotated[
        list[str] | None, typer.Option("--protected-column", help="With marginal: a column; may be repeated.")
    ] = None
    count: Annotated[int, typer.Option("--count", min=1, help="Number of rados.")] = 1000
    on_invalid: OnInvalid = "raise"
    ledger: LedgerOption = None
    seed: NoiseSeed = None
    allow: AllowOption = None


@rados_app.command()
@command_of(MakeOptions)
def make(options: MakeOptions) -> None:
    """Turn a table of two classes into rados, to hand over instead of rows. Each call spends privacy of its own."""
    from tacit.estimators.rados import charging_rados, make_rados
    from tacit.schema import Schema
    from tacit.table import check_source
    from tacit.table.files import read_with_labels

    terminal = Terminal(options.quiet)
    target = checked_output(options.out, options.table, options.schema, force=options.force)
    known = Schema.from_toml(options.schema)
    refuse_guesses(known, options.schema)
    _check_allowed(options.protection, options.seed, options.allow)
    asked: dict[str, Any] = {
        "epsilon": options.epsilon,
        "delta": options.delta,
        "protection": options.protection,
        "protected_column": tuple(options.column) if options.column else None,
        "count": options.count,
        "ledger": options.ledger,
        "random_state": options.seed,
    }
    with proposing_check(options.schema, options.table) as payments, charging_rados(known, **asked) as payment:
        payments.append(payment)
        source = options.source(known)
        if payment:
            payment.reading(check_source(source, known))
        with terminal.busy("Reading the table"):
            frame, labels = read_with_labels(source, known, options.on_invalid)
        with terminal.noting(), terminal.busy("Making rados"):
            made = make_rados(frame, labels, known, **asked, on_invalid=options.on_invalid)
    with writing_paid(made.description.guarantee):
        made.write(target, allow=options.allow)
    if options.as_json:
        emit_json({"rados": str(options.out), "count": options.count, "protection": made.description.protection})
        return
    said = (f"Wrote {options.out}: {options.count} rados.", str(made), f"Next: tacit rados fit {quoted(options.out)}")
    terminal.say("\n\n".join(said))


@dataclass(frozen=True)
class FitOptions(OutputAnswerOptions):
    """The options of `tacit rados fit`."""

    rados: Annotated[Path, typer.Argument(help="A file that `tacit rados make` wrote.", show_default=False)]
    out: ModelFile
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Rounds of boosting.")] = 1000
    weak_learner: Annotated[
        Literal["strongest", "capped", "median"], typer.Option("--weak-learner", help="Which feature a round takes.")
    ] = "strongest"
    kappa: Annotated[float, typer.Option("--kappa", help="2 is the paper's; more makes smaller steps.")] = 2.0
    rule: Annotated[
        Literal["boosted", "linear"], typer.Option("--rule", help="Boosting, or the best rule for normal rados.")
    ] = "boosted"
    allow: AllowOption = None


@rados_app.command()
@command_of(FitOptions)
def fit(options: FitOptions) -> None:
    """Learn from rados alone, and write the model; spends nothing."""
    from tacit.estimators.rados import learn_from_rados
    from tacit.models import write_model
    from tacit.models.rado_set import lacking, read_rados

    terminal, out = Terminal(options.quiet), options.out
    target = checked_output(out, options.rados, force=options.force)
    with terminal.noting():
        opened = read_rados(options.rados)
    lacks = lacking(opened.description)
    if lacks is not None and options.allow != lacks:
        raise PrivacyError(
            f"Expected rados whose model may be published, got ones that are {lacks!r}. "
            f"Make new ones with an epsilon, or add --allow {lacks}."
        )
    with terminal.busy("Learning"):
        how: dict[str, Any] = {"rounds": options.rounds, "weak_learner": options.weak_learner}
        model = learn_from_rados(opened, kappa=options.kappa, rule=options.rule, **how)
    status = model.guarantee.status
    write_model(model, target, allow=status if status in ("simulated", "void") else None)
    if options.as_json:
        emit_json({"model": str(out), "protection": opened.description.protection, "status": status})
        return
    terminal.say(f"Wrote {out} (radoboost from {len(opened.rados)} rados, protection {opened.description.protection}).")
    terminal.say(f"Next: tacit inspect {quoted(out)}")


def _check_allowed(protection: Protection | None, seed: int | None, allow: Allow | None) -> None:
    """Refuse before anything is read what could not be written."""
    unprotected = protection in ("none", "marginal")
    if unprotected and allow != protection:
        raise PrivacyError(
            f"Expected --allow {protection} with --protection {protection}, which is no differential "
            "privacy. Add it, or pass --epsilon alone for private rados."
        )
    if seed is not None and not unprotected and allow != "simulated":
        raise PrivacyError("Expected --allow simulated with --seed: noise that can be repeated gives no privacy.")
