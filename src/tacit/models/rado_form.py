"""A linear rule that was learned from rados, as a model releases it, with what protected the rados."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.checks import check_bounded
from tacit.errors import ModelFileError
from tacit.features import GRID, LinearEncoding
from tacit.kept import kept
from tacit.models.links import Link, LinkedScorer
from tacit.models.rules import snapped
from tacit.privacy.marginal import MarginalGuarantee
from tacit.rules.measures import LOG_ODDS_OF_RADOS
from tacit.schema import Schema
from tacit.table import Rows

Protection = Literal["private", "edges", "marginal", "none"]

_SAID = {
    "private": "learned from rados drawn around noisy moments: differentially private",
    "edges": "learned from rados of noisy edges: differentially private, each row by itself",
    "marginal": "learned from rados of DP-Feat: a marginal guarantee on some columns, no differential privacy",
    "none": "learned from exact rados: nothing is protected",
}


@dataclass(frozen=True)
class RadoForm(LinkedScorer):
    """Scores a row by scale * (weights . features + intercept); zero counts for the first class.

    Examples
    --------
    >>> RadoForm.of(np.array([3.0, -1.5]), "ordinal", constant=True, protection="none").weights
    (1.0,)
    """

    weights: tuple[float, ...]
    """One per feature of the encoding, in [-1, 1], multiples of ``tacit.table.GRID``, so that sums are exact."""
    intercept: float
    scale: float
    """Above zero."""
    encoding: Literal["ordinal", "one-hot"]
    protection: Protection
    """What protected the rados."""
    marginal: MarginalGuarantee | None = None
    """For ``"marginal"`` and for no other."""
    clip: float = 1.0
    """The share of their reach to which numbers are clipped."""
    link: Link | None = None
    kind: Literal["rado-form"] = "rado-form"

    multiclass: ClassVar[bool] = False
    log_odds_of_one: ClassVar[float] = LOG_ODDS_OF_RADOS
    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "allow_inf_nan": False}

    def __post_init__(self) -> None:
        grids = np.asarray([*self.weights, self.intercept])
        if not (np.abs(grids) <= 1).all() or not self.scale > 0 or snapped(grids) != (*self.weights, self.intercept):
            raise ModelFileError("Expected weights on the grid in [-1, 1] and a scale above 0. The file is damaged.")
        check_bounded(self.reach)
        if not GRID <= self.clip <= 1:
            raise ModelFileError("Expected numbers clipped to a share in (0, 1] of their reach. The file is damaged.")
        if (self.marginal is not None) != (self.protection == "marginal"):
            raise ModelFileError("Expected a marginal guarantee for marginal rados only. The file is damaged.")

    @classmethod
    def of(
        cls,
        theta: NDArray[np.float64],
        encoding: Literal["ordinal", "one-hot"],
        *,
        constant: bool,
        protection: Protection,
        marginal: MarginalGuarantee | None = None,
        clip: float = 1.0,
    ) -> RadoForm:
        """Return the form of coefficients, the constant's last."""
        # Weights in [-1, 1] lie on the features' grid, on which products add up exactly; the scale is multiplied last.
        scale = float(np.abs(theta).max(initial=0.0)) or 1.0
        values = snapped(theta / scale)
        weights, intercept = (values[:-1], values[-1]) if constant else (values, 0.0)
        return cls(weights, intercept, scale, encoding, protection, marginal, clip)

    def scores(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        """Return scores, shape (n_rows,)."""
        features = self._encoding(schema).transform(rows)
        return np.asarray(self.scale * (features @ np.asarray(self.weights) + self.intercept) + self.offset)

    @property
    def reach(self) -> float:
        """The largest score there can be."""
        return self.scale * float(np.abs([*self.weights, self.intercept]).sum())

    def check(self, schema: Schema) -> None:
        """Raise ModelFileError unless there is a weight for each feature."""
        if len(self.weights) != self._encoding(schema).n_features:
            raise ModelFileError("Expected a weight for each of the schema's features. The file is damaged.")

    def words(self, schema: Schema) -> tuple[str, ...]:
        """Return what protected the rados, then the features' coefficients, the largest first."""
        names = self._encoding(schema).feature_names
        ranked = sorted(zip(self.weights, names, strict=True), key=lambda pair: (-abs(pair[0]), pair[1]))
        lines = [f"{self.scale * weight:+.4g} {name}" for weight, name in ranked if weight]
        if self.intercept:
            lines.append(f"{self.scale * self.intercept:+.4g} always")
        far = (f"numbers count up to {self.clip:g} of the way from center to bounds",) if self.clip < 1 else ()
        return (_SAID[self.protection], *far, *lines, *self.offset_words)

    @kept
    def _encoding(self, schema: Schema) -> LinearEncoding:
        return LinearEncoding(schema, schema.names, self.encoding, self.clip)
