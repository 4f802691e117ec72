"""Words that nobody else in the field uses may become fewer, and no more."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAX_FOUND = {
    r"laws?": 0,
    r"(?:MOST|LARGEST|LEAST|FEWEST)_[A-Z_]+": 0,
    r"drawn (?:tables?|data)": 0,
    r"told apart": 0,
    r"anew": 0,
    r"whoever": 0,
    r"what stands": 0,
    r"c[ao]mes? true": 0,
    r"undoes": 7,
    r"told": 187,
    r"beside": 275,
}
"""How often each is in code and pages at most; a change that takes some out lowers the number."""


@cache
def written() -> str:
    pages = [*ROOT.glob("src/tacit/**/*.py"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("proofs/**/*.md")]
    pages += [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "DESIGN.md", "CONTRIBUTING.md", "SECURITY.md")]
    return "\n".join(page.read_text(encoding="utf-8") for page in pages if "_build" not in page.parts)


@pytest.mark.parametrize(("words", "most"), MAX_FOUND.items(), ids=MAX_FOUND)
def test_a_word_becomes_no_more_frequent(words, most):
    found = re.findall(rf"(?<![\w-])_?{words}\b", written(), re.IGNORECASE if words.islower() else 0)
    assert len(found) <= most, f"say it in the field's words: {sorted(set(found))}"


def test_the_pages_are_read():
    assert len(re.findall(r"\bepsilon\b", written())) > 1000
