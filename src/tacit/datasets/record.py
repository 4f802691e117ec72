"""What is known of a data set beforehand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from tacit.datasets.files import File
from tacit.schema import Schema


@dataclass(frozen=True)
class Record:
    """One data set.

    Attributes
    ----------
    name : str
    files : tuple of File
    read : callable
        Makes one table of the files' contents and the schema.
    n_rows : int
    digest : str
        Of the whole table, the label last.
    n_train : int, optional
        Where the files are an official split: how many rows come first.
    """

    name: str
    files: tuple[File, ...]
    read: Callable[[Sequence[bytes], Schema], pl.DataFrame]
    n_rows: int
    digest: str
    n_train: int | None = None
