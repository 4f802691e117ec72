"""Data frames of other libraries, in memory or not yet read, and which of their columns are the schema's."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from tacit.errors import TableError, guarded

if TYPE_CHECKING:
    import pyarrow as pa

NO_TABLE = (
    "Expected a data frame, a 2D array or a list of rows that are lists, tuples or 1D arrays of equal length. Reshape "
    "your data: a row per person, a column per feature."
)
_NO_QUERY = "Expected a lazy frame that can be collected, got one whose query fails. Collect it before."
_TWICE = "Expected columns of different names, got several of one name. Rename all but one."


_NUMBERS = frozenset(np.dtype(letter).type for letter in "?bhilqBHILQfd")


@dataclass(frozen=True, eq=False, repr=False)
class Unread:
    """A query, a data set or a stream, whose columns are known and whose rows are read when they are asked for.

    Parameters
    ----------
    names : tuple
        Of its columns, of any type.
    read : callable
        Returns the columns at some places as a data frame of its library.
    is_read_once : bool
        Of a stream.
    """

    names: tuple[Any, ...]
    read: Callable[[list[int]], Any]
    is_read_once: bool = False

    def frame(self, places: Iterable[int]) -> nw.DataFrame[Any]:
        """Return some columns in memory, all of one reading: a query may give its rows in another order each time."""

        def read() -> Any:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a function in the query may warn of what it meets
                return self.read(list(places))

        frame: nw.DataFrame[Any] = nw.from_native(guarded(read, TableError(_NO_QUERY)))
        return frame


Frame = nw.DataFrame[Any] | Unread
"""A data frame, whose columns have names or numbers."""


def opened_frame(table: Any) -> Frame | None:
    """Return a data frame of any library, read where it is in memory already; None for anything else.

    No row is read.
    """
    if type(table) in (nw.DataFrame, Unread):
        return table  # type: ignore[no-any-return]
    native = nw.to_native(table, pass_through=True)  # also of the stable interfaces
    frame = _query(native) or known(native)
    if isinstance(frame, nw.LazyFrame):
        names = guarded(lambda: frame.collect_schema().names(), TableError(_NO_QUERY))
        # By position: polars takes a name between ^ and $ for a pattern of names, and * for all.
        return _unread(names, lambda places: frame.select(nw.nth(places)).collect().to_native())
    if isinstance(frame, nw.DataFrame | Unread):
        return frame
    if isinstance(frame, nw.Series) and frame.dtype != nw.Struct:
        return None
    reader = arrow_reader(native)
    if reader is None:
        return None
    return _unread(reader.schema.names, lambda places: reader.read_all().select(places), is_read_once=True)


def known(native: Any) -> Any:
    """Return a table or a column as narwhals opens it; what it does not know, and those of Dask, as they are."""
    if is_dask_frame(native) or is_of(native, "dask.dataframe", "Series"):
        return native  # narwhals leaves them to a package of its own
    try:
        return nw.from_native(native, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError:
        raise TableError(_TWICE) from None


def is_frame(table: Any) -> bool:
    """Tell whether the object is a data frame; no row is read."""
    return opened_frame(table) is not None


def is_named(table: Any) -> bool:
    """Tell whether the object is a data frame whose columns go by name; numbered ones go by position."""
    frame = opened_frame(table)
    return frame is not None and not are_numbered(names_of(frame))


def column_names(frame: Any) -> list[Any]:
    """Return the names of a data frame's columns, of any type."""
    opened = opened_frame(frame)
    return [] if opened is None else names_of(opened)


def names_of(frame: Frame) -> list[Any]:
    """Return the names of an opened frame's columns, of any type."""
    return list(frame.names if isinstance(frame, Unread) else frame.columns)


def are_numbered(names: Sequence[Any]) -> bool:
    """Tell whether columns have numbers as pandas gives them: 0, 1, 2 and so on, in order."""
    return bool(names) and all(type(name) is int and name == place for place, name in enumerate(names))


def places_of(names: Sequence[Any], wanted: Sequence[str]) -> list[int]:
    """Return where each wanted column is among the names: by name, or by position where columns are numbered.

    Raises
    ------
    TableError
        If one is missing, or the columns are of another number than is wanted.
    """
    if are_numbered(names):
        check_width(len(names), len(wanted))
        return list(range(len(wanted)))
    place = {name: at for at, name in enumerate(names) if isinstance(name, str)}
    for name in wanted:
        if name not in place:
            remedy = "Add the column, or take it out of the schema."
            if len(place) < len(names):
                remedy = "Not all of its columns have texts as names: give each the name that the schema has for it."
            raise TableError(f"Expected a column named {name!r}, got a table without one. {remedy}")
    return [place[name] for name in wanted]


def check_width(width: int, wanted: int) -> None:
    """Refuse columns without names that are more or fewer than the schema's."""
    if width != wanted:
        raise TableError(
            f"Expected {wanted} columns, as the schema lists, got {width}. "
            "Pass the columns in the schema's order, or a data frame with their names."
        )


def cells_at(frame: Frame, places: list[int]) -> Iterator[nw.Series[Any] | NDArray[Any]]:
    """Yield the columns at some places, those of pandas that are NumPy's numbers as arrays, which opens them sooner."""
    names = names_of(frame)
    native: Any = None if isinstance(frame, Unread) else frame.to_native()
    if isinstance(frame, Unread) or not is_of(native, "pandas", "DataFrame") or are_numbered(names):
        yield from columns_at(frame, places)
        return
    kinds = native.dtypes.tolist()
    for name, kind in ((names[place], kinds[place]) for place in places):
        is_array = isinstance(kind, np.dtype) and kind.type in _NUMBERS and kind.isnative
        yield native[name].to_numpy() if is_array else frame.get_column(name)


def columns_at(frame: Frame, places: list[int]) -> Iterator[nw.Series[Any]]:
    """Yield the columns at some places, read at once."""
    if isinstance(frame, Unread):
        yield from frame.frame(places).iter_columns()
        return
    names = frame.columns
    if are_numbered(names):
        columns = list(frame.iter_columns())  # narwhals takes a number for no name
        yield from (columns[place] for place in places)
        return
    yield from (frame.get_column(names[place]) for place in places)


def collected(table: Any, names: Iterable[str]) -> Any:
    """Return a data frame in memory, of a query or a stream some columns, those that it has; anything else as it is.

    What reads the columns says which are missing.
    """
    frame, wanted = opened_frame(table), set(names)
    if isinstance(frame, Unread):
        return frame.frame(place for place, name in enumerate(frame.names) if name in wanted)
    return table if frame is None else frame


def arrow_reader(table: Any) -> pa.RecordBatchReader | None:
    """Return a reader of what hands its columns over as Arrow's C interface has them; None for anything else.

    Raises
    ------
    TableError
        If it hands over an array instead of columns with names, or needs pyarrow to be read.
    """
    kind = type(table)
    if not (hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__")):
        return None
    try:
        import pyarrow as pa
    except ImportError:
        raise TableError(
            f"Expected pyarrow to be installed, which reads tables of type {kind.__name__}. Install it, or pass "
            "polars.DataFrame(table)."
        ) from None
    if hasattr(kind, "__arrow_c_stream__"):
        return guarded(lambda: pa.RecordBatchReader.from_stream(table), TableError(NO_TABLE))
    batch = guarded(lambda: pa.record_batch(table), TableError(NO_TABLE))
    return pa.RecordBatchReader.from_batches(batch.schema, [batch])


def is_of(given: Any, module: str, name: str) -> bool:
    """Tell whether an object is of a class of a library that may not be imported, let alone installed."""
    found = getattr(sys.modules.get(module), name, None)
    return found is not None and isinstance(given, found)


def is_dask_frame(given: Any) -> bool:
    """Tell whether an object is a Dask data frame; Dask need not be there."""
    return is_of(given, "dask.dataframe", "DataFrame")


def _query(native: Any) -> Unread | None:
    """Return what narwhals does not read, or will not read in time."""
    if is_dask_frame(native):
        return _unread(native.columns, lambda places: native.iloc[:, places].compute())
    if is_of(native, "pyarrow.dataset", "Dataset"):
        names = native.schema.names
        return _unread(names, lambda places: native.to_table(columns=[names[place] for place in places]))
    if is_of(native, "pyarrow.dataset", "Scanner"):
        return _unread(native.projected_schema.names, lambda places: native.to_table().select(places))
    return None


def _unread(names: Iterable[Any], read: Callable[[list[int]], Any], *, is_read_once: bool = False) -> Unread:
    listed = tuple(names)
    if len(set(listed)) < len(listed):
        raise TableError(_TWICE)
    return Unread(listed, read, is_read_once)
