"""How long a person waits before work begins: fresh processes, as ratios of medians of interleaved runs.

    python benchmarks/start_up.py [--repeats 5]

A fit on the command line over the import of scikit-learn's base classes, and help over the import of the libraries that
draw it: a table of 30,000 rows, 12 numbers and 8 categories, all private, epsilon 1, delta 1e-8, the learner left to
the rule. Seconds on the clock and of the processor; the former are to be read on an idle machine. Bytecode is kept, as
of an installed package.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl

from tacit.schema import Categorical, Label, Numeric, Schema

N_ROWS, NEW_ROWS = 30_000, 100
WORDS = [f"v{code}" for code in range(10)]

Seconds = tuple[float, float]
"""On the clock, and of the processor."""


def write_table(folder: Path) -> None:
    """Write training rows, new rows and the schema."""
    generator = np.random.default_rng(0)
    numbers = {f"n{i}": generator.uniform(0, 100, N_ROWS).round(2) for i in range(12)}
    words = {f"c{i}": generator.choice(WORDS, N_ROWS) for i in range(8)}
    lean = (
        sum((numbers[f"n{i}"] - 50) / 30 for i in range(4)) + 2.0 * (words["c0"] == "v1") - 2.0 * (words["c1"] == "v3")
    )
    label = np.where(lean + generator.logistic(size=N_ROWS) > 0, "yes", "no")
    frame = pl.DataFrame({**numbers, **words, "y": label})
    frame.write_csv(folder / "train.csv")
    frame.drop("y").head(NEW_ROWS).write_csv(folder / "new.csv")
    columns = [*(Numeric(name, 0, 100) for name in numbers), *(Categorical(name, WORDS) for name in words)]
    (folder / "schema.toml").write_text(Schema(columns, label=Label("y", ["no", "yes"])).to_toml())


def commands(folder: Path) -> dict[str, list[str]]:
    """Return what is run, by name; the fit writes the model that others read."""
    tacit = ["-m", "tacit"]
    fit = ["fit", "train.csv", "-s", "schema.toml", "-e", "1", "--delta", "1e-8", "--ledger", "none", "--force"]
    model = str(folder / "model.json")
    return {
        "sklearn.base": ["-c", "import sklearn.base"],
        "typer, rich": ["-c", "import typer, rich"],
        "tacit fit": [*tacit, *fit, "-o", model],
        "tacit fit --seed": [*tacit, *fit, "-o", "seeded.json", "--seed", "0", "--allow", "simulated"],
        "tacit --help": [*tacit, "--help"],
        "tacit fit --help": [*tacit, "fit", "--help"],
        "tacit inspect": [*tacit, "inspect", model],
        "tacit predict": [*tacit, "predict", model, "new.csv"],
        "an estimator": ["-c", "from tacit import Schema, LogisticClassifier"],
    }


RATIOS = [  # and the targets
    ("tacit fit", "sklearn.base", 1.2),
    ("tacit --help", "typer, rich", 4.0),
    ("tacit fit --help", "typer, rich", None),
    ("tacit inspect", "sklearn.base", None),
    ("tacit predict", "sklearn.base", None),
    ("an estimator", "sklearn.base", None),
    ("tacit fit", "tacit fit --seed", None),
]


def seconds(arguments: list[str], folder: Path) -> Seconds:
    """Return what one fresh interpreter takes."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, check=True, capture_output=True, timeout=600
    )
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_table(folder)
        taken: dict[str, list[Seconds]] = {}
        for _ in range(repeats + 1):
            for called, arguments in commands(folder).items():
                taken.setdefault(called, []).append(seconds(arguments, folder))
    # The first runs write bytecode and fill the system's cache of files.
    medians = {called: tuple(map(median, zip(*runs[1:], strict=True))) for called, runs in taken.items()}
    for called, (clock, processor) in medians.items():
        print(f"{called:20s} {clock:6.2f} s, of the processor {processor:6.2f}")
    for one, other, target in RATIOS:
        clock, processor = (a / b for a, b in zip(medians[one], medians[other], strict=True))
        wanted = "" if target is None else f"   target {target}"
        print(f"{one:18s} / {other:18s} {clock:5.2f}, of the processor {processor:5.2f}{wanted}")


if __name__ == "__main__":
    main()
