"""BRC against the memory pass it cannot do without: python benchmarks/brc.py [rows] [columns].

All private, 25 rounds, from an encoded float32 table. The yardstick, in the same run: the matrix product of the rows
with 25 vectors, plus two reads of the table. The secure noise's fixed cost is left out of the ratio and reported.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable

import numpy as np
import polars as pl

from tacit.boosting import BRC, CappedWeights
from tacit.features import LinearEncoding
from tacit.mechanisms import Laplace, announce, noise_source
from tacit.privacy import Accountant, Budget, NumericStatistic
from tacit.schema import Label, Numeric, Schema
from tacit.table import Table

ROUNDS, REPEATS = 25, 7


def best(work: Callable[[], object]) -> float:
    """Seconds of the fastest of several runs."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    given = [int(text) for text in sys.argv[1:3]]
    n_rows, n_columns = [*given, *(1_000_000, 20)[len(given) :]]
    generator = np.random.default_rng(0)
    schema = Schema([Numeric(f"x{i}", -1, 1) for i in range(n_columns)], label=Label("y", [0, 1]))
    encoding = LinearEncoding(schema, schema.names)
    before = peak_bytes()
    rows = generator.random((n_rows, n_columns), dtype=np.float32)
    rows *= 2
    rows -= 1
    labels = (rows @ generator.uniform(-1, 1, n_columns).astype(np.float32) > 0).astype(np.int64)
    table = Table.from_encoded(rows, labels, schema, encoding)
    brc = BRC(ROUNDS, CappedWeights(2**0.5, 2**0.5), "zero", "ordinal", None)

    def fit(noise) -> None:
        accountant = Accountant(Budget(1.0), table.unit, noise, n_rows=n_rows)
        brc.train(table, announce(accountant, brc.plan(table.unit)), np.random.default_rng(1))

    vectors = generator.uniform(-1, 1, (n_columns, ROUNDS)).astype(np.float32)
    fit(noise_source(1))
    peak = peak_bytes() - before
    product = best(lambda: rows @ vectors)
    read = best(lambda: rows.sum())
    yardstick = product + 2 * read

    noise = noise_source(1)
    fit(noise)  # warm up
    taken = best(lambda: fit(noise))
    secure = secure_noise_seconds(table)

    print(f"rows {n_rows:,}, columns {n_columns}, rounds {ROUNDS}; best of {REPEATS}")
    print(f"matrix product            {product * 1e3:8.1f} ms")
    print(f"one read of the table     {read * 1e3:8.1f} ms")
    print(
        f"BRC, simulated noise      {taken * 1e3:8.1f} ms   {taken / yardstick:.2f} times product + 2 reads (at most 3)"
    )
    print(f"{ROUNDS} secure draws           {secure * 1e3:8.1f} ms")
    print(f"peak memory, table and fit {peak / rows.nbytes:7.2f} times the table (at most 2)")
    print(
        f"from a polars data frame  {best(lambda: from_frame(rows, labels, schema)) * 1e3:8.1f} ms, encoding included"
    )


def from_frame(rows: np.ndarray, labels: np.ndarray, schema: Schema) -> None:
    """Encode a data frame and fit."""
    frame = pl.DataFrame(rows, schema=list(schema.names))
    table = Table.from_frame(frame, labels, schema)
    brc = BRC(ROUNDS, CappedWeights(2**0.5, 2**0.5), "zero", "ordinal", None)
    accountant = Accountant(Budget(1.0), table.unit, noise_source(1), n_rows=table.n_rows)
    brc.train(table, announce(accountant, brc.plan(table.unit)), np.random.default_rng(1))


def peak_bytes() -> int:
    """Largest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def secure_noise_seconds(table: Table) -> float:
    """Seconds of one fit's draws from the secure sampler, once loaded."""
    noise = noise_source(None)

    def draw() -> None:
        accountant = Accountant(Budget(1.0), table.unit, noise, n_rows=table.n_rows)
        for share in accountant.split(ROUNDS):
            value = NumericStatistic("weighted error", table.unit, np.asarray(0.4), l1=1e-6, l2=1e-6)
            accountant.release(Laplace(share), value)

    draw()
    return best(draw)


if __name__ == "__main__":
    main()
