"""Adult with its numbers declared whole, and not: accuracy, and listed effects of ranges without a whole number.

python benchmarks/whole_numbers.py [EPSILON]
"""

from __future__ import annotations

import re
import sys
import warnings
from dataclasses import replace
from math import floor

import numpy as np

from tacit import AutoClassifier
from tacit.datasets import load
from tacit.models import Model

SEEDS = (0, 1, 2)


def impossible(model: Model) -> int:
    """Return how many listed effects are of a range between two numbers that holds no whole one."""
    ranges = (re.fullmatch(r"above (\S+) and at most (\S+)", cell) for cell in model.explanation.listed()["cell"])
    ends = ([float(end.replace(",", "")) for end in each.groups()] for each in ranges if each)
    return sum(floor(low) == floor(high) for low, high in ends)


def main() -> None:
    warnings.simplefilter("ignore")
    epsilon = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    data = load("adult")
    numbers = {column.name for column in data.schema.columns if getattr(column, "whole", False)}
    for whole in (False, True):
        columns = [replace(each, whole=whole) if each.name in numbers else each for each in data.schema.columns]
        schema = replace(data.schema, columns=tuple(columns))
        for seed in SEEDS:
            order = np.random.default_rng(seed).permutation(len(data.frame)).tolist()
            train, test = order[: 3 * len(order) // 4], order[3 * len(order) // 4 :]
            classifier = AutoClassifier(schema, epsilon=epsilon, delta=1e-5, random_state=seed)
            model = classifier.fit(data.frame[train], data.target[train]).model_
            accuracy = float((model.predict(data.frame[test]) == data.target[test].to_numpy()).mean())
            print(f"{'whole' if whole else 'as before'}, seed {seed}: {accuracy:.4f}, {impossible(model)}", flush=True)


if __name__ == "__main__":
    main()
