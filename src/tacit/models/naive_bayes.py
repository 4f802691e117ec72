"""A naive Bayes classifier as it is released: one table of log ratios or one normal distribution for each column."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from tacit.checks import check_bounded
from tacit.errors import ModelFileError
from tacit.features import BinEncoding, LinearEncoding
from tacit.features.bin_encoding import MAX_BINS, MAX_CATEGORIES, Codes, column_groups, joint_codes, joint_table
from tacit.features.encoding import Cuts, check_cuts
from tacit.features.literals import Literal
from tacit.kept import kept
from tacit.models.class_shares import check_shares
from tacit.models.noise import Noise
from tacit.schema import Categorical, Numeric, Schema
from tacit.table import Rows
from tacit.table.by_class import class_shares

_STRICT: dict[str, Any] = {"extra": "forbid", "allow_inf_nan": False}


@dataclass(frozen=True)
class BinTable:
    """Evidence of a column by bin or category."""

    column: str
    log_ratios: tuple[tuple[float, ...], ...]
    """For each bin, the logarithm of p(bin | class) in each of the sorted classes, up to a constant for the bin."""
    kind: OneOf["bins"] = "bins"

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


@dataclass(frozen=True)
class NormalTable:
    """Evidence of a numeric column, scaled to [-1, 1], by a normal distribution in each class."""

    column: str
    means: tuple[float, ...]
    variances: tuple[float, ...]
    """One for each of the sorted classes."""
    kind: OneOf["normal"] = "normal"

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


@dataclass(frozen=True)
class NaiveBayesModel:
    """Adds up the evidence of the columns, as if they were independent within each class."""

    intercepts: tuple[float, ...]
    """One for each of the sorted classes; without calibration, logarithms of their shares."""
    slope: float
    """What the summed evidence is multiplied by; below 1 where columns repeat each other."""
    tables: tuple[BinTable | NormalTable, ...]
    n_bins: int
    """Equal parts of a binned numeric column without cut points."""
    cuts: Cuts = ()
    """Cut points of numeric columns that are not the schema's."""
    noise: Noise = ()
    """How sure what is said of each column is; empty where that is not known."""
    class_shares: tuple[float, ...] = ()
    """Of the training rows in each of the sorted classes, as far as released; empty in files of earlier versions."""
    kind: OneOf["naive-bayes"] = "naive-bayes"

    multiclass: ClassVar[bool] = True
    votes: ClassVar[tuple[()]] = ()
    reach: ClassVar[float] = 0.0
    """One model serves all classes, so nothing is compared in units of it."""
    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    @property
    def binned(self) -> tuple[str, ...]:
        """Columns that are read as bins."""
        return tuple(table.column for table in self.tables if isinstance(table, BinTable))

    @property
    def scaled(self) -> tuple[str, ...]:
        """Columns that are read as numbers."""
        return tuple(table.column for table in self.tables if isinstance(table, NormalTable))

    @property
    def largest(self) -> float:
        """A bound of the size of the log-odds of any row."""
        evidence = [
            float(np.abs(self._contrasts(np.asarray(each.log_ratios))).max())
            if isinstance(each, BinTable)
            else 2 * _largest(each)
            for each in self.tables
        ]
        return float(np.abs(self._contrasts(np.asarray(self.intercepts))).max()) + abs(self.slope) * sum(evidence)

    def scores(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        """Return log-odds of the second of two classes, (n_rows,); or log-weights of each, (n_rows, n_classes)."""
        bins, numbers = self.encodings(schema)
        codes, features = bins.transform(rows), numbers.transform(rows)
        weights = self._contrasts(np.asarray(self.intercepts)) + self.slope * self.evidence(codes, features)
        return np.asarray(weights[:, 0] if self._has_two else weights)

    def probabilities(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        """Return class probabilities, (n_rows, n_classes)."""
        scores = self.scores(rows, schema)
        weights = np.column_stack([np.zeros_like(scores), scores]) if self._has_two else scores
        return class_shares(weights, axis=1)

    def words(self, schema: Schema) -> tuple[str, ...]:
        """Return what each bin, category or normal distribution says for the classes, the columns that say most first.

        Of two classes the second is named, with what the column adds to its log-odds; of more, the class that each bin
        speaks for most, with its lead over the mean of all.
        """
        classes = sorted(schema.classes)
        bins = self.encodings(schema)[0]
        said = [self._column_words(table, bins, classes) for table in self.tables]
        order = sorted(range(len(said)), key=lambda at: -said[at][0])
        return tuple(line for at in order for line in said[at][1])

    @kept
    def encodings(self, schema: Schema) -> tuple[BinEncoding, LinearEncoding]:
        """Return the encodings of the columns that are read as bins, and of those that are read as numbers."""
        bins = BinEncoding(schema, self.binned, self.n_bins, released=self.cuts)
        return bins, LinearEncoding(schema, self.scaled, released=self.cuts)

    def evidence(self, codes: Codes, features: NDArray[Any]) -> NDArray[np.float64]:
        """Return the columns' evidence for each class, (n_rows, n_classes), or for the second of two, (n_rows, 1).

        Each row's depends on that row alone.

        Parameters
        ----------
        codes : array of shape (n_rows, n_binned)
        features : array of shape (n_rows, n_scaled)
        """
        n_scores = 1 if self._has_two else len(self.intercepts)
        total = np.zeros((len(codes), n_scores), order="F")
        ratios = [self._contrasts(_padded(table)) for table in self.tables if isinstance(table, BinTable)]
        # Several columns at once; how they are grouped depends on the tables alone, never on the rows.
        for group in column_groups(tuple(map(len, ratios))):
            places = joint_codes([codes[:, at] for at in group], [len(ratios[at]) for at in group]).astype(np.intp)
            for score in range(n_scores):
                total[:, score] += joint_table([ratios[at][:, score] for at in group]).take(places)
        normal = (table for table in self.tables if isinstance(table, NormalTable))
        for at, table in enumerate(normal):
            constant, linear, square = self._contrasts(_parabolas(table))
            values = features[:, at].astype(np.float64)
            for score in range(n_scores):
                part = values * square[score]
                part += linear[score]
                part *= values
                part += constant[score]
                total[:, score] += part
        return total

    def check(self, schema: Schema) -> None:
        """Raise ModelFileError unless there is one table of the right size for each of some columns."""
        check_cuts(schema, self.cuts)
        n_classes, names = len(schema.classes), [table.column for table in self.tables]
        if len(self.intercepts) != n_classes or len(set(names)) != len(names):
            raise ModelFileError("Expected one intercept for each class, one table a column. The file is damaged.")
        if not set(names) <= set(schema.names) or not 2 <= self.n_bins <= MAX_BINS:
            raise ModelFileError("Expected tables of the schema's columns. The file is damaged.")
        # Before an encoding is made: more codes than two bytes hold are a damaged file.
        small = all(isinstance(each, NormalTable) or len(each.log_ratios) <= MAX_CATEGORIES + 1 for each in self.tables)
        if not small or not all(_fits(table, self.encodings(schema)[0], n_classes) for table in self.tables):
            raise ModelFileError("Expected tables of the columns' sizes. The file is damaged.")
        if self.class_shares:
            check_shares(self.class_shares, n_classes)
        largest = [_largest(table) for table in self.tables]
        # Both the evidence and its multiple by the slope: a slope of 0 would hide an infinite sum.
        check_bounded(*largest)
        check_bounded(*(abs(self.slope) * each for each in largest), *self.intercepts)

    def _column_words(
        self, table: BinTable | NormalTable, bins: BinEncoding, classes: list[Any]
    ) -> tuple[float, list[str]]:
        """Return the largest evidence of a column, and its lines."""
        if isinstance(table, NormalTable):
            distributions = zip(classes, table.means, table.variances, strict=True)
            said = [
                f"{label}: mean {mean:.2f}, deviation {sqrt(variance):.2f}" for label, mean, variance in distributions
            ]
            # The largest difference of two parabolas may lie between the ends: 65 points are enough to rank columns.
            points = np.stack([np.ones(65), np.linspace(-1, 1, 65), np.linspace(-1, 1, 65) ** 2], axis=1)
            evidence = self.slope * self._contrasts(points @ _parabolas(table))
            return float(np.ptp(evidence, axis=0).max()), [f"{table.column}, scaled to [-1, 1]: {'; '.join(said)}"]
        evidence = self.slope * self._contrasts(np.asarray(table.log_ratios))
        if not self._has_two:
            evidence = evidence - evidence.mean(axis=1, keepdims=True)
        codes = range(len(evidence))
        names = [Literal(table.column, code, code).words(bins) for code in codes]
        lines = [f"{name}: {_verdict(row, classes)}" for name, row in zip(names, evidence, strict=True)]
        return float(np.abs(evidence).max()), lines

    @property
    def _has_two(self) -> bool:
        return len(self.intercepts) == 2

    def _contrasts(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values of all classes, or of the second of two less the first, along the last axis."""
        # Of two classes the difference alone decides, at half of the work.
        return np.asarray(values[..., 1:] - values[..., :1] if self._has_two else values)


def _padded(table: BinTable) -> NDArray[np.float64]:
    """Return the table with no evidence for the code of an unlisted category."""
    ratios = np.asarray(table.log_ratios)
    return np.concatenate([ratios, np.zeros((1, ratios.shape[1]))])


def _verdict(evidence: NDArray[np.float64], classes: list[Any]) -> str:
    best = int(np.argmax(evidence))
    return f"{evidence[best]:+.2f} for {classes[-1] if len(evidence) == 1 else classes[best]}"


def _parabolas(table: NormalTable) -> NDArray[np.float64]:
    """Return each class's log density as coefficients of 1, z and z^2, (3, n_classes)."""
    means, variances = np.asarray(table.means), np.asarray(table.variances)
    return np.stack([-(np.log(variances) + means**2 / variances) / 2, means / variances, -0.5 / variances])


def _largest(table: BinTable | NormalTable) -> float:
    """Return a bound of what a table says for any class of any row."""
    if isinstance(table, BinTable):
        return float(np.abs(np.asarray(table.log_ratios)).max())
    with np.errstate(all="ignore"):  # a variance next to zero is refused for what comes of it
        return float(np.abs(_parabolas(table)).sum(axis=0).max())


def _fits(table: BinTable | NormalTable, bins: BinEncoding, n_classes: int) -> bool:
    column = bins.schema.column(table.column)
    if isinstance(table, NormalTable):
        sizes = {len(table.means), len(table.variances)}
        return isinstance(column, Numeric) and sizes == {n_classes} and min(table.variances) > 0
    n_codes = bins.bins_of[table.column]
    # With or without evidence for the code of unlisted categories.
    admitted = {n_codes, n_codes - 1} if isinstance(column, Categorical) else {n_codes}
    return len(table.log_ratios) in admitted and {len(row) for row in table.log_ratios} == {n_classes}
