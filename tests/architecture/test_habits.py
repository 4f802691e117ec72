"""What stands in more than one place says the same in each."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import tacit

ROOT = Path(__file__).parents[2]


def test_the_version_and_its_date_are_the_citation_file_s_and_the_first_of_the_changes():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    headings = [line for line in changes if line.startswith("## ") and line != "## Unreleased"]
    date = re.search(r"^date-released: (.*)$", citation, re.MULTILINE)[1]
    assert f"\nversion: {tacit.__version__}\n" in citation
    assert headings[0] == f"## {tacit.__version__} ({date})"


def test_the_changes_are_lines_of_at_most_160_columns_under_what_they_are():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in changes if len(line) > 160 or line.startswith(" ")] == [], (
        "one line each; numbers go to docs"
    )
    kinds = {line for line in changes if line.startswith("### ")}
    assert kinds <= {f"### {kind}" for kind in ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")}


@pytest.mark.parametrize("name", ["ruff format --check", "ruff check", "mypy", "lint-imports"])
def test_hooks_run_what_make_check_runs(name):
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"entry: .venv/bin/{name}\n" in hooks
    assert f"$(BIN)/{name}" in makefile


def test_each_base_dependency_has_a_line_of_why():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.split(r"[<>=]", each)[0] for each in project["dependencies"]}
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Why each base dependency")[1]
    rows = [line.split("|")[1] for line in section.split("\n## ")[0].splitlines() if line.startswith("| `")]
    assert sorted(re.findall(r"`([^`]+)`", "".join(rows))) == sorted(needed)


def test_the_conda_recipe_says_what_pyproject_says():
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    recipe = yaml.safe_load((ROOT / "conda/recipe.yaml").read_text(encoding="utf-8"))
    project, about = pyproject["project"], recipe["about"]
    needed = {kind: {each.replace(" ", "") for each in names} for kind, names in recipe["requirements"].items()}
    python = "python" + project["requires-python"]
    assert needed["run"] == {python, *project["dependencies"]}
    assert needed["host"] == {python, "pip", *pyproject["build-system"]["requires"]}
    assert recipe["context"]["version"] == tacit.__version__
    assert recipe["build"]["python"]["entry_points"] == [f"{k} = {v}" for k, v in project["scripts"].items()]
    assert [about["summary"], about["license"]] == [project["description"], project["license"]]
    assert about["license_file"] == project["license-files"]
