"""What `tacit advise --explain` prints: a fit's recipe."""

from __future__ import annotations

from typing import Any

from rich.table import Table as Grid

from tacit.cli.console import Terminal
from tacit.estimators.recipe import PlannedRelease, Recipe
from tacit.rules import all_rules

RULES = {
    "medians of ": "SMALL_SHARE",
    "median distance in ": "PURE_SHARE_OF_NUMBERS",
    "rows by place of numbers": "SMALL_SHARE",
    "rows by place of the target": "SMALL_SHARE",
    "counts and sums by class": "TINY_SHARE",
    "rows that a column alone tells the class of": "LARGE_SHARE",
    "moments of ranked rows": "SMALL_SHARE",
    "summed gradients": "GRADIENTS",
    "oblivious trees": "LARGE_SHARE",
    "curvatures by leaf": "SMALL_SHARE",
    "residuals by leaf": "MAX_TREES",
    "error improvement": "SHARE_OF_SPLITS",
}
"""By what a query begins with, the row of the table of rules that decides its share or number."""

_NOISE = """\
A share is of the budget, all times together. Noise is a standard deviation, of a choice a scale, over how far one
person can move the answer: 10 hides what ten persons do. A rule is a row of tacit.rules, with the benchmark behind it.
Everything else that a model says is computed from these answers and the schema, and costs nothing."""


def say(recipe: Recipe, rows: int, terminal: Terminal) -> None:
    """Print learner, reason, settings and releases."""
    budget = f"epsilon {recipe.budget.epsilon:g}, delta {recipe.budget.delta:g}"
    added = "losses add up" if recipe.composition == "pure" else f"composed as rho {recipe.limit:.4g}"
    terminal.say(f"{rows:,} rows at {budget}, {added}: {recipe.learner}", "")
    if recipe.why:
        terminal.say(f"Why: {recipe.why}.", "")
    if recipe.settings:
        terminal.say("Settings: " + ", ".join(f"{name} {value}" for name, value in recipe.settings) + ".", "")
    if not recipe.records:
        terminal.say("Nothing is released with noise, as nothing is protected.")
        return
    terminal.say("It will release, in this order:", _grid(recipe.releases), "", _NOISE)
    numbers = sum(row.numbers for row in all_rules())
    terminal.say("", f"No row was read. The rules are {numbers} numbers in all.")


def document(recipe: Recipe) -> dict[str, Any]:
    """Return the recipe as JSON values."""
    return {
        "learner": recipe.learner,
        "why": recipe.why,
        "epsilon": recipe.budget.epsilon,
        "delta": recipe.budget.delta,
        "composition": recipe.composition,
        "settings": dict(recipe.settings),
        "releases": [vars(each) for each in recipe.releases],
    }


def _grid(releases: tuple[PlannedRelease, ...]) -> Grid:
    grid = Grid("times", "what", "how", "share", "noise", "rule", box=None, padding=(0, 2, 0, 0))
    for each in releases:
        noise = f"{each.noise:,.0f}" if each.noise >= 100 else f"{each.noise:.3g}"
        rule = next((name for begin, name in RULES.items() if each.query.startswith(begin)), "")
        grid.add_row(f"{each.count:,}", each.query, each.mechanism, f"{each.share:.1%}", noise, rule)
    return grid
