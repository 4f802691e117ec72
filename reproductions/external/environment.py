"""Where other libraries live: each in a virtual environment of its own, with pinned versions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from platformdirs import user_cache_dir

from tacit.errors import MissingExtra, ParameterError

VARIABLE = "TACIT_EXTERNAL"
"""The environment variable that names the folder of the environments."""

MARK = "tacit-external.txt"
"""A file that an environment gets when it is complete: the digest of its requirements."""

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Environment:
    """A library in an environment of its own.

    Attributes
    ----------
    name : str
        As `python -m reproductions external install` takes it.
    package, version : str
        What is compared.
    size : str
        On disk, about.

    Examples
    --------
    >>> ENVIRONMENTS["opacus"].called
    'opacus-1.6.0'
    """

    name: str
    package: str
    version: str
    size: str

    @property
    def called(self) -> str:
        """Name and version: the name of its folder, and of its requirements."""
        return f"{self.name}-{self.version}"

    @property
    def requirements(self) -> Path:
        """The file that pins all packages."""
        return _HERE / "requirements" / f"{self.called}.txt"

    @property
    def models(self) -> Path:
        """The script with the library's models, which runs in the environment."""
        return _HERE / "scripts" / f"{self.name.replace('-', '_')}_models.py"

    @property
    def mark(self) -> str:
        """What is in the mark of a complete environment."""
        return sha256(self.requirements.read_bytes()).hexdigest()

    def place(self, folder: Path | None = None) -> Path:
        """Return where the environment is, or would be."""
        return (folder or environments_folder()) / self.called

    def python(self, folder: Path | None = None) -> Path:
        """Return the environment's Python.

        Raises
        ------
        MissingExtra
            If the environment is not there, or not complete; says how to make it.
        """
        if self.installed(folder):
            return python_of(self.place(folder))
        raise MissingExtra(
            f"Expected {self.package} {self.version} in an environment of its own, got none. "
            f"Run: python -m reproductions external install {self.name}"
        )

    def installed(self, folder: Path | None = None) -> bool:
        """Tell whether the environment is there, complete, with the versions that are pinned today."""
        try:
            return (self.place(folder) / MARK).read_text() == self.mark and python_of(self.place(folder)).exists()
        except OSError:
            return False


ENVIRONMENTS = {
    each.name: each
    for each in (
        Environment("diffprivlib", "diffprivlib", "0.6.6", "300 MB"),
        Environment("interpret", "interpret-core", "0.7.8", "460 MB"),
        Environment("opendp", "opendp", "0.16.0", "350 MB"),
        Environment("opacus", "opacus", "1.6.0", "1.1 GB without CUDA"),
        Environment("scikit-learn", "scikit-learn", "1.9.1", "300 MB"),
    )
}
"""The environments by name."""


def environment(name: str) -> Environment:
    """Return the environment of this name, with or without its version.

    Raises
    ------
    ParameterError
        If there is none.

    Examples
    --------
    >>> environment("opacus-1.6.0") is environment("opacus")
    True
    """
    for each in ENVIRONMENTS.values():
        if name in (each.name, each.called):
            return each
    raise ParameterError(f"Expected one of {', '.join(ENVIRONMENTS)}, got name={name!r}. Choose one, or none for all.")


def environments_folder() -> Path:
    """Return the folder of the environments: the one that ``TACIT_EXTERNAL`` names, or one in the user's cache."""
    named = os.environ.get(VARIABLE)
    return Path(named).expanduser().resolve() if named else Path(user_cache_dir("tacit")) / "external"


def python_of(place: Path) -> Path:
    """Return where a virtual environment has its Python."""
    return place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
