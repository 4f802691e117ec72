"""The main table with the features of its side tables as columns: what is then read as any other table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from tacit.errors import ParameterError, SchemaError, TableError, shown
from tacit.schema import Column, Identifier, Numeric, Schema, SideTable
from tacit.schema.side_features import features, main_columns
from tacit.table.data_frames import Unread, are_numbered, collected, names_of, opened_frame
from tacit.table.files.cells import Entry
from tacit.table.files.frames import Query
from tacit.table.files.frames import names_of as names_of_entries
from tacit.table.files.several import Files
from tacit.table.rows import OnInvalid
from tacit.table.side_groups import MainRows, grouped
from tacit.table.side_rows import Cells, SideSource, check_key, days_until, keys_in, main_keys

Pieces = Iterator[tuple[pl.DataFrame, pl.DataFrame]]
"""Columns as the schema reads them, and further ones of the same rows as they are."""

Given = Mapping[str, Any]
"""Side tables by name: paths, queries and data frames."""


@dataclass(frozen=True, eq=False, repr=False)
class SideTables:
    """The side tables of a schema, opened; none of their rows is read before features are asked for.

    Parameters
    ----------
    schema : Schema
    sources : mapping of str to files, query or data frame
        Of each side table.
    """

    schema: Schema
    sources: Mapping[str, SideSource]

    @classmethod
    def of(cls, schema: Schema, given: Given | None) -> SideTables:
        """Open what is given for the schema's side tables, and the files that the schema names for the others.

        Raises
        ------
        ParameterError
            If something is given for a name that no side table has.
        TableError
            If a side table is not there, or lacks a column.
        """
        given = {} if given is None else given
        names = [table.name for table in schema.tables]
        if not set(given) <= set(names):
            raise ParameterError(
                f"Expected side tables by the names that the schema has for them ({', '.join(map(repr, names))}), got "
                f"tables={shown(list(given))}. Correct the name, or describe the table in the schema."
            )
        return cls(schema, {table.name: _opened(table, given.get(table.name), schema) for table in schema.tables})

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns of the main table that have keys."""
        return tuple(dict.fromkeys(table.main for table in self.schema.tables))

    @cached_property
    def until(self) -> tuple[Numeric, ...]:
        """The columns of the main table that say before which date rows count."""
        found = {table.until_column: None for table in self.schema.tables if table.until_column}
        columns = (self.schema.column(name) for name in found)
        return tuple(column for column in columns if isinstance(column, Numeric))

    def features(
        self, keys: Mapping[str, pl.Series], days: Mapping[str, np.ndarray[Any, Any]], on_invalid: OnInvalid
    ) -> pl.DataFrame:
        """Return the features of each row of the main table, in its order, by their names.

        Parameters
        ----------
        keys : mapping of str to series of texts
            By column of keys, those of the main table's rows.
        days : mapping of str to float64 array of shape (n_rows,)
            By column of dates, the day before which rows count.
        """
        found: dict[str, pl.Series] = {}
        for table in self.schema.tables:
            cells = Cells.of(table, self.schema)
            if cells.features:
                main = MainRows(keys[table.main], days.get(table.until_column or ""))
                columns = grouped(self.sources[table.name], cells, main, on_invalid).iter_columns()
                found |= {column.name: each for column, each in zip(cells.features, columns, strict=True)}
        return pl.DataFrame({column.name: found[column.name] for column in features(self.schema.inputs)})

    def check_main(self, names: Sequence[Any]) -> None:
        """Refuse a main table with a column that has a feature's name, or without one of keys."""
        if taken := [column.name for column in features(self.schema.inputs) if column.name in names]:
            raise TableError(
                f"Expected features of side tables under names that no column of the main table has, got {taken[0]!r} "
                "in both. Rename the feature in the schema, or leave out the column."
            )
        for name in self.keys:
            if name not in names:
                raise TableError(
                    f"Expected a column named {name!r} in the main table, which says whose rows of side tables are, "
                    "got none. Add it, or name the one that there is as main_key of the side table."
                )


@dataclass(frozen=True)
class Joined(Query):
    """Files or a query with the main table's rows, to each of which its features are added when it is read."""

    main: Files | Query | None = field(default=None)
    side: SideTables | None = field(default=None)
    n_persons: int = 0
    """Public: of the main table's rows, one a person."""
    _made: dict[OnInvalid, pl.DataFrame] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of_source(cls, main: Files | Query, side: SideTables) -> Joined:
        """Return the joined source; keys of the main table are read, and nothing else.

        Raises
        ------
        ParameterError
            If the main table can be read once only.
        TableError
            If it lacks a column, has one of a feature's name, or a key twice or not at all.
        """
        if isinstance(main, Query) and main.is_read_once:
            raise ParameterError(
                "Expected a main table that can be read twice, first its keys, got a stream. Write it to a file, or "
                "collect it."
            )
        wanted = [column.name for column in main_columns(side.schema)]
        names = main.names if isinstance(main, Query) else main.names([*wanted, *side.keys])
        side.check_main(names)
        n_persons = 0
        for name in side.keys:
            n_persons = check_different(_keys_of(main, name), name)
        every = tuple(dict.fromkeys([*names, *(column.name for column in features(side.schema.inputs))]))
        return cls(every, lambda names, n_rows: iter(()), main=main, side=side, n_persons=n_persons)

    def about_n_rows(self) -> int:
        """Return how many rows there are."""
        return self.n_persons

    def frames(self, entries: Sequence[Entry], on_invalid: OnInvalid, further: Sequence[str] = ()) -> Pieces:
        """Yield the columns of the entries, as these read them, some rows at a time; and further ones as they are."""
        assert self.main is not None and self.side is not None
        self.check_columns(names_of_entries(entries, further))
        made = {column.name for column in features(self.side.schema.inputs)}
        own = [entry for entry in entries if not made & set(entry.names)]
        if len(own) == len(entries):
            yield from self.main.frames(entries, on_invalid, further)
            return
        key = self.side.keys[0]
        added = self._features(on_invalid)
        for read, others in self.main.frames((*own, Identifier(key)), on_invalid, further):
            # A row that is left out has no text any more, that of its key included: it finds no features.
            names = keys_in(read, key).cast(pl.String).to_frame(_KEY)
            found = names.join(added, on=_KEY, how="left", maintain_order="left")
            yield (
                pl.DataFrame(
                    [(found if entry.names[0] in made else read)[name] for entry in entries for name in entry.names]
                ),
                others,
            )

    def _features(self, on_invalid: OnInvalid) -> pl.DataFrame:
        """Return the features of all persons with their keys, which are read once."""
        if on_invalid not in self._made:
            assert self.main is not None and self.side is not None
            days: dict[str, list[Any]] = {column.name: [] for column in self.side.until}
            keys: dict[str, list[pl.Series]] = {name: [] for name in self.side.keys}
            # What is refused of dates is refused where the main table's columns are read.
            for read, _ in self.main.frames((*self.side.until, *map(Identifier, keys)), "coerce"):
                for name, found in keys.items():
                    found.append(main_keys(read, name))
                for column in self.side.until:
                    days[column.name].append(days_until(read, column))
            whole = {name: pl.concat(parts) for name, parts in keys.items()}
            of_each = {name: np.concatenate(parts) for name, parts in days.items()}
            made = self.side.features(whole, of_each, on_invalid)
            self._made[on_invalid] = made.insert_column(0, whole[self.side.keys[0]].alias(_KEY))
        return self._made[on_invalid]


def _keys_of(main: Files | Query, name: str) -> pl.Series:
    """Return the keys of the main table's rows."""
    parts = [main_keys(frame, name) for frame, _ in main.frames((Identifier(name),), "raise")]
    if not parts:
        raise TableError("Expected at least one row in the main table, got none. Check the query.")
    return pl.concat(parts)


_KEY = "\0key"
"""A name that no column has."""


def joined_source(main: Files | Query, schema: Schema, given: Given | None) -> Files | Query:
    """Return a source with the features of the schema's side tables; itself where the schema has none."""
    refuse_without(schema, given)
    if not schema.tables or isinstance(main, Joined):
        return main
    return Joined.of_source(main, SideTables.of(schema, given))


def refuse_without(schema: Schema, given: object) -> None:
    """Refuse what is no mapping of side tables, and some where the schema has none."""
    if given is None:
        return
    if not isinstance(given, Mapping):
        raise ParameterError(
            f"Expected side tables by name, got tables of type {type(given).__name__}. Pass a mapping of names to "
            "paths, queries or data frames."
        )
    if given and not schema.tables:
        raise ParameterError(
            "Expected no side tables, as the schema has none, got some. Describe each under [[table]] in the schema."
        )


def check_different(keys: pl.Series, name: str) -> int:
    """Return how many keys there are; refuse one that occurs twice."""
    if keys.n_unique() < len(keys):
        raise TableError(
            f"Expected one row of each person in the main table, got a key twice in column {name!r}. Keep one row of "
            "each, and put what a person has several of into a side table."
        )
    return len(keys)


@dataclass(frozen=True, eq=False, repr=False)
class JoinedFrame:
    """A data frame in memory with the main table's rows, to which features are added when they are asked for."""

    frame: nw.DataFrame[Any]
    side: SideTables

    @classmethod
    def of(cls, X: Any, schema: Schema, given: Given | None) -> JoinedFrame | None:
        """Return the frame with its side tables; None where it has the features already, or the schema has none.

        Raises
        ------
        TableError
            As of ``Joined.of_source``, or if it is no data frame with named columns.
        """
        refuse_without(schema, given)
        if not schema.tables:
            return None
        opened = opened_frame(X)
        names = [] if opened is None else names_of(opened)
        if opened is None or are_numbered(names):
            raise TableError(
                "Expected a data frame with named columns, one of keys among them, for side tables, got columns by "
                "position. Name them."
            )
        made = [column.name for column in features(schema.inputs)]
        if given is None and set(made) <= set(names):
            return None
        side = SideTables.of(schema, given)
        side.check_main(names)
        wanted = [*(column.name for column in main_columns(schema)), *side.keys]
        frame = collected(opened, wanted) if isinstance(opened, Unread) else opened
        for name in side.keys:
            check_different(main_keys(frame, name), name)
        return cls(frame, side)

    def unfilled(self) -> nw.DataFrame[Any]:
        """Return the frame with features of nobody, to be checked by names and types."""
        columns = features(self.side.schema.inputs)
        return self._with({column.name: _nothing(column, len(self.frame)) for column in columns})

    def filled(self, on_invalid: OnInvalid) -> nw.DataFrame[Any]:
        """Return the frame with its features."""
        keys = {name: main_keys(self.frame, name) for name in self.side.keys}
        days = {column.name: days_until(self.frame, column) for column in self.side.until}
        made = self.side.features(keys, days, on_invalid)
        return self._with({series.name: series for series in made.iter_columns()})

    def _with(self, columns: Mapping[str, pl.Series]) -> nw.DataFrame[Any]:
        backend = self.frame.implementation
        if backend.is_polars():
            native = self.frame.to_native()
            whole: nw.DataFrame[Any] = nw.from_native(
                native.with_columns([each.alias(n) for n, each in columns.items()])
            )
            return whole
        added = [
            nw.new_series(name, each.to_list(), nw.from_native(each, series_only=True).dtype, backend=backend)
            for name, each in columns.items()
        ]
        found: nw.DataFrame[Any] = self.frame.with_columns(*added)
        return found


def joined(frame: Any, schema: Schema, tables: Given | None = None, *, on_invalid: OnInvalid = "raise") -> Any:
    """Return a data frame with the features of each row's person as further columns, by a schema's side tables.

    Parameters
    ----------
    frame : data frame
        The main table: one row of each person, with the columns of keys.
    schema : Schema
    tables : mapping of str to path, query or data frame, optional
        By name, as ``fit`` takes them.
    on_invalid : {"raise", "coerce"}
        What to do with cells of side tables that the schema does not admit.

    Returns
    -------
    data frame
        Of the same library.

    Raises
    ------
    TableError
        If tables and schema do not fit, or a key is in several rows of the frame.

    Notes
    -----
    Privacy: what it returns is private, as the rows are. ``proofs/queries/side_tables.md``.

    Examples
    --------
    >>> from tacit.schema import Feature, Label, Numeric
    >>> visits = Numeric("visits", 0, 50, whole=True, from_table=Feature("visits", "count"))
    >>> schema = Schema([visits], label=Label("ill", [0, 1]), tables=[SideTable("visits", [], key="person")])
    >>> persons, rows = pl.DataFrame({"person": [7, 8]}), pl.DataFrame({"person": [8, 8, 9]})
    >>> joined(persons, schema, {"visits": rows})["visits"].to_list()
    [0.0, 2.0]
    """
    if not schema.tables:
        raise SchemaError("Expected a schema with side tables, got one without. Describe each under [[table]].")
    found = JoinedFrame.of(frame, schema, {} if tables is None else tables)
    assert found is not None
    return found.filled(on_invalid).to_native()


def _opened(table: SideTable, given: Any, schema: Schema) -> SideSource:
    where = f"side table {table.name!r}"
    given = table.file if given is None else given
    if given is None:
        raise TableError(
            f"Expected {where}, got none. Pass tables={{{table.name!r}: ...}}, --table {table.name}=PATH, or name its "
            "file in the schema."
        )
    cells = Cells.of(table, schema)
    source = _source_of(given, schema)
    if isinstance(source, Files | Query):
        source.check_columns(cells.names)
        if isinstance(source, Files) and source.has_types and (types := source.types()) is not None:
            check_key(pl.DataFrame(schema={table.key: types[table.key]}), table.key)
        return source
    frame = opened_frame(source)
    if frame is None:
        raise TableError(f"Expected a path, a query or a data frame for {where}, got another object. Pass one of them.")
    names = names_of(frame)
    if lacking := [name for name in cells.names if name not in names]:
        raise TableError(f"Expected a column named {lacking[0]!r} in {where}, got none. Add it, or correct the schema.")
    frame = collected(frame, cells.names) if isinstance(frame, Unread) else frame
    check_key(frame.head(0), table.key)
    return frame


def _source_of(given: Any, schema: Schema) -> Any:
    if isinstance(given, Files | Query):
        return given
    if isinstance(given, str | Path):
        return Files.of(given, schema.file)
    return Query.of(given) or given


def _nothing(column: Column, height: int) -> pl.Series:
    if isinstance(column, Numeric):
        kind: Any = pl.Datetime("us") if column.has_dates else pl.Float64
    else:
        kind = pl.Series(column.categories).dtype
    return pl.Series([None], dtype=kind).new_from_index(0, height)
