"""How the files of a table are written, as far as they do not say so themselves."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from tacit.errors import SchemaError, shown

_UNICODE = ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")

_ASCII = ',;\t|"\r\n09.+-~{A\\x41\\u0041\x1b$B0!\x1b(B.xn--80ak6aa92e.'
"""An encoding that reads it as it is keeps what separates cells, and has no signs that change how later ones are read,
as UTF-7, ISO 2022 and escapes have."""


@dataclass(frozen=True)
class FileFormat:
    """How the files of a table are written, where they do not say so themselves.

    Parameters
    ----------
    encoding : str, optional
        Of text, as Python names it: ``"cp1252"``, ``"latin-1"``, ``"utf-16-le"``. UTF-8 if not given. A byte order mark
        at the beginning of a file comes before it.
    sheet : str, optional
        Of spreadsheets with several sheets, the one that is the table.

    Raises
    ------
    SchemaError
        If the encoding is unknown, or one in which a cell may change how those after it are read.

    Notes
    -----
    Privacy: never found out from rows where a table is read, as one person's cell would then decide how others are.

    Examples
    --------
    >>> FileFormat(encoding="latin-1", sheet="Patients").over(FileFormat(encoding="cp1252"))
    FileFormat(encoding='latin-1', sheet='Patients')
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    encoding: str | None = None
    sheet: str | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            given = getattr(self, field.name)
            if given is not None and not (isinstance(given, str) and given):
                raise SchemaError(
                    f"Expected {field.name} of files to be a text, got {field.name}={shown(given)}. Write its name in "
                    "quotes, or leave it out."
                )
        if self.encoding is not None and not _is_read(self.encoding):
            raise SchemaError(
                "Expected encoding of files to be one that Python knows, and in which no cell changes how others are "
                f"read, got encoding={shown(self.encoding)}. Write for example cp1252, latin-1, utf-16-le or gb18030."
            )

    def over(self, other: FileFormat | None) -> FileFormat:
        """Return what this one says, and of what it does not say what the other one does."""
        return replace(other or PLAIN, **as_pairs(self))


PLAIN = FileFormat()
"""Says nothing: text is UTF-8."""


def checked_format(given: object, where: str) -> FileFormat | None:
    """Return a format of files that says something, else None.

    Raises
    ------
    SchemaError
        If it is something else.
    """
    if given is None or given == PLAIN:
        return None
    if not isinstance(given, FileFormat):
        raise SchemaError(f"Expected file of {where} to be a FileFormat, got file={shown(given)}. Write FileFormat().")
    return given


def read_format(table: object, where: str) -> FileFormat | None:
    """Return the format that a table of TOML says, None for none.

    Raises
    ------
    SchemaError
        If it is no table, or says something else.
    """
    names = [field.name for field in fields(FileFormat)]
    if table is None:
        return None
    if not isinstance(table, dict) or not set(table) <= set(names):
        raise SchemaError(f"Expected {' or '.join(names)} under [file] in {where}, got something else. Correct it.")
    return FileFormat(**table)


def as_pairs(written: FileFormat) -> dict[str, str]:
    """Return what a format says, by name."""
    pairs = {field.name: getattr(written, field.name) for field in fields(written)}
    return {name: value for name, value in pairs.items() if value is not None}


def _is_read(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name in _UNICODE or _ASCII.encode("ascii").decode(encoding) == _ASCII
    except (LookupError, ValueError):  # unknown, no encoding of text, or one that cannot read these signs
        return False
