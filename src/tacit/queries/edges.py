"""Edge vectors, label times features, of a table's rows, and how far one person can move one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError
from tacit.features import LinearEncoding
from tacit.privacy import NumericStatistic, PrivacyUnit
from tacit.sensitivities.linear import AllEdgesBasis, edges_move
from tacit.table import Block, Table


@dataclass(frozen=True)
class EdgeForm:
    """How a row becomes an edge: its features, then a constant one, times 1 or -1 for the second or first class."""

    encoding: LinearEncoding
    constant: bool = True
    """Whether a constant feature follows, which makes linear rules have an intercept."""

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features; the constant is called 1."""
        return (*self.encoding.feature_names, "1") if self.constant else self.encoding.feature_names

    @property
    def n_features(self) -> int:
        """Number of features, the constant included."""
        return len(self.feature_names)

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Number of features of each column; the constant is a column of one."""
        columns = self.encoding.widths
        return (*columns, 1) if self.constant else columns

    def protected(self, unit: PrivacyUnit) -> NDArray[np.bool_]:
        """Return which features of an edge may differ between neighbors: all under a protected label."""
        columns = [unit.label or name in unit.columns for name in self.encoding.columns]
        return np.repeat([*columns, unit.label] if self.constant else columns, self.widths).astype(bool)

    def moving_widths(self, unit: PrivacyUnit) -> tuple[int, ...]:
        """Return the number of features of each column that may differ between neighbors, the constant left out."""
        columns = zip(self.encoding.columns, self.widths, strict=False)
        return tuple(width for name, width in columns if unit.label or name in unit.columns)

    def sensitivity(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return the largest L1 and L2 distance between the edges of one row on two neighboring tables."""
        return edges_move(self.numbers, self.categories, self.constant, unit)

    @property
    def numbers(self) -> tuple[str, ...]:
        """Columns of one feature."""
        return self._of_width(one=True)

    @property
    def categories(self) -> tuple[str, ...]:
        """Columns of several features, one of them one and all others zero."""
        return self._of_width(one=False)

    def _of_width(self, *, one: bool) -> tuple[str, ...]:
        columns = zip(self.encoding.columns, self.widths, strict=False)
        return tuple(name for name, width in columns if (width == 1) == one)

    def of_block(self, block: Block) -> NDArray[np.float32]:
        """Return the block's edges, shape (n_rows, n_features), all multiples of the features' grid."""
        edges = np.empty((block.n_rows, self.n_features), dtype=np.float32)
        signs = np.where(block.labels == 1, np.float32(1), np.float32(-1))
        edges[:, : self.encoding.n_features] = block.features(self.encoding)
        if self.constant:
            edges[:, -1] = 1
        edges *= signs[:, None]
        return edges


def check_same_unit(table: Table, unit: PrivacyUnit) -> None:
    """Refuse a table that protects something else than a query was made for, whose sensitivity would not hold."""
    if table.unit != unit:
        raise PrivacyError(
            "Expected a table of the query's own unit, got one of another. Make the query of table.unit."
        )


def all_edges(table: Table, form: EdgeForm) -> NumericStatistic:
    """Return the protected features of all edges, shape (n_rows, n_protected), float64.

    Privacy: neighbors differ in one row's edge, by at most ``EdgeForm.sensitivity``. With noise on each entry every
    person's edge is protected by itself, before anything is summed: a local guarantee.
    Proof: ``proofs/queries/edges.md``.
    """
    basis = AllEdgesBasis(form.numbers, form.categories, form.constant)
    moves = basis.sensitivity(table.unit, table.n_persons)
    protected = form.protected(table.unit)
    edges = table.gather(lambda block: form.of_block(block)[:, protected].astype(np.float64))
    return NumericStatistic(basis.query, table.unit, edges, l1=moves["l1"], l2=moves["l2"], basis=basis)


def exact_edges(table: Table, form: EdgeForm) -> NDArray[np.float64]:
    """Return the public features of all edges, shape (n_rows, n_public), under a public label."""
    public = ~form.protected(table.unit)
    if table.unit.label:
        raise PrivacyError("Expected a public label, got a protected one. Query the edges instead.")
    signs = np.where(table.public_labels() == 1, 1.0, -1.0)
    names = tuple(name for name in form.encoding.columns if name not in table.unit.columns)
    features = np.ones((table.n_rows, form.n_features))
    if names:
        encoding = replace(form.encoding, columns=names)
        kept = np.flatnonzero(public[: form.encoding.n_features])
        features[:, kept] = table.public_features(encoding)
    return np.asarray((features * signs[:, None])[:, public])
