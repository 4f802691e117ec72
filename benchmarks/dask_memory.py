"""What the memory setting of Dask's workers costs a fit, and how many rows boosted trees had better work on at once.

    python benchmarks/dask_memory.py [--rows 1000000] [--fits 3] [--strips 8192 12288 16384 65536]

On Linux Dask sets MALLOC_TRIM_THRESHOLD_=65536 for its workers, with which every array of 128 KiB or more is requested
from the system and given back. Boosted trees train in one process with that setting, with 64 MiB, as
docs/cluster.md advises, and with none; rows are worked on in strips of each size. Each fit is a process of its own;
printed are the least processor seconds of several.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOM = str(2**26)
SETTINGS: dict[str, dict[str, str]] = {
    "Dask's": {"MALLOC_TRIM_THRESHOLD_": "65536"},
    "64 MiB": {"MALLOC_TRIM_THRESHOLD_": ROOM, "MALLOC_MMAP_THRESHOLD_": ROOM},
    "none": {},
}
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "1")


def fit(folder: Path, strip: int) -> None:
    """Train in this process, and write the processor seconds of it after the rows were read."""
    from larger_than_memory import SCHEMA

    from tacit.queries import forests
    from tacit.study.learners import private_learners
    from tacit.table import opened_source, read_source

    forests._STRIP = strip
    table = read_source(opened_source(folder), SCHEMA, place="memory")
    start = time.process_time()
    private_learners()["boosted-trees"](SCHEMA, epsilon=1.0).fit_table(table)
    print(json.dumps(time.process_time() - start))


def taken(folder: Path, strip: int, setting: dict[str, str]) -> float:
    """Return the seconds of one fit in a process of its own."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    command = [sys.executable, "-W", "ignore", __file__, "--child", str(folder), str(strip)]
    done = subprocess.run(command, check=True, capture_output=True, env={**inherited, **ONE_THREAD, **setting})
    return float(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--fits", type=int, default=3)
    parser.add_argument("--strips", type=int, nargs="+", default=[8_192, 12_288, 16_384, 65_536])
    options = parser.parse_args()
    from larger_than_memory import make

    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), options.rows)
        print("rows at once", *(f"{name:>8}" for name in SETTINGS))
        for strip in options.strips:
            runs = [
                [taken(Path(folder) / "parquet", strip, each) for each in SETTINGS.values()]
                for _ in range(options.fits)
            ]
            print(f"{strip:12,}", *(f"{min(of_setting):8.2f}" for of_setting in zip(*runs, strict=True)), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        fit(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
