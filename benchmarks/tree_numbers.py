"""How many boosted trees, by the number of columns and how much a leaf's noise is, on synthetic tables alone.

    python benchmarks/tree_numbers.py [tables of each kind, 2 if not given] [rows to fit, 12,000 if not given] [pure]

Tables of ``rule_tables`` (of varied ones five times as many), with crossed columns, of clusters, and of few columns,
everything private, simulated noise, delta 1e-5 or none; trees alone, without ranks before them. By number of columns
and rows over the standard deviation of a leaf's noise with 80 trees: what 40 and 20 trees add to 80, accuracy, area
under the ROC curve and minus the logarithmic loss, in points (hundredths), with the standard error over tables.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from functools import partial

import numpy as np
from auto_rules import LEARNERS, N_SCORED, crossed, print_gains, scores_of
from boosted_trees_rules import clustered
from few_columns import few
from rule_tables import synthetic_tables, varied

from tacit import BoostedTreesClassifier
from tacit.boosting.tree_sizes import leaf_noise, sized
from tacit.privacy import Budget
from tacit.table import Table

NUMBERS = (80, 40, 20)
SIGNALS = {False: (300, 1_000, 3_000, 10_000), True: (3_000, 10_000, 30_000)}
MAX_EPSILON = {False: 12.0, True: 40.0}
COLUMNS = (2, 5, 8, 12, 17)
RATIOS = (0, 30, 60, 120, 300, 700, 1_500, 5_000)


def tables(seeds: int, n_rows: int) -> Iterator[tuple]:
    """Yield rows, labels and schema."""
    for seed in range(seeds):
        for name, frame, labels, schema in synthetic_tables(n_rows, seed + 1):
            if not name.endswith(str(seed)):
                continue
            yield frame, labels, schema
            if name.startswith(("curved", "correlated")):
                yield frame, crossed(frame, labels, schema, seed), schema
        yield clustered(seed, n_rows)
        for at in range(5):
            yield varied(5 * seed + at, n_rows)
        for share in (0.1, 0.3):
            for interacting in (False, True):
                yield few(np.random.default_rng([seed, int(10 * share), interacting]), n_rows, share, interacting)


def main(seeds: int, n_rows: int, pure: bool) -> None:
    warnings.simplefilter("ignore")
    LEARNERS.update(
        {str(number): partial(BoostedTreesClassifier, n_trees=number, start="balance") for number in NUMBERS}
    )
    found, compared, delta = defaultdict(list), [str(number) for number in NUMBERS], 0.0 if pure else 1e-5
    for frame, labels, schema in tables(seeds, n_rows + N_SCORED):
        held_out = frame[-N_SCORED:], np.searchsorted(sorted(schema.label.classes), labels[-N_SCORED:])
        given, n_columns = (frame[:n_rows], labels[:n_rows]), len(schema.names)
        unit = Table.from_frame(*given, schema, on_invalid="coerce").unit
        for signal in SIGNALS[pure]:
            budget = Budget(signal * n_columns / n_rows, delta)
            if budget.epsilon > MAX_EPSILON[pure]:
                continue
            ratio = n_rows / leaf_noise(sized(schema, unit, budget, n_rows, n_trees=NUMBERS[0]), unit, budget)[0]
            columns, band = (edges[np.searchsorted(edges, each, side="right") - 1] for edges, each in (
                (COLUMNS, n_columns), (RATIOS, ratio)
            ))  # fmt: skip
            scores = [scores_of(one, schema, given, held_out, (budget.epsilon, delta)) for one in compared]
            found[f"{columns:2d} columns or more, rows over noise", float(band)].append(scores)
    print_gains({key: values for key, values in found.items() if len(values) > 1}, compared)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    main(*numbers, *(2, 12_000)[len(numbers) :], pure="pure" in sys.argv)
