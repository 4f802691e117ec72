"""Where the constants of private rados come from: held-out accuracy on public and drawn tables.

    python benchmarks/rado_rules.py
    python benchmarks/rado_rules.py boosted

For each number of rows times epsilon, the mean accuracy of the linear rule, or of boosting, by the share
of their reach to which numbers are clipped. Adult and the other tables of Shen and others (2022), mushroom and cod-rna
do not take part. Everything is private, noise is simulated; with balanced classes and as the tables are.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator

import numpy as np
import polars as pl
from drawn import KINDS

from tacit.datasets import load
from tacit.estimators import RadoBoostClassifier
from tacit.schema import Schema

TABLES = (
    "abalone",
    "banknote",
    "blood-transfusion",
    "breast-cancer",
    "breast-cancer-wisconsin",
    "eeg-eye-state",
    "german-credit",
    "house-votes-84",
    "ionosphere",
    "magic-gamma",
    "skin-segmentation",
    "wine-red",
    "wine-white",
)
RATIOS = (50, 100, 200, 400, 800, 1600, 5000, 20_000)
REPEATS = 4
MAX_ROWS = 10_000

WAYS = {"as set": None, "clip 1": 1.0, "clip 1/2": 0.5, "clip 1/8": 0.125}


def tables() -> Iterator[tuple[str, pl.DataFrame, np.ndarray, Schema]]:
    for name in TABLES:
        data = load(name)
        yield name, data.frame, data.target.to_numpy(), data.schema.all_private()
    for kind in KINDS:
        for seed in range(2):
            schema, rows, labels = KINDS[kind].draw(seed, MAX_ROWS)
            frame = pl.DataFrame({name: rows[:, at].tolist() for at, name in enumerate(schema.names)})
            yield f"{kind} {seed}", frame, labels, schema


def main(rule: str) -> None:
    warnings.simplefilter("ignore")
    print("table", "classes", "n*epsilon", *WAYS, sep="\t")
    totals: dict[int, list[np.ndarray]] = {ratio: [] for ratio in RATIOS}
    for name, frame, labels, schema in tables():
        for classes in ("balanced", "as they are"):
            for ratio in RATIOS:
                scores = [one_repeat(frame, labels, schema, classes, ratio, seed, rule) for seed in range(REPEATS)]
                totals[ratio].append(np.mean(scores, axis=0))
                print(name, classes, ratio, *np.round(totals[ratio][-1], 3), sep="\t", flush=True)
    for ratio, rows in totals.items():
        print("mean", "both", ratio, *np.round(np.mean(rows, axis=0), 4), sep="\t")


def one_repeat(frame, labels, schema, classes, ratio, seed, rule) -> list[float]:
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(labels))
    if classes == "balanced":
        values, counts = np.unique(labels, return_counts=True)
        order = np.concatenate([order[labels[order] == value][: counts.min()] for value in values])
        order = generator.permutation(order)
    order = order[:MAX_ROWS]
    cut = len(order) * 3 // 4
    train, test = order[:cut], order[cut:]
    scores = []
    for clip in WAYS.values():
        model = RadoBoostClassifier(schema, epsilon=ratio / cut, rule=rule, clip=clip, random_state=seed)
        scores.append(model.fit(frame[train], labels[train]).score(frame[test], labels[test]))
    return scores


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "linear")
