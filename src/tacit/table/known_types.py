"""Columns of frames whose type narwhals does not know, although it is another encoding of numbers or truth values."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from tacit.table import arrow_columns


def of_known_type(series: Any) -> Any:
    """Return a narwhals series as one of a type that it knows, where there is one, else as it is.

    Those are Arrow's decimals of other widths than 128 bits, runs of equal cells, and truth values of a byte each. The
    type alone decides.
    """
    if series.implementation.is_polars():
        return _without_extension(series)
    if series.dtype != nw.Unknown:
        return series
    if series.implementation.is_pyarrow():
        return _plain(series, series.to_native())
    is_arrow = series.implementation.is_pandas_like() and hasattr(series.to_native().dtype, "pyarrow_dtype")
    return _plain(series, series.to_native().array.__arrow_array__()) if is_arrow else series


def _without_extension(series: Any) -> Any:
    native = series.to_native()
    if getattr(native.dtype, "ext_name", lambda: "")() != "arrow.bool8":
        return series
    return nw.from_native(native.ext.storage() != 0, series_only=True)


def _plain(series: Any, column: Any) -> Any:
    import pyarrow

    changed = arrow_columns.plain(column)
    if changed is column:
        return series
    changed = changed if isinstance(changed, pyarrow.ChunkedArray) else pyarrow.chunked_array([changed])
    return nw.from_native(changed, series_only=True)
