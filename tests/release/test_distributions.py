"""What the wheel and the sdist hold, and that both install and work on each Python that is supported."""

from __future__ import annotations

import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import tacit

from .conftest import ROOT, VERSIONS, distribution, run

pytestmark = pytest.mark.release
HERE = Path(__file__).parent


def in_git(*under: str) -> set[str]:
    listed = run("git", "ls-files", *under, cwd=ROOT)
    if listed.returncode:
        pytest.skip("needs a git checkout")
    return set(listed.stdout.splitlines())


def test_the_wheel_holds_the_package_and_nothing_else():
    with zipfile.ZipFile(distribution(".whl")) as wheel:
        names = set(wheel.namelist())
        entry_points = next(name for name in names if name.endswith(".dist-info/entry_points.txt"))
        assert wheel.read(entry_points).decode().split() == ["[console_scripts]", "tacit", "=", "tacit.cli:main"]
        assert b"CC BY 4.0" in wheel.read("tacit/datasets/tables/README.md")
    about = {name for name in names if name.startswith(f"tacit-{tacit.__version__}.dist-info/")}
    assert names - about == {path.removeprefix("src/") for path in in_git("src/tacit")}  # no stray file, no tests
    assert names > {"tacit/py.typed", "tacit/datasets/tables/adult.parquet", "tacit/datasets/catalog.toml"}
    assert names > {f"tacit/report/page/{name}" for name in ("card.html", "review.html", "review.js", "page.css")}
    licences = {name.split("/licenses/")[1] for name in about if "/licenses/" in name}
    assert licences == {"LICENSE", "src/tacit/report/page/plotly/LICENSE"}


def test_the_sdist_holds_files_of_the_repository_and_nothing_else():
    with tarfile.open(distribution(".tar.gz")) as sdist:
        names = {member.name.split("/", 1)[1] for member in sdist.getmembers() if member.isfile()}
    assert names - in_git() == {"PKG-INFO"}
    assert names >= in_git("src", "tests", "proofs") | {"pyproject.toml", "LICENSE", "CHANGELOG.md"}


@pytest.mark.parametrize("ending", [".whl", ".tar.gz"])
@pytest.mark.parametrize("version", VERSIONS)
def test_a_fresh_environment_fits_predicts_and_explains(fresh, tmp_path, version, ending):
    environment = fresh(version, ending)
    shutil.copy(HERE / "script.py", tmp_path)
    script = run(environment / "bin/python", "-W", "error::UserWarning", "script.py", cwd=tmp_path)
    assert script.stdout.split() == ["1.0", "8842", "True"], script.stderr
    said = run(environment / "bin/tacit", "--version", cwd=tmp_path)
    assert said.stdout.split() == ["tacit", tacit.__version__], said.stderr
    assert run(environment / "bin/python", "-m", "pip", "check", cwd=tmp_path).returncode == 0


def checked(fresh, tmp_path, name: str) -> list[str]:
    """Return mypy's lines on a script of a user whose environment has the wheel."""
    python = fresh(VERSIONS[0], ".whl") / "bin/python"
    shutil.copy(HERE / name, tmp_path)
    mypy = (shutil.which("mypy", path=str(Path(sys.executable).parent)), "--strict", "--no-pretty", "--config-file=")
    return run(*mypy, "--python-executable", python, name, cwd=tmp_path).stdout.splitlines()


def test_a_user_s_script_has_no_error_and_the_stated_types(fresh, tmp_path):
    assert checked(fresh, tmp_path, "script.py") == ["Success: no issues found in 1 source file"]


def test_each_mistake_of_a_user_is_marked(fresh, tmp_path):
    marked = {int(line.split(":")[1]) for line in checked(fresh, tmp_path, "mistakes.py") if ": error:" in line}
    lines = (HERE / "mistakes.py").read_text(encoding="utf-8").splitlines()
    assert marked == {number for number, line in enumerate(lines, 1) if line.startswith(("tacit.", "print("))}
