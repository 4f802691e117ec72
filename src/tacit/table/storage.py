"""Where arrays of rows are: in memory, or mapped from nameless files on a local disk."""

from __future__ import annotations

import mmap
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final, NoReturn, Protocol, TypeVar, cast
from weakref import finalize

import numpy as np
from platformdirs import user_cache_dir

from tacit.errors import ParameterError, PrivacyError, TableError
from tacit.saving import SCRATCH
from tacit.table.columns import Array, Columns, narrowed

T = TypeVar("T")

_FIRST_CHUNK, _MAX_CHUNK = 2**26, 2**30
"""Bytes of the first and the largest files that arrays share, each twice the one before: a process may have a thousand
open, and a mapping holds one."""


def scratch_file(folder: Path | None = None) -> Any:
    """Return a new file without a name, which only this process can open, and which vanishes with it.

    Raises
    ------
    ParameterError
        If none can be made there.
    """
    folder = made_scratch_folder(folder)
    try:
        return TemporaryFile(dir=folder, buffering=0)
    except OSError:
        raise ParameterError(_refused("a folder in which files can be made", folder)) from None


def made_scratch_folder(folder: Path | None = None) -> Path:
    """Return the folder in which files of rows are made.

    Raises
    ------
    ParameterError
        If there can be none.
    """
    folder = folder or _scratch_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        raise ParameterError(_refused("a folder in which files can be made", folder)) from None
    return folder


def _scratch_folder() -> Path:
    named = os.environ.get(SCRATCH)
    return Path(named) if named else Path(user_cache_dir("tacit")) / "rows"


def _refused(expected: str, folder: Path) -> str:
    return (
        f"Expected {expected} on the disk of {folder}, got refused. Make room there, or name another folder in the "
        f"environment variable {SCRATCH}."
    )


class Storage(Protocol):
    """Keeps arrays of rows, wherever they are; what is read from them is the same everywhere."""

    def kept(self, array: Array) -> Array:
        """Return an array of the same shape, values and layout, which may be changed in place."""

    def joined(self, parts: Iterable[Array]) -> Array:
        """Return arrays as one, along the first axis; parts are taken one by one."""

    def columns(self, columns: Mapping[str, Array]) -> Mapping[str, Array]:
        """Return the same columns, of the same types and values."""


class Stateful(Protocol):
    """State of rows that holds arrays."""

    def kept(self, keep: Callable[[Array], Array]) -> Stateful:
        """Return the same state, its arrays being kept by this function."""


def kept_state(storage: Storage, state: T) -> T:
    """Return a block's state with its arrays in the storage: an array, a tuple of them, a ``Stateful``, or neither."""
    if isinstance(state, np.ndarray):
        return cast(T, storage.kept(state))
    if isinstance(state, tuple):
        return cast(T, tuple(kept_state(storage, each) for each in state))
    return state.kept(storage.kept) if hasattr(state, "kept") else state


class Memory:
    """The process's own memory."""

    def kept(self, array: Array) -> Array:
        """Return the array itself."""
        return array

    def joined(self, parts: Iterable[Array]) -> Array:
        """Return a new array."""
        return np.concatenate(list(parts))

    def columns(self, columns: Mapping[str, Array]) -> Mapping[str, Array]:
        """Return the columns themselves."""
        return columns


MEMORY: Final[Storage] = Memory()


class Disk:
    """Arrays mapped from files that have no name: nobody else can open them, and they vanish with the process.

    The system removes a nameless file as soon as no process has it open, however that process ended. Pages of it are
    written out and dropped where memory is short, so that they do not count against the process's own memory.

    Parameters
    ----------
    folder : Path, optional
        Where the files are; by default what the environment variable ``TACIT_SCRATCH`` names, else a folder of mode
        0700 in the user's cache, as ``/tmp`` is memory on some systems.

    Raises
    ------
    ParameterError
        If no file can be made there.
    """

    def __init__(self, folder: Path | None = None):
        self._folder = folder or _scratch_folder()
        self._chunk: _Chunk | None = None
        self._end = 0
        # Places that arrays have left, by size: state of rows comes and goes in every round.
        self._free: dict[int, list[tuple[_Chunk, int]]] = defaultdict(list)
        if not hasattr(os, "pwrite"):
            raise ParameterError(
                "Expected a system with POSIX files for rows on disk, got another. Keep them in memory."
            )
        scratch_file(self._folder).close()

    def kept(self, array: Array) -> Array:
        """Return the array as it is on disk; one that is there already is returned unchanged."""
        if array.nbytes == 0 or _is_mapped(array):
            return array
        if array.flags.f_contiguous and not array.flags.c_contiguous:
            return self.kept(array.T).T
        if array.nbytes > _FIRST_CHUNK:
            return self.joined([array])
        place = self._place(array.nbytes)
        self._write(place.chunk.file, place.start, np.ascontiguousarray(array))
        return np.asarray(place)[: array.nbytes].view(array.dtype).reshape(array.shape)

    def joined(self, parts: Iterable[Array]) -> Array:
        """Return arrays as one in a file of its own, written part by part."""
        end, shape, kind = 0, (0,), np.dtype(np.uint8)
        with scratch_file(self._folder) as file:
            for part in parts:
                shape, kind = (0, *part.shape[1:]), part.dtype
                self._write(file.fileno(), end, np.ascontiguousarray(part))
                end += part.nbytes
            if end == 0:
                return np.empty(shape, dtype=kind)
            mapped = mmap.mmap(file.fileno(), end)
        return np.frombuffer(mapped, dtype=kind).reshape(-1, *shape[1:])

    def columns(self, columns: Mapping[str, Array]) -> Mapping[str, Array]:
        """Return the columns as they are on disk, in the shortest types that hold them, widened when they are read."""
        return Columns.of(columns).each(lambda values: values if _is_mapped(values) else self.kept(narrowed(values)))

    def _place(self, n_bytes: int) -> _Place:
        # In steps of an eighth to a sixteenth: arrays of nearly one size take each other's places.
        step = max(4096, 1 << max(0, n_bytes.bit_length() - 4))
        size = -(-n_bytes // step) * step
        if self._free[size]:
            chunk, start = self._free[size].pop()
        else:
            if self._chunk is None or self._end + size > self._chunk.size:
                self._chunk, self._end = self._next_chunk(), 0
            chunk, start = self._chunk, self._end
            self._end += size
        return _Place(chunk, start, size, self._free[size])

    def _next_chunk(self) -> _Chunk:
        # Twice as large as what an array without a file of its own takes, rounded up.
        size = min(_MAX_CHUNK, 2 * (self._chunk.size if self._chunk else _FIRST_CHUNK))
        try:
            return _Chunk(scratch_file(self._folder), size)
        except OSError:
            raise TableError(_refused("room for the rows of a table", self._folder)) from None

    def _write(self, file: int, start: int, array: Array) -> None:
        """Write through the file: a full disk is an error there, and the end of the process where memory is mapped."""
        left = array.reshape(-1).view(np.uint8).data
        try:
            while left:
                written = os.pwrite(file, left, start)
                left, start = left[written:], start + written
        except OSError:
            raise TableError(_refused("room for the rows of a table", self._folder)) from None

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("Expected files of rows to stay where they are, got a request to copy or pickle them.")


class _Chunk:
    """A file of many arrays, mapped once."""

    def __init__(self, file: Any, size: int):
        self.size = size
        with file:
            # Without content yet: what is never written takes no room.
            os.ftruncate(file.fileno(), size)
            self.mapped = mmap.mmap(file.fileno(), size)
            self.file = os.dup(file.fileno())
        finalize(self, os.close, self.file)
        self.address = np.frombuffer(self.mapped, dtype=np.uint8).ctypes.data


class _Place:
    """Part of a file; when no array is there any more, others may take it."""

    def __init__(self, chunk: _Chunk, start: int, size: int, free: list[tuple[_Chunk, int]]):
        self.chunk, self.start, self._free = chunk, start, free
        # NumPy keeps this object, and so the place, as long as any view of the array is in use.
        self.__array_interface__ = {
            "version": 3, "shape": (size,), "typestr": "|u1", "data": (chunk.address + start, False)
        }  # fmt: skip

    def __del__(self) -> None:
        self._free.append((self.chunk, self.start))


def _is_mapped(array: Any) -> bool:
    while isinstance(array, np.ndarray):
        array = array.base
    if isinstance(array, memoryview):
        array = array.obj
    return isinstance(array, _Place | mmap.mmap)
