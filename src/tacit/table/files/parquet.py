"""Parquet and Arrow files, which may be damaged in ways that end the process that reads them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import polars as pl

# Without this package: its own imports would take longer than most reads.
_TRIAL = """
import sys
import polars as pl
pl.read_parquet(sys.stdin.buffer.read(), glob=False, hive_partitioning=False)
"""

PARQUET, ARROW = b"PAR1", b"ARRO"
"""The first four bytes of such files."""

Range = tuple[int, int | None]
"""Of a file's rows: the first, and how many; None for all that follow."""

EVERY: Range = (0, None)

_TRIALS = """
import json, sys
import polars as pl
asked = json.load(sys.stdin)
for path in asked["paths"]:
    print(flush=True)
    with open(path, "rb") as stream:
        scan = pl.scan_parquet if stream.read(4) == b"PAR1" else pl.scan_ipc
    query = scan(path, glob=False, hive_partitioning=False).slice(*asked["rows"])
    columns = [at for at, name in enumerate(query.collect_schema().names()) if name in asked["names"]]
    if columns and hasattr(query, "collect_batches"):
        taken = sum(frame.height for frame in query.select(pl.nth(columns)).collect_batches(chunk_size=asked["n_rows"]))
        # It ends without an error where one of its threads fails.
        assert taken == query.select(pl.len()).collect().item()
    elif columns:
        query.select(pl.nth(columns)).collect(engine="streaming")
"""


def survives(content: bytes) -> bool:
    """Tell whether a process of its own can read a Parquet file.

    A length that was altered makes polars ask for memory that there is not, which ends the process, or panic, which
    prints a trace; neither can be prevented from Python. What one process has read, the next one reads.
    """
    # With -P no module of the working directory takes the place of a library's.
    command = [sys.executable, "-P", "-c", _TRIAL]
    done = subprocess.run(  # noqa: S603  a script of ours
        command, input=content, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    )
    return done.returncode == 0


def scanned(path: Path, rows: Range = EVERY) -> pl.LazyFrame:
    """Return a query of all columns of a Parquet or Arrow file, from whose opening bytes polars knows which."""
    with path.open("rb") as stream:
        is_parquet = stream.read(4) == PARQUET
    scan = pl.scan_parquet if is_parquet else pl.scan_ipc
    query = scan(path, glob=False, hive_partitioning=False)
    return query if rows == EVERY else query.slice(*rows)


def first_damaged(paths: Sequence[Path], names: Sequence[str], n_rows: int, rows: Range = EVERY) -> Path | None:
    """Return the first file of which a process of its own cannot read the columns, so many rows at a time; or None.

    Without names it only opens the files.
    """
    of_paths = {"paths": [str(path.absolute()) for path in paths], "rows": rows}
    asked = json.dumps({**of_paths, "names": list(names), "n_rows": n_rows})
    command = [sys.executable, "-P", "-c", _TRIALS]
    done = subprocess.run(  # noqa: S603  a script of ours, which gets the paths as data
        command, input=asked.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False
    )
    return None if done.returncode == 0 else paths[max(0, done.stdout.count(b"\n") - 1)]
