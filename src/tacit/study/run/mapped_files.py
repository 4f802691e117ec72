"""Arrays that lie in files and are mapped into memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NoReturn
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError


class MappedFiles:
    """Arrays in a folder, each mapped into memory once."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._mapped: dict[str, NDArray[Any]] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._mapped:
            self._mapped[name] = np.asarray(np.load(self._folder / f"{name}.npy", mmap_mode="r", allow_pickle=False))
        return self._mapped[name]

    def has(self, name: str) -> bool:
        """Tell whether the array is there."""
        return name in self._mapped or (self._folder / f"{name}.npy").is_file()

    def write(self, name: str, values: NDArray[Any]) -> bool:
        """Write an array whole or not at all; False if there is no room. Two processes may write the same."""
        part = self._folder / f"{uuid4().hex}.part.npy"
        try:
            np.save(part, values, allow_pickle=False)
            os.replace(part, self._folder / f"{name}.npy")
        except OSError:
            part.unlink(missing_ok=True)
            return False
        return True

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("Expected files to stay where they are, got a request to copy or pickle them.")
