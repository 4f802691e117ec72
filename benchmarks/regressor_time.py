"""Time of boosted trees of a number over that of two classes, on the same rows.

    python benchmarks/regressor_time.py [pairs, 5 if not given]

75,000 rows of `benchmarks/boosted_trees.py`, twelve columns; the number is a row's log-odds with noise, the classes are
whether it is above zero. Defaults, epsilon 1, delta 1e-6, everything private, 80 trees of depth 8 for both, and then as
many as the rules take. Processor time on one thread, in paired runs in turn, the median of each ratio. Target: 1.1.
"""

from __future__ import annotations

import sys
import warnings
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import polars as pl
from boosted_trees import N_ROWS, table
from threadpoolctl import threadpool_limits

from tacit import BoostedTreesClassifier, BoostedTreesRegressor
from tacit.schema import Schema, Target

TARGET = 1.1


def seconds(estimator: Any, frame: pl.DataFrame, y: np.ndarray) -> float:
    """Return the processor time of one fit."""
    start = process_time()
    estimator.fit(frame, y)
    return process_time() - start


def main() -> None:
    """Print the median ratio of both settings, and whether it is met."""
    warnings.simplefilter("ignore")
    pairs = int(sys.argv[1]) if sys.argv[1:] else 5
    frame, _, schema = table(N_ROWS)
    generator = np.random.default_rng(1)
    odds = (frame["x0"] * frame["x1"] + np.sin(2 * frame["x2"])).to_numpy() + generator.normal(size=N_ROWS)
    of_number = Schema(schema.columns, label=Target("y", -20, 20))
    with threadpool_limits(1):
        for name, given in (("80 trees of depth 8", {"n_trees": 80, "depth": 8}), ("by the rules", {})):
            ratios = []
            for seed in range(pairs):
                shared = {"epsilon": 1.0, "delta": 1e-6, "random_state": seed, **given}
                number = seconds(BoostedTreesRegressor(of_number, **shared), frame, odds)
                classes = seconds(BoostedTreesClassifier(schema, **shared), frame, (odds > 0).astype(int))
                ratios.append(number / classes)
            told = ", ".join(f"{each:.2f}" for each in ratios)
            print(f"{name}: {median(ratios):.2f} (target {TARGET}; {told})", flush=True)


if __name__ == "__main__":
    main()
