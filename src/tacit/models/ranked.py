"""Linear scores of ranks and categories, of rows clipped to a public L2 norm, for two classes or many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tacit.checks import check_bounded
from tacit.errors import ModelFileError, TacitError
from tacit.features.encoding import Cuts, check_cuts
from tacit.features.ranked_encoding import RankedEncoding, quadratic_of
from tacit.kept import kept
from tacit.models.class_shares import check_shares
from tacit.models.linear import LinearModel
from tacit.models.noise import Noise
from tacit.schema import Numeric, Schema
from tacit.table import Rows
from tacit.table.by_class import class_shares

_CHUNK = 16_384
"""Rows that are scored together, so that their features take little memory."""


@dataclass(frozen=True)
class RankedModel:
    """Log-odds of the second of two classes, or one score a class, whose softmax is its probability.

    Parameters
    ----------
    columns : tuple of str
    weights : tuple of tuple of float
        For each output one coefficient a feature of ``RankedEncoding``, multiples of ``tacit.table.GRID``.
    radius : float
        Largest norm of a row's features.
    cuts : tuple of (str, tuple of float)
        Cut points of numeric columns beside the schema's.
    public : tuple of LinearModel
        For each output what public columns add, exact; empty if nothing.
    noise : tuple of ColumnNoise
        How sure what is said of each column is; empty where that is not known.
    bends : bool
        Whether numbers have a quadratic term after their rank; the name is that in files.
    short : tuple of str
        Columns whose features are shorter than others', as they were not chosen.
    joined : bool
        Whether that a number is missing is one feature, and its own are zero then.
    class_shares : tuple of float
        Of the rows in each sorted class, as they count in training, where counts of them were released.
    curved : tuple of (str, tuple of float)
        Numbers whose first feature is a curve of their rank, with its heights.
    """

    columns: tuple[str, ...]
    weights: tuple[tuple[float, ...], ...]
    radius: float
    cuts: Cuts = ()
    public: tuple[LinearModel, ...] = ()
    noise: Noise = ()
    bends: bool = False
    short: tuple[str, ...] = ()
    joined: bool = False
    class_shares: tuple[float, ...] = ()
    curved: tuple[tuple[str, tuple[float, ...]], ...] = ()
    kind: Literal["ranked"] = "ranked"

    multiclass: ClassVar[bool] = True
    votes: ClassVar[tuple[()]] = ()
    reach: ClassVar[float] = 0.0
    """One model serves all classes, so nothing is compared in units of it."""
    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "allow_inf_nan": False}

    def scores(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        """Return log-odds of the second of two classes, (n_rows,); or one score a class, (n_rows, n_classes)."""
        encoding, weights = self.encoding(schema), self._coefficients()
        total = np.zeros((rows.n_rows, len(self.weights)))
        for output, model in enumerate(self.public_models()):
            total[:, output] = model.scores(rows, schema)
        for start in range(0, rows.n_rows, _CHUNK):
            chunk = slice(start, min(start + _CHUNK, rows.n_rows))
            total[chunk] += encoding.of(rows.slice(chunk.start, chunk.stop)).margins(weights)
        return total[:, 0] if len(self.weights) == 1 else total

    def probabilities(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        """Return class probabilities, (n_rows, n_classes)."""
        scores = self.scores(rows, schema)
        return np.column_stack([expit(-scores), expit(scores)]) if scores.ndim == 1 else class_shares(scores, axis=1)

    def words(self, schema: Schema) -> tuple[str, ...]:
        """Return coefficients with their features' names, the largest first; of many classes with the class's name."""
        encoding = self.encoding(schema)
        names, lengths = encoding.feature_names, np.append(1.0, encoding.lengths).tolist()
        classes = [""] if len(self.weights) == 1 else [f" for {label}" for label in schema.score_names]
        found = [
            (weight * length, f"{name}{suffix}")
            for row, suffix in zip(self.weights, classes, strict=True)
            for weight, name, length in zip(row, names, lengths, strict=True)
            if weight
        ]
        own = tuple(f"{weight:+.4g} {name}" for weight, name in sorted(found, key=lambda one: (-abs(one[0]), one[1])))
        public = tuple(
            f"{line}{suffix}"
            for model, suffix in zip(self.public_models(), classes, strict=False)
            for line in model.words(schema)
        )
        return own + public

    def ranges(self, schema: Schema) -> dict[str, float]:
        """Return by column how far it moves the scores of a row of usual length; of classes, the most moved.

        What public columns add besides is the mean over classes.
        """
        encoding, found = self.encoding(schema), dict[str, float]()
        factor = min(1.0, self.radius / encoding.usual_length)
        for name, start, stop in zip(self.columns, encoding.starts, encoding.starts[1:], strict=False):
            own = encoding.length_of(name) * np.asarray(self.weights)[:, start:stop]
            column = encoding.by_name[name]
            if isinstance(column, Numeric):
                ranks = np.linspace(-1.0, 1.0, 201)
                first = encoding.curve_of(name, ranks)
                features = np.column_stack([first, quadratic_of(ranks**2)]) if self.bends else first[:, None]
                own = own @ features.T
            elif encoding.is_mark(column):
                own = own @ np.asarray([[0.0, 1.0]])
            found[name] = factor * float(np.ptp(own, axis=1).max())
        for read, weights in (each for model in self.public_models() for each in model.encoded(schema)):
            # Beside what ranks say of them: at most so far.
            for name in read.columns:
                found[name] = found.get(name, 0.0) + float(np.ptp(weights[read.positions((name,))])) / len(self.public)
        return found

    def check(self, schema: Schema) -> None:
        """Raise ModelFileError unless columns, cut points and coefficients fit the schema."""
        outputs = schema.n_scores
        check_cuts(schema, self.cuts)
        try:
            n_features = self.encoding(schema).n_features
        except (TacitError, KeyError):
            n_features = 0
        if len(set(self.columns)) != len(self.columns) or len(self.weights) != outputs:
            raise ModelFileError("Expected one form for two classes, else one a class. The file is damaged.")
        if len(set(self.short)) != len(self.short) or not set(self.short) <= set(self.columns):
            raise ModelFileError("Expected short columns among the model's, each once. The file is damaged.")
        curved = [name for name, _ in self.curved]
        if len(set(curved)) != len(curved) or not set(curved) <= set(self.columns):
            raise ModelFileError("Expected curved columns among the model's, each once. The file is damaged.")
        if not n_features or any(len(row) != n_features for row in self.weights):
            raise ModelFileError("Expected a coefficient for each feature of the schema. The file is damaged.")
        if len(self.public) not in (0, outputs):
            raise ModelFileError("Expected as many public forms as there are outputs. The file is damaged.")
        if self.class_shares:
            check_shares(self.class_shares, schema.n_classes)
        for model in self.public_models():
            model.check(schema)
        sizes = [
            abs(model.intercept) + sum(abs(w) for form in model.forms for w in form.weights) for model in self.public
        ]
        check_bounded(*sizes, *(weight for row in self.weights for weight in row))

    @kept
    def _coefficients(self) -> NDArray[np.float64]:
        """Return the weights, shape (n_features, n_outputs)."""
        return np.asarray(self.weights).T

    @kept
    def encoding(self, schema: Schema) -> RankedEncoding:
        """Return the features under a schema, with the model's cut points."""
        given = self.columns, self.radius, self.bends, self.short, self.joined, self.curved
        return RankedEncoding(schema, *given, released=self.cuts)

    @kept
    def public_models(self) -> tuple[LinearModel, ...]:
        """Return for each output what public columns add, with the model's cut points."""
        return tuple(replace(one, cuts=self.cuts) for one in self.public)
