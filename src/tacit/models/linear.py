"""A linear form of the schema's features as it is released, with or without probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.checks import check_bounded
from tacit.errors import ModelFileError, TacitError
from tacit.features import GRID
from tacit.features.encoding import Cuts, check_cuts
from tacit.features.feature_encoding import EncodingName, FeatureEncoding, named_encoding
from tacit.features.linear_encoding import Lookup
from tacit.kept import kept
from tacit.models.links import Link, LinkedScorer, logistic
from tacit.models.noise import Noise
from tacit.rules.measures import LOG_ODDS_OF_MARGINS
from tacit.schema import Schema
from tacit.table import Rows

_STRICT: dict[str, Any] = {"extra": "forbid", "allow_inf_nan": False}
_STRIP = 16_384
"""Rows whose column is looked up at once: temporaries of 128 KiB, which the memory keeps between calls, in the second
cache. Of four times as many rows it took a fifth longer."""


@dataclass(frozen=True)
class LinearForm:
    """Coefficients of the features of some columns."""

    columns: tuple[str, ...]
    weights: tuple[float, ...]
    """One for each feature, multiples of ``tacit.table.GRID``."""
    encoding: EncodingName = "binned"
    n_bins: int = 8
    """Bins of a number without cut points, for ``"binned"``."""
    source: Literal["private", "public"] = "private"
    """Whether the coefficients were released with noise, or are exact functions of public cells, but for the slope by
    which a calibration multiplies them."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


@dataclass(frozen=True)
class _LinearScores:
    """A sum of linear forms and an intercept.

    Features and coefficients lie on grids on which sums are exact in float64 for coefficients below 2^11, so a model
    read from a file gives the same scores bit for bit.
    """

    forms: tuple[LinearForm, ...]
    intercept: float
    cuts: Cuts = ()
    """Cut points of numeric columns that are not the schema's."""
    noise: Noise = ()
    """How sure what is said of each column is; empty where that is not known."""

    multiclass: ClassVar[bool] = False
    reach: ClassVar[float] = 0.0  # scores of one-vs-rest models are compared as they are
    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    def scores(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        """Return the linear form of each row, shape (n_rows,)."""
        total = np.full(rows.n_rows, self.intercept)
        # Sums on the grid are exact, so that scores depend neither on the order of columns nor on the size of a strip.
        with np.errstate(over="ignore", invalid="ignore"):
            for name, lookup in self._lookups(schema):
                values = rows.once(name)
                for start in range(0, rows.n_rows, _STRIP):
                    strip = slice(start, start + _STRIP)
                    total[strip] += lookup(values[strip])
        return total

    @kept
    def _lookups(self, schema: Schema) -> list[tuple[str, Lookup]]:
        """Return functions of columns whose sum is that of the forms; making them takes as long as 20,000 rows."""
        return [each for encoding, weights in self.encoded(schema) for each in encoding.lookups(weights)]

    @kept
    def encoded(self, schema: Schema) -> list[tuple[FeatureEncoding, NDArray[np.float64]]]:
        """Return the encoding of each form with its coefficients."""
        return [
            (named_encoding(schema, form.columns, form.encoding, form.n_bins, self.cuts), np.asarray(form.weights))
            for form in self.forms
        ]

    def words(self, schema: Schema) -> tuple[str, ...]:
        """Return coefficients with their features' names, the largest first, then the intercept.

        Examples
        --------
        >>> from tacit.schema import Label, Numeric
        >>> schema = Schema([Numeric("age", 0, 90), Numeric("pay", 0, 9)], label=Label("y", ["no", "yes"]))
        >>> LogisticModel((LinearForm(("age", "pay"), (0.25, -1.5), "ordinal"),), 0.5).words(schema)
        ('-1.5 pay', '+0.25 age', '+0.5 always')
        """
        named = [
            pair
            for encoding, weights in self.encoded(schema)
            for pair in zip(weights.tolist(), encoding.feature_names, strict=True)
        ]
        ranked = sorted(named, key=lambda pair: (-abs(pair[0]), pair[1]))
        lines = [f"{weight:+.4g} {name}" for weight, name in ranked if weight]
        return tuple([*lines, f"{self.intercept:+.4g} always"] if self.intercept else lines)

    def check(self, schema: Schema) -> None:
        """Raise ModelFileError unless every form fits the schema's features."""
        check_cuts(schema, self.cuts)
        names = [name for form in self.forms for name in form.columns]
        fits = len(set(names)) == len(names) and all(form.columns for form in self.forms)
        try:
            fits = fits and all(len(weights) == encoding.n_features for encoding, weights in self.encoded(schema))
        except TacitError:
            fits = False
        if not fits:
            raise ModelFileError("Expected linear forms of the schema's features. The file is damaged.")
        check_bounded(self.intercept, *(weight for form in self.forms for weight in form.weights))


@dataclass(frozen=True)
class LinearModel(_LinearScores, LinkedScorer):
    """A linear form; zero counts for the first class."""

    link: Link | None = None
    kind: Literal["linear-model"] = "linear-model"

    log_odds_of_one: ClassVar[float] = LOG_ODDS_OF_MARGINS

    def scores(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        """Return the linear form of each row and the offset, shape (n_rows,)."""
        return super().scores(rows, schema) + self.offset

    def words(self, schema: Schema) -> tuple[str, ...]:
        """Return what counts add for every row, if anything, and the features' coefficients, the largest first."""
        return (*self.offset_words, *super().words(schema))


@dataclass(frozen=True)
class LogisticModel(_LinearScores):
    """A linear form that is the log-odds of the second class."""

    kind: Literal["logistic-model"] = "logistic-model"

    def probabilities(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        """Return class probabilities, shape (n_rows, 2)."""
        return logistic(self.scores(rows, schema))


def on_grid(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights as multiples of ``GRID``."""
    return np.asarray(np.rint(weights / GRID) * GRID)
