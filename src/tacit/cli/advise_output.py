"""What `tacit advise` prints: sentences, tables and JSON."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from tacit.cli.console import Terminal, quoted
from tacit.estimators.usual_delta import chosen_delta
from tacit.ledger import NO_LEDGER
from tacit.schema import Schema
from tacit.study.advice import Advice, Forecast, Loss, NearestExperiment, RowsNeeded

# Losses up to which each word is used. By judgment: about a point is within the noise of most test sets.
_SIZES = ((0.01, "hardly anything"), (0.03, "small"), (0.08, "moderate"))
_LARGE = "large"

# In tenths of similar experiments.
_MOSTLY, _SOMETIMES = 8, 4

# By which another learner must be expected to lose less to be named: what is less is within the predictions' own error.
_FAVORED = 0.01

# Below half of the last digit that is printed, a loss is none.
_NOTHING = 0.0005

_PROTECTED = {"all-private": "all", "public-label": "all but label", "partly-private": "part"}

NO_ROW_WAS_READ = """\
No row was read: this costs no privacy. A choice made by it is covered by the certificate of a later fit, as long as the
schema, the number of rows and epsilon were not chosen by looking at the rows."""


def say(advice: Advice, others: list[Advice], schema: Path, needed: RowsNeeded | None, terminal: Terminal) -> None:
    """Print the advice, other learners and budgets, and the past experiments behind it."""
    best, query, beyond = advice.advised, advice.query, warning(advice)
    terminal.say(*([beyond, ""] if beyond else []), f"Take {best.learner}, with its defaults:")
    # What tacit fit takes by itself needs no name; past studies of another making may advise another learner.
    learner = "" if advice.why else f" --learner {best.learner}"
    default = 0.0 if learner else chosen_delta("auto", query.schema, NO_LEDGER, query.rows)
    budget = f" --epsilon {query.epsilon:g}" + (f" --delta {query.delta:g}" if query.delta != default else "")
    terminal.say(f"  tacit fit TABLE --schema {quoted(schema)}{learner}{budget} --out MODEL", "")
    if advice.why:
        terminal.say(f"That is its choice where no --learner is named: {advice.why}.", "")
    terminal.say(expected_loss(best), *(said for said in (other_losses(best), favored(advice)) if said))
    known = query.schema is not None and query.schema.label.prevalence is not None
    terminal.say(usefulness(best, prevalence_known=known), "", _learners(advice), "")
    if needed:
        terminal.say(rows_sentence(needed), "")
    terminal.say(_budgets(others, advice), "", basis(advice), _nearest(advice), "", NO_ROW_WAS_READ)


def document(advice: Advice, others: list[Advice], schema: Schema, needed: RowsNeeded | None) -> dict[str, Any]:
    """Return the advice as JSON values."""
    found = asdict(replace(advice, query=replace(advice.query, schema=None)))
    del found["query"]["schema"]
    found["covered"] = advice.covered
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


def expected_loss(forecast: Forecast) -> str:
    """Return the predicted loss, its interval and its size in words."""
    size = next((word for most, word in _SIZES if forecast.loss < most), _LARGE)
    return (
        f"Expected loss: {points(forecast.loss)} points of accuracy against the best without privacy, "
        f"{interval(forecast)} in 4 of 5 cases. That is {size}."
    )


def other_losses(forecast: Forecast) -> str:
    """Return the predicted losses by other measures, as far as they are known."""
    named = (
        (forecast.balanced_accuracy, "balanced accuracy"),
        (forecast.auc, "the area under the ROC curve"),
        (forecast.brier, "the Brier score"),
    )
    said = [f"{points(each.loss)} points of {name}, {interval(each)}" for each, name in named if each]
    log_loss = forecast.log_loss
    said += [f"{log_loss.loss:.2f} nats of logarithmic loss, {_nats(log_loss)}"] if log_loss else []
    return f"Likewise: {'; '.join(said)}." if said else ""


def favored(advice: Advice) -> str:
    """Return which learner past studies favor, where they favor another than the one to take."""
    best, least = advice.advised, advice.forecasts[0]
    if best.loss - least.loss < _FAVORED:
        return ""
    gap = points(best.loss - least.loss)
    return f"In similar experiments {least.learner} lost {gap} points less: --learner {least.learner} takes it."


def rows_sentence(needed: RowsNeeded) -> str:
    """Return how many rows a wanted accuracy needs, or that no number that was tried is enough."""
    wanted, tried = f"An accuracy of {needed.accuracy:.1%} at this budget", f"{needed.tried:,}"
    reached = f"{needed.reached:.1%} is expected there, {needed.low:.1%} to {needed.high:.1%} in 4 of 5 cases"
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
        said += " This rests on how well other tables' labels can be told; --best says what is known of yours."
    return said


def interval(forecast: Forecast | Loss) -> str:
    """Return the prediction interval in points, cut off at no loss."""
    if forecast.high <= _NOTHING:
        return "none"
    low = points(forecast.low) if forecast.low > _NOTHING else "0"
    return f"{low} to {points(forecast.high)}"


def _nats(loss: Loss) -> str:
    return f"{max(loss.low, 0.0):.2f} to {max(loss.high, 0.0):.2f}"


def usefulness(forecast: Forecast, *, prevalence_known: bool) -> str:
    """Return how often the learner beat the majority class in similar experiments, or that this depends on its share.

    Similar experiments had other shares of the classes: that each beat its own majority class says nothing of a label
    whose majority class has nearly all rows.
    """
    tenths = round(10 * forecast.useful)
    seen = f"was better than always predicting the majority class in {tenths} of 10 similar experiments"
    if tenths >= _MOSTLY and not prevalence_known:
        return (
            "Prevalence unknown: how far it is ahead of always predicting the majority class depends on that. "
            "If the classes' shares are public, declare them: prevalence = [...] under [label]."
        )
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


def basis(advice: Advice) -> str:
    """Return on how many tables the advice rests."""
    number = max(round(advice.sources), 1)
    tables = "one public table" if number == 1 else f"about {number} public tables"
    lost = f"what {advice.advised.learner} lost there"
    return f"This rests on {tables}. Those most similar to yours, their weights, and {lost}:"


def protected(experiment: NearestExperiment) -> str:
    """Return what was protected in an experiment."""
    return _PROTECTED.get(experiment.privacy, experiment.privacy)


def _learners(advice: Advice) -> Grid:
    # Intervals of all measures would not fit a terminal; JSON has them.
    names = ("learner", "loss, points", "in 4 of 5 cases", "balanced", "AUC", "Brier", "log-loss, nats")
    grid = Grid(*names, box=None, padding=(0, 2, 0, 0))
    for each in advice.forecasts:
        others = [points(own.loss) if own else "" for own in (each.balanced_accuracy, each.auc, each.brier)]
        nats = f"{each.log_loss.loss:.2f}" if each.log_loss else ""
        style = "bold" if each.learner == advice.advised.learner else None
        grid.add_row(each.learner, points(each.loss), interval(each), *others, nats, style=style)
    return grid


def _budgets(others: list[Advice], asked: Advice) -> Grid:
    grid = Grid("epsilon", "delta", "take", "expected loss, points", "in 4 of 5 cases", box=None, padding=(0, 2, 0, 0))
    for each in others:
        query, best = each.query, each.advised
        mark = "" if each.covered else "not tried"
        numbers = (points(best.loss), interval(best))
        style = "bold" if query == asked.query else None
        grid.add_row(f"{query.epsilon:g}", f"{query.delta:g}", best.learner, *numbers, mark, style=style)
    return grid


def _nearest(advice: Advice) -> Grid:
    names = ("weight", "table", "rows", "epsilon", "protected", "no privacy", "majority", "lost", "best there")
    grid = Grid(*names, box=None, padding=(0, 2, 0, 0))
    for each in advice.nearest:
        where = each.table, f"{each.rows:,}", f"{each.epsilon:g}", protected(each)
        reached = f"{each.ceiling:.1%}", f"{each.majority:.1%}", points(each.loss)
        grid.add_row(f"{each.weight:.0%}", *where, *reached, f"{each.best} {points(each.least_loss)}")
    return grid
