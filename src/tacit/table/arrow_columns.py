"""Arrow columns of types that polars or narwhals do not know, as columns of types that all know; and files of them."""

# Without this package: a process of its own runs it by its path, and pyarrow need not be there.
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

_BOOL8 = "arrow.bool8"
_PARTS = re.compile(r"[({<\[].*[,:='\"].*", re.DOTALL)
_MAX_NAME = 60
"""Characters of a type's name in messages."""


def type_name(kind: Any) -> str:
    """Return the name of a column's type in any library.

    Privacy: without a structure's fields and without levels, which a library may have found in the cells.
    """
    return _PARTS.sub("", str(kind))[:_MAX_NAME]


def plain(column: Any) -> Any:
    """Return an Arrow column as one of numbers or truth values where it is one by another encoding, else as it is.

    That is decided by its type alone: runs are written out, decimals of any width become doubles, and truth values that
    take a byte each those that take a bit.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_run_end_encoded(kind):
        return plain(pc.run_end_decode(column))
    if isinstance(kind, pa.BaseExtensionType):
        if kind.extension_name != _BOOL8:
            return column
        chunks = [chunk.storage for chunk in column.chunks] if isinstance(column, pa.ChunkedArray) else [column.storage]
        return pc.not_equal(pa.chunked_array(chunks, kind.storage_type), 0)
    if pa.types.is_decimal(kind) and not pa.types.is_decimal128(kind):
        return column.cast(pa.float64())
    return column


def plain_table(batch: Any) -> Any:
    """Return a batch of rows with its columns as ``plain`` has them."""
    import pyarrow as pa

    return pa.table([plain(column) for column in batch.columns], names=batch.schema.names)


def described(path: str) -> dict[str, Any]:
    """Return ``names`` of a Parquet or Arrow file's columns, and ``types`` of those that no schema entry can hold."""
    kinds = _schema(path)
    return {
        "names": list(kinds.names),
        "types": {field.name: type_name(field.type) for field in kinds if not _is_known(field.type)},
    }


def frames(path: str, names: Sequence[str], n_rows: int, rows: Sequence[Any] | None = None) -> Iterator[Any]:
    """Yield the named columns of a Parquet or Arrow file, some rows at a time.

    Parameters
    ----------
    path : str
    names : sequence of str
    n_rows : int
    rows : (first, how many or None), optional
        Which are read.
    """
    import polars as pl
    import pyarrow as pa

    first, left = (0, None) if rows is None else rows
    for batch in _batches(path, names, n_rows):
        part = batch.slice(first, left)
        first = max(0, first - batch.num_rows)
        if not part.num_rows:
            continue
        left = None if left is None else left - part.num_rows
        columns = [plain(pa.chunked_array([part.column(part.schema.names.index(name))])) for name in names]
        yield pl.DataFrame(pl.from_arrow(pa.table(columns, names=list(names))))
        if left == 0:
            return


def _is_parquet(path: str) -> bool:
    with open(path, "rb") as stream:
        return stream.read(4) == b"PAR1"


def _schema(path: str) -> Any:
    if _is_parquet(path):
        import pyarrow.parquet

        return pyarrow.parquet.read_schema(path)
    import pyarrow.ipc

    with pyarrow.ipc.open_file(path) as reader:
        return reader.schema


def _batches(path: str, names: Sequence[str], n_rows: int) -> Iterator[Any]:
    if _is_parquet(path):
        import pyarrow.parquet

        with pyarrow.parquet.ParquetFile(path) as file:
            yield from file.iter_batches(batch_size=n_rows, columns=list(names))
        return
    import pyarrow.ipc

    with pyarrow.ipc.open_file(path) as reader:
        yield from (reader.get_batch(at) for at in range(reader.num_record_batches))


def _is_known(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_run_end_encoded(kind) or pa.types.is_dictionary(kind):
        return _is_known(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType):
        return bool(kind.extension_name == _BOOL8)
    numbers = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_boolean, pa.types.is_null)
    others = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_date)
    return any(is_kind(kind) for is_kind in (*numbers, *others, pa.types.is_timestamp))
