"""What the site needs of the pages, checked without building it: each page has its place, each room its reference."""

from __future__ import annotations

import pkgutil
import re
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest

import tacit
from tacit.schema import Categorical, FileFormat, Identifier, Label, Numeric, Target

ROOT = Path(__file__).parents[2]
FENCES = re.compile(r"^```\{toctree\}\n(.*?)^```", re.DOTALL | re.MULTILINE)


def children(page: Path) -> set[Path]:
    """Return the pages in the tables of contents of a page."""
    lines = [line for fence in FENCES.findall(page.read_text(encoding="utf-8")) for line in fence.splitlines()]
    entries = [line for line in lines if line and not line.startswith(":")]
    return {path.resolve() for entry in entries for path in page.parent.glob(f"{entry}.md")}


def reached(page: Path) -> set[Path]:
    return {page}.union(*(reached(child) for child in children(page)))


def test_every_page_is_in_the_sites_table_of_contents():
    pages = {*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("proofs/**/*.md")}
    pages = {page for page in pages if "generated" not in page.parts}
    lost = sorted(str(page.relative_to(ROOT)) for page in pages - reached(ROOT / "docs/index.md"))
    assert lost == [], "add them to a toctree, such as that of docs/guide.md"


def test_every_room_with_public_names_is_in_the_reference():
    listed = re.findall(r"^   (tacit[\w.]*)$", (ROOT / "docs/reference/index.md").read_text(), re.MULTILINE)
    rooms = ["tacit", *(f"tacit.{room.name}" for room in pkgutil.iter_modules(tacit.__path__))]
    assert {room for room in rooms if hasattr(import_module(room), "__all__")} - set(listed) == set()


@pytest.mark.parametrize("page", sorted((ROOT / "docs/learners").glob("*.md")), ids=lambda page: page.stem)
def test_a_learners_page_says_first_when_to_take_it_and_what_it_releases(page):
    if page.stem != "index":
        headings = re.findall(r"^## (.*)", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert headings[:2] == ["When to take it", "What it releases"]
        assert headings[-1] == "Known limits"


def test_the_schemas_page_has_every_field_of_a_schema_file():
    page = (ROOT / "docs/schema.md").read_text(encoding="utf-8")
    # `indicates` and `listed` are made by the schema, and no file has them; `from_table` is called `from` there.
    asked = {
        each.name for kind in (Numeric, Categorical, Label, Target, Identifier, FileFormat) for each in fields(kind)
    }
    asked = asked - {"indicates", "listed", "from_table"} | {
        "from",
        "[[table]]",
        "columns",
        "guessed",
        "learned",
        "rows_per_person",
        "[ignored]",
        "format",
    }
    said = set(re.findall(r"^\| ([^|]*) \|", page, re.MULTILINE))
    assert asked - {name for cell in said for name in re.findall(r"`([^`]+)`", cell)} == set()
