"""`tacit advise`."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacit.cli.console import Debug, Json, Quiet, Terminal, emit_json
from tacit.cli.delta_option import DeltaOrAuto, read_delta
from tacit.errors import ParameterError

if TYPE_CHECKING:
    from tacit.schema import Schema
    from tacit.study.advice import PastStudies, Query


def advise(
    schema: Annotated[Path | None, typer.Option("--schema", "-s", help="The table's schema, TOML.")] = None,
    rows: Annotated[
        int | None,
        typer.Option("--rows", "-n", help="Number of training rows (with a label); with an identifier, of persons."),
    ] = None,
    epsilon: Annotated[float | None, typer.Option("--epsilon", "-e", help="Privacy to spend; above 0.")] = None,
    delta: DeltaOrAuto = None,
    accuracy: Annotated[
        float | None, typer.Option("--accuracy", help="Also say how many rows this accuracy needs; 0.85, say.")
    ] = None,
    best: Annotated[
        float | None, typer.Option("--best", help="Accuracy without privacy, if known from public sources.")
    ] = None,
    past: Annotated[Path | None, typer.Option("--past", help="Past studies; those of the package by default.")] = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Only say what a fit will release, in order, how noisy, and why."),
    ] = False,
    holdout: Annotated[
        float | None, typer.Option("--holdout", help="With --explain: the share of the rows that is kept back.")
    ] = None,
    holdout_by: Annotated[
        str | None,
        typer.Option("--holdout-by", help="With --holdout: what will be known of groups of 1, 5 and 20 % of the rows."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Recommend a learner and predict its accuracy loss, without reading a row."""
    terminal = Terminal(quiet)
    if schema is None or rows is None or epsilon is None:
        raise ParameterError("Expected --schema, --rows and --epsilon, got less. Name all three.")
    if best is not None and accuracy is None:
        raise ParameterError("Expected --accuracy with --best, got --best alone. Name the accuracy that is wanted.")
    if (holdout is not None and not explain) or (holdout_by is not None and holdout is None):
        raise ParameterError("Expected --holdout with --explain, and --holdout-by with both, got less. Add them.")
    if explain:
        kept = None if holdout is None else (holdout, holdout_by)
        _explain(schema, rows, epsilon, delta, kept, terminal, as_json=as_json)
        return
    with terminal.busy("Starting"):
        from tacit.cli.advise_output import document, leading_measures, say
        from tacit.estimators.usual_delta import chosen_delta
        from tacit.ledger import NO_LEDGER
        from tacit.schema import Schema
        from tacit.study.advice import PastStudies, Query, rows_needed
        from tacit.study.advice import advise as advised

        known = Schema.from_toml(schema)
        studies = PastStudies.read(past) if past else PastStudies.packaged()
        chosen = chosen_delta(read_delta(delta, "auto"), known, NO_LEDGER, max(rows, 1))
        query = Query.of(known, rows=rows, epsilon=epsilon, delta=chosen)
        advice = advised(query, studies)
        others = [advised(each, studies, measures=leading_measures(advice)) for each in _other_budgets(query, studies)]
        needed = rows_needed(query, accuracy, studies, best=best) if accuracy is not None else None
    if as_json:
        emit_json(document(advice, others, known, needed))
        return
    _note_guesses(known, terminal)
    say(advice, others, schema, needed, terminal, studies.deltas)


def _explain(
    schema: Path,
    rows: int,
    epsilon: float,
    delta: str | None,
    kept: tuple[float, str | None] | None,
    terminal: Terminal,
    *,
    as_json: bool,
) -> None:
    """Say what a fit will release, before a row is read."""
    with terminal.busy("Starting"):
        from tacit.cli.recipe_output import document, say
        from tacit.estimators import AutoClassifier
        from tacit.estimators.group_plan import planned_groups
        from tacit.estimators.recipe import recipe
        from tacit.schema import Schema

        known = Schema.from_toml(schema)
        estimator = AutoClassifier(known, epsilon=epsilon, delta=read_delta(delta, "auto"))
        plan = planned_groups(estimator, rows, *kept) if kept else None
        trained = rows - int(kept[0] * rows) if kept else rows
        found = recipe(estimator, trained)
    if as_json:
        emit_json(document(found) | ({"groups": asdict(plan)} if plan else {}))
        return
    _note_guesses(known, terminal)
    say(found, trained, terminal)
    if plan and kept and kept[1]:
        terminal.say("", *plan.lines(kept[1]))


def _other_budgets(query: Query, past: PastStudies) -> list[Query]:
    """Return the epsilons of past experiments, and beside the query's own the other kind of delta."""
    largest = float(past.frame["delta"].max() or 0.0)  # type: ignore[arg-type]
    delta = 0.0 if query.delta else largest
    epsilons = sorted({*past.frame["epsilon"].to_list(), query.epsilon})
    same = [replace(query, epsilon=each) for each in epsilons]
    if delta * query.rows >= 1:  # a budget refuses such a delta: it would pay for publishing a row
        return same
    at = epsilons.index(query.epsilon)
    return [*same[: at + 1], replace(query, delta=delta), *same[at + 1 :]]


def _note_guesses(schema: Schema, terminal: Terminal) -> None:
    if schema.guessed:
        from tacit.cli.schema_files import guesses_left

        terminal.note(f"Note: the advice is as good as the schema, and {guesses_left(schema)}")
