"""Public tables of the past studies, and which of their columns are protected."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, get_args

from tacit.datasets import load, names
from tacit.datasets.catalog import load_schema, records
from tacit.errors import ParameterError
from tacit.schema import Categorical, Label, Schema

Privacy = Literal["all-private", "public-label", "partly-private"]

SOURCES = {"wine-red": "wine-quality", "wine-white": "wine-quality"}
"""Data sets that are parts of one, and are left out together."""

NOT_TRIED = ("hardware", "higgs", "higgs-sample", "susy", "twitter")
"""Data sets that past studies leave out: downloaded on request, and up to 11,000,000 rows take hours each."""

OTHER_LABELS = {
    "abalone": "sex",
    "adult": "marital-status",
    "bank-marketing": "job",
    "german-credit": "housing",
    "mushroom": "habitat",
}
"""Columns to predict instead of the label: few public tables have more than two classes."""


@dataclass(frozen=True)
class PublicTable:
    """A packaged data set, with its own label or with another column to predict.

    Parameters
    ----------
    data : str
        One of `tacit.datasets.names`.
    target : str, optional
        A categorical column to predict; the data set's own label is left out then.

    Examples
    --------
    >>> table = PublicTable("adult", "marital-status")
    >>> table.name, table.source, len(table.schema("all-private").label.classes)
    ('adult, marital-status', 'adult', 7)
    """

    data: str
    target: str | None = None

    @property
    def name(self) -> str:
        """What to call it."""
        return f"{self.data}, {self.target}" if self.target else self.data

    @property
    def source(self) -> str:
        """Where its rows come from; tables of one source are not independent of each other."""
        return SOURCES.get(self.data, self.data)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return records()[self.data].n_rows

    def schema(self, privacy: Privacy) -> Schema:
        """Return the schema: everything private, all but the label, or packaged public columns and a public label.

        Where the packaged schema has no public columns, every second column is public for ``"partly-private"``.
        """
        if privacy not in get_args(Privacy):
            raise ParameterError(f"Expected one of {get_args(Privacy)}, got privacy={privacy!r}. Choose one of them.")
        schema = self._task(load_schema(self.data))
        if privacy == "all-private":
            return schema.all_private()
        if privacy == "public-label":
            return schema.with_private(schema.names, label=False)
        return schema.with_private(schema.private_columns if schema.public_columns else schema.names[::2], label=False)

    def rows(self) -> tuple[Any, Any]:
        """Return the features as a polars frame, and the column to predict."""
        table = _loaded(self.data)
        names_ = self.schema("all-private").names
        return table.select(names_), table[self.target or load_schema(self.data).label.name]

    def _task(self, schema: Schema) -> Schema:
        if self.target is None:
            return schema
        column = schema.column(self.target)
        if not isinstance(column, Categorical) or column.other:
            raise ParameterError(f"Expected a categorical column without `other`, got target={self.target!r}.")
        rest = tuple(each for each in schema.columns if each.name != self.target)
        return replace(schema, columns=rest, label=Label(self.target, column.categories), guessed=())


def public_tables() -> tuple[PublicTable, ...]:
    """Return every packaged data set that is tried, and those with another column to predict after them."""
    tried = (name for name in names() if name not in NOT_TRIED)
    return (*map(PublicTable, tried), *(PublicTable(data, target) for data, target in OTHER_LABELS.items()))


@lru_cache(maxsize=2)  # tasks come table by table: the one in use, and the next of another worker
def _loaded(data: str) -> Any:
    dataset = load(data)
    return dataset.frame.with_columns(dataset.target)
