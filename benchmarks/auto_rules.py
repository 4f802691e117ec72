"""Which learner leads, by rows times epsilon a column, on synthetic tables alone: where the rule of auto comes from.

    python benchmarks/auto_rules.py [tables of each kind, 1 if not given] [partial] [additive] [classes] [ROWS.parquet]

Tables of ``rule_tables`` and ``drawn`` (numbers and categories, half with bounds a hundred times too wide; categories
alone; unless "additive" is given, interactions), 500 to 30,000 rows, epsilon 0.01 to 3, delta 0 and 1e-5; everything
private or, with "partial", the label and every second column public. For each learner: what it loses to the best of
each cell, in points, as the mean over cells of a range of rows times epsilon a column: accuracy, area under the ROC
curve, logarithmic loss times 100. With "classes": tables of three to seven classes (``drawn_classes``), those of
categories alone apart from the others; areas are means over classes, each against the rest. All results go to
ROWS.parquet, from which ``auto_left_out.py`` fits the rule of two classes.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np
import polars as pl
from drawn import species, telling
from drawn_classes import tables_of_classes
from ranked_rules import widened
from rule_tables import half_public, synthetic_tables
from scipy.special import expit
from sklearn.metrics import log_loss, roc_auc_score

from tacit import BoostedTreesClassifier, LazyBBClassifier, LogisticClassifier, NaiveBayesClassifier, TreeClassifier
from tacit.schema import Categorical, Schema

LEARNERS = {
    "tree": TreeClassifier,
    "naive-bayes": NaiveBayesClassifier,
    "lazybb": LazyBBClassifier,
    "logistic": LogisticClassifier,
    "boosted-trees": BoostedTreesClassifier,
}
SIZES = (500, 4_000, 30_000)
EPSILONS = (0.01, 0.1, 0.5, 3.0)
N_SCORED = 5_000
EDGES = (0, 1, 3, 10, 30, 100, 300, 1_000, 3_000, np.inf)
CLIPPED = 1e-3
"""Probabilities are kept so far from 0 and 1 in the logarithmic loss: one sure mistake would outweigh all else."""


def tables(seeds: int) -> Iterator[tuple[str, pl.DataFrame, np.ndarray, Schema]]:
    """Yield tables of all kinds."""
    n_rows = max(SIZES) + N_SCORED
    if "classes" in sys.argv:
        yield from tables_of_classes(n_rows, seeds)
        return
    for at, (name, frame, labels, schema) in enumerate(synthetic_tables(n_rows, seeds)):
        yield name, frame, labels, schema if (at + at // 4) % 2 == 0 else widened(schema, 100.0)
        if name.startswith(("curved", "correlated")) and "additive" not in sys.argv:
            yield f"{name} crossed", frame, crossed(frame, labels, schema, at), schema
    for seed in range(seeds):
        for draw in (species, telling):
            schema, rows, labels = draw(seed, n_rows)
            yield f"{draw.__name__} {seed}", pl.DataFrame(rows.astype(str), schema=list(schema.names)), labels, schema


def crossed(frame: pl.DataFrame, labels: np.ndarray, schema: Schema, seed: int) -> np.ndarray:
    """Return labels that depend on pairs of columns: no additive model has them."""
    generator = np.random.default_rng(seed)
    numbers = [frame[name].to_numpy() for name in schema.names if frame[name].dtype.is_float()]
    ranks = [np.argsort(np.argsort(column)) / len(column) - 0.5 for column in numbers]
    pairs = [generator.choice(len(ranks), 2, replace=False) for _ in range(3)]
    odds = 40 * sum(ranks[i] * ranks[j] for i, j in pairs) + 4 * ranks[0]
    classes = sorted(set(labels.tolist()))
    return np.asarray(classes)[(generator.random(len(labels)) < expit(odds)).astype(int)]


def print_gains(found: Mapping[tuple[str, float], list[list[np.ndarray]]], compared: Sequence[str]) -> None:
    """Print by kind and strength the mean scores of the first learner, and what others add, with standard errors."""
    for (kind, signal), values in sorted(found.items()):
        base, *others = np.asarray(values).transpose(1, 0, 2)
        print(kind, signal, *base.mean(axis=0).round(1), sep="\t")
        for name, other in zip(compared[1:], others, strict=True):
            gain = other - base
            error = gain.std(axis=0, ddof=1) / len(gain) ** 0.5
            print(" ", name, *(f"{m:+.1f} +- {e:.1f}" for m, e in zip(gain.mean(axis=0), error, strict=True)), sep="\t")


def scores_of(learner: str, schema: Schema, given: tuple, rest: tuple, budget: tuple[float, float]) -> np.ndarray:
    """Return accuracy, area, and minus the logarithmic loss; a failed fit counts as the majority."""
    (frame, labels), (others, truth) = given, rest
    epsilon, delta = budget
    model = LEARNERS[learner](schema, epsilon=epsilon, delta=delta, random_state=0, on_invalid="coerce").fit(
        frame, labels
    )
    if model._has_likelihood:
        likely = model.predict_proba(others)
    else:
        yes = expit(model.decision_function(others))
        likely = np.column_stack([1 - yes, yes])
    likely = np.clip(likely, CLIPPED, 1 - CLIPPED)
    likely /= likely.sum(axis=1, keepdims=True)
    found = [k for k in range(likely.shape[1]) if (truth == k).any()]
    area = np.mean([roc_auc_score(truth == k, likely[:, k]) for k in found])
    loss = log_loss(truth, likely, labels=range(likely.shape[1]))
    return 100 * np.asarray([np.mean(likely.argmax(axis=1) == truth), area, -loss])


def main(seeds: int, partial: bool, out: str | None) -> None:
    warnings.simplefilter("ignore")
    rows = []
    lost: dict[tuple[str, bool, int, str], list[np.ndarray]] = defaultdict(list)
    for name, frame, labels, drawn in tables(seeds):
        schema = half_public(drawn) if partial else drawn
        kind = "categories alone" if all(isinstance(c, Categorical) for c in schema.columns) else "numbers too"
        learners = [one for one in LEARNERS if len(schema.label.classes) == 2 or one != "lazybb"]
        held_out = frame[-N_SCORED:], np.searchsorted(sorted(schema.label.classes), labels[-N_SCORED:])
        columns = len(schema.private_columns) if partial else len(schema.names)
        for n_rows in SIZES:
            for epsilon in EPSILONS:
                signal = int(np.searchsorted(EDGES, n_rows * epsilon / columns, side="right"))
                for delta in (0.0, 1e-5):
                    given = frame[:n_rows], labels[:n_rows]
                    found = {one: scores_of(one, schema, given, held_out, (epsilon, delta)) for one in learners}
                    best = np.max(list(found.values()), axis=0)
                    for one, score in found.items():
                        lost[kind, delta > 0, signal, one].append(score - best)
                        measured = dict(zip(("accuracy", "auc", "log_loss"), score / (100, 100, -100), strict=True))
                        cell = {"table": name, "columns": columns, "rows": n_rows, "epsilon": epsilon, "delta": delta}
                        rows.append(cell | {"learner": one} | measured)
    if out:
        pl.DataFrame(rows).write_parquet(out)
    for kind, with_delta in product(("categories alone", "numbers too"), (False, True)):
        print(f"\n{kind}, delta", 1e-5 if with_delta else 0)
        for signal in range(1, len(EDGES)):
            if (kind, with_delta, signal, "tree") in lost:
                n_cells = len(lost[kind, with_delta, signal, "tree"])
                print(f" {EDGES[signal - 1]:g} to {EDGES[signal]:g}: {n_cells} cells")
                for one in LEARNERS:
                    if (kind, with_delta, signal, one) in lost:
                        print(f"   {one:14s}", *np.mean(lost[kind, with_delta, signal, one], axis=0).round(1))


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    out = next((word for word in sys.argv if word.endswith(".parquet")), None)
    main(*(numbers or [1]), partial="partial" in sys.argv, out=out)
