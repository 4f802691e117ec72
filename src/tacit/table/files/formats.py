"""Formats of files, known by their first bytes, whatever the files are called."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from tacit.table.files.parquet import ARROW, PARQUET

Format = Literal["csv", "parquet", "arrow", "workbook", "sav", "dta", "xpt", "sas7bdat"]

COLUMNAR: Final = ("parquet", "arrow")
"""Formats that polars reads, in columns."""
SURVEY: Final = ("sav", "dta", "xpt", "sas7bdat")
"""Formats of SPSS, Stata and SAS."""

ENDINGS: Final = (
    *(".csv", ".tsv", ".txt", ".parquet", ".arrow", ".feather", ".ipc"),
    *(".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".sav", ".zsav", ".dta", ".xpt", ".sas7bdat"),
)
"""Of the names of tables in a folder, without those of compression."""

_MARKS: Final[dict[bytes, Format]] = {
    PARQUET: "parquet",
    ARROW: "arrow",
    b"PK\x03\x04": "workbook",
    b"\xd0\xcf\x11\xe0": "workbook",  # older spreadsheets, and those with a password
    b"$FL2": "sav",
    b"$FL3": "sav",
    b"<stata_dta>": "dta",
    b"HEADER RECORD*******": "xpt",
}
_SAS: Final = bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
_SAS_AT: Final = 12
_OLD_STATA: Final = range(104, 116)
"""Versions, which are the first byte of a file; then come the order of bytes, 1 or 2, and the type, 1."""

HEAD_BYTES: Final = _SAS_AT + len(_SAS)


def format_of(path: Path) -> Format:
    """Return the format of a file: CSV, compressed or not, if it is none of the others."""
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    known = next((found for mark, found in _MARKS.items() if head.startswith(mark)), None)
    if known is not None:
        return known
    if head[_SAS_AT:] == _SAS:
        return "sas7bdat"
    is_old_stata = len(head) > 3 and head[0] in _OLD_STATA and head[1] in (1, 2) and head[2] == 1
    return "dta" if is_old_stata else "csv"
