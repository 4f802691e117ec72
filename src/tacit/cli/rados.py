"""`tacit rados make` and `tacit rados fit`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tacit.cli.console import Debug, Json, Quiet, TablePath, Terminal, checked_output, emit_json, quoted
from tacit.cli.fit_command import OnInvalid
from tacit.errors import PrivacyError, SchemaError
from tacit.privacy.parameters import LARGEST_SEED

rados_app = typer.Typer(help="Make Rademacher observations of a table, or learn from them.")


class Protection(StrEnum):
    """What protects rados."""

    PRIVATE = "private"
    EDGES = "edges"
    MARGINAL = "marginal"
    NONE = "none"


class Allow(StrEnum):
    """What a file may lack."""

    NONE = "none"
    MARGINAL = "marginal"
    SIMULATED = "simulated"
    VOID = "void"


class WeakLearner(StrEnum):
    """Which feature a round of boosting takes."""

    STRONGEST = "strongest"
    CAPPED = "capped"
    MEDIAN = "median"


class Rule(StrEnum):
    """How coefficients come from rados."""

    BOOSTED = "boosted"
    LINEAR = "linear"


AllowOption = Annotated[Allow | None, typer.Option("--allow", help="Write a file although this is all that protects.")]


@rados_app.callback(invoke_without_command=True)
def start(ctx: typer.Context) -> None:
    """Make Rademacher observations of a table, or learn from them."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
        raise typer.Exit


@rados_app.command()
def make(
    table: TablePath,
    schema: Annotated[Path, typer.Option("--schema", "-s", help="The table's schema, TOML.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="Parquet file to write.", show_default=False)],
    epsilon: Annotated[float | None, typer.Option("--epsilon", "-e", help="Privacy to spend; means private.")] = None,
    delta: Annotated[float, typer.Option("--delta", help="Probability of more; 0, or far below 1/rows.")] = 0.0,
    protection: Annotated[Protection | None, typer.Option("--protection", help="What protects the rados.")] = None,
    column: Annotated[
        list[str] | None, typer.Option("--protected-column", help="With marginal: a column; may be repeated.")
    ] = None,
    count: Annotated[int, typer.Option("--count", min=1, help="Number of rados.")] = 1000,
    on_invalid: Annotated[OnInvalid, typer.Option("--on-invalid", help="Cells that the schema does not admit.")] = (
        OnInvalid.RAISE
    ),
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, max=LARGEST_SEED, help="Simulate the noise. Gives no privacy.")
    ] = None,
    allow: AllowOption = None,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Turn a table of two classes into rados, to hand over instead of rows. Each call spends privacy of its own."""
    from tacit.estimators.rados import make_rados
    from tacit.schema import Schema
    from tacit.table.files import read_with_labels

    terminal = Terminal(quiet)
    target = checked_output(out, table, schema)
    known = Schema.from_toml(schema)
    if known.guessed:
        from tacit.cli.schema_commands import guesses_left

        raise SchemaError(f"Expected a schema without guesses, got {schema.name}: {guesses_left(known)}")
    _check_allowed(protection, seed, allow)
    with terminal.busy("Reading the table"):
        frame, labels = read_with_labels(table, known, on_invalid.value)
    with terminal.noting(), terminal.busy("Making rados"):
        made = make_rados(
            frame,
            labels,
            known,
            epsilon=epsilon,
            delta=delta,
            protection=protection.value if protection else None,
            protected_column=tuple(column) if column else None,
            count=count,
            on_invalid=on_invalid.value,
            random_state=seed,
        )
    made.write(target, allow=allow.value if allow else None)
    if as_json:
        emit_json({"rados": str(out), "count": count, "protection": made.description.protection})
        return
    terminal.say(f"Wrote {out}: {count} rados.", "", str(made), "", f"Next: tacit rados fit {quoted(out)}")


@rados_app.command()
def fit(
    rados: Annotated[Path, typer.Argument(help="A file that `tacit rados make` wrote.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="Model file to write.", show_default=False)],
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Rounds of boosting.")] = 1000,
    weak_learner: Annotated[WeakLearner, typer.Option("--weak-learner", help="Which feature a round takes.")] = (
        WeakLearner.STRONGEST
    ),
    kappa: Annotated[float, typer.Option("--kappa", help="2 is the paper's; more makes smaller steps.")] = 2.0,
    rule: Annotated[Rule, typer.Option("--rule", help="Boosting, or the best rule for normal rados.")] = Rule.BOOSTED,
    allow: AllowOption = None,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Learn from rados alone, and write the model; spends nothing."""
    from tacit.estimators.rados import learn_from_rados
    from tacit.models import write_model
    from tacit.models.rado_set import lacking, read_rados

    terminal = Terminal(quiet)
    target = checked_output(out, rados)
    with terminal.noting():
        opened = read_rados(rados)
    lacks = lacking(opened.description)
    if lacks is not None and (allow is None or allow.value != lacks):
        raise PrivacyError(
            f"Expected rados whose model may be published, got ones that are {lacks!r}. "
            f"Make new ones with an epsilon, or add --allow {lacks}."
        )
    with terminal.busy("Learning"):
        model = learn_from_rados(opened, rounds=rounds, weak_learner=weak_learner.value, kappa=kappa, rule=rule.value)
    status = model.guarantee.status
    write_model(model, target, allow=status if status in ("simulated", "void") else None)
    if as_json:
        emit_json({"model": str(out), "protection": opened.description.protection, "status": status})
        return
    terminal.say(f"Wrote {out} (radoboost from {len(opened.rados)} rados, protection {opened.description.protection}).")
    terminal.say(f"Next: tacit inspect {quoted(out)}")


def _check_allowed(protection: Protection | None, seed: int | None, allow: Allow | None) -> None:
    """Refuse before anything is read what could not be written."""
    given = allow.value if allow else None
    if protection in (Protection.NONE, Protection.MARGINAL) and given != protection.value:
        raise PrivacyError(
            f"Expected --allow {protection.value} with --protection {protection.value}, which is no differential "
            "privacy. Add it, or pass --epsilon alone for private rados."
        )
    if seed is not None and protection not in (Protection.NONE, Protection.MARGINAL) and given != "simulated":
        raise PrivacyError("Expected --allow simulated with --seed: noise that can be repeated gives no privacy.")
