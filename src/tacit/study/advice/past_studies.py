"""Past experiments on public tables: one row each, with the accuracy of each learner."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.models import write_atomically

DESCRIPTION = {
    "table": pl.String,
    "source": pl.String,
    "privacy": pl.String,
    "columns": pl.Int64,
    "private_columns": pl.Int64,
    "protected_columns": pl.Int64,
    "public_label": pl.Boolean,
    "classes": pl.Int64,
    "categorical_columns": pl.Int64,
    "width": pl.Int64,
    "literals": pl.Int64,
    "rows": pl.Int64,
    "epsilon": pl.Float64,
    "delta": pl.Float64,
    "repeats": pl.Int64,
    "majority": pl.Float32,
    "ceiling": pl.Float32,
}
"""Columns that are no learner's: meta-features, and accuracies of the majority class and the best baseline."""

_POSITIVE = ("columns", "protected_columns", "classes", "width", "rows", "epsilon")

LEARNABLE, USEFUL = 0.02, 0.005
"""Accuracy above the majority class from which something can be learned without privacy, and was learned with it."""


@dataclass(frozen=True, eq=False)
class PastStudies:
    """Past experiments.

    Raises
    ------
    ParameterError
        If columns are missing, of another type or out of range, or there is no row or no learner.
    """

    frame: pl.DataFrame
    """The columns of `DESCRIPTION`, then the mean test accuracy of each learner under its name."""

    def __post_init__(self) -> None:
        schema = self.frame.schema
        fits = all(schema.get(name) == kind for name, kind in DESCRIPTION.items())
        fits = fits and all(schema[name] in (pl.Float32, pl.Float64) for name in self.learners)
        if not (fits and self.frame.height and self.learners and self._admitted()):
            raise ParameterError(
                "Expected a table of past studies, got another. Make one with `python -m benchmarks.advice`."
            )

    def _admitted(self) -> bool:
        """Tell whether every value is in its range."""
        accuracies = pl.col("majority", "ceiling", *self.learners)
        admitted = self.frame.select(
            pl.all_horizontal(
                pl.all().is_not_null(),
                pl.col(*_POSITIVE) > 0,
                pl.col("epsilon").is_finite(),
                pl.col("delta").is_between(0, 1),
                accuracies.is_between(0, 1),
            ).all()
        )
        return bool(admitted.item())

    @classmethod
    @cache
    def packaged(cls) -> PastStudies:
        """Return the studies that come with the package."""
        with resources.as_file(resources.files("tacit.study.advice") / "past_studies.parquet") as path:
            return cls.read(path)

    @classmethod
    def read(cls, path: str | Path) -> PastStudies:
        """Read a file that ``write`` made.

        Raises
        ------
        ParameterError
            If it cannot be read, or is something else.
        """
        try:
            return cls(pl.read_parquet(Path(path), glob=False, hive_partitioning=False))
        except (OSError, ValueError, zlib.error, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            if isinstance(error, ParameterError):
                raise
        raise ParameterError(
            f"Expected a table of past studies in Parquet, got path={str(path)!r}, which cannot be read. "
            "Check the path, or make one with `python -m benchmarks.advice`."
        )

    def write(self, path: str | Path) -> None:
        """Write the table to a file, whole or not at all."""
        content = BytesIO()
        self.frame.write_parquet(content, compression="zstd", compression_level=22)
        write_atomically(Path(path), content.getvalue())

    @property
    def learners(self) -> tuple[str, ...]:
        """Names of the learners."""
        return tuple(name for name in self.frame.columns if name not in DESCRIPTION)

    @cached_property
    def sources(self) -> NDArray[np.str_]:
        """Where each experiment's rows come from; experiments of different sources are independent."""
        return self.frame["source"].to_numpy().astype(str)

    @cached_property
    def accuracies(self) -> NDArray[np.float64]:
        """Mean test accuracy, shape (n_experiments, n_learners)."""
        return self.frame.select(self.learners).to_numpy().astype(np.float64)

    @cached_property
    def losses(self) -> NDArray[np.float64]:
        """Accuracy lost against the best non-private baseline, shape (n_experiments, n_learners)."""
        return self.frame["ceiling"].to_numpy().astype(np.float64)[:, None] - self.accuracies

    @cached_property
    def learnable(self) -> NDArray[np.bool_]:
        """Whether the best baseline beat the majority class, shape (n_experiments,)."""
        return (self.frame["ceiling"] > self.frame["majority"] + LEARNABLE).to_numpy()

    @cached_property
    def useful(self) -> NDArray[np.bool_]:
        """Whether a learner beat the majority class, shape (n_experiments, n_learners)."""
        return self.accuracies > self.frame["majority"].to_numpy().astype(np.float64)[:, None] + USEFUL

    def where(self, chosen: NDArray[np.bool_]) -> PastStudies:
        """Return the chosen experiments."""
        return PastStudies(self.frame.filter(pl.Series(chosen)))
