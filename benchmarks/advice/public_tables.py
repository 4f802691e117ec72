"""Public tables of the past studies, and which of their columns are protected."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, get_args

import polars as pl

from tacit.datasets import load, names
from tacit.datasets.catalog import PackagedDataset, load_schema, records
from tacit.datasets.fetch import content, obtain
from tacit.errors import ParameterError
from tacit.schema import Categorical, Label, Numeric, Schema, Target

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

SCORES = {
    ("abalone", "rings"): Target("rings", 0, 30, whole=True),
    ("wine-red", "quality"): Target("quality", 0, 10, whole=True),
    ("wine-white", "quality"): Target("quality", 0, 10, whole=True),
}
"""Numbers of which the data set's label is whether they are large."""

NUMBERS = (
    *SCORES,
    ("adult", "age"),
    ("adult", "hours-per-week"),
    ("bank-marketing", "age"),
    ("bank-marketing", "balance"),
    ("banknote", "entropy"),
    ("blood-transfusion", "time"),
    ("breast-cancer", "mean smoothness"),
    ("cod-rna", "energy"),
    ("credit-default", "AGE"),
    ("credit-default", "LIMIT_BAL"),
    ("eeg-eye-state", "O1"),
    ("german-credit", "amount"),
    ("magic-gamma", "fDist"),
    ("magic-gamma", "fLength"),
    ("skin-segmentation", "B"),
)
"""Numbers to predict, by data set."""


@dataclass(frozen=True)
class KnownTable(ABC):
    """A table of the past studies."""

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
    @abstractmethod
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    @abstractmethod
    def known(self) -> Schema:
        """What is public of it."""

    @abstractmethod
    def rows(self) -> tuple[Any, Any]:
        """Return the features as a polars frame, and the column to predict."""

    def schema(self, privacy: Privacy) -> Schema:
        """Return the schema: everything private, all but the label, or packaged public columns and a public label.

        Where the packaged schema has no public columns, every second column is public for ``"partly-private"``.
        """
        if privacy not in get_args(Privacy):
            raise ParameterError(f"Expected one of {get_args(Privacy)}, got privacy={privacy!r}. Choose one of them.")
        schema = self.known
        if privacy == "all-private":
            return schema.all_private()
        if privacy == "public-label":
            return schema.with_private(schema.names, label=False)
        return schema.with_private(schema.private_columns if schema.public_columns else schema.names[::2], label=False)


@dataclass(frozen=True)
class PublicTable(KnownTable):
    """A packaged data set, with its own label or with another column to predict.

    Parameters
    ----------
    data : str
        One of `tacit.datasets.names`.
    target : str, optional
        A column to predict, or one of `SCORES`; the data set's own label is left out then.

    Examples
    --------
    >>> table = PublicTable("adult", "marital-status")
    >>> table.name, table.source, len(table.schema("all-private").label.classes)
    ('adult, marital-status', 'adult', 7)
    >>> PublicTable("abalone", "rings").schema("all-private").target.high
    30
    """

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return records()[self.data].n_rows

    @property
    def known(self) -> Schema:
        """The packaged schema, with the column to predict for its label."""
        schema = load_schema(self.data)
        if self.target is None:
            return schema
        if (self.data, self.target) in SCORES:
            return replace(schema, label=SCORES[self.data, self.target], guessed=())
        column = schema.column(self.target)
        rest = tuple(each for each in schema.columns if each.name != self.target)
        if isinstance(column, Numeric):
            return replace(schema, columns=rest, label=Target(self.target, column.low, column.high), guessed=())
        if not isinstance(column, Categorical) or column.other:
            raise ParameterError(
                f"Expected a number, or a categorical column without `other`, got target={self.target!r}."
            )
        return replace(schema, columns=rest, label=Label(self.target, column.categories), guessed=())

    def rows(self) -> tuple[Any, Any]:
        """Return the features as a polars frame, and the column to predict."""
        table = _loaded(self.data)
        if (self.data, self.target) in SCORES:
            return table.select(self.known.names), _scores(self.data)
        return table.select(self.known.names), table[self.target or load_schema(self.data).label.name]


def public_tables() -> tuple[PublicTable, ...]:
    """Return every packaged data set that is tried, and those with another column of classes to predict after them."""
    tried = (name for name in names() if name not in NOT_TRIED)
    return (*map(PublicTable, tried), *(PublicTable(data, target) for data, target in OTHER_LABELS.items()))


def tables_of_numbers() -> tuple[PublicTable, ...]:
    """Return the packaged data sets with a number to predict."""
    return tuple(PublicTable(*each) for each in NUMBERS)


@lru_cache(maxsize=2)  # tasks come table by table: the one in use, and the next of another worker
def _loaded(data: str) -> Any:
    dataset = load(data)
    return dataset.frame.with_columns(dataset.target)


@lru_cache(maxsize=2)
def _scores(data: str) -> pl.Series:
    """Return the numbers of which a data set's label is whether they are large; rows are in the order of its table."""
    record = records()[data]
    assert isinstance(record, PackagedDataset)
    options = {name: value for name, value in record.options.items() if name != "class_from"}
    table = replace(record, options=options).read([content(obtain(file)) for file in record.files], record.schema())
    return table.to_series(-1)
