"""Default fits of every learner on long and on wide tables, as ratios within one run.

    python benchmarks/scale.py [--rows 1000000] [--columns 1000] [--only svm logistic] [--quick]

Long: ``--rows`` x 20, over one scan of the same table: reading the frame, and a binary search of every number among the
cuts of eight bins. It is NumPy's, so that the unit does not shrink as our encoding gets faster, which is printed too.
Wide: 20,000 x ``--columns``, over a fit of naive Bayes. ``--quick`` takes a tenth of the rows and of the columns.
Targets: long within 3, logistic regression 4, support vector machine 8; wide within 20. Times are processor
seconds, so that other work on the machine weighs little, and the lesser of two if below ten.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
import polars as pl

from tacit.estimators import (
    BRCClassifier,
    LazyBBClassifier,
    LogisticClassifier,
    NaiveBayesClassifier,
    PrivateClassifier,
    RadoBoostClassifier,
    SVMClassifier,
    TreeClassifier,
)
from tacit.features import BinEncoding
from tacit.schema import Label, Numeric, Schema
from tacit.table import Table, read_rows

LEARNERS: dict[str, Callable[[Schema], PrivateClassifier]] = {
    "naive-bayes": lambda schema: NaiveBayesClassifier(schema, epsilon=1.0),
    "tree": lambda schema: TreeClassifier(schema, epsilon=1.0),
    "lazybb": lambda schema: LazyBBClassifier(schema, epsilon=1.0),
    "brc": lambda schema: BRCClassifier(schema, epsilon=1.0),
    "radoboost": lambda schema: RadoBoostClassifier(schema, epsilon=1.0),
    "logistic": lambda schema: LogisticClassifier(schema, epsilon=1.0),
    "logistic-zcdp": lambda schema: LogisticClassifier(schema, epsilon=1.0, delta=1e-8),
    "logistic-sphere": lambda schema: LogisticClassifier(schema, epsilon=1.0, method="objective-perturbation"),
    "logistic-gaussian": lambda schema: LogisticClassifier(
        schema, epsilon=1.0, delta=1e-8, method="gaussian-objective"
    ),
    "logistic-mean": lambda schema: LogisticClassifier(schema, epsilon=1.0, method="mean-operator"),
    "logistic-k-norm": lambda schema: LogisticClassifier(schema, epsilon=1.0, method="k-norm"),
    "svm": lambda schema: SVMClassifier(schema, epsilon=1.0),
    "svm-gaussian": lambda schema: SVMClassifier(schema, epsilon=1.0, delta=1e-8),
}
LONG_TARGETS = {"logistic": 4.0, "svm": 8.0}
LONG_COLUMNS, WIDE_ROWS, LONG_TARGET, WIDE_TARGET = 20, 20_000, 3.0, 20.0


def rows(n_rows: int, n_columns: int) -> tuple[pl.DataFrame, np.ndarray, Schema]:
    """Return uniform numbers, labels that half of the columns decide with some noise, and the schema."""
    generator = np.random.default_rng(0)
    schema = Schema([Numeric(f"x{i}", -1, 1) for i in range(n_columns)], label=Label("y", [0, 1]))
    X = generator.uniform(-1, 1, (n_columns, n_rows))
    scores = X[: n_columns // 2].sum(axis=0) + generator.normal(0, n_columns**0.5 / 4, n_rows)
    return pl.DataFrame(dict(zip(schema.names, X, strict=True))), (scores > 0).astype(int), schema


def seconds(work: Callable[[], object]) -> float:
    """Return the lesser of two runs' processor seconds, of one if that took ten."""
    times: list[float] = []
    while len(times) < 2 and (not times or times[0] < 10):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def compare(n_rows: int, n_columns: int, names: list[str], base: str, targets: dict[str, float]) -> None:
    frame, labels, schema = rows(n_rows, n_columns)

    encoding = BinEncoding(schema, schema.names, n_bins=8)

    def scan() -> None:
        found = read_rows(frame, schema)
        for name, cuts in zip(schema.names, encoding.cuts, strict=True):
            np.searchsorted(np.asarray(cuts), found.columns[name])

    def own_scan() -> None:
        Table.from_frame(frame, labels, schema).visit(lambda block: block.codes(encoding))

    def fit(name: str) -> None:
        LEARNERS[name](schema).fit(frame, labels)

    unit = seconds(scan) if base == "scan" else seconds(lambda: fit(base))
    print(f"{n_rows} x {n_columns}: {base} {unit:.3f} s, our own scan {seconds(own_scan):.3f} s", flush=True)
    for name in names:
        taken = seconds(lambda name=name: fit(name))
        word = "" if taken <= targets[name] * unit else "   over the target"
        print(f"  {name:18} {taken:9.3f} s {taken / unit:8.2f} x {base}, target {targets[name]:g}{word}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the long table")
    parser.add_argument("--columns", type=int, default=1_000, help="of the wide table")
    parser.add_argument("--only", nargs="+", choices=LEARNERS, default=list(LEARNERS), help="learners")
    parser.add_argument("--shape", choices=("both", "long", "wide"), default="both")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows and of the columns")
    options = parser.parse_args()
    part = 10 if options.quick else 1
    if options.shape != "wide":
        long = {name: LONG_TARGETS.get(name.split("-")[0], LONG_TARGET) for name in LEARNERS}
        compare(options.rows // part, LONG_COLUMNS, options.only, "scan", long)
    if options.shape != "long":
        wide = dict.fromkeys(LEARNERS, WIDE_TARGET)
        compare(WIDE_ROWS, options.columns // part, options.only, "naive-bayes", wide)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
