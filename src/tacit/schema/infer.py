"""Infer a schema from rows, which may be private: every entry is marked as guessed."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence, Set, Sized
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from tacit.errors import SchemaError, guarded, shown
from tacit.schema._checks import checked_name, unknown_name
from tacit.schema.arguments import SchemaParts
from tacit.schema.guesses.column import guess_column
from tacit.schema.guesses.conventions import Conventions
from tacit.schema.guesses.header import check_names
from tacit.schema.guesses.label import guess_label
from tacit.schema.guesses.names import Name
from tacit.schema.guesses.observed import ObservedColumn, observe_array, observe_series, observe_values
from tacit.schema.guesses.reasons import CLASSES, PERSONS
from tacit.schema.guesses.target import guess_outcome
from tacit.schema.identifier import Identifier
from tacit.schema.missing_codes import StatedCodes


@dataclass(frozen=True, repr=False)
class GuessedSchema:
    """The parts of a schema, and why each entry was guessed, by name: fixed texts without a cell."""

    parts: SchemaParts
    reasons: Mapping[str, str]


def guess_schema(
    data: object,
    labels: object,
    label_name: str,
    missing: Sequence[str] | StatedCodes = (),
    *,
    only_classes: bool = False,
    alone: bool = True,
) -> GuessedSchema:
    """Return a schema guessed from a frame or an array; see `Schema.from_data`.

    Parameters
    ----------
    missing : sequence of str or StatedCodes
        Texts and numbers that stand for a missing cell, in every column where they occur or in single ones.
    only_classes : bool
        Whether numbers to predict are classes, too, however many.
    alone : bool
        Whether there are no columns but the frame's, so that none of use is an error.
    """
    stated = missing if isinstance(missing, StatedCodes) else StatedCodes(tuple(missing))
    error = SchemaError("Expected columns that can be read, got one of another type. Convert it, or write the schema.")
    flags = {"only_classes": only_classes, "alone": alone}
    return guarded(lambda: _guess(_in_memory(data), _in_memory(labels), label_name, stated, **flags), error)


def _in_memory(given: Any) -> Any:
    """Return a Dask collection as what it holds, which narwhals leaves to a package of its own."""
    dask = sys.modules.get("dask")
    return given.compute() if dask is not None and dask.is_dask_collection(given) else given


def _guess(
    data: object, labels: object, label_name: str, missing: StatedCodes, *, only_classes: bool, alone: bool
) -> GuessedSchema:
    if isinstance(data, np.ndarray):
        return _guess_from_array(data, labels, label_name, only_classes=only_classes)
    frame = _as_frame(data)
    columns = {name: observe_series(frame[name]) for name in frame.columns}
    check_names(columns)
    for name in missing.of_columns:
        if name not in columns:
            raise SchemaError(unknown_name(name, frame.columns))
    if labels is None or isinstance(labels, str):
        label_name = label_name if labels is None else labels
        if label_name not in columns:
            raise SchemaError(unknown_name(label_name, frame.columns))
        observed = columns.pop(label_name)
    elif label_name in frame.columns:
        raise SchemaError(
            f"Expected labels under a name that no column has, got label_name={label_name!r}. "
            "Give them another label_name, or give that column's name as the labels."
        )
    else:
        observed = _observed_labels(labels, len(frame))
    for name, column in columns.items():
        columns[name] = _stated(column, name, missing)
    observed = _stated(observed, label_name, missing)
    return _assembled(columns, observed, label_name, by_name=True, only_classes=only_classes, alone=alone)


def _stated(column: ObservedColumn, name: str, missing: StatedCodes) -> ObservedColumn:
    own = missing.of_columns.get(name, ())
    return replace(column, codes=(*missing.everywhere, *own), own_codes=own)


def _guess_from_array(array: NDArray[Any], labels: object, label_name: str, *, only_classes: bool) -> GuessedSchema:
    if array.ndim != 2:
        raise SchemaError(
            f"Expected an array of two dimensions, rows by columns, got {array.ndim}. Reshape it, or pass a data frame."
        )
    if labels is None or isinstance(labels, str):
        raise SchemaError("Expected the labels with an array, got none. Pass them as the second argument.")
    columns = {f"x{place}": observe_array(array[:, place]) for place in range(array.shape[1])}
    observed = _observed_labels(labels, len(array))
    return _assembled(columns, observed, label_name, by_name=False, only_classes=only_classes)


def _assembled(
    columns: dict[str, ObservedColumn],
    label: ObservedColumn,
    label_name: str,
    *,
    by_name: bool,
    only_classes: bool,
    alone: bool = True,
) -> GuessedSchema:
    conventions = Conventions.of(columns.values())
    guesses = {name: guess_column(name, each, conventions, by_name=by_name) for name, each in columns.items()}
    used = [guess.column for guess in guesses.values() if guess.column]
    ignored = {name: guess.reason for name, guess in guesses.items() if not guess.column}
    if ignored and not by_name:
        name, reason = next(iter(ignored.items()))
        raise SchemaError(
            f"Expected every column of an array to be of use, as they go by position, "
            f"got column {name!r}: {reason}. "
            "Pass a data frame, or write the schema."
        )
    if alone and not used:
        raise SchemaError("Expected a column to guess from, got none of use. Write the schema by hand.")
    label_name = checked_name(label_name, "the label")
    whole = Conventions.of([*columns.values(), label])
    outcome, why = (
        (guess_label(label_name, label), CLASSES) if only_classes else guess_outcome(label_name, label, whole)
    )
    person = _person(ignored)
    guessed = [column.name for column in used if not guesses[column.name].declared]
    guessed += [label_name] * (not label.declared) + ([person] if person else [])
    parts: SchemaParts = {
        "columns": used,
        "label": outcome,
        "ignored": {name: reason for name, reason in ignored.items() if name != person},
        "guessed": guessed,
        "identifier": Identifier(person) if person else None,
    }
    return GuessedSchema(parts, {name: guess.reason for name, guess in guesses.items()} | {label_name: why})


def _person(ignored: Mapping[str, str]) -> str | None:
    """Return the column that most likely says which rows are of one person: by its name first, then by its values."""

    def rank(name: str) -> int:
        words = Name.of(name)
        return 0 if words.numbers == "person" else 1 if words.is_person else 2 if words.numbers else 3

    return min((name for name, why in ignored.items() if why == PERSONS), key=rank, default=None)


def _as_frame(data: object) -> nw.DataFrame[Any]:
    frame = _read_as_frame(data)
    for name in frame.columns:
        checked_name(name, "a column")
    return frame


def _read_as_frame(data: object) -> nw.DataFrame[Any]:
    message = f"Expected a data frame or a NumPy array of rows by columns, got {shown(data)}. Convert it first."
    try:
        frame = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError:
        message = "Expected columns of different names in the frame, got a name twice. Rename one."
    except (TypeError, ValueError, nw.exceptions.NarwhalsError):
        pass  # its message may repeat cells; ours follows
    else:
        if isinstance(frame, nw.LazyFrame):
            error = SchemaError("Expected a lazy frame that can be collected, got one whose query fails.")
            frame = guarded(frame.collect, error)
        if isinstance(frame, nw.DataFrame):
            return frame
    raise SchemaError(message)


def _observed_labels(labels: object, n_rows: int) -> ObservedColumn:
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
