"""`tacit fit`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.cli.console import Debug, Json, Quiet, TablePath, Terminal, checked_output, emit_json, quoted
from tacit.errors import ParameterError, SchemaError
from tacit.privacy.parameters import LARGEST_SEED


class Allow(StrEnum):
    """What a saved model may lack."""

    SIMULATED = "simulated"
    VOID = "void"


class OnInvalid(StrEnum):
    """What to do with cells that the schema does not admit."""

    RAISE = "raise"
    COERCE = "coerce"


def fit(
    table: TablePath,
    schema: Annotated[Path, typer.Option("--schema", "-s", help="The table's schema, TOML.", show_default=False)],
    epsilon: Annotated[float, typer.Option("--epsilon", "-e", help="Privacy to spend; above 0.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="Model file to write.", show_default=False)],
    learner: Annotated[str, typer.Option("--learner", help="Name of the learner; a wrong one lists them.")] = "brc",
    delta: Annotated[float, typer.Option("--delta", help="Probability of more; 0, or far below 1/rows.")] = 0.0,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the learner; may be repeated."),
    ] = None,
    on_invalid: Annotated[
        OnInvalid,
        typer.Option("--on-invalid", help="Cells that the schema does not admit: an error, or counted as missing."),
    ] = OnInvalid.RAISE,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, max=LARGEST_SEED, help="Simulate the noise, repeatably. Gives no privacy."),
    ] = None,
    allow: Annotated[
        Allow | None, typer.Option("--allow", help="Save a model although its certificate promises nothing.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Train a private classifier, and write it with its certificate. Each fit spends privacy of its own."""
    terminal = Terminal(quiet)
    with terminal.busy("Starting"):
        estimator = _estimator(learner, schema, epsilon, delta, settings or (), on_invalid, seed)
    target = checked_output(out, table, schema)
    _check_allowed(estimator, allow, schema)
    model = _fitted(estimator, table, terminal)
    from tacit.models import write_model

    write_model(model, target, allow=allow.value if allow else None)
    if as_json:
        emit_json(_summary(model, out))
    elif not quiet:
        terminal.say(*_words(model, table, out))


def _estimator(
    learner: str,
    schema: Path,
    epsilon: float,
    delta: float,
    settings: Any,
    on_invalid: OnInvalid,
    seed: int | None,
) -> Any:
    """Return the classifier, its options checked before any row is read."""
    from tacit.cli.settings import learner_class, read_settings
    from tacit.privacy import Budget
    from tacit.schema import Schema

    cls: Any = learner_class(learner)
    own = read_settings(cls, settings)
    budget = Budget(epsilon, delta)
    return cls(
        Schema.from_toml(schema),
        epsilon=budget.epsilon,
        delta=budget.delta,
        on_invalid=on_invalid.value,
        random_state=seed,
        **own,
    )


def _check_allowed(estimator: Any, allow: Allow | None, path: Path) -> None:
    """Refuse beforehand what could not be saved afterwards."""
    if estimator.schema.guessed and allow != Allow.VOID:
        from tacit.cli.schema_commands import guesses_left

        raise SchemaError(f"Expected a schema without guesses, got {path.name}: {guesses_left(estimator.schema)}")
    if estimator.random_state is not None and not estimator.schema.guessed and allow != Allow.SIMULATED:
        raise ParameterError(
            "Expected --allow simulated with --seed: noise that can be repeated gives no privacy. "
            "Drop --seed for a model to publish, or add --allow simulated and never publish the file."
        )


def _fitted(estimator: Any, table: Path, terminal: Terminal) -> Any:
    from tacit.table.files import read_with_labels

    with terminal.busy("Reading the table"):
        frame, labels = read_with_labels(table, estimator.schema, estimator.on_invalid)
    with terminal.noting(), terminal.busy("Training"):
        return estimator.fit(frame, labels).model_


def _words(model: Any, table: Path, out: Path) -> list[str]:
    privacy = model.guarantee
    status = {
        "private": f"private: epsilon {privacy.epsilon:g}, delta {privacy.delta:g}",
        "public": "nothing was protected, as the schema declares everything public",
        "simulated": "NOT PRIVATE, as the noise can be repeated",
        "void": "NOT PRIVATE: " + " ".join(privacy.reasons),
    }[privacy.status]
    lines = [f"Wrote {out} ({model.learner}; {status})."]
    if privacy.status == "private":
        lines.append(_protected(model))
        lines.append("Another fit on the same people costs its epsilon on top of this one.")
    return [*lines, f"Next: tacit inspect {quoted(out)}", f"      tacit predict {quoted(out)} new.csv"]


def _protected(model: Any) -> str:
    schema = model.schema
    columns = f"{len(schema.private_columns)} of {len(schema.columns)} columns"
    label = f"the label {schema.label.name!r}"
    if schema.label.private:
        return f"Protected: {columns}, and {label}."
    return f"Protected: {columns}. Public: {label}" + (" and the other columns." if schema.public_columns else ".")


def _summary(model: Any, out: Path) -> dict[str, Any]:
    from tacit.cli.model_words import guarantee_document

    classes = model.classes.tolist()
    return {
        "model": str(out),
        "learner": model.learner,
        "classes": classes,
        "privacy": guarantee_document(model.guarantee),
    }
