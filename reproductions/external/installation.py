"""Making and removing the environments of other libraries."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from reproductions.external.environment import MARK, Environment, python_of
from tacit.errors import ParameterError, TacitError


class InstallationFailed(TacitError, RuntimeError):
    """An environment that could not be made; the message says where pip's own words are."""


def install(wanted: Environment, folder: Path | None = None) -> Path:
    """Make the environment, with exactly the pinned packages, and return its place; an existing one is replaced.

    Packages come from where pip is set up to look, as its configuration and its environment variables say.

    Raises
    ------
    InstallationFailed
        If it cannot be made.
    ParameterError
        If something else is in its place.
    """
    place = _own(wanted, folder)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        (place / MARK).unlink(missing_ok=True)
        venv.EnvBuilder(clear=True, symlinks=os.name != "nt", with_pip=True).create(place)
    except (OSError, subprocess.CalledProcessError):
        raise InstallationFailed(
            f"Expected to make a virtual environment in {place}, got refused. "
            f"Make room there, or see that `{Path(sys.executable).name} -m venv` works."
        ) from None
    _pip(wanted, place)
    (place / MARK).write_text(wanted.mark)
    return place


def remove(unwanted: Environment, folder: Path | None = None) -> bool:
    """Remove the environment, complete or not, and tell whether there was one.

    Raises
    ------
    ParameterError
        If something else is in its place.
    """
    place = _own(unwanted, folder)
    if not place.exists():
        return False
    shutil.rmtree(place)
    return True


def _own(environment: Environment, folder: Path | None) -> Path:
    """Return the environment's place if nothing but a virtual environment is there."""
    place = environment.place(folder)
    if place.is_symlink() or (place.exists() and not (place / "pyvenv.cfg").is_file()):
        raise ParameterError(
            f"Expected a virtual environment or nothing in {place}, got something else. Move it, or name a --folder."
        )
    return place


def _pip(wanted: Environment, place: Path) -> None:
    log = place / "pip.log"
    command = [str(python_of(place)), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    with log.open("wb") as said:
        done = subprocess.run(  # noqa: S603  our own Python and our own file
            [*command, "--requirement", str(wanted.requirements)], stdout=said, stderr=subprocess.STDOUT, check=False
        )
    if done.returncode != 0:
        raise InstallationFailed(
            f"Expected pip to install {wanted.package} {wanted.version}, got a failure. Read {log}, then run again."
        )
