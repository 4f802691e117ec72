"""Files that commands write: checked before anything is computed or spent, and written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tacit.errors import ParameterError


def checked_output(path: Path, *inputs: Path, option: str = "--out") -> Path:
    """Return where to write, links followed, once it is sure that a file can be made there.

    Raises
    ------
    ParameterError
        If its folder is missing or not writable, if it is no plain file, or one of the inputs.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise ParameterError(f"Expected a file for {option}, got {str(path)!r}, which is none. Name a file.")
    if any(_same(target, other) for other in inputs):
        raise ParameterError(
            f"Expected a new file for {option}, got {str(path)!r}, which is also an input. Choose another name."
        )
    _check_folder(target.parent, option)
    return target


def _same(target: Path, other: Path) -> bool:
    try:
        return target.samefile(other)
    except OSError:
        return target == Path(os.path.realpath(other))


def _check_folder(folder: Path, option: str) -> None:
    if not folder.is_dir():
        raise ParameterError(f"Expected a folder that exists for {option}, got {str(folder)!r}. Make it first.")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror
    else:
        return
    raise ParameterError(f"Expected a writable folder for {option}, got {str(folder)!r}: {reason}. Choose another.")
