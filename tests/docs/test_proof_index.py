"""The index of proofs lists every page once, and what it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROOFS = ROOT / "proofs"
ROWS = [line for line in (PROOFS / "README.md").read_text(encoding="utf-8").splitlines() if line.startswith("| [")]


def page(row: str) -> str:
    [target] = re.findall(r"^\| \[[^]]+\]\(([^)]+)\)", row)
    return target


def test_every_page_is_listed_once():
    listed = sorted(page(row) for row in ROWS)
    assert listed == sorted(path.relative_to(PROOFS).as_posix() for path in PROOFS.glob("*/**/*.md"))


@pytest.mark.parametrize("row", ROWS, ids=page)
def test_a_row_names_a_symbol_of_its_file_and_tests_that_are_there(row):
    _, statement, neighbors, code, tests = [cell.strip() for cell in row.strip("|").split(" | ")]
    assert statement
    assert neighbors in ("replace-one", "one person", "any", "one cell", "none: a law", "none: a solver")
    file, symbol = re.fullmatch(r"`([\w/]+\.py)` `(\w+)`", code).groups()
    source = (ROOT / "src" / "tacit" / file).read_text(encoding="utf-8")
    assert re.search(rf"^(def|class) {symbol}\b", source, re.MULTILINE)
    paths = re.findall(r"`([^`]+)`", tests)
    assert paths
    assert all((ROOT / path).is_file() for path in paths)


@pytest.mark.parametrize("path", sorted(PROOFS.glob("*/**/*.md")), ids=lambda path: path.relative_to(PROOFS).as_posix())
def test_a_page_names_files_that_are_there(path):
    named = re.findall(r"`((?:tests|reproductions|tacit)/[\w/]+\.py)`", path.read_text(encoding="utf-8"))
    missing = [each for each in named if not (ROOT / ("src" if each.startswith("tacit/") else ".") / each).is_file()]
    assert missing == []
