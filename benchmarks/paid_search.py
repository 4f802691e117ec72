"""What a search costs and gains: accuracy with the own default first, and with a planted bad one, by table and budget.

    python benchmarks/paid_search.py [--draws 3] [--epsilons 0.1,0.5,1,3] [--pay rows] [--delta 1e-6] [table ...]

Twelve settings of boosted trees, everything private, simulated noise, a quarter of the rows held out. The planted
default has two bins, depth 1 and a learning rate ten times too small; our own default is among the settings. "Loses" is
what the search loses, in points, against our own default on all rows; "recovers" is the share of what the planted
default loses that the search gets back, where that is more than a point.
"""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from typing import Any

import numpy as np

from tacit import BoostedTreesClassifier, PaidSearch, PrivacyWarning
from tacit.datasets import load
from tacit.schema import Schema
from tacit.table import Table

TABLES = (
    "adult bank-marketing credit-default sepsis-survival mushroom cod-rna nursery house-votes-84 spect "
    "skin-segmentation abalone wine-white magic-gamma eeg-eye-state"
)
MAX_ROWS = 120_000
DEFAULT: dict[str, Any] = {"cut_points": "auto", "n_bins": 32, "depth": "auto", "learning_rate": "auto"}
PLANTED = {"cut_points": "grid", "n_bins": 2, "depth": 1, "learning_rate": 0.03}
SHAPES = {"depth": ["auto", 4, 1], "learning_rate": ["auto", 0.03]}
GRID = [{**SHAPES, "cut_points": ["auto"], "n_bins": [32]}, {**SHAPES, "cut_points": ["grid"], "n_bins": [2]}]


def divided(name: str, draw: int) -> tuple[Schema, Table, Any, np.ndarray]:
    """Return everything private: a table to fit on, and a frame and labels to score on."""
    data = load(name)
    schema = data.schema.with_private(data.schema.names, label=True)
    order = np.random.default_rng(draw).permutation(len(data.target))[:MAX_ROWS]
    fitted, scored = np.split(order, [len(order) * 3 // 4])
    labels = data.target.to_numpy()
    table = Table.from_frame(data.frame[fitted], labels[fitted], schema, on_invalid="coerce")
    return schema, table, data.frame[scored], labels[scored]


def accuracies(name: str, epsilon: float, delta: float, draw: int, **given: Any) -> dict[str, float]:
    schema, table, frame, labels = divided(name, draw)
    budget = {"epsilon": epsilon, "delta": min(delta, 0.5 / table.n_persons)}
    found = {}
    for words, settings in (("own", DEFAULT), ("planted", PLANTED)):
        estimator = BoostedTreesClassifier(schema, on_invalid="coerce", **settings)
        search = PaidSearch(estimator, GRID, **budget, random_state=draw, **given)
        alone = BoostedTreesClassifier(schema, on_invalid="coerce", random_state=draw, **budget, **settings)
        found[f"{words} alone"] = float(alone.fit_table(table).score(frame, labels))
        found[f"{words} searched"] = float(search.fit_table(table).score(frame, labels))
        found["tried"] = getattr(search.cost(table.n_persons), "candidates", np.nan)
        found["signal"] = table.n_persons * epsilon
    return found


def main(arguments: argparse.Namespace) -> None:
    lost, recovered = {}, {}
    print(f"{'table':18} epsilon  n*epsilon  tried  default  searched  loses   planted  searched  recovers", flush=True)
    for name in arguments.table or TABLES.split():
        for epsilon in map(float, arguments.epsilons.split(",")):
            draws = defaultdict(list)
            for draw in range(arguments.draws):
                for key, value in accuracies(name, epsilon, arguments.delta, draw, pay=arguments.pay).items():
                    draws[key].append(value)
            mean = {key: float(np.mean(values)) for key, values in draws.items()}
            loses = 100 * (mean["own alone"] - mean["own searched"])
            gap = mean["own alone"] - mean["planted alone"]
            share = (mean["planted searched"] - mean["planted alone"]) / gap if gap > 0.01 else float("nan")
            lost[name, epsilon] = loses
            if mean["signal"] >= 10_000 and gap > 0.01:
                recovered[name, epsilon] = share
            print(
                f"{name:18} {epsilon:7g} {mean['signal']:10,.0f} {mean['tried']:6g} {mean['own alone']:8.3f} "
                f"{mean['own searched']:9.3f} {loses:6.1f} {mean['planted alone']:9.3f} "
                f"{mean['planted searched']:9.3f} {share:9.2f}",
                flush=True,
            )
    print(f"Loses at most {max(lost.values()):.1f} points ({max(lost, key=lost.__getitem__)}).")
    if recovered:
        least = min(recovered, key=recovered.__getitem__)
        print(f"Recovers at least {recovered[least]:.2f} where n*epsilon >= 10,000 ({least}).")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--epsilons", default="0.1,0.5,1,3")
    parser.add_argument("--delta", type=float, default=1e-6)
    parser.add_argument("--pay", choices=["rows", "epsilon"], default="rows")
    parser.add_argument("table", nargs="*")
    warnings.simplefilter("ignore", PrivacyWarning)
    main(parser.parse_args())
