"""The distributions in dist/, and fresh environments that they are installed into: make release."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VERSIONS = ["3.11", "3.12", "3.13"]
collect_ignore = ["script.py", "mistakes.py"]  # users' scripts: a search for doctests would run them


def run(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command that sees no module and no data set of this checkout."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MYPYPATH", "TACIT_DATA")}
    return subprocess.run(list(map(str, command)), cwd=cwd, env=clean, capture_output=True, text=True)


def interpreter(version: str) -> Path | None:
    """Return a Python of the version, from the path or among pyenv's, if it runs."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    on_path = shutil.which(f"python{version}")
    found = [*([Path(on_path)] if on_path else []), *sorted(pyenv.glob(f"versions/{version}.*/bin/python"))]
    return next((each for each in found if run(each, "--version", cwd=ROOT).stdout.startswith("Python 3")), None)


def distribution(ending: str) -> Path:
    """Return the one file of its kind in dist/, or skip."""
    found = list((ROOT / "dist").glob(f"*{ending}"))
    if not found:
        pytest.skip("needs the distributions in dist/: make release")
    assert len(found) == 1
    return found[0]


@pytest.fixture(scope="session")
def fresh(tmp_path_factory):
    """Return a function that makes an environment of a Python with a distribution in it, once for each."""
    made: dict[tuple[str, str], Path] = {}

    def environment(version: str, ending: str) -> Path:
        if (version, ending) not in made:
            packed, python = distribution(ending), interpreter(version)
            if python is None:
                pytest.skip(f"needs Python {version} on the path or in pyenv")
            folder = tmp_path_factory.mktemp("environment")
            run(python, "-m", "venv", folder, cwd=folder)
            installed = run(folder / "bin/python", "-m", "pip", "install", "--quiet", packed, cwd=folder)
            assert installed.returncode == 0, installed.stderr
            made[version, ending] = folder
        return made[version, ending]

    return environment
