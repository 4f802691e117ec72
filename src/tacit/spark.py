"""Scoring in Spark: a function for ``mapInPandas``, and a pandas UDF; both take columns by name.

``mapInArrow`` and UDFs of several columns take them by place, and would exchange two of one type without a word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.errors import MissingExtra, ParameterError, TableError

if TYPE_CHECKING:
    from tacit.models import Model, RegressionModel

__all__ = ["columns", "predictor", "udf"]

_TYPES = {"b": "boolean", "i": "bigint", "u": "bigint", "f": "double", "U": "string"}
"""Of Spark, by the kind of NumPy's type of the classes."""

_UTC = ("UTC", "Etc/UTC", "GMT", "Z")
"""Time zones in which a moment's wall time is that of UTC."""


def predictor(
    path: str | Path, *, probabilities: bool = False, keep: Mapping[str, str] | None = None
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return a function for ``DataFrame.mapInPandas`` that predicts each row, as ``tacit predict`` does.

    Parameters
    ----------
    path : str or Path
        A model file, read here: workers do not need it, but this package.
    probabilities : bool
        Also the probability of each class, in columns such as ``income=>50K``.
    keep : mapping of str to str, optional
        Columns to keep before the predictions, with their types in Spark, such as ``{"person_id": "bigint"}``.

    Raises
    ------
    MissingExtra
        If pyspark is not installed.
    ModelFileError
        If the file holds no model.
    ParameterError
        If a number is predicted, which has no probabilities, or a column to keep has the name of a prediction.

    Notes
    -----
    Privacy: post-processing of what was released; costs nothing. What is kept of rows is as private as before.

    In the functions that run on workers, TableError is raised for cells that the schema does not admit, and for moments
    in a session whose time zone is not UTC: Spark passes them as wall time, of which an hour a year is two moments.
    It is raised, too, for identifiers to keep and codes of 2**53 and more in a column with null: Spark may round them.
    """
    content, kept, zone = _content(path), dict(keep or {}), _time_zone()
    names = _predicted(_model(content), probabilities, tuple(kept))
    long_kept = [name for name, kind in kept.items() if kind.strip().lower() in ("bigint", "long")]

    def predicted(frames: Iterator[Any]) -> Iterator[Any]:
        model = _model(content)
        for several, rows in _together(model, frames, zone):
            values, start = _values(model, rows, probabilities), 0
            for frame in several:
                _check_exact(frame, long_kept)
                own = slice(start, start + len(frame))
                made = {name: each[own] for name, each in zip(names, values, strict=True)}
                yield frame[list(kept)].assign(**made)
                start = own.stop

    return predicted


def columns(path: str | Path, *, probabilities: bool = False, keep: Mapping[str, str] | None = None) -> str:
    """Return the schema of what ``predictor`` gives under the same options, as Spark's DDL: ``"`works` string"``.

    Raises
    ------
    MissingExtra, ModelFileError, ParameterError
        As ``predictor``.
    """
    model = _model(_content(path))
    label, *likely = _predicted(model, probabilities, tuple(keep or ()))
    types = {**(keep or {}), label: _label_type(model), **dict.fromkeys(likely, "double")}
    return ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in types.items())


def udf(path: str | Path) -> Any:
    """Return a pandas UDF of one struct, which predicts each row: ``frame.select(udf(struct("*")))``.

    A struct's fields have names, as a UDF's arguments have not.

    Raises
    ------
    MissingExtra, ModelFileError
        As ``predictor``.
    """
    _check_installed()
    import pandas as pd
    from pyspark.sql.functions import pandas_udf

    content, zone = _content(path), _time_zone()

    def predicted(rows: Any) -> Any:
        model = _model(content)
        return pd.Series(_values(model, _arrow(model, rows, zone), False)[0])

    # As Spark reads what a UDF takes and gives from its annotations.
    predicted.__annotations__ = {"rows": pd.DataFrame, "return": pd.Series}
    return pandas_udf(predicted, returnType=_label_type(_model(content)))


def _check_installed() -> None:
    try:
        import pyarrow  # noqa: F401
        import pyspark  # noqa: F401
    except ImportError:
        raise MissingExtra("Expected pyspark for Spark, got none. Run: pip install 'tacit[spark]'.") from None


def _content(path: str | Path) -> bytes:
    from tacit.models import read_model

    _check_installed()
    read_model(path)  # an error names the file
    return Path(path).read_bytes()


@lru_cache(maxsize=4)
def _model(content: bytes) -> Model | RegressionModel:
    """Return the model of a file's content, read once a process."""
    from tacit.models import from_json

    return from_json(content)


def _time_zone() -> str:
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    return "" if session is None else str(session.conf.get("spark.sql.session.timeZone"))


def _predicted(model: Any, probabilities: bool, kept: tuple[str, ...]) -> list[str]:
    """Return the names of the columns that are predicted."""
    label = model.schema.label.name
    if probabilities and model.schema.target:
        raise ParameterError(f"Expected no probabilities of the number {label!r}, got the option. Leave it out.")
    names = [label, *(f"{label}={each}" for each in (model.classes.tolist() if probabilities else ()))]
    if set(kept) & set(names):
        raise ParameterError("Expected columns to keep that no prediction is called by, got one. Rename it before.")
    return names


def _label_type(model: Any) -> str:
    return "double" if model.schema.target else _TYPES[model.classes.dtype.kind]


def _check_exact(frame: Any, names: Iterable[str]) -> None:
    """Refuse long numbers that may be rounded: with null in their column Spark 4.3.0 and pandas 3.1.1 pass doubles."""
    for name in names:
        cells = frame[name]
        if cells.dtype.kind in "fiu" and cells.isna().any() and (cells.dropna().abs() >= 2**53).any():
            raise TableError(
                f"Expected no null among numbers of 2**53 and more in {name!r}, got some, which Spark may round. Cast "
                "the column to string, and keep it as one, or leave rows with null out."
            )


def _together(model: Any, frames: Iterator[Any], zone: str) -> Iterator[tuple[list[Any], Any]]:
    """Yield some pandas frames with an Arrow table of all their rows.

    Spark passes 10,000 rows at a time, and what is done once for so few takes as long as their predictions do.
    """
    import pyarrow

    from tacit.table.files.frames import rows_together

    waiting: list[Any] = []
    tables: list[Any] = []
    enough = rows_together(len(model.schema.input_names))
    for frame in frames:
        table = _arrow(model, frame, zone)
        # Of a column of whole numbers pandas has another type where a cell is empty.
        if tables and (table.schema != tables[0].schema or sum(map(len, waiting)) >= enough):
            yield waiting, pyarrow.concat_tables(tables)
            waiting, tables = [], []
        waiting.append(frame)
        tables.append(table)
    if tables:
        yield waiting, pyarrow.concat_tables(tables)


def _arrow(model: Any, frame: Any, zone: str) -> Any:
    """Return the columns of a pandas frame that a model reads as an Arrow table."""
    import pyarrow

    from tacit.schema import Categorical

    names = [name for name in model.schema.input_names if name in frame.columns]
    if zone not in _UTC and any(frame[name].dtype.kind == "M" for name in names):
        raise TableError(
            f"Expected spark.sql.session.timeZone to be UTC for columns of moments, got {zone!r}. Set it before "
            "the function is made; dates without a time need none."
        )
    # Of numbers nothing is lost that a model could tell; of codes a rounded one is another.
    coded = [column.name for column in model.schema.columns if isinstance(column, Categorical)]
    _check_exact(frame, [name for name in names if name in coded])
    # Arrow has the types of Spark's columns, where pandas has objects.
    return pyarrow.Table.from_pandas(frame[names], preserve_index=False)


def _values(model: Any, rows: Any, probabilities: bool) -> list[Any]:
    """Return predictions of an Arrow table, column after column."""
    read = model.read(rows)
    values = [model.predict(read)]
    return [*values, *model.predict_proba(read).T] if probabilities else values
