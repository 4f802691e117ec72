"""Columns of texts as people write numbers and dates, read at once with what ``Notation`` reads of each cell."""

from __future__ import annotations

import polars as pl

from tacit.schema.notation import BLANKS, MISSING, Notation


def read_written(texts: pl.Series, notation: Notation) -> tuple[pl.Series, pl.Series]:
    """Return numbers or moments, null where none is read, and the texts that are not there for a missing one.

    Privacy: what a cell becomes depends on it alone.
    """
    given = texts.str.strip_chars(BLANKS)
    if notation.replaced:
        given = given.replace(list(notation.replaced), list(notation.replaced.values()))
    given = given.set(given.is_in([*MISSING, *notation.codes]), None)
    return (_moments(given, notation) if notation.dates else _numbers(given, notation)), given


def _numbers(given: pl.Series, notation: Notation) -> pl.Series:
    found = pl.Series(given.name, [None], dtype=pl.Float64).new_from_index(0, len(given))
    for shape in notation.shapes:
        if found.null_count() == given.null_count():
            break  # most columns have one shape
        digits = given.str.extract(f"^(?:{shape.pattern})$", 1)
        for mark in notation.marks_of_thousands:
            digits = digits.str.replace_all(mark, "", literal=True)
        size = digits.str.replace(notation.decimal, ".", literal=True).cast(pl.Float64, strict=False)
        value = size * shape.factor if shape.constant is None else size.set(size.is_not_null(), shape.constant)
        found = found.zip_with(found.is_not_null(), value)
    return found


def _moments(given: pl.Series, notation: Notation) -> pl.Series:
    assert notation.dates is not None
    # Each date that occurs is read once: a column has few.
    distinct = given.drop_nulls().unique()
    moments = [notation.dates.moment(text) for text in distinct]
    return given.replace_strict(distinct, pl.Series(moments, dtype=pl.Datetime("us")), default=None)
