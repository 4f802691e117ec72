"""What a person reads of a model, a command or an error has no sentence of more than 25 words."""

from __future__ import annotations

import ast
import re

import pytest

from harness.said import FILLED, MODELS, SOURCES, help_texts, literals, model_texts

MAX_WORDS = 25
ELSEWHERE = ("tacit/verify/",)
"""Mended with the room that they are in, as programs outside of this repository quote them."""


def too_long(text: str) -> list[str]:
    """Return the sentences of more words; lists of columns and numbers, and lines of a list, are none."""
    parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n|\n(?=\s*[-#+A-Z\d])", text)]
    sentences = [each for part in parts for each in re.split(r"(?<=[.!?:])[\"')]?\s+", part)]
    return [
        each
        for each in sentences
        if re.search(r"[.!?:][\"')]?$", each)
        and len([word for word in each.split() if re.search("[A-Za-z]", word)]) > MAX_WORDS
    ]


def test_messages_have_short_sentences():
    found = {}
    for path in SOURCES:
        if not any(each in path.as_posix() for each in ELSEWHERE):
            texts = [text.replace(FILLED, "x") for text in literals(ast.parse(path.read_text("utf-8")))]
            long = [each for text in texts for each in too_long(text)]
            found |= {path.name: long} if long else {}
    assert found == {}


def test_help_has_short_sentences():
    texts = help_texts()
    assert len(texts) > 25 and sum(map(len, texts)) > 5_000
    assert [each for text in texts for each in too_long(text)] == []


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name.split(".")[0])
def test_a_model_is_described_in_short_sentences(path, tmp_path):
    # What a file of an earlier version says of itself is read as it is.
    stored = path.read_text("utf-8").lower()
    found = [each for text in model_texts(path, tmp_path / "card.html") for each in too_long(text)]
    assert [each for each in found if each.removeprefix("- ").rstrip(".").lower() not in stored] == []


def test_long_sentences_are_found():
    words = " ".join(["word"] * MAX_WORDS)
    assert too_long(f"{words}.") == []
    assert too_long(f"Short. {words} more.") == [f"{words} more."]
    source = f'"""{words} docstring."""\nraise ValueError(f"{words} of {{name}}.")\n'
    assert [len(too_long(text)) for text in literals(ast.parse(source))] == [1]
