"""A digest of a table that depends on its names, types and values alone, not on any library's way to write them."""

from __future__ import annotations

import hashlib
import json

import polars as pl


def digest(table: pl.DataFrame) -> str:
    """Return the SHA-256 digest of a table without nulls, as 64 hexadecimal digits.

    Column after column: name, type and number of rows in one line of text; then integers and floats as eight bytes
    each, little-endian; texts as one JSON list in UTF-8 without blanks.

    Raises
    ------
    ValueError
        If there is a null, or a column is neither integer, float nor text.

    Examples
    --------
    >>> digest(pl.DataFrame({"a": [1, 2]}))[:16] == digest(pl.DataFrame({"a": [2, 1]}))[:16]
    False
    """
    hasher = hashlib.sha256()
    for column in table.iter_columns():
        kind, content = _bytes(column)
        hasher.update(f"{column.name}\t{kind}\t{len(column)}\n".encode())
        hasher.update(content)
    return hasher.hexdigest()


def _bytes(column: pl.Series) -> tuple[str, bytes]:
    if column.null_count():
        raise ValueError(f"Expected no nulls in column {column.name!r}, got some.")
    if column.dtype == pl.String:
        return "text", json.dumps(column.to_list(), ensure_ascii=False, separators=(",", ":")).encode()
    if column.dtype.is_integer():
        return "integer", column.to_numpy().astype("<i8").tobytes()
    if column.dtype.is_float():
        # Minus zero and zero are the same number.
        return "float", (column.to_numpy().astype("<f8") + 0.0).tobytes()
    raise ValueError(f"Expected integers, floats or texts in column {column.name!r}, got another type.")
