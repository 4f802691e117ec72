"""How stable explanations are: repeated fits of the same rows, by learner.

    python benchmarks/explanations.py [fits] [adult | messy] [part of a learner's line]

For each learner: of the first ten columns with findings the share that another fit has among its first ten; of the
first ten lines of the list the share that overlaps one of another fit's first ten, of the same column and class, with
the same sign; how often an effect that one fit lists has the same sign in another; the root mean square of the effects'
standard deviation over the fits, divided by the one that is stated. Epsilon 1, everything private, simulated noise.
"""

from __future__ import annotations

import sys
import warnings
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import tacit
from tacit.datasets import load

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from harness.messy_tables import messy_table
from tacit.models.effect_groups import EffectGroup
from tacit.table.rows import Rows, read_rows

LEARNERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("AutoClassifier", {}),
    ("LogisticClassifier", {"delta": 1e-6}),
    ("LogisticClassifier", {}),
    ("LogisticClassifier", {"method": "mean-operator"}),
    ("NaiveBayesClassifier", {}),
    ("LogisticClassifier", {"explain_share": 0.2}),
    ("SVMClassifier", {"explain_share": 0.2}),
    ("TreeClassifier", {}),
    ("TreeClassifier", {"explain_share": 0.2}),
    ("TreeClassifier", {"criterion": "error", "explain_share": 0.3}),
    ("TreeClassifier", {"criterion": "gini", "explain_share": 0.2}),
    ("TreeClassifier", {"explain_share": 0.1, "delta": 1e-6}),
    ("BoostedTreesClassifier", {"delta": 1e-6}),
    ("BoostedTreesClassifier", {}),
    ("LazyBBClassifier", {}),
    ("LazyBBClassifier", {"explain_share": 0.2}),
    ("BRCClassifier", {}),
    ("BRCClassifier", {"rounds": 300}),
)
MESSY_ROWS = 70_000
SAMPLED = 5_000
"""Rows of the table at which effects are compared."""


def table(name: str) -> tuple[tacit.Schema, Any, Any]:
    """Return schema, rows and labels."""
    if name == "messy":
        messy = messy_table(MESSY_ROWS, seed=1)
        return messy.schema, messy.frame, messy.labels
    data = load(name)
    return data.schema.all_private(), data.frame, data.target


def shared(models: list[Any]) -> float:
    """Return the share of one fit's first ten columns with findings that another's first ten hold."""
    tops = [set(model.importances().filter("has_findings").head(10)["column"]) for model in models]
    return float(np.mean([len(one & other) / len(one) for one, other in permutations(tops, 2) if one]))


def lines_shared(models: list[Any]) -> float:
    """Return the share of one fit's first ten lines that another's first ten say, too, of some of the same cells."""
    tops = [model.explanation.groups[:10] for model in models]
    pairs = [(one, other) for one, other in permutations(tops, 2) if one]
    return float(np.mean([np.mean([any(agree(line, its) for its in other) for line in one]) for one, other in pairs]))


def agree(one: EffectGroup, other: EffectGroup) -> bool:
    """Tell whether two lines say of some of the same cells that they move a class's score the same way."""
    same = one.column.towards == other.column.towards and one.column.cells.column.name == other.column.cells.column.name
    if not same or one.effect * other.effect <= 0:
        return False
    if isinstance(one.column.cells.column, tacit.Numeric):
        (low, high), (its_low, its_high) = ends(one), ends(other)
        return max(low, its_low) < min(high, its_high)
    return bool(set(one.cells) & set(other.cells))


def ends(line: EffectGroup) -> tuple[float, float]:
    """Return the cut points on either side of a number's range, infinite where there is none."""
    cuts = (-np.inf, *line.column.cells.cuts, np.inf)
    return cuts[line.cells[0]], cuts[line.cells[-1] + 1]


def kept(models: list[Any], rows: Rows) -> tuple[float, float]:
    """Return how often a listed effect keeps its sign, and how many are listed on average.

    Cut points differ between fits: a cell is compared with those of the other fit that its rows are in, and has a vote
    if there are any among these.
    """
    found = [model.explanation for model in models]
    same = listed = 0.0
    for one, other in permutations(found, 2):
        others = {(each.towards, each.cells.column.name): each for each in other.columns}
        for each, said in zip(one.columns, one.verdicts, strict=True):
            match = others.get((each.towards, each.cells.column.name))
            own = each.cells.codes(rows)
            effects = np.zeros(len(own)) if match is None else match.effects[match.cells.codes(rows)]
            for at in np.flatnonzero(np.asarray(said) == "finding"):
                if (own == at).any():
                    listed, same = listed + 1, same + float((effects[own == at] * each.effects[at] > 0).mean())
    n_found = np.mean([sum(said.count("finding") for said in each.verdicts) for each in found])
    return (same / listed if listed else np.nan), float(n_found)


def ratio(frames: list[pl.DataFrame]) -> float:
    """Return the effects' deviation over the fits by the stated one, a root mean square over cells of all fits."""
    together = pl.concat(frames).group_by("class", "column", "cell")
    cells = together.agg(pl.len(), pl.col("effect").std().alias("found"), pl.col("deviation").mean())
    cells = cells.filter((pl.col("len") == len(frames)) & (pl.col("deviation") > 0))
    return float(np.sqrt(np.mean((cells["found"] / cells["deviation"]).to_numpy() ** 2))) if len(cells) else np.nan


def main() -> None:
    """Print a line for each learner and table."""
    warnings.simplefilter("ignore")
    fits = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print(f"{'table':8} {'learner':46} columns shared  lines  sign kept  listed  deviation found/stated")
    for name in sys.argv[2:3] or ("adult", "messy"):
        schema, rows, labels = table(name)
        sample = read_rows(rows.sample(SAMPLED, seed=0), schema.without_persons())
        for learner, settings in LEARNERS:
            if len(sys.argv) > 3 and sys.argv[3] not in f"{learner} {settings}":
                continue
            make = getattr(tacit, learner)
            models = [
                make(schema, epsilon=1.0, random_state=at, **settings).fit(rows, labels).model_ for at in range(fits)
            ]
            frames = [model.explain() for model in models]
            same, listed = kept(models, sample)
            said = (
                f"{shared(models):14.2f} {lines_shared(models):6.2f} {same:10.3f} {listed:7.1f} {ratio(frames):10.2f}"
            )
            print(f"{name:8} {learner + ' ' + str(settings or ''):46} {said}", flush=True)


if __name__ == "__main__":
    main()
