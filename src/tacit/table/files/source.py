"""Where a table comes from: a file, or all that a pipe has to give; and the memory left to read it."""

from __future__ import annotations

import io
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import inf
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

    def open_text(self, errors: str = "strict") -> TextIO:
        """Return the text as a stream, line ends as they are, without the mark that some programs put in front."""
        return io.TextIOWrapper(self.open(), encoding="utf-8-sig", errors=errors, newline="")


_CGROUP = Path("/sys/fs/cgroup")

_RESERVED = 4
"""Bytes of address space that polars may reserve for each byte that is needed; short of them it ends the process."""


def check_memory(needed: int, name: str) -> None:
    """Raise TableError if a table of this name needs more bytes than are left.

    Where the system does not say how many are left, nothing is checked.
    """
    if needed > memory_left():
        raise TableError(
            f"Expected enough memory to read {name}, got less: about {needed / 2**30:.1f} GiB would be needed. "
            "Use fewer columns, a smaller table, or a larger machine."
        )


def memory_left() -> float:
    """Return the bytes that a process may still take; infinity where the system does not say."""
    return min(_left(), default=inf)


def _left() -> Iterator[int]:
    """Yield the bytes that each limit leaves: of the process, of its group, and of the machine."""
    yield from _of_process()
    with suppress(OSError, ValueError):
        limit, used = (int((_CGROUP / f"memory.{what}").read_text()) for what in ("max", "current"))
        yield limit - used + _cached()
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        yield 1024 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))


def _of_process() -> Iterator[int]:
    if sys.platform == "win32":
        return
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    if soft != resource.RLIM_INFINITY:
        with suppress(OSError, ValueError):
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
            yield (soft - pages * resource.getpagesize()) // _RESERVED


def _cached() -> int:
    """Return the bytes of files that the group holds and would give back."""
    lines = (_CGROUP / "memory.stat").read_text(encoding="ascii").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(("inactive_file ", "active_file ")))
