"""The memory that is left to read a table."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from math import inf
from pathlib import Path

from tacit.errors import TableError

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
