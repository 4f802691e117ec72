"""Past experiments on public tables: one row each, with each learner's accuracy, or R2 where a number is predicted."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib import resources
from io import BytesIO
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.saving import write_atomically

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
"""Columns that are no learner's: meta-features, and accuracies of the majority class and the best baseline. Where a
number is predicted classes are 1, and accuracies are R2: 0 of the mean of the training rows, 1 of the truth."""

_POSITIVE = ("columns", "protected_columns", "classes", "width", "rows", "epsilon")

Measure = Literal["accuracy", "auc", "log-loss", "balanced-accuracy", "brier", "rmse", "error"]
"""What a loss is in: shares of right predictions, area under the ROC curve, nats, the mean share of each class's rows
that are predicted right, half the squared error of probabilities; "error" is accuracy or R2 short of 1, and "rmse" the
root of the latter."""

PREFIXES = {
    "accuracy": "",
    "auc": "auc of ",
    "log-loss": "log-loss of ",
    "balanced-accuracy": "balanced accuracy of ",
    "brier": "Brier score of ",
}
"""Of the columns of a measure: before a learner's name, and before "ceiling" for the best baseline."""

MAX_LOG_LOSS = 7.0
"""Nats: probabilities below exp(-7) count as that."""

WORST = {"log-loss": MAX_LOG_LOSS, "brier": 1.0}
"""Of measures of which less is better, the most there is, in whose units they are predicted."""

_OTHERS = tuple(filter(None, PREFIXES.values()))

LEAST_R2 = -1.0
"""What is below counts as that: an error of 1.41 times the mean's."""

Outcome = Literal["class", "number"]
"""What is predicted."""

_FILES: dict[Outcome, str] = {"class": "past_studies.parquet", "number": "past_numbers.parquet"}
_MADE_BY: dict[Outcome, str] = {
    "class": "`python -m benchmarks.advice`",
    "number": "`python -m benchmarks.advice --numbers`",
}

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
    """The columns of `DESCRIPTION`, then the mean test accuracy (or R2) of each learner under its name; other
    measures, where they were taken, under names with a prefix of `PREFIXES`."""

    def __post_init__(self) -> None:
        schema = self.frame.schema
        fits = all(schema.get(name) == kind for name, kind in DESCRIPTION.items())
        fits = fits and all(
            kind in (pl.Float32, pl.Float64) for name, kind in schema.items() if name not in DESCRIPTION
        )
        if not (fits and self.frame.height and self.learners and self._admitted()):
            raise ParameterError(
                "Expected a table of past studies, got another. Make one with `python -m benchmarks.advice`."
            )

    @property
    def outcome(self) -> Outcome:
        """What was predicted: of all experiments the same."""
        return "number" if (self.frame["classes"] == 1).any() else "class"

    @property
    def deltas(self) -> list[float]:
        """The deltas above 0 of experiments, each once."""
        return sorted(self.frame["delta"].filter(self.frame["delta"] > 0).unique().to_list())

    def _admitted(self) -> bool:
        """Tell whether every value is in its range; other measures than accuracy may be missing."""
        accuracies = pl.col("majority", "ceiling", *self.learners)
        others = [name for name in self.frame.columns if name.startswith(_OTHERS)]
        admitted = self.frame.select(
            pl.all_horizontal(
                pl.exclude(others).is_not_null(),
                pl.col(*_POSITIVE) > 0,
                pl.col("epsilon").is_finite(),
                pl.col("delta").is_between(0, 1),
                (pl.col("classes") == 1) == (self.outcome == "number"),
                accuracies.is_between(LEAST_R2 if self.outcome == "number" else 0, 1),
                *(pl.col(name).is_null() | pl.col(name).is_between(0, MAX_LOG_LOSS) for name in others),
            ).all()
        )
        return bool(admitted.item())

    @classmethod
    @cache
    def packaged(cls, outcome: Outcome = "class") -> PastStudies:
        """Return the studies that come with the package."""
        with resources.as_file(resources.files("tacit.study.advice") / _FILES[outcome]) as path:
            return cls.read(path)

    @classmethod
    def suited(cls, outcome: Outcome, given: PastStudies | None) -> PastStudies:
        """Return the given past studies, or those of the package.

        Raises
        ------
        ParameterError
            If something else was predicted in the given ones.
        """
        past = given or cls.packaged(outcome)
        if past.outcome == outcome:
            return past
        words = {"class": "classes ([label])", "number": "a number ([target])"}
        raise ParameterError(
            f"Expected past studies that predict {words[outcome]}, as the schema does, got past studies that predict "
            f"{words[past.outcome]}. Leave them out, or make some with {_MADE_BY[outcome]}."
        )

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
        return tuple(name for name in self.frame.columns if name not in DESCRIPTION and not name.startswith(_OTHERS))

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


@lru_cache(maxsize=8)  # kept, as errors of each are: two measures of the packaged studies and of others
def by_measure(past: PastStudies, measure: Measure) -> PastStudies | None:
    """Return the experiments where another measure was taken, its scores in place of accuracies; None without any.

    Losses are then against the best baseline by that measure, in units of ``WORST`` where it has one; of "error"
    they are against perfect predictions.
    """
    if measure == "accuracy":
        return past
    if measure == "error":
        return PastStudies(past.frame.with_columns(ceiling=pl.lit(1.0, pl.Float32)))
    prefix = PREFIXES[measure]
    own = {name: name.removeprefix(prefix) for name in past.frame.columns if name.startswith(prefix)}
    kept = past.frame.drop_nulls(list(own)) if len(own) > 1 else past.frame.clear()
    if kept.is_empty():
        return None
    described = pl.col(*(set(DESCRIPTION) - {"ceiling"}))
    # Where less is better scores are what it is short of the most.
    scores = [1 - pl.col(each) / WORST[measure] if measure in WORST else pl.col(each) for each in own]
    return PastStudies(
        kept.select(described, *(score.alias(own[name]) for name, score in zip(own, scores, strict=True)))
    )
