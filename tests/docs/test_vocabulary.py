"""What a person reads has the words of the glossary, of ``docs/words.txt``, of scikit-learn, and common ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
import sklearn

from harness.said import FILLED, MODELS, ROOT, SOURCES, help_texts, literals, model_texts

COMMON = Path(__file__).with_name("common-words.txt")
NOT_SAID = ("__init__.py", "guesses/vocabulary.py", "ledger/place.py")
"""Names of Python's, of people's columns in many languages, and of file systems."""

_CODE = re.compile(
    r"`[^`]*`"  # what is typed
    r"|\{[^}\s]*\}"  # what is filled in
    r"|https?://\S+"
    r"|openssl \S+.*?\.pem"
    r"|\[[^\]\s]*\]"  # extras of packages, tables of a schema
    r"|'[^'\s]+'"  # values of parameters
    r"|\S*[_=/\\]\S*"  # names in programs, paths
    r"|(?<!\w)--?[a-z][\w-]*"  # options
    r"|\b[\w-]+\.(?=[a-z])[\w.]+"  # names of files
)
_NO_SENTENCE = re.compile(r"\w+(, \w+)+|bold red|radius public bends short joined curved")
"""Columns of queries, the terminal's colors, fields of files."""

_ENDINGS = {
    "ies": "y",
    "ied": "y",
    "ier": "y",
    "es": "",
    "s": "",
    "ed": "",
    "ing": "",
    "er": "",
    "est": "",
    "ly": "",
    "d": "",
}


def said(text: str) -> set[str]:
    """Return the words of a text, in small letters, without code, numbers and abbreviations."""
    found = re.findall(r"(?<![\w.])[A-Za-z]{3,}(?:'[a-z]+)?(?![\w(])", _CODE.sub(" ", text))
    return {re.sub(r"'s?$", "", word.lower()) for word in found if not re.search("[A-Z]", word[1:])}


def forms(word: str) -> Iterator[str]:
    """Yield a word and what it may be a plural, a tense or a comparison of."""
    yield word
    for ending, instead in _ENDINGS.items():
        if word.endswith(ending):
            stem = word.removesuffix(ending) + instead
            yield from (stem, f"{stem}e", re.sub(r"(.)\1$", r"\1", stem))


@cache
def known() -> frozenset[str]:
    pages = (ROOT / "docs/glossary.md", ROOT / "docs/words.txt", COMMON)
    return frozenset(re.findall("[a-zé]+", "\n".join([*(page.read_text("utf-8").lower() for page in pages), taught()])))


def taught() -> str:
    """Return scikit-learn's docstrings."""
    folder = Path(sklearn.__file__).parent
    files = [path for path in folder.rglob("*.py") if not {"tests", "externals"} & set(path.parts)]
    nodes = (node for path in files for node in ast.walk(ast.parse(path.read_text("utf-8"))))
    documented = (node for node in nodes if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef))
    return "\n".join(ast.get_docstring(node, clean=False) or "" for node in documented).lower()


def unknown(texts: Iterable[str]) -> list[str]:
    words = {word for text in texts for word in said(text)}
    return sorted(word for word in words if not any(each in known() for each in forms(word)))


def messages(source: str) -> list[str]:
    """Return the texts of a module that have two words after each other."""
    texts = literals(ast.parse(source))
    return [
        text
        for text in texts
        if re.search(r"[a-z]{2,}[,:;]? [a-z]{2,}", text)
        and not _NO_SENTENCE.fullmatch(text)
        and not re.search(r"[{};]\s*\n|<\w+|default-src", text)
    ]


def test_messages_have_known_words():
    found = {}
    for path in SOURCES:
        if not path.as_posix().endswith(NOT_SAID):
            words = unknown(messages(path.read_text("utf-8")))
            found |= {path.relative_to(ROOT).as_posix(): words} if words else {}
    assert found == {}, "say it in plain words, or define the word in docs/glossary.md; names are in docs/words.txt"


def test_help_has_known_words():
    assert unknown(help_texts()) == []


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name.split(".")[0])
def test_a_model_is_described_in_known_words(path, tmp_path):
    named = said(re.sub(r"[^A-Za-z']+", " ", path.read_text("utf-8")))
    assert [word for word in unknown(model_texts(path, tmp_path / "card.html")) if word not in named] == []


def test_a_made_up_word_is_found():
    source = (ROOT / "src/tacit/cli/failures.py").read_text("utf-8")
    assert "Expected" in source and unknown(messages(source)) == []
    assert unknown(messages(source.replace("Expected", "Unbefurlt", 1))) == ["unbefurlt"]
    assert unknown(['Expected two bins, got n_bins={n}. "tacit fit --unbefurlt" sets xnothing.']) == ["xnothing"]


def test_another_form_of_a_known_word_is_known():
    assert unknown(["Noisier sums, dividing, stopped, privacies, bins."]) == []


def test_what_is_filled_in_is_no_word():
    assert said(f"Expected {FILLED}s of x{FILLED}y, got 'auto', a.toml and [extra].") == {"expected", "got", "and"}
