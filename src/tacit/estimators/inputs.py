"""What scikit-learn's users hand over, checked before anything is read by a learner."""

from __future__ import annotations

import warnings
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, column_or_1d

from tacit.errors import ParameterError, PrivacyWarning, TableError
from tacit.schema import Schema
from tacit.table import is_frame


def as_table(X: Any) -> Any:
    """Return a data frame as it is, anything else as a two-dimensional array; no schema describes sparse matrices.

    Raises
    ------
    TypeError
        If X is sparse.
    ValueError
        If X is complex, of another dimension, or without columns.
    """
    if sparse.issparse(X):
        raise TypeError("Expected a dense table, got a sparse matrix. Convert it with .toarray().")
    if is_frame(X):
        wrapped = nw.from_native(X)
        names = wrapped.collect_schema().names()
        if all(isinstance(name, str) for name in names):
            return X
        X = wrapped.to_numpy()  # numbered columns have no names: they go by position, as in scikit-learn
    array = np.asarray(X)
    if np.iscomplexobj(array):
        raise ValueError("Complex data not supported: expected real numbers. Split it into real columns.")
    if array.ndim != 2:
        raise TableError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data: a row per person, a column per "
            "feature."
        )
    if array.shape[1] == 0:
        raise TableError(f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    return array


def check_labels(y: Any, estimator: BaseEstimator) -> Any:
    """Return the labels as one dimension."""
    if y is None:
        raise TableError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None. Pass a label for each row."
        )
    labels = column_or_1d(np.asarray(y), warn=True)
    if getattr(estimator, "schema", None) == "infer":
        if labels.dtype.kind in "fc":
            assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
    return labels


def public_schema(schema: Any, X: Any, y: Any) -> Schema:
    """Return the schema that was passed, or infer one from the rows, with a warning that this is not private."""
    if isinstance(schema, Schema):
        return schema
    if schema != "infer":
        raise ParameterError(
            f"Expected a tacit.Schema or 'infer', got schema of type {type(schema).__name__}. "
            "Read a file with Schema.from_toml."
        )
    if not is_frame(X):
        X = _plain_array(X)
    warnings.warn(
        "The schema is inferred from the rows, without privacy: bounds, categories and classes are read off them. "
        "The certificate will be void. Declare a schema for a private model.",
        PrivacyWarning,
        stacklevel=3,
    )
    return Schema.from_data(X, y, label_name=_free_name(X))


def _free_name(X: Any) -> str:
    """Return a name for the labels that no column has."""
    taken = set(nw.from_native(X).collect_schema().names()) if is_frame(X) else set()
    name = "label"
    while name in taken:
        name += "_"
    return name


def warn_about_position(schema: Any, X: Any) -> None:
    """Warn that an array's columns are matched to the schema by position."""
    if isinstance(schema, Schema) and not is_frame(X):
        warnings.warn(
            "An array is matched to the schema's columns by position. The schema's bounds must describe this input "
            "as it arrives here, after any scaling. Pass a data frame to match by name.",
            PrivacyWarning,
            stacklevel=3,
        )


def _plain_array(X: np.ndarray) -> np.ndarray:
    """Return an array of objects as one of numbers where that is what they are."""
    if X.dtype.kind == "O":
        try:
            X = X.astype(np.float64)
        except TypeError:
            raise TypeError("Expected simple values: each argument must be a string or a number.") from None
        except ValueError:
            return X
    if X.dtype.kind == "f":
        assert_all_finite(X, input_name="X")
    return X
