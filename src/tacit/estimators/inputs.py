"""What scikit-learn's users hand over, checked before anything is read by a learner."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np

from tacit.errors import ParameterError, PrivacyWarning, TableError, guarded
from tacit.estimators.charging import check_unread
from tacit.estimators.requirements import one_of
from tacit.estimators.row_weights import ArgumentError
from tacit.ledger import Payment
from tacit.mechanisms import noise_source, public_generator
from tacit.privacy import NoiseSource
from tacit.schema import Schema, Target
from tacit.schema.guesses.bounds import outward_bounds
from tacit.table import (
    MEMORY,
    Disk,
    OnInvalid,
    Place,
    Table,
    check_client,
    check_source,
    column_names,
    is_named,
    opened_labels,
    opened_source,
    opened_table,
    read_source,
)
from tacit.table.cell import FOREIGN, number, plain
from tacit.table.containers import ColumnTypeError
from tacit.table.data_frames import collected, opened_frame
from tacit.table.files.frames import Query
from tacit.table.files.several import Files
from tacit.table.row_weights import opened_weights
from tacit.table.side_tables import Given, JoinedFrame, joined_source

PLACE = one_of(Place)

_NO_ARRAY = "Expected columns of simple types, got one that cannot be converted. Name the columns and declare a schema."


def opened_rows(X: Any, y: Any, schema: Any, tables: Given | None = None) -> Any:
    """Return files and queries opened, a pipe only once, and rows in memory as they are; no row is read.

    Under a schema with side tables, with these, of which no row is read either; of the main table keys are.
    """
    known = schema if isinstance(schema, Schema) else None
    source = opened_source(X, known) if y is None else None
    if known is None:
        return X if source is None else source
    if source is not None:
        return joined_source(source, known, tables)
    if isinstance(X, JoinedFrame):
        return X
    return JoinedFrame.of(X, known, tables) or X


_BY_POSITION = (
    "An array is matched to the schema's columns by position. The schema's bounds must describe this input as it "
    "arrives here, after any scaling. Pass a data frame to match by name."
)

_NO_CLIENT = (
    "Expected files or a Dask data frame with a client, and the label among its columns, got rows in memory. Leave out "
    "the client, or y."
)


def read_table(
    X: Any,
    y: Any,
    schema: Any,
    on_invalid: OnInvalid,
    *,
    reader: str,
    payment: Payment | None = None,
    storage: Place = "auto",
    client: Any = None,
    of_number: bool = False,
    tables: Given | None = None,
    weights: Any = None,
) -> tuple[Table, bool]:
    """Return the table that was passed to ``reader``, and whether its columns go by name.

    By the schema that is given, or inferred with a warning, ``of_number`` where a number is predicted. The payment is
    told before a row is read. Warnings point at the caller's caller.
    """
    place: Place = PLACE.check("storage", storage)
    X = opened_rows(X, y, schema, tables)
    source = X if isinstance(X, Files | Query) else None
    filled = X if isinstance(X, JoinedFrame) else None
    X = X if filled is None else filled.unfilled()
    if source is None and (frame := opened_frame(X)) is not None:
        X = frame  # a stream is opened once
    weights = _opened_weights(weights, source)
    if client is not None and source is None:
        raise ParameterError(_NO_CLIENT)
    if source is not None:
        declared = _declared(schema)
        check_client(source, client)
        if payment:
            payment.reading(check_source(source, declared))
        return read_source(source, declared, on_invalid=on_invalid, place=place, client=client), True
    X = opened_table(X)
    y = _labels(y, schema, reader, of_number=of_number)
    if payment:
        payment.reading(check_unread(X, y, _declared(schema), on_invalid, weights))
    X = X if filled is None else filled.filled(on_invalid)
    if schema == "infer":
        X = collected(X, column_names(X))
    known = _public_schema(schema, X, y, of_number=of_number)
    if known is schema and not is_named(X):
        warnings.warn(_BY_POSITION, PrivacyWarning, stacklevel=3)
    kept_in = Disk() if place == "disk" else MEMORY
    return Table.from_frame(X, y, known, on_invalid=on_invalid, storage=kept_in, weights=weights), is_named(X)


def _opened_weights(weights: Any, source: Any) -> Any:
    """Return weights that were passed with rows in memory, opened; None if none were."""
    if weights is None:
        return None
    if source is not None:
        raise ArgumentError(
            "Expected weights in the column that the schema names, as rows are read of files or a query, got "
            "sample_weight. Leave it out."
        )
    return opened_weights(weights)


def _declared(schema: Any) -> Schema:
    if isinstance(schema, Schema):
        return schema
    raise ParameterError("Expected a tacit.Schema for rows of files and queries, got none. `tacit schema draft` helps.")


def _labels(y: Any, schema: Any, reader: str, *, of_number: bool) -> Any:
    """Return the labels as a series or as an array of one dimension; for a schema to infer, they must be classes."""
    if y is None:
        raise TableError(f"{reader} requires y to be passed, but the target y is None. Pass a label for each row.")
    if len(getattr(y, "shape", ())) == 2:
        from sklearn.exceptions import DataConversionWarning

        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,).",
            DataConversionWarning,
            stacklevel=4,
        )
    labels = opened_labels(y)
    if schema == "infer" and not of_number:
        _check_inferable(labels)
    return labels


def _check_inferable(labels: Any) -> None:
    """Refuse numbers that are no classes, in scikit-learn's words."""
    cells = labels.to_list() if isinstance(labels, nw.Series) else labels.tolist()
    # Whole numbers may be classes; fractions are numbers to predict.
    numbers = np.asarray([cell for cell in cells if type(cell) is float])
    _check_finite(numbers, "y")
    if any(plain(cell) is None for cell in cells):
        raise TableError(
            "Expected a label in every row for a schema to be inferred, got input y with a row without one. Declare a "
            "schema, whose label says what becomes of such rows."
        )
    if (numbers % 1 != 0).any():
        raise TableError("Unknown label type: continuous. Pass classes, or declare a schema that lists them.")


def _public_schema(schema: Any, X: Any, y: Any, *, of_number: bool) -> Schema:
    """Return the schema that was passed, or infer one from the rows, with a warning that this is not private."""
    if isinstance(schema, Schema):
        return schema
    if schema != "infer":
        raise ParameterError(
            f"Expected a tacit.Schema or 'infer', got schema of type {type(schema).__name__}. "
            "Read a file with Schema.from_toml."
        )
    if not is_named(X):
        X = _plain_array(X)
    warnings.warn(
        "The schema is inferred from the rows, without privacy: bounds, categories and classes are read off them. "
        "The certificate will be void. Declare a schema for a private model.",
        PrivacyWarning,
        stacklevel=4,
    )
    name = _free_name(X)
    if not of_number:
        return Schema.from_data(_native(X), _native(y), label_name=name)
    target = _guessed_target(name, y)
    # Classes of no meaning stand in for the number, so that columns are guessed as ever.
    columns = Schema.from_data(_native(X), np.arange(len(y)) % 2, label_name=name)
    return replace(columns, label=target)


def _guessed_target(name: str, y: Any) -> Target:
    """Return a target whose bounds hold the numbers, rounded outward."""
    try:
        numbers = np.asarray(y.to_numpy() if isinstance(y, nw.Series) else y, dtype=np.float64)
    except (TypeError, ValueError):
        raise TableError(
            "Expected numbers to predict, got labels of another type. Pass numbers, or declare a schema."
        ) from None
    _check_finite(numbers, "y")
    return Target(name, *outward_bounds(float(numbers.min()), float(numbers.max())))


def _free_name(X: Any) -> str:
    """Return a name for the labels that no column has."""
    taken = set(column_names(X)) if is_named(X) else set()
    name = "label"
    while name in taken:
        name += "_"
    return name


def _native(given: Any) -> Any:
    return nw.to_native(given, pass_through=True)


def _check_finite(numbers: np.ndarray, name: str) -> None:
    if not np.isfinite(numbers).all():
        raise TableError(
            f"Expected finite numbers, got input {name} that contains NaN or infinity. Declare a schema, whose columns "
            "may be missing."
        )


def _plain_array(X: Any) -> np.ndarray:
    """Return a frame of numbered columns as an array, and objects that are all numbers as numbers."""
    if isinstance(X, nw.DataFrame):
        X = guarded(X.to_numpy, TableError(_NO_ARRAY))
    if X.dtype.kind == "O":
        # Numbers in an array of objects would be guessed to be of mixed types.
        values = [plain(cell) for cell in X.ravel().tolist()]
        if any(value is FOREIGN for value in values):
            raise ColumnTypeError("Expected simple values: each argument must be a string or a number.")
        numbers = [number(value) for value in values]
        if any(value is None for value in numbers):
            return X
        X = np.asarray(numbers, dtype=np.float64).reshape(X.shape)
    if X.dtype.kind == "f":
        _check_finite(X, "X")
    return X


def randomness(random_state: Any, *, stacklevel: int = 3) -> tuple[NoiseSource, np.random.Generator]:
    """Return the noise source, and the generator of what does not depend on data.

    Parameters
    ----------
    random_state : None, int, Generator or RandomState
        None means secure noise from the operating system, whatever NumPy's seed; anything else, simulated noise that
        can be repeated.
    stacklevel : int
        Of the warning, so that it points at the caller of ``fit``.

    Warns
    -----
    PrivacyWarning
        Noise that can be repeated can be subtracted, and protects nobody.
    """
    if random_state is None:
        # Both are drawn from the operating system: a seed that a program sets for NumPy must not reach the noise.
        return noise_source(None), public_generator(None)
    warnings.warn(
        "A random_state makes the noise predictable: the certificate will be simulated. Leave random_state=None for "
        "a model to publish.",
        PrivacyWarning,
        stacklevel=stacklevel,
    )
    return noise_source(random_state), public_generator(random_state)
