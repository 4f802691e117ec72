"""What `tacit advise` prints: sentences, tables and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from math import inf, log
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from tacit.cli.console import Terminal, quoted
from tacit.estimators.usual_delta import chosen_delta
from tacit.ledger import NO_LEDGER
from tacit.measures.held_out import DOMINANT
from tacit.schema import Schema
from tacit.study.advice import Advice, Forecast, Loss, Query, RowsNeeded
from tacit.study.advice.past_studies import Measure
from tacit.study.summary.leading import Leading

# Losses up to which each word is used. By judgment: about a point is within the noise of most test sets.
_SIZES = ((0.01, "hardly anything"), (0.03, "small"), (0.08, "moderate"))
_LARGE = "large"

# In tenths of similar experiments.
_MOSTLY, _SOMETIMES = 8, 4

# By which another learner must be expected to lose less to be named: what is less is within the predictions' own error.
_FAVORED = 0.01

# Below half of the last digit that is printed, a loss is none.
_NOTHING = 0.0005

# Measures in percentage points: in sentences, and over columns.
_LONG = {
    "accuracy": "accuracy",
    "auc": "AUC",
    "balanced_accuracy": "balanced accuracy",
    "brier": "the Brier score",
}
_SHORT = {"accuracy": "accuracy", "auc": "AUC", "balanced_accuracy": "balanced", "brier": "Brier"}
_PLAIN: dict[str, Any] = {"box": None, "padding": (0, 2, 0, 0)}

NO_ROW_WAS_READ = """\
No row was read: this costs no privacy. A choice made by it is covered by the certificate of a later fit.
That holds if the schema, the number of rows and epsilon were not chosen by looking at the rows."""


def say(
    advice: Advice,
    others: list[Advice],
    schema: Path,
    needed: RowsNeeded | None,
    terminal: Terminal,
    deltas: Sequence[float] = (),
) -> None:
    """Print the advice, other learners and budgets, and the past experiments behind it, which have these deltas."""
    best, query, beyond = advice.advised, advice.query, warning(advice)
    terminal.say(*([beyond, ""] if beyond else []), f"Take {best.learner}, with its defaults:")
    # What tacit fit takes by itself needs no name; past studies of another making may advise another learner.
    learner = "" if advice.why else f" --learner {best.learner}"
    default = 0.0 if learner else chosen_delta("auto", query.schema, NO_LEDGER, query.rows)
    budget = f" --epsilon {query.epsilon:g}" + (f" --delta {query.delta:g}" if query.delta != default else "")
    terminal.say(f"  tacit fit TABLE --schema {quoted(schema)}{learner}{budget} --out MODEL", "")
    if advice.why:
        terminal.say(f"That is its choice where no --learner is named: {advice.why}.", "")
    lead = leading(advice)
    said = (why_leading(advice, lead), expected_loss(best, lead), other_losses(best, lead), favored(advice, lead))
    terminal.say(*(each for each in said if each))
    terminal.say(usefulness(best, majority=declared_majority(advice), lead=lead), "", _learners(advice, lead), "")
    if needed:
        terminal.say(rows_sentence(needed, lead), "")
    terminal.say(_budgets(others, advice, lead), "")
    terminal.say(*(each for each in (other_delta(query, deltas), basis(advice, lead)) if each))
    terminal.say(_nearest(advice, lead), "")
    terminal.say(NO_ROW_WAS_READ)


def document(advice: Advice, others: list[Advice], schema: Schema, needed: RowsNeeded | None) -> dict[str, Any]:
    """Return the advice as JSON values."""
    found = asdict(replace(advice, query=replace(advice.query, schema=None)))
    del found["query"]["schema"]
    found["covered"] = advice.covered
    found["leading"] = leading(advice)
    found["guessed"] = list(schema.guessed)
    found["rows_needed"] = asdict(needed) if needed else None
    found["budgets"] = [
        {"epsilon": each.query.epsilon, "delta": each.query.delta, "covered": each.covered} | asdict(each.advised)
        for each in others
    ]
    return found


def points(loss: float) -> str:
    """Return a share of the accuracy in percentage points.

    Examples
    --------
    >>> points(0.0312), points(-0.004), points(0.00003)
    ('3.1', '-0.4', '0.0')
    """
    return f"{round(100 * loss, 1) + 0.0:.1f}"  # + 0.0 turns -0.0 into 0.0


def written(loss: float, lead: Leading) -> str:
    """Return a loss as it is printed: points of a share; R2 to two digits.

    Examples
    --------
    >>> written(0.0312, "accuracy"), written(0.0312, "r2"), written(-0.001, "r2")
    ('3.1', '0.03', '0.00')
    """
    return f"{round(loss, 2) + 0.0:.2f}" if lead == "r2" else points(loss)


def declared_majority(advice: Advice) -> float | None:
    """Return the declared share of the majority class; None where the schema declares none.

    Privacy: only what is declared decides, as no row may be read here.
    """
    schema = advice.query.schema
    if schema is None or schema.target or not schema.class_label.prevalence:
        return None
    return max(schema.class_label.prevalence)


def leading(advice: Advice) -> Leading:
    """Return the measure to read first: accuracy, unless the declared shares of the classes are too unequal.

    Where a number is predicted it is R2.
    """
    if advice.query.outcome == "number":
        return "r2"
    if (declared_majority(advice) or 0.0) < DOMINANT:
        return "accuracy"
    best = advice.advised
    return "auc" if best.auc else "balanced_accuracy" if best.balanced_accuracy else "accuracy"


def leading_measures(advice: Advice) -> tuple[Measure, ...]:
    """Return what is to be predicted besides accuracy where only one number is shown."""
    named: dict[Leading, tuple[Measure, ...]] = {"auc": ("auc",), "balanced_accuracy": ("balanced-accuracy",)}
    return named.get(leading(advice), ())


def why_leading(advice: Advice, lead: Leading) -> str:
    """Return why another measure than accuracy comes first."""
    if lead in ("accuracy", "r2"):
        return ""
    share = 100 * (declared_majority(advice) or 0.0)
    always = f"always predicting one class is right for {share:.3g} % of the rows"
    return f"{_SHORT[lead]} leads: by the declared prevalence, {always}."


def expected_loss(forecast: Forecast, lead: Leading = "accuracy") -> str:
    """Return the predicted loss, its interval, and, of accuracy, its size in words."""
    found = _loss(forecast, lead) or forecast
    said = f"Expected loss: {_of(found.loss, lead)} against the best without privacy, "
    said += f"{interval(found, lead)} in 4 of 5 cases."
    if lead != "accuracy":
        return said
    return f"{said} That is {next((word for most, word in _SIZES if forecast.loss < most), _LARGE)}."


def other_losses(forecast: Forecast, lead: Leading = "accuracy") -> str:
    """Return the predicted losses by other measures, as far as they are known; or what R2 means of errors."""
    if lead == "r2":
        return error_sentence(forecast)
    found = [(_loss(forecast, each), name) for each, name in _LONG.items() if each != lead]
    said = [f"{points(own.loss)} points of {name}, {interval(own)}" for own, name in found if own]
    log_loss = forecast.log_loss
    said += [f"{log_loss.loss:.2f} nats of log-loss, {_nats(log_loss)}"] if log_loss else []
    return f"Likewise: {'; '.join(said)}." if said else ""


def error_sentence(forecast: Forecast) -> str:
    """Return the predicted error in units of the mean's."""
    found = forecast.rmse
    if found is None:
        return ""
    return (
        f"Expected RMSE: {found.loss:.2f} of the mean's alone, {found.low:.2f} to {found.high:.2f} in 4 of 5 cases. "
        "That rests on how well other tables' numbers can be predicted."
    )


def _of(loss: float, lead: Leading) -> str:
    """Return a loss with its unit."""
    return f"{written(loss, lead)} of R2" if lead == "r2" else f"{points(loss)} points of {_LONG[lead]}"


def _loss(forecast: Forecast, measure: str) -> Forecast | Loss | None:
    """Return the predicted loss by a measure, if it is known."""
    return forecast if measure in ("accuracy", "r2") else getattr(forecast, measure)


def favored(advice: Advice, lead: Leading = "accuracy") -> str:
    """Return which learner past studies favor, where they favor another than the one to take."""
    best, least = _loss(advice.advised, lead), _in_order(advice, lead)[0]
    ahead = _loss(least, lead)
    if best is None or ahead is None or best.loss - ahead.loss < _FAVORED:
        return ""
    gap = _of(best.loss - ahead.loss, lead).removesuffix(" of accuracy")
    return f"In similar experiments {least.learner} lost {gap} less: --learner {least.learner} takes it."


def _in_order(advice: Advice, lead: Leading) -> list[Forecast]:
    """Return the forecasts, the least predicted loss by the measure first, and last those without one."""
    known = [(own.loss if (own := _loss(each, lead)) else inf) for each in advice.forecasts]
    return [advice.forecasts[at] for at in sorted(range(len(known)), key=known.__getitem__)]


def other_delta(query: Query, deltas: Sequence[float]) -> str:
    """Return how a budget whose delta past studies do not have is compared with theirs."""
    if not query.delta or not deltas or query.delta in deltas:
        return ""
    there = query.frame(deltas)["epsilon"].item(), min(deltas, key=lambda each: abs(log(each / query.delta)))
    return (
        f"No past study has delta {query.delta:g}. "
        f"This budget counts as epsilon {there[0]:.3g} at delta {there[1]:g}, which gives the same rho."
    )


def rows_sentence(needed: RowsNeeded, lead: Leading = "accuracy") -> str:
    """Return how many rows a wanted accuracy or R2 needs, or that no number that was tried is enough."""
    kind, digits = ("R2", ".2f") if lead == "r2" else ("accuracy", ".1%")
    wanted, tried = f"An {kind} of {needed.accuracy:{digits}} at this budget", f"{needed.tried:,}"
    span = f"{needed.low:{digits}} to {needed.high:{digits}}"
    reached = f"{needed.reached:{digits}} is expected there, {span} in 4 of 5 cases"
    if needed.rows:
        fewest = f"{needed.fewest or needed.rows:,}"
        span = f"{fewest} to {needed.most:,}" if needed.most else f"{fewest} to more than the {tried} that were tried"
        said = f"{wanted} takes about {needed.rows:,} rows, {span} in 4 of 5 cases."
    elif needed.fewest:
        said = (
            f"{wanted} is not expected with any number of rows that was tried, up to {tried}: {reached}. "
            f"In one of ten cases {needed.fewest:,} are enough."
        )
    else:
        said = f"{wanted} is not reached with any number of rows that was tried, up to {tried}: {reached}."
    if needed.best is None:
        what = "numbers" if lead == "r2" else "labels"
        said += f" This rests on how well other tables' {what} can be predicted; --best says what is known of yours."
    return said


def interval(forecast: Forecast | Loss, lead: Leading = "accuracy") -> str:
    """Return the prediction interval in points, or of R2, cut off at no loss."""
    nothing = 10 * _NOTHING if lead == "r2" else _NOTHING
    if forecast.high <= nothing:
        return "none"
    low = written(forecast.low, lead) if forecast.low > nothing else "0"
    return f"{low} to {written(forecast.high, lead)}"


def _nats(loss: Loss) -> str:
    return f"{max(loss.low, 0.0):.2f} to {max(loss.high, 0.0):.2f}"


def usefulness(forecast: Forecast, *, majority: float | None, lead: Leading = "accuracy") -> str:
    """Return how often the learner beat the majority class in similar experiments, or that this depends on its share.

    Where a number is predicted, how often it beat the mean.

    Similar experiments had other shares of the classes: that each beat its own majority class says nothing of a label
    whose majority class has nearly all rows.
    """
    tenths = round(10 * forecast.useful)
    constant = "the mean alone" if lead == "r2" else "always predicting the majority class"
    seen = f"was better than {constant} in {tenths} of 10 similar experiments"
    if tenths >= _MOSTLY and majority is None and lead != "r2":
        return (
            "Prevalence unknown: how far it is ahead of always predicting the majority class depends on that. "
            "If the classes' shares are public, declare them: prevalence = [...] under [label]."
        )
    if tenths >= _MOSTLY and majority is not None and majority >= DOMINANT:
        return "Its accuracy may still be no higher than that of always predicting the majority class."
    if tenths >= _MOSTLY:
        return f"It {seen}, where there was anything to learn."
    if tenths >= _SOMETIMES:
        return f"It may learn nothing: where there was anything to learn, it {seen}."
    return f"Do not expect it to learn anything: it {seen}. It takes more rows or a larger epsilon."


def warning(advice: Advice) -> str | None:
    """Return what past experiments do not cover, if anything."""
    if advice.covered:
        return None
    listed = "; ".join(map(str, advice.outside)) or f"nothing was tried with a similar {advice.uncovered}"
    return f"OUTSIDE WHAT WAS TRIED: {listed}. Take the numbers below as a guess."


def basis(advice: Advice, lead: Leading = "accuracy") -> str:
    """Return on how many tables the advice rests."""
    number = max(round(advice.sources), 1)
    kind = "public" if lead != "r2" else f"public {'or' if number == 1 else 'and'} synthetic"
    tables = f"one {kind} table" if number == 1 else f"about {number} {kind} tables"
    lost = f"what {'R2' if lead == 'r2' else 'accuracy'} {advice.advised.learner} lost there"
    return f"This rests on {tables}. Those most similar to yours, their weights, and {lost}:"


def _learners(advice: Advice, lead: Leading) -> Grid:
    # Intervals of all measures would not fit a terminal; JSON has them.
    others = {name: heading for name, heading in _SHORT.items() if name != lead and lead != "r2"}
    last = "RMSE, of the mean's" if lead == "r2" else "log-loss"
    grid = Grid("learner", f"{_heading(lead)} lost", "in 4 of 5 cases", *others.values(), last, **_PLAIN)
    for each in _in_order(advice, lead):
        first = _loss(each, lead)
        shown = (written(first.loss, lead), interval(first, lead)) if first else ("", "")
        rest = [points(own.loss) if (own := _loss(each, name)) else "" for name in others]
        added = each.rmse if lead == "r2" else each.log_loss
        style = "bold" if each.learner == advice.advised.learner else None
        grid.add_row(each.learner, *shown, *rest, f"{added.loss:.2f}" if added else "", style=style)
    return grid


def _budgets(others: list[Advice], asked: Advice, lead: Leading) -> Grid:
    grid = Grid("epsilon", "delta", "take", f"{_heading(lead)} lost", "in 4 of 5 cases", "", **_PLAIN)
    for each in others:
        query, best = each.query, each.advised
        found = _loss(best, lead)
        mark = "" if each.covered else "not tried"
        numbers = (written(found.loss, lead), interval(found, lead)) if found else ("", "")
        style = "bold" if query == asked.query else None
        grid.add_row(f"{query.epsilon:g}", f"{query.delta:g}", best.learner, *numbers, mark, style=style)
    return grid


def _heading(lead: Leading) -> str:
    return "R2" if lead == "r2" else _SHORT[lead]


def _nearest(advice: Advice, lead: Leading) -> Grid:
    # What was protected is in JSON: another column would cut names at 80 characters.
    grid = Grid("weight", "table", box=None, padding=(0, 1, 0, 0))
    # The R2 of a mean is 0 everywhere.
    for heading in ("rows", "epsilon", "no privacy", *(["majority"] if lead != "r2" else []), "lost"):
        grid.add_column(heading, justify="right")
    grid.add_column("best there")
    for each in advice.nearest:
        where = each.table, f"{each.rows:,}", f"{each.epsilon:g}"
        reached = (f"{each.ceiling:.2f}",) if lead == "r2" else (f"{each.ceiling:.1%}", f"{each.majority:.1%}")
        lost, least = (written(loss, lead) for loss in (each.loss, each.least_loss))
        grid.add_row(f"{each.weight:.0%}", *where, *reached, lost, f"{each.best} {least}")
    return grid
