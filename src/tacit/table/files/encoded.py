"""Text of files in other encodings, which becomes UTF-8 on its way in, so that there is one reader of cells."""

from __future__ import annotations

import codecs
import io
from typing import Any, BinaryIO, Final, cast

_MARKS: Final = {
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

_HANDLER: Final = "tacit: no UTF-8"
"""The name under which codecs know what becomes of bytes that an encoding does not have."""

_WIDEST = 4
"""Bytes of a character in UTF-8."""

_TOGETHER = 2**20
"""Bytes that are decoded at a time where fewer are asked for."""


def encoding_of(head: bytes, declared: str | None) -> str:
    """Return the encoding of text by its first four bytes: what a byte order mark says, else what is declared.

    Privacy: no cell has a part in it, unless the names of columns are cells.
    """
    marked = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    return codecs.lookup(marked or declared or "utf-8").name.removesuffix("-sig")


def as_utf8(stream: BinaryIO, declared: str | None) -> tuple[BinaryIO, str]:
    """Return a stream of the same text in UTF-8, and the encoding that it had; one of UTF-8 as it is.

    Bytes that the encoding does not have become a byte that UTF-8 does not have: what is said of it, and that under
    ``on_invalid="coerce"`` it is a sign of its own cell, is decided where cells are read.
    """
    if not hasattr(stream, "peek"):
        stream = io.BufferedReader(cast(Any, stream), _TOGETHER)
    encoding = encoding_of(cast(Any, stream).peek(_WIDEST)[:_WIDEST], declared)
    if encoding == "utf-8":
        return stream, encoding
    codecs.register_error(_HANDLER, lambda error: ("\udcff", cast(UnicodeDecodeError, error).end))
    text = io.TextIOWrapper(stream, encoding, errors=_HANDLER, newline="")
    return io.BufferedReader(_Utf8(text), _TOGETHER), encoding


class _Utf8(io.RawIOBase):
    """Text as bytes."""

    def __init__(self, text: io.TextIOWrapper):
        self._text = text

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = self._text.read(len(buffer) // _WIDEST).encode("utf-8", errors="surrogateescape")
        buffer[: len(content)] = content
        return len(content)
