"""Time of a tree's fit over the number of rows, from the table of byte codes: cost should be linear.

Run: python benchmarks/tree.py [most rows, 5000000 if not given]
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np

from tacit.learners.tree import Tree
from tacit.mechanisms import noise_source
from tacit.privacy import Accountant, Budget
from tacit.schema import Label, Numeric, Schema
from tacit.table import BinEncoding, Table

COLUMNS = 14
SIZES = (50_000, 500_000, 5_000_000)
KINDS = {
    "best-first, 15 splits": {"growth": "best-first", "criterion": "error", "size": 15},
    "level, 6 levels": {"growth": "level", "criterion": "gini", "size": 6},
    "counts, 6 levels": {"growth": "level", "criterion": "counts", "size": 6},
}


def encoded(n_rows: int) -> tuple[Table, BinEncoding]:
    generator = np.random.default_rng(0)
    schema = Schema([Numeric(f"x{i}", 0, 32) for i in range(COLUMNS)], label=Label("y", [0, 1]))
    matrix = generator.integers(0, 32, (n_rows, COLUMNS), dtype=np.uint8)
    labels = ((matrix[:, 0] > 12) ^ (matrix[:, 1] > 20) ^ (generator.uniform(size=n_rows) < 0.1)).astype(int)
    table = Table.from_frame(matrix.astype(np.float32), labels, schema)
    encoding = BinEncoding(schema, schema.names)
    table.sum(lambda block: np.asarray([block.codes(encoding).shape[0]]))  # codes are made once and kept
    return table, encoding


def seconds(table: Table, encoding: BinEncoding, options: dict) -> float:
    tree = Tree(encoding, **options)
    accountant = Accountant(Budget(1.0), table.unit, noise_source(0), n_rows=table.n_rows)
    shares = accountant.split(tree.plan(table.unit))
    started = time.perf_counter()
    tree.train(table, shares, accountant, np.random.default_rng(0))
    return time.perf_counter() - started


def main() -> None:
    warnings.simplefilter("ignore")
    most = int(sys.argv[1]) if len(sys.argv) > 1 else SIZES[-1]
    for n_rows in [size for size in SIZES if size <= most]:
        table, encoding = encoded(n_rows)
        for name, options in KINDS.items():
            taken = seconds(table, encoding, options)
            print(
                f"{n_rows:>9} rows  {name:22} {taken:8.2f} s  {1e9 * taken / n_rows / COLUMNS:7.1f} ns a cell",
                flush=True,
            )


if __name__ == "__main__":
    main()
