"""The Markdown sources: how long pages and lines are, and what the home page's picture shows."""

from __future__ import annotations

import re
from math import log10
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
MAX_WORDS = 3_000
"""A page is read in a quarter of an hour."""
LONG = {"command-line.md", "audit.md", "reproduction.md"}
"""Pages that are looked up, not read."""
EPSILONS = (0.01, 0.05, 0.1, 0.5, 1.0)
OURS = ("logistic", "naive-bayes", "lazybb")
WRITTEN = {"docs/reproduction.md", "docs/audit.md", "CHANGELOG.md"}
"""Pages that programs write, and one whose lines tests/architecture measures."""
FENCES = re.compile(r"^ *(```|~~~).*?^ *\1", re.MULTILINE | re.DOTALL)


def pages():
    return [page for page in sorted(ROOT.glob("docs/**/*.md")) if "generated" not in page.parts]


def test_no_page_has_more_words_than_are_read_at_once():
    words = {page.name: len(page.read_text(encoding="utf-8").split()) for page in pages() if page.name not in LONG}
    assert {name: n for name, n in words.items() if n > MAX_WORDS} == {}, "split the page"


def table():
    """Return the accuracy of each line of the table of other libraries, under the same promise."""
    page = (ROOT / "docs/external.md").read_text(encoding="utf-8")
    lines = page.split("**The same promise**")[1].split("**Their promise**")[0].splitlines()
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ") and " 0." in line]
    return {row[0]: [float(cell.split()[0]) for cell in row[1:]] for row in cells if row[0] != "epsilon"}


@pytest.mark.parametrize("library", ["Tacit", "Opacus", "DP-EBM", "diffprivlib"])
def test_the_home_page_s_picture_has_each_library_s_best_setting_of_the_table(library):
    picture = ElementTree.parse(ROOT / "docs/static/adult.svg")
    [line] = [each for each in picture.iter("{http://www.w3.org/2000/svg}polyline") if each.get("id") == library]
    points = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
    rows = [v for name, v in table().items() if (name in OURS if library == "Tacit" else name.startswith(library))]
    best = [max(accuracies) for accuracies in zip(*rows, strict=True)]
    # The plot is 380 wide for two powers of ten, and 230 high for accuracies from 0.72 to 0.86.
    drawn = [(60 + 190 * (log10(e) + 2), 270 - 230 * (a - 0.72) / 0.14) for e, a in zip(EPSILONS, best, strict=True)]
    assert points == [pytest.approx(point, abs=0.051) for point in drawn]


def test_the_home_page_shows_the_picture():
    assert re.search(r"!\[[^]]+\]\(static/adult\.svg\)", (ROOT / "docs/index.md").read_text(encoding="utf-8"))


def sources():
    folders = ("*.md", "docs/**/*.md", "proofs/**/*.md", "reproductions/**/*.md", "src/**/*.md", "benchmarks/**/*.md")
    found = {page.relative_to(ROOT).as_posix() for folder in folders for page in ROOT.glob(folder)}
    return sorted(page for page in found - WRITTEN if not page.startswith("docs/generated"))


@pytest.mark.parametrize("page", sources())
def test_lines_have_at_most_130_columns_and_rows_of_tables_160(page):
    text = re.sub(FENCES, "", (ROOT / page).read_text(encoding="utf-8"))
    # A heading and where a reference leads cannot be broken.
    lines = [line for line in text.splitlines() if not re.match(r"#|\[[^]]+\]: ", line)]
    assert [line for line in lines if len(line) > (160 if line.startswith("|") else 130)] == [], "break them"
