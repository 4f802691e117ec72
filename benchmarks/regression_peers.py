"""Regressors against DP-EBM's and against boosting without privacy, on eight public tables.

    python -m reproductions external install interpret
    python benchmarks/regression_peers.py TABLES FILE [splits, 5 if not given]

TABLES is the folder that `benchmarks/regression_tables.py` writes. Everything private, delta 5e-8, defaults, bounds of
the same schema for all. A split is `numpy.random.default_rng(s).permutation(n)`, its first four fifths to learn from.
Ours is under replace-one. DP-EBM is asked for the same epsilon under add/remove, the weaker promise that its authors
publish. FILE keeps each finished fit, so that the command goes on where it was stopped. R2 is against the mean of the
training rows.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from regression_tables import tables

import reproductions.external  # noqa: F401  its learners are known by then
from tacit.study.fit import scored
from tacit.study.learners import predictions
from tacit.study.splits import Split
from tacit.table import Table, read_labels, read_rows

DELTA = 5e-8
EBM, BOOSTING = "external:interpret-0.7.8-dp-ebm-regressor", "baseline:hist-gradient-boosting"
RUNS = (
    *(("auto", epsilon) for epsilon in (0.1, 1.0, 10.0)),
    *((EBM, epsilon) for epsilon in (0.1, 1.0)),
    (BOOSTING, None),
    ("baseline:ridge", None),
)
MANY = 30_000
"""Rows from which a large budget should cost little."""


def splits(folder: Path, number: int) -> Iterator[tuple[str, int, Split]]:
    """Yield each table's name, number of rows, and splits."""
    for name, frame, numbers, schema in tables(folder):
        rows, labels = read_rows(frame, schema), read_labels(numbers, schema.label)
        for seed in range(number):
            order = np.random.default_rng(seed).permutation(len(labels))
            train, test = np.split(order, [int(0.8 * len(order))])
            table = Table.from_rows(rows.take(train), labels[train], schema)
            parts = rows.take(train), rows.take(test), labels[train], labels[test], train, test
            yield name, seed, Split(schema, table, *parts)


def measured(learner: str, epsilon: float | None, split: Split, seed: int) -> dict[str, Any]:
    """Return the errors of one fit."""
    parameters = {"relation": "theirs"} if learner == EBM else {}
    made = predictions(learner, split, epsilon=epsilon, delta=DELTA, seed=seed, parameters=parameters)
    found = scored(made, split)
    return {name: found[name] for name in ("rmse", "mae", "r2", "n_train", "fit_seconds")}


def main() -> None:
    """Measure what the file lacks, and print means over splits."""
    warnings.simplefilter("ignore")
    file, number = Path(sys.argv[2]), int(sys.argv[3]) if sys.argv[3:] else 5
    known = {}
    for line in file.read_text().splitlines() if file.exists() else ():
        *key, found = json.loads(line)
        known[tuple(key)] = found
    for name, seed, split in splits(Path(sys.argv[1]), number):
        for learner, epsilon in RUNS:
            if (name, seed, learner, epsilon) not in known:
                found = known[name, seed, learner, epsilon] = measured(learner, epsilon, split, seed)
                with file.open("a") as out:
                    out.write(json.dumps([name, seed, learner, epsilon, found]) + "\n")
    report(known)


def report(known: dict[tuple[Any, ...], dict[str, Any]]) -> None:
    """Print mean R2 of each table and learner, leads with their standard errors, and the cost at a large budget."""
    found: dict[tuple[Any, ...], dict[int, dict[str, Any]]] = defaultdict(dict)
    for (name, seed, learner, epsilon), values in known.items():
        found[name, learner, epsilon][seed] = values
    names = list(dict.fromkeys(name for name, *_ in found))
    mean = lambda name, learner, epsilon, measure: np.mean(  # noqa: E731
        [each[measure] for each in found[name, learner, epsilon].values()]
    )
    leads: dict[float, list[float]] = {0.1: [], 1.0: []}
    for name in names:
        words = [f"{name}, {mean(name, 'auto', 1.0, 'n_train'):,.0f}"]
        for epsilon, own in leads.items():
            ours, theirs = found[name, "auto", epsilon], found[name, EBM, epsilon]
            ahead = [ours[seed]["r2"] - theirs[seed]["r2"] for seed in sorted({*ours} & {*theirs})]
            error = np.std(ahead, ddof=1) / np.sqrt(len(ahead)) if len(ahead) > 1 else np.nan
            own.append(float(np.mean(ahead)))
            pair = [mean(name, learner, epsilon, "r2") for learner in ("auto", EBM)]
            words.append(f"{epsilon:g}: {pair[0]:.3f} {pair[1]:.3f}, ahead {own[-1]:+.3f} ({error:.3f})")
        free = [mean(name, learner, None, "r2") for learner in (BOOSTING, "baseline:ridge")]
        cost = mean(name, "auto", 10.0, "rmse") / mean(name, BOOSTING, None, "rmse") - 1
        words.append(f"10: {mean(name, 'auto', 10.0, 'r2'):.3f}, boosting {free[0]:.3f}, ridge {free[1]:.3f}")
        words.append(
            f"RMSE at 10 over boosting's {100 * cost:+.1f} %" + (" (line 3)" if cost and _many(found, name) else "")
        )
        print(" | ".join(words))
    print("mean lead", {epsilon: round(float(np.mean(own)), 3) for epsilon, own in leads.items()})


def _many(found: dict[tuple[Any, ...], dict[int, dict[str, Any]]], name: str) -> bool:
    return min(each["n_train"] for each in found[name, "auto", 10.0].values()) >= 0.8 * MANY


if __name__ == "__main__":
    main()
