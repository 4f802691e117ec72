"""The index of proofs lists every page once, and what it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROOFS = ROOT / "proofs"
TEXT = (PROOFS / "README.md").read_text(encoding="utf-8")
ENTRIES = [" ".join(entry.split()) for entry in re.findall(r"^- (\[.*?)(?=^- |^\n|\Z)", TEXT, re.MULTILINE | re.DOTALL)]


def page(entry: str) -> str:
    return re.match(r"\[[^]]+\]\(([^)]+)\)", entry)[1]


def test_every_page_is_listed_once():
    listed = sorted(page(entry) for entry in ENTRIES)
    assert listed == sorted(path.relative_to(PROOFS).as_posix() for path in PROOFS.glob("*/**/*.md"))


@pytest.mark.parametrize("entry", ENTRIES, ids=page)
def test_an_entry_names_a_symbol_of_its_file_and_tests_that_are_there(entry):
    parts = re.fullmatch(r"\[.*?\]\([^)]+\) \(([\w :-]+)\): (.+)\. Code: `([\w/]+\.py)` `(\w+)`\. Tests: (.+)\.", entry)
    neighbors, _, file, symbol, tests = parts.groups()
    assert neighbors in ("replace-one", "one person", "any", "one cell", "none: a distribution", "none: a solver")
    folder = ROOT if file.startswith("reproductions/") else ROOT / "src" / "tacit"
    source = (folder / file).read_text(encoding="utf-8")
    assert re.search(rf"^(def|class) {symbol}\b", source, re.MULTILINE)
    paths = re.findall(r"`([^`]+)`", tests)
    assert paths
    assert all((ROOT / path).is_file() for path in paths)


@pytest.mark.parametrize("path", sorted(PROOFS.glob("*/**/*.md")), ids=lambda path: path.relative_to(PROOFS).as_posix())
def test_a_page_names_files_that_are_there(path):
    named = re.findall(r"`((?:tests|reproductions|tacit)/[\w/]+\.py)`", path.read_text(encoding="utf-8"))
    missing = [each for each in named if not (ROOT / ("src" if each.startswith("tacit/") else ".") / each).is_file()]
    assert missing == []
