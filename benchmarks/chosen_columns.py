"""Columns of categories alone, chosen before ranks are learned: what it adds, by rows, budget and how they are chosen.

    python benchmarks/chosen_columns.py [tables of each kind, 4] [rows to fit, 2,000] ["short" | "share" | percent]

Where the rule of ``n_selected_columns`` comes from, and how long features of other columns are. Tables of ``drawn``,
``rule_tables`` and ``drawn_classes`` without their numbers, of two to seven classes; everything private, delta 1e-5,
simulated noise. By rows times epsilon a column: what a choice of one column for every so many rows times epsilon adds
to none in accuracy, area under the ROC curve (mean over classes) and minus the logarithmic loss, in points
(hundredths), and the standard error over tables. At least one is chosen, none beyond seven tenths. With "short", other
lengths of features of columns that are not chosen; with "share", other shares of the budget; with a word as "20%", on
tables of twenty columns three of which tell a little, and of so many rows of one class. With "nothing", on tables of
twenty columns of rare answers that tell nothing, and a rare class: in how many fits a finding is listed, and how many
findings are on average, by rows times epsilon a column and by the share of the budget for moments.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import auto_rules
import drawn
import numpy as np
import polars as pl
import rule_tables
from drawn_classes import tables_of_classes

import tacit.features.ranked_encoding as encoding
from tacit import LogisticClassifier
from tacit.learners.linear import RankedLogistic, defaults
from tacit.rules.shared import LARGE_SHARE, SMALL_SHARE
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Table

Drawn = tuple[pl.DataFrame, np.ndarray, Schema]

SIGNALS = (3, 5, 10, 20, 30, 45, 60)


@dataclass(frozen=True)
class Way:
    """How columns are chosen: one for every so many rows times epsilon, none for infinity."""

    per: float = np.inf
    short: float = encoding.SHORT
    share: float = LARGE_SHARE


WAYS = [Way(), Way(60), Way(90), Way(120)]
SHORTS = [Way(), *(Way(90, short) for short in (0.01, 0.1, 0.2, 0.3, 0.5))]
SHARES = [Way(), *(Way(90, share=share) for share in (0.1, 0.2, 0.3, 0.4))]


@dataclass(kw_only=True, eq=False, repr=False)
class Choosing(LogisticClassifier):
    """Logistic regression on ranks of columns chosen in one of these ways."""

    way: Way

    def _ranked(self, table: Table) -> RankedLogistic:
        columns = len(table.schema.names)
        chosen = int(table.n_persons * self.epsilon / self.way.per)
        chosen = 0 if chosen >= columns else chosen or int(self.way.per < np.inf)
        return replace(super()._ranked(table), chosen=chosen)


@dataclass(kw_only=True, eq=False, repr=False)
class OfMoments(LogisticClassifier):
    """Logistic regression on ranks with this share of the budget for moments."""

    moments: float

    def _ranked(self, table: Table) -> RankedLogistic:
        return replace(super()._ranked(table), moments=self.moments)


def learner(way: Way, at: int, schema: Schema, *, random_state: int, **others: Any) -> Choosing:
    """Return the learner with other noise for each table: with the same, errors over tables would say too little."""
    return Choosing(schema, encoding="ranked", way=way, random_state=random_state + at, **others)


def without_numbers(frame: pl.DataFrame, labels: np.ndarray, schema: Schema) -> Drawn | None:
    """Return the categories of a table, if it has two columns of them."""
    kept = [column for column in schema.columns if isinstance(column, Categorical)]
    if len(kept) < 2:
        return None
    return frame[[column.name for column in kept]], labels, Schema(kept, label=schema.label)


def as_frame(schema: Schema, rows: np.ndarray, labels: np.ndarray) -> Drawn:
    """Return a table of ``drawn`` as others are."""
    columns = {
        column.name: rows[:, at].astype(float if isinstance(column, Numeric) else str)
        for at, column in enumerate(schema.columns)
    }
    return pl.DataFrame(columns), np.asarray(labels), schema


def tables(seeds: int, n_rows: int) -> Iterator[Drawn]:
    """Yield tables of categories alone."""
    for seed in range(seeds):
        yield as_frame(*drawn.species(seed, n_rows))
        yield as_frame(*drawn.telling(seed, n_rows))
        yield rule_tables.two_valued(seed, n_rows)
        yield rule_tables.two_valued(100 + seed, n_rows)
        others = [as_frame(*drawn.people(seed, n_rows))]
        others += [draw(seed, n_rows) for draw in (rule_tables.additive, rule_tables.correlated)]
        others += [rule_tables.varied(3 * seed + at, n_rows) for at in range(3)]
        yield from filter(None, (without_numbers(*one) for one in others))
    for _, *one in tables_of_classes(n_rows, seeds):
        if all(isinstance(column, Categorical) for column in one[2].columns):
            yield one[0], np.asarray(one[1]), one[2]


def weak(seed: int, n_rows: int, share: float) -> Drawn:
    """Draw twenty columns of three categories; the log-odds move by one with the category of each of three of them."""
    generator = np.random.default_rng(seed)
    codes, telling = generator.choice(3, (n_rows, 20), p=[0.5, 0.3, 0.2]), generator.permutation(20)[:3]
    odds = codes[:, telling].sum(axis=1) + generator.logistic(size=n_rows)
    labels = (odds > np.quantile(odds, 1 - share)).astype(int)
    frame = pl.DataFrame({f"c{at}": codes[:, at].astype(str) for at in range(20)})
    columns = [Categorical(name, ["0", "1", "2"]) for name in frame.columns]
    return frame, labels, Schema(columns, label=Label("y", [0, 1]))


def nothing(seeds: int, n_rows: int) -> None:
    """Print how often a finding is listed where there is nothing to find."""
    print("moments   classes", *(f"{signal:>12,}" for signal in (10, 30, 50, 100)))
    for moments in (0.04, SMALL_SHARE, 0.1, 0.2):
        for shares in ([0.9, 0.1], [0.75, 0.2, 0.05]):
            found = [
                [listed(seed, n_rows, signal, shares, moments) for seed in range(seeds)] for signal in (10, 30, 50, 100)
            ]
            cells = (f"{np.mean(np.asarray(each) > 0):6.2f} {np.mean(each):5.2f}" for each in found)
            print(f"{moments:7} {len(shares):9}", *cells)


def listed(seed: int, n_rows: int, signal: float, shares: list[float], moments: float) -> int:
    """Return how many findings a fit lists of columns that tell nothing."""
    generator = np.random.default_rng(seed)
    rates = np.exp(generator.uniform(np.log(0.005), np.log(0.5), 20))
    yes, labels = generator.random((n_rows, 20)) < rates, generator.choice(len(shares), n_rows, p=shares)
    frame = pl.DataFrame({f"c{at}": np.where(yes[:, at], "yes", "no") for at in range(20)})
    columns = [Categorical(name, ["no", "yes"]) for name in frame.columns]
    schema = Schema(columns, label=Label("y", list(range(len(shares)))))
    budget = {"epsilon": signal * 20 / n_rows, "delta": 1e-5}
    model = OfMoments(schema, encoding="ranked", random_state=seed, moments=moments, **budget).fit(frame, labels).model_
    return int((model.explain()["verdict"] == "finding").sum())


def main(seeds: int = 4, n_rows: int = 2_000, *, words: Collection[str] = ()) -> None:
    """Print a line for each way."""
    warnings.simplefilter("ignore")
    ways = SHORTS if "short" in words else SHARES if "share" in words else WAYS
    found = []
    drawn_tables = tables(seeds, n_rows + auto_rules.N_SCORED)
    if shares := [float(word[:-1]) / 100 for word in words if word.endswith("%")]:
        drawn_tables = (weak(seed, n_rows + auto_rules.N_SCORED, shares[0]) for seed in range(seeds))
    for at, (frame, labels, schema) in enumerate(drawn_tables):
        auto_rules.LEARNERS.update({repr(way): partial(learner, way, at) for way in ways})
        truth = np.searchsorted(sorted(schema.label.classes), labels[-auto_rules.N_SCORED :])
        given, held_out = (frame[:n_rows], labels[:n_rows]), (frame[-auto_rules.N_SCORED :], truth)
        if len(np.unique(labels[:n_rows])) < 2 or len(np.unique(truth)) < len(schema.label.classes):
            continue
        rows = []
        for way in ways:
            encoding.SHORT, defaults.LARGE_SHARE = way.short, way.share
            budgets = [(signal * len(schema.names) / n_rows, min(1e-5, 0.5 / n_rows)) for signal in SIGNALS]
            rows.append([auto_rules.scores_of(repr(way), schema, given, held_out, budget) for budget in budgets])
        found.append(np.asarray(rows[1:]) - np.asarray(rows[0]))
    mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / len(found) ** 0.5
    print(f"{len(found)} tables", *(f"{signal:>17,}" for signal in SIGNALS))
    for way, own, off in zip(ways[1:], mean, error, strict=True):
        print(way)
        for each in (own, off):
            print(" " * 10, *("/".join(f"{one:+5.1f}" for one in cell) for cell in each))


if __name__ == "__main__":
    if "nothing" in sys.argv:
        warnings.simplefilter("ignore")
        nothing(*(int(each) for each in sys.argv[1:] if each.isdecimal()))
        sys.exit()
    main(*(int(each) for each in sys.argv[1:] if each.isdecimal()), words=sys.argv[1:])
