"""Parquet and Arrow files, which may be damaged in ways that end the process that reads them."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from tacit.errors import TableError
from tacit.table.files.source import Source

# Without this package: its own imports would take longer than most reads.
_TRIAL = """
import json, sys
import polars as pl
path, names = json.loads(sys.stdin.buffer.readline())
source = path or sys.stdin.buffer.read()
columns = [at for at, name in enumerate(pl.read_parquet_schema(source)) if names is None or name in names]
pl.read_parquet(source, columns=columns, glob=False, hive_partitioning=False)
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
        for _ in query.select(pl.nth(columns)).collect_batches(chunk_size=asked["n_rows"]):
            pass
    elif columns:
        query.select(pl.nth(columns)).collect(engine="streaming")
"""


def survives(source: Path | bytes, names: Sequence[str] | None = None) -> bool:
    """Tell whether a process of its own can read the columns.

    A length that was altered makes polars ask for memory that there is not, which ends the process, or panic, which
    prints a trace; neither can be prevented from Python. What one process has read, the next one reads.

    Parameters
    ----------
    names : sequence of str, optional
        Those that are not there are left out; all columns if not given.
    """
    path = str(source.absolute()) if isinstance(source, Path) else None
    asked = json.dumps([path, None if names is None else list(names)]).encode() + b"\n"
    # With -P no module of the working directory takes the place of a library's.
    command = [sys.executable, "-P", "-c", _TRIAL]
    content = source if isinstance(source, bytes) else b""
    done = subprocess.run(  # noqa: S603  a script of ours, which gets the path as data
        command, input=asked + content, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
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


def parquet_names(source: Source) -> list[str]:
    """Return the columns' names; for a source that was read before."""
    return list(pl.read_parquet_schema(source.for_polars))


def read_parquet(source: Source, names: Sequence[str] | None) -> pl.DataFrame:
    """Return the named columns that are there, or all of them."""
    whole = source.for_polars
    message = (
        f"Expected a whole Parquet file that fits the memory, got a damaged or a larger one in {source.name}. "
        "Write it again, or choose fewer columns."
    )
    if not survives(whole, names):
        raise TableError(message)
    try:
        # By position: polars takes a name between ^ and $ for a pattern of names.
        columns = [at for at, name in enumerate(parquet_names(source)) if names is None or name in names]
        return pl.read_parquet(whole, columns=columns, glob=False, hive_partitioning=False)
    except (pl.exceptions.PolarsError, OSError, ValueError, zlib.error, pl.exceptions.PanicException):
        pass
    raise TableError(message)
