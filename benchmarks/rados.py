"""Rados of millions of rows against the dense product they are: python benchmarks/rados.py [rows] [columns] [rados].

Blocks of rows are made on the fly and never together in memory. The yardstick, in the same run: the float32 matrix
product of a dense matrix of parts with the same blocks, of parts that are there already.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

from tacit.boosting.radoboost import RoundSettings, boost_rados
from tacit.mechanisms.rado_signatures import FreeSignatures, RandomBits
from tacit.queries.rademacher_sums import STRIP_ROWS, sum_parts

BLOCK = 65_536


def blocks(n_rows: int, n_columns: int):
    """Yield the same block of edges again and again: what is timed is the sums, not the making of rows."""
    edges = np.random.default_rng(0).uniform(-1, 1, (BLOCK, n_columns)).astype(np.float32)
    edges[:, 0] += np.float32(0.05)
    for start in range(0, n_rows, BLOCK):
        yield start, edges[: min(BLOCK, n_rows - start)]


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    given = [int(text) for text in sys.argv[1:4]]
    n_rows, n_columns, count = [*given, *(11_000_000, 28, 1000)[len(given) :]]
    dense = np.random.default_rng(1).integers(0, 2, (count, STRIP_ROWS)).astype(np.float32)
    for _, edges in blocks(BLOCK, n_columns):
        dense @ edges[:STRIP_ROWS]  # warm up
    before = peak()

    start = time.perf_counter()
    rados = np.zeros((count, n_columns))
    parts = FreeSignatures(count, RandomBits(None))
    for at, edges in blocks(n_rows, n_columns):
        rados += sum_parts(edges, parts, at)
    made = time.perf_counter() - start
    memory = peak() - before

    start = time.perf_counter()
    total = np.zeros((count, n_columns))
    for _, edges in blocks(n_rows, n_columns):
        for first in range(0, len(edges), STRIP_ROWS):
            strip = edges[first : first + STRIP_ROWS]
            total += dense[:, : len(strip)] @ strip
    product = time.perf_counter() - start

    start = time.perf_counter()
    boosted = boost_rados(rados, RoundSettings(1000))
    learned = time.perf_counter() - start
    print(f"{count:,} rados of {n_rows:,} x {n_columns} float32 rows, secure bits")
    print(f"rados            {made:8.1f} s   {made / product:.2f} times the dense product (at most 4)")
    print(f"dense product    {product:8.1f} s")
    print(f"memory beyond the block {memory / 2**20:8.1f} MiB (at most 1024)")
    print(f"RadoBoost, {len(boosted.edges)} rounds {learned:6.2f} s")


if __name__ == "__main__":
    main()
