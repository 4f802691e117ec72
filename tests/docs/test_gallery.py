"""The gallery's scripts, read without running them: each asks a question and shows a picture. `make docs` runs them."""

from __future__ import annotations

import ast
import csv
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "docs/gallery"
SCRIPTS = sorted(GALLERY.glob("*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_asks_a_question_and_draws_with_our_own_pictures(path):
    text = path.read_text(encoding="utf-8")
    title, underline = ast.get_docstring(ast.parse(text)).splitlines()[:2]
    assert title.endswith("?")
    assert underline == "=" * len(title)
    assert text.count("write_picture(") >= 1
    assert len(text.splitlines()) <= 80
    assert not re.search(r"^(import|from) (matplotlib|plotly|diffprivlib|interpret)", text, re.MULTILINE)


def test_stored_rows_are_the_best_of_the_measured_page():
    """Of each library at each epsilon, under the same promise as ours."""
    page = (ROOT / "docs/external.md").read_text(encoding="utf-8")
    table = page.split("**The same promise**")[1].split("**Their promise**")[0]
    lines = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line] for line in lines]
    epsilons = [float(cell) for cell in rows[0][1:]]
    with (GALLERY / "other_libraries.csv").open(encoding="utf-8") as file:
        stored = {(row["library"], float(row["epsilon"])): float(row["accuracy"]) for row in csv.DictReader(file)}
    libraries = {library for library, _ in stored}
    assert libraries == {"DP-EBM 0.7.8", "diffprivlib 0.6.6"}
    best = {
        (library, epsilon): max(float(row[at].split()[0]) for row in rows[2:] if row[0].startswith(library))
        for library in libraries
        for at, epsilon in enumerate(epsilons, 1)
    }
    assert stored == best
