"""Every word of the pages is in a dictionary of English, or in docs/words.txt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("proofs/**/*.md"), *ROOT.glob("docs/gallery/*.*")]
PAGES = [page for page in PAGES if page.suffix in (".md", ".py", ".rst") and "generated" not in page.parts]
NO_WORDS = (
    r"(?ms)^(```|~~~).*?^\1",  # examples
    r"(?m)^    .*$",
    r"``?[^`]*``?",
    r"\]\([^)]*\)",  # where links lead
    r"https?://\S+",
)

pytestmark = pytest.mark.site


def words(text: str) -> set[str]:
    """Return what is written in plain words: no code, no names of files, no abbreviations."""
    for pattern in NO_WORDS:
        text = re.sub(pattern, " ", text)
    found = re.findall(r"(?<![\w./-])[A-Za-z]{3,}(?:'[a-z]+)?(?![\w/])", text)
    return {word.lower().removesuffix("'s") for word in found if not word.isupper()}


def prose(page: Path) -> str:
    """Return a page, or of a script its docstring and the comments between its blocks."""
    text = page.read_text(encoding="utf-8")
    if page.suffix != ".py":
        return text
    return "\n".join([text.split('"""')[1], *re.findall(r"(?m)^# (.*)", text)])


@pytest.fixture(scope="module")
def known():
    spellchecker = pytest.importorskip("spellchecker", reason="needs the extra docs")
    checker = spellchecker.SpellChecker()
    checker.word_frequency.load_words((ROOT / "docs/words.txt").read_text(encoding="utf-8").lower().split())
    return checker


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_word_is_known(page, known):
    assert sorted(known.unknown(words(prose(page)))) == [], "correct them, or add names and terms to docs/words.txt"


def test_a_misspelled_word_is_found(known):
    assert known.unknown(words("The acuracy of `acuracy` and [a model](acuracy.md), optimised.")) == {
        "acuracy",
        "optimised",
    }
