"""Whether both programs that verify certificates say the same of many models, and the claimed epsilon of each.

Run: python benchmarks/verify_agreement.py [--minutes 10] [--seed 0]

Fits small models of all learners. For each is drawn: table, classes, what is protected, budget, settings, and a case
(plain, holdout, paid search by rows or epsilon, persons, learned schema, ledger, class weights, explain share).
Prints how many models of each learner and case there were, and each that the programs differ about. Ends with exit
status 1 if there is one. What a learner refuses is drawn again.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import tacit
from tacit import Categorical, Identifier, Label, Numeric, PaidSearch, Schema
from tacit.errors import TacitError
from tacit.estimators import forget_fits
from tacit.ledger import Account, Ledger
from tacit.models import to_json
from tacit.privacy import Budget
from tacit.schema import Target
from tacit.verify import program, recomputed, written_of

CLOSE = 1e-9
LEARNERS = [name for name in tacit.__all__ if name.endswith(("Classifier", "Regressor"))]
CASES = [
    "plain", "holdout", "search by rows", "search by epsilon", "persons", "learned schema", "ledger", "class weights",
    "explain share",
]  # fmt: skip
COLUMNS = [
    Numeric("age", 0, 100, cuts=[25, 50, 75]), Numeric("pay", 0, 1000), Categorical("sky", ["clear", "rain", "snow"]),
    Categorical("sex", ["f", "m"]),
]  # fmt: skip
PROTECTED = [
    (["age", "pay", "sky", "sex"], True), (["age", "pay", "sky", "sex"], False), (["age"], True),
    (["pay", "sex"], False), ([], True), (["sky"], False),
]  # fmt: skip
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "BRCClassifier": [{"rounds": 4}, {"rounds": 3, "encoding": "one-hot"}],
    "LazyBBClassifier": [{"rounds": 4}, {"rounds": 2, "weak_learner": "tree"}, {"cut_points": "private", "rounds": 3}],
    "BoostedTreesRegressor": [{"n_trees": 3}, {"n_trees": 2, "candidates": 1}],
    "BoostedTreesClassifier": [{"n_trees": 3}, {"n_trees": 2, "candidates": 1}, {"n_trees": 2, "start": "balance"}],
    "TreeClassifier": [{}, {"max_splits": 2}, {"growth": "level", "max_depth": 2}, {"criterion": "gini"}],
    "LogisticClassifier": [
        {}, {"method": "objective-perturbation"}, {"method": "mean-operator"}, {"encoding": "ranked"},
        {"method": "gaussian-objective"},
    ],
    "NaiveBayesClassifier": [{}, {"numeric": "gaussian"}, {"cut_points": "private"}],
    "RadoBoostClassifier": [{}, {"rule": "linear"}],
}  # fmt: skip
MORE: dict[str, dict[str, Any]] = {
    "holdout": {"holdout": 0.4},
    "class weights": {"class_weight": "balanced"},
    "explain share": {"explain_share": 0.2},
}


def table(rows: int, classes: int, draw: np.random.Generator) -> pl.DataFrame:
    """Return rows whose classes depend a little on the columns."""
    age = draw.uniform(0, 100, rows)
    score = age / 100 + draw.normal(0, 0.5, rows)
    return pl.DataFrame(
        {
            "age": age,
            "pay": draw.gamma(1.0, 100.0, rows).clip(0, 1000),
            "sky": draw.choice(["clear", "rain", "snow"], rows),
            "sex": draw.choice(["f", "m"], rows),
            "y": np.digitize(score, np.quantile(score, np.arange(1, classes) / classes)).astype(str),
            "person": draw.integers(0, rows // 2, rows),
        }
    )


def schema_of(classes: int | None, draw: np.random.Generator) -> Schema:
    """Return a schema of which some columns, the label or all are protected; without classes, of a number."""
    names, label = PROTECTED[draw.integers(len(PROTECTED))] if draw.random() < 0.5 else PROTECTED[0]
    columns = [replace(column, private=column.name in names) for column in COLUMNS]
    if classes is None:
        return Schema(columns, label=Target("y", -1, 4, private=label))
    return Schema(columns, label=Label("y", [str(each) for each in range(classes)], private=label))


def fitted(learner: str, case: str, draw: np.random.Generator, folder: Path) -> Any:
    """Return a model of a learner in a case, with the rest drawn."""
    classes = int(draw.choice([2, 2, 3]))
    schema = schema_of(None if learner.endswith("Regressor") else classes, draw)
    large = case in ("search by rows", "search by epsilon", "learned schema") or (case == "holdout" and classes > 2)
    frame = table(int(draw.integers(6_000, 12_000) if large else draw.integers(800, 2_000)), classes, draw)
    budget = {"epsilon": float(draw.choice([0.5, 1.0, 3.0])), "delta": float(draw.choice([0.0, 1e-6]))}
    given = SETTINGS.get(learner, [{}])
    settings: dict[str, Any] = dict(given[draw.integers(len(given))]) if draw.random() < 0.8 else {}
    frame = frame.with_columns(pl.col("y").cast(float)) if schema.target else frame
    rows, labels = frame.drop("y", "person"), frame["y"]
    kind = getattr(tacit, learner)
    if case.startswith("search"):
        offered = {"rounds": [2, 3]} if learner in ("BRCClassifier", "LazyBBClassifier") else {"calibration": [0, 0.1]}
        search = PaidSearch([kind(schema, **settings)], [offered], pay=case.split()[-1], **budget)
        return search.fit(rows, labels)
    if case == "persons":
        identifier = Identifier("person", rows="mean" if draw.random() < 0.5 else 2)
        schema, rows = replace(schema, identifier=identifier), frame.drop("y")
    if case == "learned schema" and not schema.target:
        kinds = tacit.Kinds({"age": "number", "sky": "category", "y": "category"})
        schema = tacit.learn_schema(frame.drop("person"), kinds, label="y", epsilon=0.2, delta=1e-6)
    if case == "ledger":
        settings["ledger"] = account(folder / f"{draw.integers(2**62)}.ledger", rho=budget["delta"] > 0)
    return kind(schema, **budget, **settings, **MORE.get(case, {})).fit(rows, labels)


def account(path: Path, *, rho: bool) -> str:
    """Return where a new ledger has an account of rho, or of epsilon."""
    Ledger(path).open(Account.of("all", Budget(5.0, 1e-6 if rho else 0.0)))
    return f"{path}#all"


def standalone(folder: Path) -> Any:
    """Return the program that shares no code with the package, as a module."""
    path = folder / "verify.py"
    path.write_text(program(), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("standalone_verify", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def difference(text: str, other: Any) -> str:
    """Return in what the programs differ about a model's text, or from its claim; empty if in nothing."""
    written = written_of(text)
    ours, its = recomputed(written.certificate, written.model), other.check(other.certificate_of(text))
    claim = written.certificate.epsilon
    if ours.faults or ours.unknown or its.faults or not its.holds:
        return f"refused: {[*ours.faults, *ours.unknown][:2]} and {its.faults[:2]}"
    if abs(ours.epsilon - its.epsilon) > CLOSE * ours.epsilon:
        return f"epsilon {ours.epsilon!r} and {its.epsilon!r}"
    if not ours.epsilon >= claim * (1 - CLOSE):
        return f"epsilon {ours.epsilon!r} of claimed {claim!r}"
    return ""


def models(minutes: float, seed: int, folder: Path, refused: Counter[str]) -> Iterator[tuple[str, str, Any]]:
    """Yield a learner, a case and a model of it until the time is over, and count what learners refuse."""
    end, draw = time.monotonic() + 60 * minutes, np.random.default_rng(seed)
    while time.monotonic() < end:
        learner, case = LEARNERS[draw.integers(len(LEARNERS))], CASES[draw.integers(len(CASES))]
        try:
            model = fitted(learner, case, draw, folder).model_
        except (TacitError, TypeError) as error:
            refused[str(error)[:70]] += 1
            continue
        finally:
            forget_fits()
        yield learner, case, model


def options_of(text: str | None) -> argparse.Namespace:
    """Return for how long to fit, and the seed of what is drawn."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main() -> int:
    """Fit until the time is over."""
    options = options_of(__doc__)
    counts: Counter[tuple[str, str]] = Counter()
    refused: Counter[str] = Counter()
    differ = 0
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = standalone(Path(folder))
        for learner, case, model in models(options.minutes, options.seed, Path(folder), refused):
            counts[learner, case] += 1
            if found := difference(to_json(model), other):
                differ += 1
                print(f"{learner}, {case}: {found}", flush=True)
    for (learner, case), count in sorted(counts.items()):
        print(f"{count:5d}  {learner}, {case}")
    print(
        f"{sum(counts.values())} models of {len(counts)} kinds, {differ} differ; {sum(refused.values())} were refused."
    )
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())
