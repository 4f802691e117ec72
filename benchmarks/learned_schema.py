"""What a learned schema costs: accuracy of the automatic choice under it and under the documented one, by table.

    python benchmarks/learned_schema.py [--draws 2] [--learning 0.2] [--epsilon 1] [--delta 1e-6] [table ...]

Everything private, simulated noise, a quarter of the rows held out, at most 60,000 rows. The schema is learned from the
training rows, and the fit spends its epsilon besides. The documented schema is that of the catalog. "Loses" is the
difference in points; the line is 1.5 where the training set has 10,000 rows or more.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
import polars as pl

from tacit import AutoClassifier, Kinds, PrivacyWarning, learn_schema
from tacit.datasets import load
from tacit.schema import Schema

TABLES = (
    "adult bank-marketing credit-default sepsis-survival cod-rna nursery skin-segmentation magic-gamma eeg-eye-state"
)
MAX_ROWS = 60_000


def accuracies(name: str, draw: int, arguments: argparse.Namespace) -> tuple[int, float, float]:
    """Return training rows, and accuracy under the documented and under the learned schema."""
    data = load(name)
    documented = data.schema.all_private()
    order = np.random.default_rng(draw).permutation(len(data.target))[:MAX_ROWS]
    fitted, scored = np.split(order, [len(order) * 3 // 4])
    rows = data.frame.with_columns(data.target.alias(documented.label.name))
    learned = learn_schema(
        rows[fitted],
        Kinds.of_schema(documented, guessed=False),
        label=documented.label.name,
        epsilon=arguments.learning,
        delta=arguments.delta,
        random_state=draw,
    )
    scores = [
        accuracy(schema, data.frame, data.target, fitted, scored, draw, arguments) for schema in (documented, learned)
    ]
    return len(fitted), *scores


def accuracy(
    schema: Schema,
    frame: pl.DataFrame,
    target: pl.Series,
    fitted: Any,
    scored: Any,
    draw: int,
    given: argparse.Namespace,
) -> float:
    model = AutoClassifier(schema, epsilon=given.epsilon, delta=given.delta, on_invalid="coerce", random_state=draw)
    model.fit(frame[fitted], target[fitted])
    # As text: learned classes are of the kind that was declared, documented ones of the table's.
    return float(np.mean(model.predict(frame[scored]).astype(str) == target[scored].cast(pl.String).to_numpy()))


def main(arguments: argparse.Namespace) -> None:
    print(f"{'table':18}   rows  documented  learned  loses", flush=True)
    for name in arguments.table or TABLES.split():
        found = [accuracies(name, draw, arguments) for draw in range(arguments.draws)]
        rows, documented, learned = np.mean(found, axis=0)
        loses = 100 * (documented - learned)
        print(f"{name:18} {rows:6.0f} {documented:11.4f} {learned:8.4f} {loses:6.2f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--learning", type=float, default=0.2)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--delta", type=float, default=1e-6)
    parser.add_argument("table", nargs="*")
    warnings.simplefilter("ignore", PrivacyWarning)
    main(parser.parse_args())
