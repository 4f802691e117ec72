"""Where a table comes from: a file, or all that a pipe has to give."""

from __future__ import annotations

import io
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TextIO

from tacit.errors import TableError


@dataclass(frozen=True)
class Source:
    """Bytes of a table that can be read more than once."""

    path: Path
    content: bytes | None = None
    """What a pipe held, as it can be read once only; None for a file."""

    @classmethod
    def of(cls, path: Path) -> Source:
        """Return the source that a path names; a pipe, such as ``/dev/stdin``, is read to its end."""
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError):
            mode = 0
        if stat.S_ISREG(mode):
            return cls(path)
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
            with path.open("rb") as stream:
                return cls(path, stream.read())
        raise TableError(f"Expected a file with a table, got path={str(path)!r}, where there is none. Check the path.")

    @property
    def name(self) -> str:
        """Its name in messages."""
        return self.path.name

    @property
    def size(self) -> int:
        """Bytes."""
        return self.path.stat().st_size if self.content is None else len(self.content)

    @property
    def for_polars(self) -> Path | bytes:
        """What polars reads."""
        # Older polars expand wildcards in a name even where told not to.
        if self.content is None and set("*?[") & set(str(self.path)):
            return self.path.read_bytes()
        return self.path if self.content is None else self.content

    def open(self) -> BinaryIO:
        """Return the bytes as a stream."""
        return self.path.open("rb") if self.content is None else io.BytesIO(self.content)

    def open_text(self) -> TextIO:
        """Return the text as a stream, line ends as they are, without the mark that some programs put in front."""
        return io.TextIOWrapper(self.open(), encoding="utf-8-sig", newline="")
