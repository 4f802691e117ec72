"""Literals: yes-or-no questions about one cell, a threshold or bin of a number, a category."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, get_args
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.features.bin_encoding import BinEncoding
from tacit.features.range_words import range_words
from tacit.schema import Categorical, Schema

NumericLiterals = OneOf["thresholds", "bins", "both"]


@dataclass(frozen=True, order=True)
class Literal:
    """A yes-or-no question about one column: whether its code lies in a range of bins.

    A numeric column is asked whether it is at most a cut, or within a bin; a categorical one whether it is one
    category. Negation is up to the classifier that uses the literal.
    """

    column: str
    first: int
    last: int
    """Codes of a ``BinEncoding``, both included."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}

    @property
    def held(self) -> slice:
        """The codes of which it holds, as an index."""
        return slice(self.first, self.last + 1)

    def holds(self, codes: NDArray[Any]) -> NDArray[np.bool_]:
        """Return whether each code of the column lies in the range, in the codes' shape."""
        if self.first == 0:
            return np.asarray(codes <= self.last)
        if self.first == self.last:
            return np.asarray(codes == self.first)
        return np.asarray((codes >= self.first) & (codes <= self.last))

    def words(self, encoding: BinEncoding, *, negated: bool = False) -> str:
        """Return the question as a statement, or its denial."""
        column = encoding.schema.column(self.column)
        if isinstance(column, Categorical):
            category = column.words[self.first] if self.first < column.n_codes else "another value"
            return f"{self.column} is {'not ' if negated else ''}{category}"
        cuts = encoding.cuts[encoding.columns.index(self.column)]
        said = range_words(column, cuts, self.first, self.last, negated=negated)
        is_number = said.removeprefix("not ")[0] in "-0123456789"
        return f"{self.column} {'is ' if is_number else ''}{said}"


def literals(encoding: BinEncoding, numeric: NumericLiterals = "thresholds") -> tuple[Literal, ...]:
    """Return every literal of the encoding's columns, in their order; none is another's negation.

    Privacy: the schema alone decides, so the list costs nothing.

    Parameters
    ----------
    numeric : {"thresholds", "bins", "both"}
        What is asked of numeric columns: at most each cut, within each bin, or both.
    """
    if numeric not in get_args(NumericLiterals):
        raise ParameterError(f"Expected literals 'thresholds', 'bins' or 'both', got literals={numeric!r}. Choose one.")
    found = _listed(encoding, numeric)
    if not found:
        raise ParameterError(
            "Expected a column in which rows differ, got none: each has a single category. Add columns to the schema."
        )
    return found


@lru_cache(maxsize=32)
def _listed(encoding: BinEncoding, numeric: NumericLiterals) -> tuple[Literal, ...]:
    return tuple(
        Literal(name, first, last)
        for name, bins in zip(encoding.columns, encoding.n_codes, strict=True)
        for first, last in _ranges(encoding.schema, name, bins, numeric)
    )


def _ranges(schema: Schema, name: str, n_bins: int, numeric: NumericLiterals) -> list[tuple[int, int]]:
    column = schema.column(name)
    if isinstance(column, Categorical):
        # The last code is that of unlisted categories. Of two categories one is the other's negation.
        codes = {1: 0, 2: 1}.get(column.n_codes, column.n_codes)
        return [(code, code) for code in range(codes)]
    thresholds = [(0, last) for last in range(n_bins - 1)]
    if numeric == "thresholds":
        return thresholds
    bins = [(code, code) for code in range(n_bins if n_bins > 2 else 1)]
    if numeric == "bins":
        return bins
    # The first bin is the first threshold, the last bin the last threshold's negation.
    return thresholds + bins[1 : n_bins - 1]
