"""Other libraries' linear regressions, and ours, on one made-up line: which slope they find.

    for name in diffprivlib interpret opendp; do python -m reproductions external install $name; done
    python benchmarks/external_lines.py [draws, 10 if not given]

10,000 rows, x even in [0, 100], y = 20 + 0.5 x and normal noise of 5, bounds 0 and 100 of both. The slope is that of
predictions between x = 25 and x = 75. Epsilon 0.1 and 1 for replace-one, in all of them; delta 1e-6 where one is used.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

import reproductions.external  # noqa: F401  its learners are known by then
from tacit.schema import Numeric, Schema, Target
from tacit.study.learners import predictions
from tacit.study.splits import Split
from tacit.table import Table, read_labels, read_rows

SCHEMA = Schema([Numeric("x", 0, 100)], label=Target("y", 0, 100))
LEARNERS = (
    "linear",
    "auto",
    "external:diffprivlib-0.6.6-linear",
    "external:diffprivlib-0.6.6-linear-centered",
    "external:opendp-0.16.0-line",
    "external:interpret-0.7.8-dp-ebm-regressor",
)


def line(rows: int = 10_000) -> Split:
    """Return the rows, and two to test on, at x = 25 and x = 75."""
    generator = np.random.default_rng(0)
    x = np.append(generator.uniform(0, 100, rows), [25.0, 75.0])
    y = 20 + 0.5 * x + np.append(generator.normal(0, 5, rows), [0.0, 0.0])
    read, labels = read_rows(x[:, None], SCHEMA), read_labels(y, SCHEMA.label)
    train, test = np.arange(rows), np.arange(rows, rows + 2)
    table = Table.from_rows(read.take(train), labels[train], SCHEMA)
    return Split(SCHEMA, table, read.take(train), read.take(test), labels[train], labels[test], train, test)


def main() -> None:
    """Print mean and standard deviation of slope and of the value at 50, whose truth is 0.5 and 45."""
    warnings.simplefilter("ignore")
    draws, split = int(sys.argv[1]) if sys.argv[1:] else 10, line()
    for learner in LEARNERS:
        for epsilon in (0.1, 1.0):
            given = {"epsilon": epsilon, "delta": 1e-6, "parameters": {}}
            said = np.asarray([predictions(learner, split, seed=seed, **given).numbers for seed in range(draws)])
            slope, middle = (said[:, 1] - said[:, 0]) / 50, said.mean(axis=1)
            told = ", ".join(f"{each.mean():.4f} ({each.std(ddof=1):.4f})" for each in (slope, middle))
            print(f"{learner}, {epsilon:g}: {told}", flush=True)


if __name__ == "__main__":
    main()
