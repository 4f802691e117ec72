"""A model of several sites' models, against the sites' own and one of all rows together, on public tables.

    python benchmarks/merge.py [repetitions, 1 if not given] [learner, auto if not given] [mixed] [cuts]

Five tables of `tacit.datasets`, of which a fifth of the rows is held out and the rest is dealt at random to 4 or to 10
sites; everything private, epsilon 0.1 and 0.5, delta 1e-6, simulated noise. For each the area under the ROC curve of
the sites' mean, of the best site, of the merged model and of one model of all rows, in points. What is missed is named:
the sites' mean and 1 point where all rows together are 2 points above a site, else the best site less 0.3; and all rows
together less 2 points (10 sites: 3). The last column is one model of all rows at the epsilon over the root of the
number of sites, whose noise is that of the mean of the sites' models.

`mixed` gives sites epsilon 0.1 and 1 in turn, and compares the merged model with the mean by numbers of rows alone.
`cuts` declares for each number seven quantiles of all rows, as if they were known from elsewhere: what cut points
that suit all sites are worth, which no site has to find.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
from sklearn.metrics import roc_auc_score

import tacit
from tacit.datasets import load
from tacit.schema import Column, Numeric, Schema
from tacit.schema.whole import settled

TABLES = ("adult", "bank-marketing", "credit-default", "mushroom", "magic-gamma")
SITES, EPSILONS, DELTA = (4, 10), (0.1, 0.5), 1e-6
MIXED = (0.1, 1.0)
LEARNERS = {"auto": tacit.AutoClassifier, "logistic": tacit.LogisticClassifier, "trees": tacit.BoostedTreesClassifier}


def areas(name: str, n_sites: int, epsilon: float | None, seed: int, learner: type) -> tuple[float, ...]:
    """Return the areas of the sites' mean, the best site, the merged model, and the pooled one at both epsilons.

    Without an epsilon sites have different ones, and the last area is that of the mean by rows.
    """
    table = load(name)
    schema = table.schema.with_private(table.schema.names, label=True)
    if "cuts" in sys.argv:
        schema = with_quantiles(schema, table.frame)
    order = np.random.default_rng(seed).permutation(table.frame.height)
    test, train = np.split(order, [len(order) // 5])
    frame, labels = table.frame, np.asarray(table.target)

    def fit(rows: np.ndarray, at: int, epsilon: float) -> tacit.Model:
        fitted = learner(schema, epsilon=epsilon, delta=DELTA, random_state=1000 * seed + at)
        return fitted.fit(frame[rows], labels[rows]).model_

    def area(scores: np.ndarray) -> float:
        return 100 * float(roc_auc_score(labels[test] == own[0].classes[1], scores))

    parts = enumerate(np.array_split(train, n_sites))
    own = [fit(rows, at, MIXED[at % len(MIXED)] if epsilon is None else epsilon) for at, rows in parts]
    sites = [area(each.decision_function(frame[test])) for each in own]
    merged = area(tacit.merge(own).decision_function(frame[test]))
    if epsilon is None:
        chances = [np.maximum(each.predict_proba(frame[test]), 1 / each.guarantee.n_rows) for each in own]
        by_rows = np.average([np.log(each[:, 1] / each[:, 0]) for each in chances], axis=0, weights=_rows(own))
        return float(np.mean(sites)), max(sites), merged, area(by_rows)
    all_rows = [fit(train, n_sites, each) for each in (epsilon, epsilon / n_sites**0.5)]
    pooled = [area(each.decision_function(frame[test])) for each in all_rows]
    return float(np.mean(sites)), max(sites), merged, *pooled


def with_quantiles(schema: Schema, frame: pl.DataFrame) -> Schema:
    """Return the schema with octiles of each number's cells as declared cut points."""
    columns: list[Column] = []
    for column in schema.columns:
        if isinstance(column, Numeric):
            cells = frame[column.name].drop_nulls().to_numpy()
            cuts = settled(np.quantile(cells, np.arange(1, 8) / 8).tolist(), column)
            column = replace(column, cuts=cuts or None)
        columns.append(column)
    return replace(schema, columns=tuple(columns))


def _rows(models: list[tacit.Model]) -> list[int]:
    return [each.guarantee.n_rows for each in models]


def missed(n_sites: int, site: float, best: float, merged: float, pooled: float) -> Iterator[str]:
    """Yield which lines a result misses."""
    if pooled - site >= 2 and merged < site + 1:
        yield "sites' mean"
    if pooled - site < 2 and merged < best - 0.3:
        yield "best site"
    if merged < pooled - (2 if n_sites <= 4 else 3):
        yield "pooled"


def main() -> None:
    """Print the mean areas of each table, number of sites and epsilon."""
    warnings.simplefilter("ignore")
    repetitions = next((int(each) for each in sys.argv[1:] if each.isdigit()), 1)
    learner = LEARNERS[next((each for each in sys.argv[1:] if each in LEARNERS), "auto")]
    if "mixed" in sys.argv:
        print(f"{'table':16}{'sites':>6}{'mean':>8}{'best':>8}{'merged':>8}{'by rows':>8}")
        for name, n_sites in product(TABLES, SITES):
            found = np.mean([areas(name, n_sites, None, seed, learner) for seed in range(repetitions)], axis=0)
            print(f"{name:16}{n_sites:6}" + "".join(f"{each:8.2f}" for each in found.tolist()), flush=True)
        return
    print(f"{'table':16}{'sites':>6}{'epsilon':>8}{'mean':>8}{'best':>8}{'merged':>8}{'pooled':>8}{'noisier':>8}")
    for name, n_sites, epsilon in product(TABLES, SITES, EPSILONS):
        found = np.mean([areas(name, n_sites, epsilon, seed, learner) for seed in range(repetitions)], axis=0).tolist()
        shown = "".join(f"{each:8.2f}" for each in found)
        print(f"{name:16}{n_sites:6}{epsilon:8}{shown}  {', '.join(missed(n_sites, *found[:4]))}", flush=True)


if __name__ == "__main__":
    main()
