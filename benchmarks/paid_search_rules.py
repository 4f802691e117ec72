"""Where the constants of a search paid in rows come from: tables drawn at random, none with a row of a data set.

    python benchmarks/paid_search_rules.py [--seeds 1] [--shares 0.1,0.15] [--out CELLS.parquet]
    python benchmarks/paid_search_rules.py --measured CELLS.parquet

Twelve settings of boosted trees (``paid_search.GRID``), everything private, simulated noise; first with our own default
first, then with a planted bad one. In each cell (table, rows, epsilon, delta, share of the rows) every number of
candidates that may be tried is trained and scored once. What a rule would choose then follows from the held-out losses
and the distribution of the selection, and what it loses or gets back from the accuracies of all finals: so all rules
are compared on the same trainings. Printed for each rule: what the search loses in points against our own default on
all rows (mean and worst cell), and which share of what the planted default loses it gets back, in cells of 9,000 rows
times epsilon and more where that is over a point (mean, and how often less than two thirds).
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from itertools import product
from math import log, log2, sqrt
from typing import Any

import numpy as np
import polars as pl
from boosted_trees_rules import clustered
from drawn_classes import tables_of_classes
from paid_search import DEFAULT, GRID, PLANTED
from rule_tables import synthetic_tables

from tacit import BoostedTreesClassifier, PrivacyWarning
from tacit.estimators.search.by_rows import HANDICAP, MISMATCH, joint_plan, prepared, trained
from tacit.estimators.search.candidates import candidates_of, head_starts
from tacit.estimators.search.price import MIN_SIGNAL, TRAINING, share_of
from tacit.estimators.training import plan_of
from tacit.mechanisms import announce, noise_source
from tacit.privacy import Accountant, Budget
from tacit.privacy.conversions import zcdp_rho
from tacit.queries.held_out import LOG_LOSS_BOUND
from tacit.schema import Schema
from tacit.table import Table, read_rows

N_SCORED = 8_000
SIZES = ((3_000, 1.0), (3_000, 3.0), (10_000, 1.0), (10_000, 3.0), (30_000, 1.0), (30_000, 3.0), (90_000, 0.1))
"""Rows and epsilon: few rows at a large one, and many at a small one."""

DELTA = 1e-6
TRIED = (2, 3, 4, 5, 7, 9, 12)
SIGNALS = (100.0, 150.0, 200.0, 300.0, 450.0, 700.0, 1000.0)
HANDICAPS = (0.0, 0.35, 0.7, 1.4)
MISMATCHES = (0.0, 0.004, 0.008, 0.016)
DRAWS = 400
"""Of the selection's noise."""

Drawn = tuple[str, pl.DataFrame, np.ndarray, Schema]


def tables(seeds: int) -> Iterator[Drawn]:
    n_rows = max(size for size, _ in SIZES) + N_SCORED
    yield from synthetic_tables(n_rows, seeds)
    for seed in range(seeds):
        yield f"clustered {seed}", *clustered(seed, n_rows)
    for name, *drawn in tables_of_classes(n_rows, seeds):
        if name.split()[:2] in (["mixed", "5"], ["ratings", "3"], ["rules", "5"]):
            yield name, *drawn


def cells(drawn: Drawn, seed: int, shares: list[float]) -> Iterator[dict[str, Any]]:
    """Yield what one table shows: for each order and number tried, losses of trials; and accuracies of all finals."""
    name, frame, labels, schema = drawn
    held = read_rows(frame[-N_SCORED:], schema, on_invalid="coerce")
    truth = labels[-N_SCORED:].astype(str)
    for (n_rows, epsilon), delta, share in product(SIZES, (0.0, DELTA), shares):
        budget, used = Budget(epsilon, delta), int(n_rows * share)
        alone = {}
        table = Table.from_frame(frame[:n_rows], labels[:n_rows], schema, on_invalid="coerce")
        final = Table.from_frame(frame[used:n_rows], labels[used:n_rows], schema, on_invalid="coerce")
        finals: dict[str, float] = {}
        for order, settings in (("own", DEFAULT), ("planted", PLANTED)):
            given = BoostedTreesClassifier(schema, on_invalid="coerce", **settings)
            listed = candidates_of(given, GRID, "log-loss")
            [model] = models([listed[0]], table, budget, budget, seed)
            alone[order] = accuracy(model, held, truth)
            for one in listed:
                if str(one.settings) not in finals:
                    [model] = models([one], final, budget, budget, seed)
                    finals[str(one.settings)] = accuracy(model, held, truth)
            training = int(used * TRAINING)
            for m in TRIED:
                if m > 2 and training * share_of(budget, m).epsilon < min(SIGNALS) * (len(schema.label.classes) - 1):
                    continue
                tried = listed[:m]
                first = Table.from_frame(frame[:training], labels[:training], schema, on_invalid="coerce")
                compared = read_rows(frame[training:used], schema, on_invalid="coerce")
                found = models(tried, first, budget, share_of(budget, m), seed)
                yield {
                    "table": name, "classes": len(schema.label.classes), "rows": n_rows, "epsilon": epsilon,
                    "delta": delta, "share": share, "order": order, "tried": m, "training": training,
                    "choosing": used - training, "signal": n_rows * epsilon, "each": share_of(budget, m).epsilon,
                    "losses": [loss(model, compared, labels[training:used].astype(str)) for model in found],
                    "starts": head_starts(tried), "finals": [finals[str(one.settings)] for one in tried],
                    "alone": alone[order], "default": alone["own"],
                }  # fmt: skip


def models(tried: Any, table: Table, whole: Budget, each: Budget, seed: int) -> list[Any]:
    trials = [prepared(one, each, table, seed) for one in tried]
    accountant = Accountant(whole, table.unit, noise_source(seed), n_rows=table.n_persons)
    releases = announce(accountant, joint_plan([plan_of(trial.learner, table) for trial in trials]))
    return trained(trials, table, releases, accountant, np.random.default_rng(seed))


def accuracy(model: Any, rows: Any, truth: np.ndarray) -> float:
    return float(np.mean(np.asarray(model.predict(rows)).astype(str) == truth))


def loss(model: Any, rows: Any, truth: np.ndarray) -> float:
    """Return the summed loss, clipped, in units of the largest loss."""
    positions = np.searchsorted(np.asarray(model.classes).astype(str), truth)
    right = model.predict_proba(rows)[np.arange(len(truth)), positions]
    return float(np.minimum(-np.log(np.maximum(right, 1e-300)) / LOG_LOSS_BOUND, 1.0).sum())


def expected(cell: dict[str, Any], handicap: float, mismatch: float) -> float:
    """Return the mean accuracy of what a rule chooses, over the noise of the selection."""
    final = cell["rows"] - cell["training"] - cell["choosing"]
    noise = max(cell["epsilon"] * final / (cell["each"] * cell["training"]), 1.0)
    chance = handicap * sqrt(cell["choosing"] * log(cell["tried"])) + mismatch * cell["choosing"] * log2(noise)
    starts = np.asarray(cell["starts"])
    scores = -np.asarray(cell["losses"]) - np.where(any(starts) & ~starts, chance, 0.0)
    generator = np.random.default_rng(0)
    size = (DRAWS, len(scores))
    # Range 2: noisy maximum with exponential noise, or with Gumbel noise of the same loss in rho.
    if cell["delta"]:
        noisy = scores + generator.gumbel(size=size) * 2 / sqrt(8 * zcdp_rho(cell["epsilon"], DELTA))
    else:
        noisy = scores + generator.exponential(size=size) * 2 / cell["epsilon"]
    return float(np.mean(np.asarray(cell["finals"])[noisy.argmax(axis=1)]))


def judged(measured: list[dict[str, Any]], signal: float, handicap: float, mismatch: float) -> dict[str, Any]:
    """Return what a rule loses and gets back, by cell."""
    groups: dict[Any, list[dict[str, Any]]] = {}
    for cell in measured:
        key = (cell["table"], cell["rows"], cell["epsilon"], cell["delta"], cell["order"])
        groups.setdefault(key, []).append(cell)
    lost, back = {}, {}
    for (*where, order), found in groups.items():
        fit = [c for c in found if c["training"] * c["each"] >= signal * (c["classes"] - 1)]
        chosen = max(fit, key=lambda c: c["tried"]) if fit else None
        reached = expected(chosen, handicap, mismatch) if chosen else found[0]["alone"]
        gap = found[0]["default"] - found[0]["alone"]
        if order == "own":
            lost[tuple(where)] = 100 * (found[0]["default"] - reached)
        elif gap > 0.01 and found[0]["signal"] >= 9_000:
            back[tuple(where)] = (reached - found[0]["alone"]) / gap
    return {"lost": lost, "back": back}


def report(measured: list[dict[str, Any]]) -> None:
    print("share signal handicap mismatch |  delta 0: loses mean, worst; gets back mean, cells below 2/3 |  delta 1e-6")
    for share, rule in product(sorted({cell["share"] for cell in measured}), rules()):
        mine = [cell for cell in measured if cell["share"] == share]
        said = []
        for with_delta in (False, True):
            found = judged([c for c in mine if (c["delta"] > 0) == with_delta], *rule)
            lost, back = (np.asarray(list(found[name].values())) for name in ("lost", "back"))
            few = f"{(back < 2 / 3).sum()} of {len(back)}"
            said.append(f"{lost.mean():5.2f} {lost.max():5.2f}   {back.mean():5.2f} {few:>8s}")
        ours = " <- ours" if rule == (MIN_SIGNAL, HANDICAP, MISMATCH) else ""
        print(f"{share:5g} {rule[0]:6g} {rule[1]:5g} {rule[2]:6g} |", " | ".join(said), ours, flush=True)


def rules() -> Iterator[tuple[float, float, float]]:
    """Yield signal, handicap and mismatch: other signals with our handicap and mismatch, and the other way round."""
    yield from ((signal, HANDICAP, MISMATCH) for signal in SIGNALS)
    yield from ((MIN_SIGNAL, *others) for others in product(HANDICAPS, MISMATCHES) if others != (HANDICAP, MISMATCH))


def main(arguments: argparse.Namespace) -> None:
    if arguments.measured:
        report(pl.read_parquet(arguments.measured).to_dicts())
        return
    shares = [float(share) for share in arguments.shares.split(",")]
    measured = []
    for at, drawn in enumerate(tables(arguments.seeds)):
        measured += list(cells(drawn, at, shares))
        print(drawn[0], len(measured), flush=True)
        if arguments.out:
            pl.DataFrame(measured).write_parquet(arguments.out)
    report(measured)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--shares", default="0.1")
    parser.add_argument("--measured")
    parser.add_argument("--out")
    warnings.simplefilter("ignore", PrivacyWarning)
    main(parser.parse_args())
