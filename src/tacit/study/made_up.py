"""Made-up rows as a table's file has them, for trying scripts where the table may not be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tacit.errors import ParameterError, PrivacyError
from tacit.models import Model, RegressionModel
from tacit.privacy.parameters import SEED
from tacit.schema import Categorical, Numeric, Schema
from tacit.schema.columns import is_indicator
from tacit.schema.dates import EPOCH, days_of
from tacit.study.simulate import simulate
from tacit.study.simulated_columns import MISSING
from tacit.study.simulated_labels import drawn_classes

if TYPE_CHECKING:
    from tacit.schema.notation import Notation

MARK = "made_up"
"""The column that is true in each made-up row."""

_NOTE = "Made-up rows, drawn from a public schema alone: no row is of a person."
_MAX_EXACT = 2.0**53
_ROWS_OF_ONE = 3  # persons have one row to three


def made_up_rows(
    schema: Schema, n_rows: int, *, seed: int = 0, model: Model | RegressionModel | None = None
) -> pl.DataFrame:
    """Return made-up rows with everything that a table of the schema has, and a column that says what they are.

    Parameters
    ----------
    schema, n_rows
        As for ``simulate``.
    seed : int
        Decides every cell.
    model : Model or RegressionModel, optional
        Whose probabilities labels are drawn from, or whose predictions they are; else they follow a random model.

    Returns
    -------
    polars.DataFrame
        Columns of the identifier, if the schema has one, of one to three rows a person; the columns, one cell in twenty
        empty where the schema says what an empty one counts as; the label; and ``made_up``, true in each row.

    Raises
    ------
    PrivacyError
        If an entry of the schema was guessed from a table, or the model's guarantee does not hold.
    ParameterError
        If a number is out of its range, the schema has side tables, or the model is of other columns or label.
    SchemaError
        If bounds are open.

    Notes
    -----
    Privacy: costs nothing (epsilon 0): a function of the schema, the seed and the released model, all public.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric
    >>> schema = Schema([Numeric("age", 17, 90, whole=True)], label=Label("income", ["low", "high"]))
    >>> made_up_rows(schema, 5).columns
    ['age', 'income', 'made_up']
    """
    _check(schema, model)
    seed = SEED.check("seed", seed)
    frame, labels = simulate(schema, n_rows, seed)
    gaps, chance, persons = (np.random.default_rng([seed, stream]) for stream in (4, 5, 6))
    frame = frame.with_columns(
        frame[column.name].set(pl.Series(gaps.random(n_rows) < MISSING), None)
        for column in schema.full.inputs
        if _may_be_empty(column)
    )
    if model is not None:
        labels = _labels_of(model, frame, chance)
    whole = [column for column in (*schema.inputs, schema.label) if isinstance(column, Numeric) and _is_whole(column)]
    rows = frame.with_columns(labels).with_columns(pl.col(column.name).cast(pl.Int64) for column in whole)
    if schema.weight is not None:
        rows = rows.with_columns(pl.lit(schema.weight.mean or schema.weight.cap).alias(schema.weight.name))
    return _with_persons(rows, schema, persons).with_columns(pl.lit(True).alias(mark_of(schema)))


def mark_of(schema: Schema) -> str:
    """Return the name of the column that says that a row is made up: one that the schema does not use."""
    used = {*schema.full.input_names, schema.label.name, *(name for name, _ in schema.ignored)}
    used |= {name for each in (schema.identifier, schema.weight) if each for name in each.names}
    name = MARK
    while name in used:
        name += "_"
    return name


def as_csv(rows: pl.DataFrame, schema: Schema) -> str:
    """Return made-up rows as CSV, cells as the schema says that the table has them.

    A column marks them and no comment in front: programs that read CSV take a line with ``#`` for the header.
    """
    numbers = [column for column in (*schema.inputs, schema.label) if isinstance(column, Numeric)]
    return rows.with_columns(_written(rows[column.name], column) for column in numbers).write_csv()


def write_sample(rows: pl.DataFrame, schema: Schema, path: Path, *, parquet: bool) -> None:
    """Write made-up rows to a file, as Parquet, whose metadata say so, too, or as CSV in the schema's encoding.

    Raises
    ------
    ParameterError
        If the encoding lacks a letter that the schema has.
    """
    if parquet:
        rows.write_parquet(path, metadata={"tacit": _NOTE})
        return
    encoding = (schema.file.encoding if schema.file else None) or "utf-8"
    try:
        path.write_bytes(as_csv(rows, schema).encode(encoding))
    except UnicodeEncodeError:
        raise ParameterError(
            f"Expected letters that the schema's encoding {encoding} has, got others in its names or categories. "
            "Correct encoding in [file], or write Parquet."
        ) from None


def _check(schema: Schema, model: Model | RegressionModel | None) -> None:
    if schema.guessed:
        raise PrivacyError(
            f"Expected a schema without guesses, got guessed entries: {', '.join(schema.guessed)}. They were read off "
            "rows, and made-up rows would tell them. Check each, and take it out of guessed."
        )
    if schema.tables:
        raise ParameterError(
            "Expected a schema of one table, got side tables, of which no rows are made up. Leave tables and their "
            "features out of a copy of the schema."
        )
    if model is None:
        return
    if model.guarantee.status not in ("private", "public"):
        raise PrivacyError(
            f"Expected a model whose guarantee holds, got one whose certificate is {model.guarantee.status}. Labels by "
            "it could tell of its rows. Leave --model out."
        )
    other = [name for name, *both in _compared(schema, model.schema) if both[0] != both[1]]
    if other:
        raise ParameterError(
            f"Expected a model of the same columns and label as the schema, got others: {', '.join(other)}. Give the "
            "schema that the model was fitted by."
        )


def _compared(schema: Schema, other: Schema) -> list[tuple[str, object, object]]:
    """Return the entries of two schemas by name, as what they say of cells; who is protected decides none."""
    ours, theirs = (
        {each.name: replace(each, private=True) for each in (*one.inputs, one.label)} for one in (schema, other)
    )
    return [(name, ours.get(name), theirs.get(name)) for name in sorted({*ours, *theirs})]


def _may_be_empty(column: Numeric | Categorical) -> bool:
    """Return whether the schema says what an empty cell counts as; those of an indicator are drawn with the column."""
    if isinstance(column, Numeric):
        return column.missing is not None and not column.has_indicator
    return not is_indicator(column) and (column.missing is not None or column.buckets is not None)


def _is_whole(column: Numeric) -> bool:
    """Return whether a column's numbers are whole ones that 64 bits hold."""
    return column.whole and max(abs(column.lower), abs(column.upper)) <= _MAX_EXACT


def _labels_of(model: Model | RegressionModel, frame: pl.DataFrame, generator: np.random.Generator) -> pl.Series:
    if isinstance(model, Model):
        classes = sorted(model.schema.classes)
        return drawn_classes(model.predict_proba(frame), classes, model.schema.class_label, generator)
    numbers = model.predict(frame)
    return pl.Series(model.target.name, numbers.round() if model.target.whole else numbers)


def _with_persons(rows: pl.DataFrame, schema: Schema, generator: np.random.Generator) -> pl.DataFrame:
    if schema.identifier is None:
        return rows
    sizes = generator.integers(1, _ROWS_OF_ONE, len(rows), endpoint=True)
    person = np.repeat(np.arange(1, len(rows) + 1), sizes)[: len(rows)]
    named = pl.Series([f"made-up {number}" for number in person.tolist()])
    return rows.select(*(named.alias(name) for name in schema.identifier.names), pl.all())


def _written(cells: pl.Series, column: Numeric) -> pl.Series:
    """Return the texts that the schema says a table has in a column."""
    if column.notation is None or (column.has_dates and column.notation.dates is None):
        return cells
    plain = cells.cast(pl.Datetime("us")) if column.has_dates else cells
    texts = [None if cell is None else _text(cell, column.notation) for cell in plain.to_list()]
    return pl.Series(cells.name, texts, dtype=pl.String)


def _text(cell: Any, notation: Notation) -> str:
    if isinstance(cell, int):
        return str(cell)
    return notation.written(cell if isinstance(cell, float) else days_of(cell - EPOCH))
