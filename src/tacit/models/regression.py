"""What is published of a regressor: its scores, in what they are counted, and the certificate of what they cost."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.convex.number_losses import OF_LOGARITHMS, LossName
from tacit.errors import ModelFileError, ParameterError
from tacit.measures.held_out_residuals import HeldOutResiduals
from tacit.measures.residual_intervals import Reach, quantiles_of
from tacit.models.contributions import contributions
from tacit.models.decisions import checked_confidence
from tacit.models.explanation import Explanation, explained
from tacit.models.model import Model
from tacit.models.number_intervals import check_quantiles, checked_quantiles, hidden_ends, reach, within_reach
from tacit.models.released import NOISE_BEFORE, ReleasedModel
from tacit.models.scorer import Scorer, scores_of
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

    What columns add, and its noise, are in the target's own unit, or added to its logarithm, as the loss has it.

    Parameters
    ----------
    scale : TargetScale
        What scores are counted from, and in what; released.
    held_out : HeldOutResiduals, optional
        What rows that were kept back from the fit say of it, with noise.
    loss : LossName
        What predictions minimize.
    quantiles : tuple of (float, float)
        Of a quantile loss, each quantile and the number that a score of zero means; each has a scorer of its own.
    """

    kind = "regressor"

    _: KW_ONLY
    scale: TargetScale
    held_out: HeldOutResiduals | None = None
    loss: LossName = "squared"
    quantiles: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        if self.schema.target is None or len(self.scorers) != max(1, len(self.quantiles)):
            raise ModelFileError("Expected one scorer of a number to predict, got others. The file is damaged.")
        check_quantiles(self.loss, self.quantiles, self.schema.target)
        super().__post_init__()
        self.scale.check(self.target)
        if (self.scale.link == "log") != (self.loss in OF_LOGARITHMS):
            raise ModelFileError("Expected the link of the model's loss, got another. The file is damaged.")
        if self.held_out is not None and self.held_out.width != self.target.upper - self.target.lower:
            raise ModelFileError("Expected residuals within the target's bounds. The file is damaged.")
        self._check_held_out(self.held_out)

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
    def loss_words(self) -> str:
        """What predictions are, where the loss is not squared, as a sentence; or nothing."""
        of_quantile, *others = [f"{share:g}" for share, _ in self.quantiles] or ["1/2"]
        listed = ", ".join((of_quantile, *others))
        return {
            "squared": "",
            "absolute": "Predictions are medians: the loss is absolute.",
            "huber": "Predictions are means of what is not extreme: the loss is Huber's.",
            "poisson": "Predictions are means of counts, by Poisson's likelihood. Effects are of their logarithm.",
            "gamma": "Predictions are means, by a gamma likelihood. Effects are of their logarithm.",
            "quantile": f"Predictions are the quantile{'s' * bool(others)} {listed}: the loss is that of quantiles.",
        }[self.loss]

    @property
    def measured(self) -> tuple[str, ...]:
        """How good it is on held-out rows, as released with noise, in sentences; empty where none were held out."""
        return () if self.held_out is None else self.held_out.lines(self.guarantee.counted)

    def predict(self, frame: Any) -> NDArray[np.float64]:
        """Return the number that is predicted for each row, within the target's bounds, shape (n_rows,).

        With squared loss it estimates the mean of rows alike; where numbers beyond the released clip are many on one
        side, less of it. With absolute loss it is their median, with quantile loss the quantile nearest to one half.

        Notes
        -----
        Privacy: post-processing of what was released; costs nothing.
        """
        found = self._predicted(frame)
        return np.ascontiguousarray(found[:, self._middle]) if found.ndim > 1 else found

    def predict_interval(
        self, frame: Any, coverage: float = 0.9, *, confidence: float | None = None
    ) -> NDArray[np.float64]:
        """Return for each row an interval that holds its number, within the target's bounds, shape (n_rows, 2).

        The share of rows whose number is outside is at most 1 - coverage, half of it on either side: on average over
        held-out rows and noise, for rows exchangeable with them. An end that noise hides is the target's bound, and a
        warning says so.

        Parameters
        ----------
        confidence : float, optional
            Probability over independent held-out rows and noise that the share is at most that for this very model.

        Raises
        ------
        ParameterError
            If the model has no held-out rows, or several rows of one person count one each; of a confidence, if the
            schema was learned from rows.

        Notes
        -----
        Privacy: post-processing; costs nothing. Proof ``proofs/queries/prediction_intervals.md``.
        """
        low, high = self.reach(coverage, confidence)
        if said := hidden_ends((low, high)):
            warnings.warn(said, UserWarning, stacklevel=2)
        return within_reach(self.predict(frame), (low, high), self.target)

    def reach(self, coverage: float = 0.9, confidence: float | None = None) -> Reach:
        """Return how far below and above a prediction its interval goes; None for as far as the target's bound.

        As ``predict_interval``, which adds them to each prediction.
        """
        confidence = checked_confidence(confidence, self.schema)
        return reach(self._measured("intervals"), self.guarantee.counted, coverage, confidence)

    def predict_quantiles(self, frame: Any, quantiles: Sequence[float] | None = None) -> NDArray[np.float64]:
        """Return for each row the numbers below which such shares of rows alike are, shape (n_rows, n_quantiles).

        Those that a quantile loss learned, where none are asked for: they are sorted, so that they never cross. Else
        estimates from the residuals of held-out rows, which are taken to be spread alike about every prediction; beyond
        the outermost level they are the bound. All stay within the target's bounds.

        Raises
        ------
        ParameterError
            If none are asked for of a model without quantiles, it has no held-out rows for those that are, or a
            quantile is not between 0 and 1.

        Notes
        -----
        Privacy: post-processing; costs nothing. Unlike ``predict_interval`` they promise no coverage.
        """
        if quantiles is None:
            found = self._predicted(frame) if self.quantiles else checked_quantiles(None)
            return found if found.ndim > 1 else found[:, None]
        measured = self._measured("quantiles")
        found = quantiles_of(measured.cells.counts, measured.edges, checked_quantiles(quantiles))
        return np.clip(self.predict(frame)[:, None] + found, self.target.lower, self.target.upper)

    def _predicted(self, frame: Any) -> NDArray[np.float64]:
        """Return the number of each row, (n_rows,), or several quantiles, ascending, (n_rows, n_quantiles)."""
        scores = self._of_strips(scores_of, frame)
        if not self.quantiles:
            return self.scale.predicted(scores, self.target)
        starts = np.asarray([start for _, start in self.quantiles])
        found = np.clip(scores.reshape(len(scores), -1) * self.scale.unit + starts, *self.target.ends)
        return np.sort(found, axis=1) if len(starts) > 1 else found[:, 0]

    @property
    def _middle(self) -> int:
        """Which of several quantiles is nearest to one half."""
        return min(range(len(self.quantiles)), key=lambda at: abs(self.quantiles[at][0] - 1 / 2), default=0)

    @property
    def _start(self) -> float:
        """What a score of zero means, of the scorer that is explained."""
        if self.scale.link == "log":
            return log(self.scale.start)
        return self.quantiles[self._middle][1] if self.quantiles else self.scale.start

    def body(self) -> dict[str, Any]:
        """Return what a file has of it; readers of before do not know other losses."""
        found = super().body()
        if self.scale.link == "identity":
            found["scale"] = {name: value for name, value in found["scale"].items() if name != "link"}
        usual = {"loss": "squared", "quantiles": []}
        return {name: value for name, value in found.items() if name not in usual or value != usual[name]}

    def _measured(self, what: str) -> HeldOutResiduals:
        if self.held_out is None:
            raise ParameterError(f"Expected held-out rows to make {what} by, got none. Fit with holdout=0.2.")
        return self.held_out

    @property
    def main_scorer(self) -> Scorer:
        """The scorer whose effects are said: of several quantiles that of `predict`."""
        return self.scorers[self._middle]

    @cached_property
    def explanation(self) -> Explanation:
        """All effects, by what its columns add to predictions, before these are brought within the bounds."""
        found = explained((self.main_scorer,), self.schema)
        return replace(found, columns=tuple(each.times(self.scale.unit) for each in found.columns))

    @property
    def caution(self) -> str:
        """Which noise is stated, where scores are monotone; else each effect is stated with its own."""
        return NOISE_BEFORE if self.monotone else ""

    def to_onnx(self) -> Any:
        """Return the model as ``onnx.ModelProto``, to be served without this package; needs the extra ``onnx``.

        Inputs are those of ``Model.to_onnx``; the output is ``prediction``, shape (n_rows, 1), or of several quantiles
        (n_rows, n_quantiles), ascending in each row.

        Raises
        ------
        MissingExtra
            If the extra is not installed.
        """
        from tacit.models.onnx_export import exported_number

        metadata = {"learner": self.learner, "fitted_with": self.fitted_with, "certificate": str(self.guarantee)}
        starts = [start for _, start in self.quantiles] or [self.scale.start]
        scales = tuple(replace(self.scale, start=start) for start in starts)
        return exported_number(self.schema, self.scorers, scales, metadata)

    def _contributions(self, rows: Rows) -> pl.DataFrame:
        import polars as pl

        found = contributions((self.main_scorer,), self.schema, rows)
        start = pl.when(pl.col("column").is_null()).then(self._start).otherwise(0.0)
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
        score = as_lines("\n".join(self.measured)) if self.measured else ""
        named = f"<p>{as_text(self.learner)}: {as_text(self.target.name)}</p>"
        return f"{named}{score}{said}{as_lines(str(self.guarantee))}"
