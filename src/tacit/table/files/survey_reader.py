"""Rows and dictionaries of SPSS, Stata and SAS files; for a process of its own, by its path."""

# Without this package: its own imports would take longer than most reads.
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

_READERS = {"sav": "read_sav", "dta": "read_dta", "xpt": "read_xport", "sas7bdat": "read_sas7bdat"}


def described(path: str, kind: str, encoding: str | None = None) -> dict[str, Any]:
    """Return the dictionary of a file, of which no row is read, as JSON can hold it.

    ``names`` of its columns and ``n_rows``; by name ``formats``, whether its ``texts`` are, ``labels`` as pairs of a
    code and its label, ``missing`` as pairs of the ends of codes, ``measures``, and what is ``said`` of it.
    """
    _, found = _read(path, kind, encoding, metadataonly=True)
    return {
        "names": found.column_names,
        "n_rows": found.number_rows,
        "texts": {name: kind == "string" for name, kind in found.readstat_variable_types.items()},
        "formats": found.original_variable_types,
        "labels": {name: list(labels.items()) for name, labels in found.variable_value_labels.items()},
        "missing": {name: [_ends(each) for each in ranges] for name, ranges in found.missing_ranges.items()},
        "measures": found.variable_measure,
        "said": found.column_names_to_labels,
    }


def frames(
    path: str, names: Sequence[str], n_rows: int, kind: str, encoding: str | None = None
) -> Iterator[pl.DataFrame]:
    """Yield the named columns some rows at a time: numbers, texts, or dates where a column's format says so.

    Codes that the dictionary of an SPSS file declares missing are there; those of others are missing.
    """
    read = 0
    while True:
        # Never read no column: all would come.
        frame, _ = _read(path, kind, encoding, usecols=list(names), row_offset=read, row_limit=n_rows)
        height = len(next(iter(frame.values()), ()))
        if height:
            yield pl.DataFrame([pl.Series(name, frame[name], strict=True) for name in names])
        read += height
        if height < n_rows:
            return


def _read(path: str, kind: str, encoding: str | None, **more: Any) -> tuple[dict[str, list[Any]], Any]:
    import pyreadstat

    more |= {"user_missing": True} if kind == "sav" else {}
    found: tuple[dict[str, list[Any]], Any] = getattr(pyreadstat, _READERS[kind])(
        path, encoding=encoding, output_format="dict", **more
    )
    return found


def _ends(codes: Any) -> tuple[Any, Any]:
    """Return the lowest and the highest of a range of codes."""
    return (codes["lo"], codes["hi"]) if isinstance(codes, dict) else (codes, codes)
