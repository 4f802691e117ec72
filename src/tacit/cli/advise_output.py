"""What `tacit advise` prints: sentences, tables and JSON."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from tacit.cli.console import Terminal, quoted
from tacit.estimators.auto import Choice
from tacit.schema import Schema
from tacit.study.advice import Advice, Forecast, NearestExperiment

# Losses up to which each word is used. By judgment: about a point is within the noise of most test sets.
_SIZES = ((0.01, "hardly anything"), (0.03, "little"), (0.08, "a good deal"))
_MOST = "a lot"

# In tenths of similar experiments.
_MOSTLY, _SOMETIMES = 8, 4

# Below half of the last digit that is printed, a loss is none.
_NOTHING = 0.0005

_PROTECTED = {"all-private": "all", "public-label": "all but label", "partly-private": "part"}

NO_ROW_WAS_READ = """\
No row was read: this costs no privacy. A choice made by it is covered by the certificate of a later fit, as long as the
schema, the number of rows and epsilon were not chosen by looking at the rows."""


def say(advice: Advice, others: list[Advice], schema: Path, auto: Choice, terminal: Terminal) -> None:
    """Print the advice, other learners and budgets, and the past experiments behind it."""
    best, query = advice.advised, advice.query
    budget = f"--epsilon {query.epsilon:g}" + (f" --delta {query.delta:g}" if query.delta else "")
    command = f"tacit fit TABLE --schema {quoted(schema)} --learner {best.learner} {budget} --out MODEL"
    beyond = warning(advice)
    terminal.say(*([beyond, ""] if beyond else []), f"Take {best.learner}, with its defaults:", f"  {command}", "")
    terminal.say(f"Without --learner, tacit fit takes {auto.learner}: {auto.why}.", "")
    terminal.say(expected_loss(best), usefulness(best), "", _learners(advice), "")
    terminal.say(_budgets(others, advice), "", basis(advice), _nearest(advice), "", NO_ROW_WAS_READ)


def document(advice: Advice, others: list[Advice], schema: Schema, auto: Choice) -> dict[str, Any]:
    """Return the advice as JSON values."""
    found = asdict(advice)
    found["covered"] = advice.covered
    found["auto"] = {"learner": auto.learner, "delta": auto.delta, "why": auto.why}
    found["guessed"] = list(schema.guessed)
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
    size = next((word for most, word in _SIZES if forecast.loss < most), _MOST)
    return (
        f"Expected loss: {points(forecast.loss)} points of accuracy against the best without privacy, "
        f"{interval(forecast)} in 4 of 5 cases. That is {size}."
    )


def interval(forecast: Forecast) -> str:
    """Return the prediction interval in points, cut off at no loss."""
    if forecast.high <= _NOTHING:
        return "none"
    low = points(forecast.low) if forecast.low > _NOTHING else "0"
    return f"{low} to {points(forecast.high)}"


def usefulness(forecast: Forecast) -> str:
    """Return how often the learner beat the majority class in similar experiments."""
    tenths = round(10 * forecast.useful)
    seen = f"was better than always predicting the majority class in {tenths} of 10 similar experiments"
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
    grid = Grid("learner", "expected loss, points", "in 4 of 5 cases", box=None, padding=(0, 2, 0, 0))
    for forecast in advice.forecasts:
        grid.add_row(forecast.learner, points(forecast.loss), interval(forecast))
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
