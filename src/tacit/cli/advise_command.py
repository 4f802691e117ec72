"""`tacit advise`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacit.cli.console import AnswerOptions, Terminal, emit_json
from tacit.cli.delta_option import DeltaOrAuto, read_delta
from tacit.cli.options import command_of
from tacit.errors import ParameterError

if TYPE_CHECKING:
    from tacit.schema import Schema
    from tacit.study.advice import PastStudies, Query


@dataclass(frozen=True)
class AdviseOptions(AnswerOptions):
    """The options of `tacit advise` as they were given; None where one was left out."""

    schema: Annotated[Path | None, typer.Option("--schema", "-s", help="The table's schema, TOML.")] = None
    rows: Annotated[
        int | None,
        typer.Option("--rows", "-n", help="Number of training rows (with a label); with an identifier, of persons."),
    ] = None
    epsilon: Annotated[float | None, typer.Option("--epsilon", "-e", help="Privacy to spend; above 0.")] = None
    delta: DeltaOrAuto = None
    accuracy: Annotated[
        float | None,
        typer.Option("--accuracy", help="Also say how many rows this accuracy (or R2) needs; 0.85, say."),
    ] = None
    best: Annotated[
        float | None,
        typer.Option("--best", help="Accuracy (or R2) without privacy, if known from public sources."),
    ] = None
    past: Annotated[Path | None, typer.Option("--past", help="Past studies; those of the package by default.")] = None
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Only say what a fit will release, in order, how noisy, and why."),
    ] = False
    holdout: Annotated[
        float | None, typer.Option("--holdout", help="With --explain: the share of the rows that is kept back.")
    ] = None
    holdout_by: Annotated[
        str | None,
        typer.Option("--holdout-by", help="With --holdout: what will be known of groups of 1, 5 and 20 % of the rows."),
    ] = None

    def check(self) -> None:
        """Refuse options that do not go together."""
        if self.schema is None or self.rows is None or self.epsilon is None:
            raise ParameterError("Expected --schema, --rows and --epsilon, got less. Name all three.")
        if self.best is not None and self.accuracy is None:
            raise ParameterError("Expected --accuracy with --best, got --best alone. Name the accuracy that is wanted.")
        if (self.holdout is not None and not self.explain) or (self.holdout_by is not None and self.holdout is None):
            raise ParameterError("Expected --holdout with --explain, and --holdout-by with both, got less. Add them.")


@command_of(AdviseOptions)
def advise(options: AdviseOptions) -> None:
    """Recommend a learner and predict its loss of accuracy or R2, without reading a row."""
    terminal = Terminal(options.quiet)
    options.check()
    assert options.schema is not None and options.rows is not None and options.epsilon is not None
    if options.explain:
        _explain(options, options.schema, options.rows, options.epsilon, terminal)
        return
    with terminal.busy("Starting"):
        from tacit.cli.advise_output import document, leading_measures, say
        from tacit.estimators.usual_delta import chosen_delta
        from tacit.ledger import NO_LEDGER
        from tacit.schema import Schema
        from tacit.study.advice import PastStudies, Query, rows_needed
        from tacit.study.advice import advise as advised

        known = Schema.from_toml(options.schema)
        chosen = chosen_delta(read_delta(options.delta, "auto"), known, NO_LEDGER, max(options.rows, 1))
        query = Query.of(known, rows=options.rows, epsilon=options.epsilon, delta=chosen)
        studies = PastStudies.suited(query.outcome, PastStudies.read(options.past) if options.past else None)
        advice = advised(query, studies)
        others = [advised(each, studies, measures=leading_measures(advice)) for each in _other_budgets(query, studies)]
        wanted = options.accuracy
        needed = rows_needed(query, wanted, studies, best=options.best) if wanted is not None else None
    if options.as_json:
        emit_json(document(advice, others, known, needed))
        return
    _note_guesses(known, terminal)
    say(advice, others, options.schema, needed, terminal, studies.deltas)


def _explain(options: AdviseOptions, schema: Path, rows: int, epsilon: float, terminal: Terminal) -> None:
    """Say what a fit will release, before a row is read."""
    share, by = options.holdout, options.holdout_by
    with terminal.busy("Starting"):
        from tacit.cli.recipe_output import document, say
        from tacit.cli.settings import check_for_number, learner_class, regressor_class
        from tacit.estimators.group_plan import planned_groups
        from tacit.estimators.recipe import recipe
        from tacit.estimators.set_plan import planned_sets
        from tacit.schema import Schema

        known = Schema.from_toml(schema)
        if known.target:
            check_for_number(known.target.name, holdout_by=by is not None)
        usual = regressor_class("auto") if known.target else learner_class("auto")
        estimator = usual(known, epsilon=epsilon, delta=read_delta(options.delta, "auto"))
        plan = planned_groups(estimator, rows, share, by) if share is not None else None
        sets = planned_sets(estimator, rows, share, by) if share is not None else None
        trained = rows if share is None else rows - int(share * rows)
        found = recipe(estimator, trained)
    if options.as_json:
        planned = {"groups": asdict(plan)} if plan else {}
        emit_json(document(found) | planned | ({"sets": asdict(sets)} if sets else {}))
        return
    _note_guesses(known, terminal)
    say(found, trained, terminal)
    if plan and by:
        terminal.say("", *plan.lines(by))
    if sets:
        terminal.say("", *sets.lines())


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
