"""What a draft proposes of a side table: whose its rows are, what its columns hold, and features to begin with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw

from tacit.errors import SchemaError
from tacit.schema.categorical import Categorical
from tacit.schema.columns import Column, Numeric
from tacit.schema.feature import Feature
from tacit.schema.guesses.bounds import outward_bounds
from tacit.schema.guesses.column import guess_column
from tacit.schema.guesses.conventions import Conventions
from tacit.schema.guesses.names import Name
from tacit.schema.guesses.observed import ObservedColumn, observe_series
from tacit.schema.side_table import SideTable

NO_ROW = "no row"
"""What a text's latest category is of a person without one."""


@dataclass(frozen=True, repr=False)
class GuessedTable:
    """A side table, columns that are computed of it, and names of its columns that are of no use."""

    table: SideTable
    features: tuple[Column, ...]
    left_out: tuple[str, ...]


def guess_side_table(name: str, frame: Any, main: Any, label: str, file: str | None = None) -> GuessedTable:
    """Return what a side table may be, and features of it.

    Bounds of its columns are rounded outward from its rows, as those of the main table are.

    Raises
    ------
    SchemaError
        If no column's cells are mostly in one column of the main table that has another value in each row.

    Notes
    -----
    Privacy: **this reads the rows of both tables and adds no noise**.
    """
    side, people = nw.from_native(frame, eager_only=True), nw.from_native(main, eager_only=True)
    key, main_key = _keys(name, side, people, label)
    columns = {each: observe_series(side[each]) for each in side.columns if each != key}
    conventions = Conventions.of(columns.values())
    guesses = (guess_column(each, seen, conventions, by_name=True).column for each, seen in columns.items())
    read = [_of_side_table(column) for column in guesses if column is not None and _is_listed(column)]
    date = next((column.name for column in read if isinstance(column, Numeric) and column.is_date), None)
    other_key = None if main_key == key else main_key
    table = SideTable(name, read, key=key, main_key=other_key, file=file, date=date)
    made = tuple(_features(table, columns, _most_rows(side[key])))
    return GuessedTable(table, made, tuple(each for each in columns if each not in {column.name for column in read}))


def _keys(name: str, side: nw.DataFrame[Any], people: nw.DataFrame[Any], label: str) -> tuple[str, str]:
    """Return the column that says whose a row is, and the main table's of the same values.

    Those of one name come first, then those whose name is of persons, then that of the most different values.
    """
    main = {each: keys for each in people.columns if each != label and (keys := _all_different(people[each]))}
    found = []
    for own in side.columns:
        cells = _texts(side[own])
        for each, keys in main.items():
            known = [] if cells is None else [cell for cell in cells if cell in keys]
            # By chance fewer than half of a column's cells are in another.
            if cells and 2 * len(known) > len(cells):
                words = Name.of(own)
                is_person = words.numbers == "person" or words.is_person
                found.append(((own == each, is_person, len(set(known))), own, each))
    if not found:
        raise SchemaError(
            f"Expected a key in side table {name!r}, with most cells in a main column of different values, got none. "
            "Check the files, or leave the table out and write [[table]] by hand."
        )
    _, key, main_key = max(found, key=lambda each: each[0])
    return key, main_key


def _all_different(column: nw.Series[Any]) -> set[str]:
    """Return the keys of a main table, a different one in each row; nothing of any other column."""
    texts = _texts(column) or []
    keys = set(texts)
    return keys if len(keys) == len(column) else set()


def _texts(column: nw.Series[Any]) -> list[str] | None:
    """Return the cells that are there as keys are read: texts and whole numbers; None of other types."""
    if column.dtype.is_integer():
        return [str(value) for value in column.drop_nulls().to_list()]
    if column.dtype == nw.String:
        return [text for value in column.drop_nulls().to_list() if (text := value.strip())]
    return None


def _most_rows(key: nw.Series[Any]) -> float:
    counts = key.drop_nulls().value_counts(name="rows")["rows"]
    return outward_bounds(0, max(counts.to_list(), default=0))[1]


def _is_listed(column: Column) -> bool:
    """Tell columns of which there are features from those that a hash or beginnings of cells describe."""
    return isinstance(column, Numeric) or (column.buckets is None and column.match == "value")


def _of_side_table(column: Column) -> Column:
    """Return a column whose missing cells are passed over, unless texts among its numbers stand for them."""
    if isinstance(column, Numeric) and column.missing_codes:
        return column
    return replace(column, missing=None)


def _features(table: SideTable, seen: Mapping[str, ObservedColumn], most: float) -> Iterator[Column]:
    """Yield the number of rows, and of each column its latest value and its mean or the share of one category."""
    name = table.name
    yield Numeric(f"{name} count", 0, most, whole=True, from_table=Feature(name, "count"))
    for column in table.columns:
        if column.name == table.date:
            continue
        if isinstance(column, Numeric):
            yield from _of_numbers(table, column)
        else:
            yield from _of_categories(table, column, seen[column.name])


def _of_numbers(table: SideTable, column: Numeric) -> Iterator[Column]:
    """Yield features within the bounds of what they are of."""
    takes = (("latest", table.date is not None), ("mean", not column.has_dates))
    for take, is_taken in takes:
        if is_taken:
            whole = column.whole and take == "latest"
            feature = Feature(table.name, take, column.name)  # type: ignore[arg-type]
            called = f"{table.name} {column.name} {take}"
            yield Numeric(called, column.low, column.high, whole=whole, missing="indicator", from_table=feature)


def _of_categories(table: SideTable, column: Categorical, seen: ObservedColumn) -> Iterator[Column]:
    name = f"{table.name} {column.name}"
    if table.date is not None and all(isinstance(each, str) for each in column.categories):
        latest = Feature(table.name, "latest", column.name)
        listed = dict.fromkeys((*column.categories, NO_ROW))
        yield Categorical(f"{name} latest", [*listed], missing=NO_ROW, from_table=latest)
    counts = dict(zip(seen.distinct or seen.numbers.tolist(), seen.counts.tolist(), strict=True))
    value = max(column.categories, key=lambda each: (each is True, counts.get(each, 0)))
    share = Feature(table.name, "share", column.name, value)
    yield Numeric(f"{name} share", 0, 1, missing="indicator", from_table=share)
