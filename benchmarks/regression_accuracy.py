"""Errors of `AutoRegressor` on abalone's rings and white wine's quality, by epsilon, with a delta and without.

    TACIT_DATA=... python benchmarks/regression_accuracy.py [fits of each split, 4 if not given]

Everything private, replace-one, bounds 0 to 30 and 0 to 10, a delta of 5e-8. A split is
`numpy.random.default_rng(s).permutation(n)`, its first four fifths to learn from, s from 0 to 4. Printed are root mean
square errors on the rest, means over splits and fits, that of the mean of the training rows, and its ratio to that.
"""

from __future__ import annotations

import sys
import warnings
from itertools import product

import numpy as np
from regression_intervals import DELTA, NUMBERS, tables

from tacit import AutoRegressor

EPSILONS, SPLITS = (0.01, 0.02, 0.03, 0.1, 0.2, 0.3, 1.0, 3.0, 10.0), 5
PURE = (0.1, 1.0)
"""Of which epsilon the same without a delta is measured, too."""


def main() -> None:
    """Print a line for each table, epsilon and delta."""
    warnings.simplefilter("ignore")
    draws = int(sys.argv[1]) if sys.argv[1:] else 4
    budgets = [*((each, DELTA) for each in EPSILONS), *((each, 0.0) for each in PURE)]
    print("table | epsilon | delta | RMSE, its standard error over splits | of the mean | ratio")
    for (name, frame, y, schema), (epsilon, delta) in product(tables(), budgets):
        if name not in NUMBERS:
            break
        errors, usual = np.zeros((SPLITS, draws)), np.zeros(SPLITS)
        for split in range(SPLITS):
            train, test = np.split(np.random.default_rng(split).permutation(len(y)), [int(0.8 * len(y))])
            usual[split] = np.sqrt(np.mean((y[test] - y[train].mean()) ** 2))
            for draw in range(draws):
                model = AutoRegressor(schema.all_private(), epsilon=epsilon, delta=delta, random_state=draw)
                predicted = model.fit(frame[train], y[train]).predict(frame[test])
                errors[split, draw] = np.sqrt(np.mean((y[test] - predicted) ** 2))
        means = errors.mean(axis=1)
        spread = means.std(ddof=1) / np.sqrt(SPLITS)
        ratio = means.mean() / usual.mean()
        print(
            f"{name} | {epsilon:g} | {delta:g} | {means.mean():.3f} {spread:.3f} | {usual.mean():.3f} | {ratio:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
