"""What is published of a regressor: its scores, in what they are counted, and the certificate of what they cost."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ModelFileError, ParameterError
from tacit.models.contributions import contributions
from tacit.models.explanation import Explanation, explained
from tacit.models.model import Model
from tacit.models.released import ReleasedModel
from tacit.models.scorer import scores_of
from tacit.models.target_scale import TargetScale
from tacit.notebook import as_lines, as_table, as_text
from tacit.schema import Target
from tacit.table import Rows

if TYPE_CHECKING:
    import polars as pl


def as_classifier(model: Model | RegressionModel, asked: str) -> Model:
    """Return a model of classes; raises ParameterError if it predicts a number, and so has none of what is asked."""
    if isinstance(model, Model):
        return model
    raise ParameterError(
        f"Expected a model that predicts classes for {asked}, got one that predicts the number {model.target.name!r}. "
        "Ask `tacit inspect` or `tacit predict`."
    )


@dataclass(frozen=True)
class RegressionModel(ReleasedModel):
    """A released regressor: what ``ReleasedModel`` has, with one scorer, and the scale of its scores.

    What columns add, and its noise, are in the target's own unit.

    Parameters
    ----------
    scale : TargetScale
        What scores are counted from, and in what; released.
    """

    kind = "regressor"

    _: KW_ONLY
    scale: TargetScale

    def __post_init__(self) -> None:
        if self.schema.target is None or len(self.scorers) != 1:
            raise ModelFileError("Expected one scorer of a number to predict, got others. The file is damaged.")
        super().__post_init__()
        self.scale.check(self.target)

    @property
    def target(self) -> Target:
        """The number that is predicted."""
        assert self.schema.target is not None
        return self.schema.target

    @property
    def outcome(self) -> str:
        """What is predicted: the number's name and its bounds."""
        return f"{self.target.name}, a number from {self.target.low:,g} to {self.target.high:,g}"

    @property
    def measured(self) -> tuple[str, ...]:
        """Nothing: no rows are held out of a number's fit."""
        return ()

    def predict(self, frame: Any) -> NDArray[np.float64]:
        """Return the number that is predicted for each row, within the target's bounds, shape (n_rows,).

        It estimates the mean of rows alike; where numbers beyond the released clip are many on one side, less of it.

        Notes
        -----
        Privacy: post-processing of what was released; costs nothing.
        """
        return self.scale.predicted(self._of_strips(scores_of, frame), self.target)

    @cached_property
    def explanation(self) -> Explanation:
        """All effects, by what its columns add to predictions, before these are brought within the bounds."""
        found = explained(self.scorers, self.schema)
        return replace(found, columns=tuple(each.times(self.scale.unit) for each in found.columns))

    @property
    def caution(self) -> str:
        """Nothing: each column's effect is stated with its noise."""
        return ""

    def to_onnx(self) -> Any:
        """Return the model as ``onnx.ModelProto``, to be served without this package; needs the extra ``onnx``.

        Inputs are those of ``Model.to_onnx``; the output is ``prediction``, shape (n_rows, 1).

        Raises
        ------
        MissingExtra
            If the extra is not installed.
        """
        from tacit.models.onnx_export import exported_number

        metadata = {"learner": self.learner, "fitted_with": self.fitted_with, "certificate": str(self.guarantee)}
        return exported_number(self.schema, self.scorers[0], self.scale, metadata)

    def _contributions(self, rows: Rows) -> pl.DataFrame:
        import polars as pl

        found = contributions(self.scorers, self.schema, rows)
        start = pl.when(pl.col("column").is_null()).then(self.scale.start).otherwise(0.0)
        return found.with_columns(
            contribution=pl.col("contribution") * self.scale.unit + start,
            deviation=pl.col("deviation") * self.scale.unit,
        )

    def _repr_html_(self) -> str:
        importances = self.importances().filter("has_findings")
        lines = [
            (row["column"], f"{row['importance']:.2g} ({row['low']:.2g} to {row['high']:.2g})")
            for row in importances.head(10).iter_rows(named=True)
        ]
        said = as_table("What moves predictions most, beyond the noise", ("column", "by, with 95 %"), lines)
        return f"<p>{as_text(self.learner)}: {as_text(self.target.name)}</p>{said}{as_lines(str(self.guarantee))}"
