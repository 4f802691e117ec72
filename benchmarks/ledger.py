"""What a charge takes, against a bare write to the same disk: python benchmarks/ledger.py [charges].

A reservation is one transaction that is on the disk when it returns. The yardstick, in the same run: writing a page of
4 KiB and waiting until the disk has it. Then processes side by side, which wait for each other.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tacit.ledger import Account, AccountUnit, Ledger
from tacit.privacy import Budget

MAX_SECONDS = 0.050
"""Seconds of a reservation."""

PROCESSES = 4


def write_seconds(folder: Path, count: int) -> float:
    """Mean seconds of a page on the disk."""
    with (folder / "page").open("wb", buffering=0) as stream:
        start = time.perf_counter()
        for _ in range(count):
            stream.write(bytes(4096))
            os.fsync(stream.fileno())
        return (time.perf_counter() - start) / count


def reserve_seconds(path: Path, count: int) -> float:
    """Mean seconds of a reservation."""
    start = time.perf_counter()
    for _ in range(count):
        Ledger(path).reserve(Budget(0.001), AccountUnit(), fitted="tree")
    return (time.perf_counter() - start) / count


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    if len(sys.argv) > 2:  # one of several processes
        reserve_seconds(Path(sys.argv[2]), count)
        return
    with TemporaryDirectory(dir=".") as made:
        folder = Path(made)
        ledger = Ledger(folder / "people.ledger")
        ledger.open(Account.of("people", Budget(10_000.0)))
        page, one = write_seconds(folder, count), reserve_seconds(ledger.path, count)
        print(f"a page      {1e3 * page:6.1f} ms")
        print(f"a charge    {1e3 * one:6.1f} ms, {one / page:.1f} times a page (at most {1e3 * MAX_SECONDS:g} ms)")
        start = time.perf_counter()
        command = [sys.executable, __file__, str(count), str(ledger.path)]
        for process in [subprocess.Popen(command) for _ in range(PROCESSES)]:
            process.wait()
        each = (time.perf_counter() - start) / (count * PROCESSES)
        print(f"a charge    {1e3 * each:6.1f} ms, of {PROCESSES} processes at once, their start included")
        start = time.perf_counter()
        lines = ledger.lines()
        print(f"reading all {1e6 * (time.perf_counter() - start) / len(lines):6.1f} us a line, of {len(lines):,}")


if __name__ == "__main__":
    main()
