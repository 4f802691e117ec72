"""Every Python example in README and docs runs, and every link between pages leads somewhere."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tacit.datasets import load
from tacit.errors import DatasetUnavailable

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("proofs/**/*.md")]
# The chapters of the course need each other's files: test_course.py.
WITH_EXAMPLES = [page for page in PAGES if "```python" in page.read_text() and page.parent.name != "course"]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name)
def test_examples_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = page.read_text()
    for data in set(re.findall(r"load\(\"([a-z-]+)\"\)", text)):
        try:
            load(data, downloads="never")
        except DatasetUnavailable as error:
            pytest.skip(str(error))
    names: dict[str, object] = {"__name__": "example"}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(block, name(page), "exec", dont_inherit=True), names)  # not this file's __future__


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
        # What `make docs` generates is checked in the built site.
        if not target.removeprefix("../").startswith(("http:", "https:", "mailto:", "generated/")):
            assert os.path.exists(page.parent / target), f"{name(page)} points to {target}"
