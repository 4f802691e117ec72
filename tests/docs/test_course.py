"""The course's chapters run one after the other in one folder, as its reader runs them."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

COURSE = Path(__file__).parents[2] / "docs/course.md"
CHAPTERS = [COURSE.parent / f"{name}.md" for name in re.findall(r"^course/[a-z-]+$", COURSE.read_text(), re.MULTILINE)]


def test_every_chapter_leads_to_the_next():
    assert sorted(CHAPTERS) == sorted(COURSE.parent.glob("course/*.md"))
    for chapter, following in itertools.pairwise(CHAPTERS):
        title = following.read_text().splitlines()[0].removeprefix("# ").split(". ")[1]
        said = chapter.read_text().splitlines()[-1]
        assert said.casefold() == f"Next: [{title}]({following.name}).".casefold()


@pytest.mark.filterwarnings("ignore")
def test_the_course_runs_from_the_first_chapter_to_the_last(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for chapter in CHAPTERS:
        # Each begins with nothing but the files of those before it.
        names: dict[str, object] = {"__name__": "example"}
        for block in re.findall(r"```python\n(.*?)```", chapter.read_text(), re.DOTALL):
            exec(compile(block, chapter.name, "exec", dont_inherit=True), names)
        printed = capsys.readouterr().out
        for said in re.findall(r"```text\n(.*?)```", chapter.read_text(), re.DOTALL):
            assert all(line in printed for line in said.splitlines()), chapter.name
    made = {path.name for path in tmp_path.iterdir()}
    assert {"visits.csv", "schema.toml", "model.json", "card.html", "year.ledger", "parts"} <= made
