"""From cells of text to typed columns: as the schema says, or, for a draft, as they look."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from tacit.errors import TableError
from tacit.schema import Categorical, Column, Identifier, Label, Numeric, Target, Value
from tacit.schema.likely_notation import likely_date, likely_number
from tacit.schema.notation import MISSING
from tacit.table.cell import number_of_text
from tacit.table.labels import without_label
from tacit.table.rows import OnInvalid
from tacit.table.written import read_written

_UNLISTED = float("inf")
"""Stands for text where the categories are numbers: no category is infinite."""

_WHOLE = r"^[+-]?[0-9]+$"
# Digits with a zero in front are a code, such as a postal one.
_CODE = r"^[+-]?0[0-9]+$"
# With a point that may be of decimals or of thousands.
_THOUSANDS = r"^[+-]?[1-9][0-9]{0,2}\.[0-9]{3}$"
_MOMENTS = ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S%.f")


Entry = Column | Label | Identifier


def of_texts(texts: pl.DataFrame, entries: Sequence[Entry], on_invalid: OnInvalid) -> pl.DataFrame:
    """Return columns of texts as their schema entries read them."""
    texts = _of_labeled(texts, entries, typed)
    return pl.DataFrame({name: typed(_plain(texts[name]), each, on_invalid) for each in entries for name in each.names})


def as_entries(frame: pl.DataFrame, entries: Sequence[Entry], on_invalid: OnInvalid) -> pl.DataFrame:
    """Return columns that have types already as their schema entries read them."""
    frame = _of_labeled(frame, entries, retyped)
    return pl.DataFrame(
        {name: retyped(_plain(frame[name]), each, on_invalid) for each in entries for name in each.names}
    )


def _of_labeled(
    frame: pl.DataFrame, entries: Sequence[Entry], read: Callable[[pl.Series, Entry, OnInvalid], pl.Series]
) -> pl.DataFrame:
    """Return columns whose texts are empty where a row has no label and such rows are left out, and are not read."""
    absent = left_out(entries, lambda label: read(_plain(frame[label.name]), label, "coerce"))
    return frame if absent is None else pl.DataFrame([without(absent, each) for each in frame.iter_columns()])


def left_out(entries: Sequence[Entry], read: Callable[[Label | Target], pl.Series]) -> pl.Series | None:
    """Return which rows have no label where the schema leaves such rows out, so that nothing of them is read; or None.

    Parameters
    ----------
    entries : sequence of Entry
    read : callable
        Returns the labels as their entry reads them, whatever they are.
    """
    label = next((each for each in entries if isinstance(each, Label | Target) and each.drops_missing), None)
    if label is None:
        return None
    absent = pl.Series(without_label(read(label), label))
    return absent if absent.any() else None


def without(absent: pl.Series, column: pl.Series) -> pl.Series:
    """Return a column whose texts are empty in some rows; cells of other types are never refused by themselves."""
    if column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    return column.set(absent, None) if column.dtype == pl.String else column


def spelled_numbers(entries: Sequence[Entry]) -> set[str]:
    """Return the columns whose cells are numbers as libraries write them, or missing without a word for it."""
    return {
        entry.name
        for entry in entries
        if isinstance(entry, Numeric) and not (entry.has_dates or entry.missing_codes or entry.notation)
    }


def _plain(column: pl.Series) -> pl.Series:
    """Return the column under a name of ours: polars takes a name between ^ and $ for a pattern of names."""
    return column.alias("cells")


def typed(texts: pl.Series, entry: Entry, on_invalid: OnInvalid) -> pl.Series:
    """Return a column of texts as its schema entry reads it; missing cells are null."""
    if texts.dtype == pl.Float64:
        return texts  # numbers already, of a chunk in which all cells are
    if isinstance(entry, Identifier):
        return _texts(texts, ())  # never as numbers: 007 and 7 are two persons
    if isinstance(entry, Numeric):
        return _numbers_or_moments(texts, entry, on_invalid)
    listed, replaced = _listed(entry), dict(entry.replace or ())
    if _are_texts(listed):
        return _listed_texts(texts, (*listed, *replaced))  # what is replaced is seen where codes are looked up
    if replaced:
        texts = texts.str.strip_chars().replace(list(replaced), list(replaced.values()))
    codes = _truths(texts) if isinstance(listed[0], bool) else _numbers(texts)
    if codes.null_count() == texts.null_count():
        return codes  # all that is there was read
    # Cells go by value: true is 1, be it listed as a truth value or as a number.
    codes = codes.fill_null(_numbers(texts) if isinstance(listed[0], bool) else _truths(texts))
    return codes.zip_with(~_unread(texts, codes), pl.Series([_UNLISTED]))


def _numbers_or_moments(texts: pl.Series, column: Numeric, on_invalid: OnInvalid) -> pl.Series:
    if column.notation is not None:
        found, texts = read_written(texts, column.notation)
    else:
        texts = _without_codes(texts, column)
        found = _moments(texts) if column.has_dates else _numbers(texts)
    if on_invalid == "raise" and found.null_count() > texts.null_count():
        unread = texts.filter(_unread(texts, found))
        if len(unread):
            raise TableError(_unread_message(column, unread[0]))
    return found


def _without_codes(texts: pl.Series, column: Numeric) -> pl.Series:
    """Return the texts, null where one is a code of a missing number; codes that are numbers are read later."""
    codes = list(column.text_codes)
    return texts.set(texts.str.strip_chars().is_in(codes), None) if codes else texts


def retyped(values: pl.Series, entry: Entry, on_invalid: OnInvalid) -> pl.Series:
    """Return a column that already has a type, as Parquet has, as its schema entry reads it."""
    if values.dtype in (pl.Categorical, pl.Enum):
        values = values.cast(pl.String)
    values = without_extension(values)
    if values.dtype in (pl.String, pl.Null):  # of a column in which no cell is, the type says nothing
        return typed(values.cast(pl.String), entry, on_invalid)
    if isinstance(entry, Identifier):
        return values  # whole numbers stay exact; other types are refused where identifiers are read
    if values.dtype.is_decimal():
        return values.cast(pl.Float64)
    if not isinstance(entry, Numeric) and values.dtype.is_integer() and _spells_numbers(entry):
        return values.cast(pl.String)  # in which all are exact
    return values.cast(pl.Float64) if _is_wide(values.dtype) else values


def without_extension(values: pl.Series) -> pl.Series:
    """Return truth values that take a byte each as others are; polars has them as an extension of numbers."""
    if getattr(values.dtype, "ext_name", lambda: "")() != "arrow.bool8":
        return values
    return values.ext.storage() != 0


def _is_wide(kind: pl.DataType) -> bool:
    """Tell whether numbers are integers that NumPy has no type for."""
    return kind.is_integer() and str(kind) in ("Int128", "UInt128")  # older polars have neither


def number_texts(numbers: pl.Series) -> pl.Series:
    """Return numbers as texts, whole ones without a point, as people write codes."""
    return numbers.cast(pl.String).str.strip_suffix(".0")


def as_it_looks(texts: pl.Series, *, points: bool = False) -> pl.Series:
    """Return a column of texts as whole numbers, numbers or truth values, if every cell looks like one.

    Cells such as 1.250, in which a point may also be of thousands, remain texts unless ``points`` says that it is not.

    Privacy: the type depends on all cells. Only a draft, which is not private, may use this.
    """
    stripped = texts.str.strip_chars()
    present = stripped.filter(stripped.is_not_null() & ~stripped.is_in(MISSING))
    if present.is_empty():
        return _texts(texts, ())
    numbers = _numbers(texts)
    if not (_unread(texts, numbers).any() or present.str.contains(_CODE).any()):
        whole = numbers.cast(pl.Int64, strict=False)
        if present.str.contains(_WHOLE).all():
            return whole if whole.null_count() == numbers.null_count() else numbers
        is_clear = points or not present.filter(~present.str.contains(_WHOLE)).str.contains(_THOUSANDS).all()
        return numbers if is_clear else _texts(texts, ())
    truths = _truths(texts)
    if not _unread(texts, truths).any():
        return truths.cast(pl.Boolean)
    return _texts(texts, ())


def _listed_texts(texts: pl.Series, values: tuple[Value, ...]) -> pl.Series:
    """Return the texts, coded in one pass where each is listed letter for letter, as in most columns."""
    names = [value for value in values if isinstance(value, str)]
    if names and len(set(names)) == len(values) and "" not in names:
        coded = texts.cast(pl.Enum(names), strict=False)
        if coded.null_count() == texts.null_count():
            return coded
    return _texts(texts, values)


def _texts(texts: pl.Series, values: tuple[object, ...]) -> pl.Series:
    padded = any(isinstance(value, str) and value != value.strip() for value in values)
    read = texts if padded else texts.str.strip_chars()
    if "" in values:
        return read.fill_null("")
    return read.set(read == "", None)


def _numbers(texts: pl.Series) -> pl.Series:
    # Where every cell spells a number as it is, which most columns do, the steps below change nothing.
    plain = texts.cast(pl.Float64, strict=False)
    total = plain.sum()  # NaN where any of them is, and many times as fast as looking for it
    if plain.null_count() == texts.null_count() and total == total:
        return plain
    stripped = texts.str.strip_chars()
    return stripped.set(stripped.is_in(MISSING), None).cast(pl.Float64, strict=False)


def _truths(texts: pl.Series) -> pl.Series:
    lowered = texts.str.strip_chars().str.to_lowercase()
    return lowered.replace_strict({"true": 1.0, "false": 0.0}, default=None, return_dtype=pl.Float64)


def _moments(texts: pl.Series) -> pl.Series:
    stripped = texts.str.strip_chars()
    stripped = stripped.set(stripped.is_in(MISSING), None)
    moments = pl.Series(texts.name, [None] * len(texts), dtype=pl.Datetime("us"))
    for layout in _MOMENTS:
        moments = moments.zip_with(
            moments.is_not_null(), stripped.str.to_datetime(layout, time_unit="us", strict=False)
        )
    return moments


def _unread(texts: pl.Series, values: pl.Series) -> pl.Series:
    """Return which cells hold something that was not read."""
    stripped = texts.str.strip_chars()
    return values.is_null() & stripped.is_not_null() & ~stripped.is_in(MISSING)


def _unread_message(column: Numeric, cell: str) -> str:
    kind = "a date such as 2020-12-31" if column.has_dates else "a number"
    kind = kind if column.notation is None else f"{kind.split(' such')[0]} as the schema says they are written"
    likely = (likely_date if column.has_dates else likely_number)(cell)
    entry = f"write {likely} for it in the schema" if likely else "declare the column categorical in the schema"
    return (
        f"Expected {kind} in every cell of column {column.name!r}, got another text in one. "
        f"Correct the table, pass on_invalid='coerce' to count such cells as missing, or, before a fit, {entry}."
    )


def _listed(entry: Categorical | Label) -> tuple[Value, ...]:
    return entry.cells if isinstance(entry, Label) else entry.categories


def takes_texts_alone(entry: Entry) -> bool:
    """Tell whether an entry lists prefixes: a number has lost zeros of a code, and is refused by its type."""
    return isinstance(entry, Categorical) and entry.match == "prefix"


def _spells_numbers(entry: Categorical | Label) -> bool:
    """Tell whether a text of the list can be a number; buckets list nothing and take all. Other lists refuse them."""
    if takes_texts_alone(entry):
        return False
    listed = (*_listed(entry), *dict(entry.replace or ()))
    texts = [value for value in listed if isinstance(value, str)]
    return not listed or any(number_of_text(text) is not None for text in texts)


def _are_texts(listed: tuple[Value, ...]) -> bool:
    return not listed or isinstance(listed[0], str)  # buckets list nothing
