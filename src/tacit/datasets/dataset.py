"""A table with its target, its public schema and, where there is one, its official split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from tacit.schema import Schema


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A data set: features, target, public schema."""

    name: str
    frame: pl.DataFrame
    """The features alone, in the schema's order; no value is null."""
    target: pl.Series
    """The label of each row, under the label's name in the schema."""
    schema: Schema
    """Written from the data set's documentation; which columns are private is said there."""
    split: NDArray[np.str_] | None = None
    """Shape (n_rows,). "train" or "test" for each row, where the data set has an official split. Read-only."""

    def __repr__(self) -> str:
        return f"Dataset({self.name!r}, {self.frame.height} rows, {self.frame.width} columns)"
