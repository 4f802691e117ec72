"""Rows that were computed once and are kept beside the papers, so that every page is made again in seconds.

A row is kept with its measure and inputs, from which anyone can compute it again: `python -m reproductions NAME
--recompute`. A row whose inputs have changed since is not found, and is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import polars as pl

from reproductions.framework.artefact import Artefact
from tacit.saving import write_atomically
from tacit.study.run import Store

FOLDER = Path(__file__).parent.parent / "rows"


def take_packaged(artefacts: Sequence[Artefact], store: Store) -> None:
    """Put the packaged rows of the artefacts' papers into the store; rows that are there stay."""
    for paper in dict.fromkeys(one.paper.key for one in artefacts):
        for file in sorted(FOLDER.glob(f"{paper}.parquet")):
            store.imported(pl.read_parquet(file))


def package_rows(artefacts: Sequence[Artefact], store: Store, folder: Path = FOLDER) -> list[Path]:
    """Write the finished rows of the artefacts' tasks, a file for each paper, and return the files."""
    rows, written = store.exported(), []
    folder.mkdir(exist_ok=True)
    for paper in dict.fromkeys(one.paper.key for one in artefacts):
        of_paper = [one for one in artefacts if one.paper.key == paper]
        keys = {task.key for one in of_paper for quick in (True, False) for task in one.tasks(quick)}
        kept = rows.filter(pl.col("key").is_in(list(keys)))
        # Timings to a hundredth of a second: the rest is noise, and takes a third of the file.
        target = folder / f"{paper}.parquet"
        write_atomically(target, _parquet(kept.with_columns(pl.col("seconds").round(2))))
        written.append(target)
    return written


def _parquet(rows: pl.DataFrame) -> bytes:
    target = BytesIO()
    rows.sort("document").write_parquet(target, compression="zstd", compression_level=19)
    return target.getvalue()
