"""`tacit advise`."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table as Grid

from tacit.cli.console import Debug, Json, Quiet, Terminal, checked_output, emit_json, quoted
from tacit.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.schema import Schema
    from tacit.study.advice import Advice, PastStudies, Situation
    from tacit.study.run.progress import OnProgress, Progress


def advise(
    schema: Annotated[Path | None, typer.Option("--schema", "-s", help="The table's schema, TOML.")] = None,
    rows: Annotated[int | None, typer.Option("--rows", "-n", help="How many rows there are to learn from.")] = None,
    epsilon: Annotated[float | None, typer.Option("--epsilon", "-e", help="Privacy to spend; above 0.")] = None,
    delta: Annotated[float, typer.Option("--delta", help="Probability of more; 0, or far below 1/rows.")] = 0.0,
    past: Annotated[Path | None, typer.Option("--past", help="Past studies; those of the package by default.")] = None,
    rebuild: Annotated[
        Path | None, typer.Option("--rebuild", help="Do the past studies anew, and write them here.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="For --rebuild; one a core by default.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Say which learner to take and what accuracy it will cost, without reading a row."""
    terminal = Terminal(quiet)
    if rebuild:
        _rebuild(rebuild, workers, terminal)
        return
    if schema is None or rows is None or epsilon is None:
        raise ParameterError("Expected --schema, --rows and --epsilon, got less. Name all three.")
    with terminal.busy("Starting"):
        from tacit.schema import Schema
        from tacit.study.advice import PastStudies, Situation
        from tacit.study.advice import advise as advised

        known = Schema.from_toml(schema)
        studies = PastStudies.read(past) if past else PastStudies.packaged()
        situation = Situation.of(known, rows=rows, epsilon=epsilon, delta=delta)
        advice = advised(situation, studies)
        others = [advised(each, studies) for each in _other_budgets(situation, studies)]
    if as_json:
        emit_json(_document(advice, others, known))
        return
    _note_guesses(known, terminal)
    _say(advice, others, schema, terminal)


def _other_budgets(situation: Situation, past: PastStudies) -> list[Situation]:
    """Return the epsilons that were tried, and beside the one that is asked for the other kind of delta."""
    largest = float(past.frame["delta"].max() or 0.0)  # type: ignore[arg-type]
    delta = 0.0 if situation.delta else largest
    epsilons = sorted({*past.frame["epsilon"].to_list(), situation.epsilon})
    same = [replace(situation, epsilon=each) for each in epsilons]
    if delta * situation.rows >= 1:
        return same
    at = epsilons.index(situation.epsilon)
    return [*same[: at + 1], replace(situation, delta=delta), *same[at + 1 :]]


def _note_guesses(schema: Schema, terminal: Terminal) -> None:
    if schema.guessed:
        from tacit.cli.schema_commands import guesses_left

        terminal.note(f"Note: the advice is as good as the schema, and {guesses_left(schema)}")


def _say(advice: Advice, others: list[Advice], schema: Path, terminal: Terminal) -> None:
    from tacit.study.advice import words

    best = advice.advised
    command = f"tacit fit TABLE --schema {quoted(schema)} --learner {best.learner} {_budget(advice)} --out MODEL"
    beyond = words.warning(advice)
    terminal.say(*([beyond, ""] if beyond else []), f"Take {best.learner}, with its defaults:", f"  {command}", "")
    terminal.say(words.expected_loss(best), words.usefulness(best), "", _learners(advice), "")
    terminal.say(_budgets(others, advice), "", words.basis(advice), _precedents(advice), "", words.NO_ROW_WAS_READ)


def _budget(advice: Advice) -> str:
    situation = advice.situation
    return f"--epsilon {situation.epsilon:g}" + (f" --delta {situation.delta:g}" if situation.delta else "")


def _learners(advice: Advice) -> Grid:
    from tacit.study.advice import words

    grid = Grid("learner", "expected loss, points", "in 4 of 5 cases", box=None, padding=(0, 2, 0, 0))
    for forecast in advice.forecasts:
        grid.add_row(forecast.learner, words.points(forecast.loss), words.interval(forecast))
    return grid


def _budgets(others: list[Advice], asked: Advice) -> Grid:
    from tacit.study.advice import words

    grid = Grid("epsilon", "delta", "take", "expected loss, points", "in 4 of 5 cases", box=None, padding=(0, 2, 0, 0))
    for each in others:
        situation, best = each.situation, each.advised
        mark = "" if each.inside else "not tried"
        numbers = (words.points(best.loss), words.interval(best))
        style = "bold" if situation == asked.situation else None
        grid.add_row(f"{situation.epsilon:g}", f"{situation.delta:g}", best.learner, *numbers, mark, style=style)
    return grid


def _precedents(advice: Advice) -> Grid:
    from tacit.study.advice import words

    names = ("counts", "table", "rows", "epsilon", "protected", "no privacy", "constant", "lost", "best there")
    grid = Grid(*names, box=None, padding=(0, 2, 0, 0))
    for each in advice.precedents:
        where = each.table, f"{each.rows:,}", f"{each.epsilon:g}", words.protected(each)
        reached = f"{each.ceiling:.1%}", f"{each.majority:.1%}", words.points(each.loss)
        grid.add_row(f"{each.share:.0%}", *where, *reached, f"{each.best} {words.points(each.least_loss)}")
    return grid


def _document(advice: Advice, others: list[Advice], schema: Schema) -> dict[str, Any]:
    document = asdict(advice)
    document["inside"] = advice.inside
    document["guessed"] = list(schema.guessed)
    document["budgets"] = [
        {"epsilon": each.situation.epsilon, "delta": each.situation.delta, "inside": each.inside} | asdict(each.advised)
        for each in others
    ]
    return document


def _rebuild(path: Path, workers: int | None, terminal: Terminal) -> None:
    from tacit.study.advice.past_tasks import past_tasks
    from tacit.study.advice.public_table import public_tables
    from tacit.study.advice.rebuild import rebuild
    from tacit.study.run import Store

    target = checked_output(path, option="--rebuild")
    kept = target.with_name(target.name + ".store")
    terminal.note(f"Finished fits are kept in {kept}; run the command again to go on after an interruption.")
    with terminal.counting("Fitting on public tables", len(past_tasks(public_tables()))) as tick:
        past = rebuild(Store(kept), workers=workers, progress=_ticks(tick))
    past.write(target)
    terminal.note(f"Wrote {path}: {past.frame.height} settings of public tables.")


def _ticks(tick: Callable[[], None]) -> OnProgress:
    """Return what calls `tick` once for each task that has been finished since the last call."""
    seen = 0

    def follow(progress: Progress) -> None:
        nonlocal seen
        for _ in range(progress.done - seen):
            tick()
        seen = progress.done

    return follow
