"""Guess a schema from rows: inference from what may be private data, so every entry is marked as guessed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set, Sized
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from tacit.errors import SchemaError
from tacit.schema.categorical import Categorical
from tacit.schema.guess import guess_column, guess_label
from tacit.schema.numeric import Numeric
from tacit.schema.observed import Observed, observe_array, observe_series, observe_values
from tacit.schema.schema import Column, Schema
from tacit.schema.validation import checked_name, shown, unknown_name


def guess_schema(data: object, labels: object, label_name: str) -> Schema:
    """Guess the schema of a frame or an array; see `Schema.from_data`."""
    if isinstance(data, np.ndarray):
        return _guess_from_array(data, labels, label_name)
    frame = _as_frame(data)
    if labels is None or isinstance(labels, str):
        label_name = label_name if labels is None else labels
        if label_name not in frame.columns:
            raise SchemaError(unknown_name(label_name, frame.columns))
        label = observe_series(frame[label_name])
        return _assembled(_observed_columns(frame.drop(label_name)), label, label_name, by_name=True)
    if label_name in frame.columns:
        raise SchemaError(
            f"Expected labels under a name that no column has, got label_name={label_name!r}. "
            "Give them another label_name, or give that column's name as the labels."
        )
    return _assembled(_observed_columns(frame), _observed_labels(labels, len(frame)), label_name, by_name=True)


def _guess_from_array(array: NDArray[Any], labels: object, label_name: str) -> Schema:
    if array.ndim != 2:
        raise SchemaError(
            f"Expected an array of two dimensions, rows by columns, got {array.ndim}. Reshape it, or pass a data frame."
        )
    if labels is None or isinstance(labels, str):
        raise SchemaError("Expected the labels beside an array, got none. Pass them as the second argument.")
    columns = {f"x{place}": observe_array(array[:, place]) for place in range(array.shape[1])}
    return _assembled(columns, _observed_labels(labels, len(array)), label_name, by_name=False)


def _assembled(columns: dict[str, Observed], label: Observed, label_name: str, *, by_name: bool) -> Schema:
    guesses = {name: guess_column(name, observed, keep_numbers=not by_name) for name, observed in columns.items()}
    used: list[Column] = [guess for guess in guesses.values() if isinstance(guess, Numeric | Categorical)]
    ignored = {name: guess for name, guess in guesses.items() if isinstance(guess, str)}
    if ignored and not by_name:
        name, reason = next(iter(ignored.items()))
        raise SchemaError(
            f"Expected every column of an array to be of use, as they go by position, "
            f"got column {name!r}: {reason}. "
            "Pass a data frame, or write the schema."
        )
    if not used:
        raise SchemaError("Expected a column to guess from, got none of use. Write the schema by hand.")
    guessed_label = guess_label(checked_name(label_name, "the label"), label)
    guessed = [column.name for column in used] + [label_name]
    return Schema(used, label=guessed_label, ignored=ignored, guessed=guessed)


def _as_frame(data: object) -> nw.DataFrame[Any]:
    frame = _read_as_frame(data)
    for name in frame.columns:
        checked_name(name, "a column")
    return frame


def _read_as_frame(data: object) -> nw.DataFrame[Any]:
    message = f"Expected a data frame or a NumPy array of rows by columns, got {shown(data)}. Convert it first."
    try:
        frame = nw.from_native(data, pass_through=True)
        frame = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
        if isinstance(frame, nw.DataFrame):
            return frame
    except nw.exceptions.DuplicateError:
        message = "Expected columns of different names in the frame, got a name twice. Rename one."
    except (TypeError, ValueError, nw.exceptions.NarwhalsError):
        pass  # its message may repeat cells; ours follows
    raise SchemaError(message)


def _observed_columns(frame: nw.DataFrame[Any]) -> dict[str, Observed]:
    return {name: observe_series(frame[name]) for name in frame.columns}


def _observed_labels(labels: object, n_rows: int) -> Observed:
    series: Any = nw.from_native(labels, series_only=True, pass_through=True)
    if not _is_one_list(series):
        raise SchemaError(f"Expected a list of labels, got {shown(labels)}. Give one label for each row.")
    if len(series) != n_rows:
        raise SchemaError("Expected one label for each row, got another number of them. Pass rows and labels together.")
    if isinstance(series, nw.Series):
        return observe_series(series)
    return observe_array(series) if isinstance(series, np.ndarray) else observe_values(series)


def _is_one_list(labels: object) -> bool:
    if isinstance(labels, bytes | Mapping | Set) or hasattr(labels, "columns"):
        return False
    return isinstance(labels, Sized) and isinstance(labels, Iterable) and getattr(labels, "ndim", 1) == 1
