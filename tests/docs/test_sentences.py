"""What a person reads of a model, a command or an error has no sentence of more than 25 words."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from tacit.cli.app import app

ROOT = Path(__file__).parents[2]
MAX_WORDS = 25
MODELS = sorted((ROOT / "tests/golden/format-1").glob("*.model.json"))
ELSEWHERE = ("tacit/verify/",)
"""Mended with the room that they are in, as programs outside of this repository quote them."""

_BLOCKS = (
    r"</?(?:p|li|t[dhr]|h\d|div|d[tdl]|[uo]l|br|title|section|table|label|button|summary|figcaption|caption)\b[^>]*>"
)


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


def literals(tree: ast.AST) -> Iterator[str]:
    """Yield texts that are neither docstrings nor programs, with a word in each place that is filled in."""
    inner: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inner.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            inner.update(id(each) for each in ast.walk(node) if each is not node)
    for node in ast.walk(tree):
        if id(node) in inner:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not is_program(node.value):
            yield node.value


def is_program(text: str) -> bool:
    """Return whether a text of several lines is Python, which another process runs."""
    try:
        return "\n" in text and bool(ast.parse(text))
    except SyntaxError:
        return False


def commands(command: click.Command, parent: click.Context | None = None) -> Iterator[click.Command]:
    loaded = command.loaded() if hasattr(command, "loaded") else command
    context = click.Context(loaded, parent=parent)
    yield loaded
    # Groups of typer are none of click's own class.
    for name in loaded.list_commands(context) if hasattr(loaded, "list_commands") else ():
        yield from commands(loaded.get_command(context, name), context)


def helped(command: click.Command) -> str:
    return "\n\n".join([command.help or "", *(getattr(each, "help", None) or "" for each in command.params)])


def test_messages_have_short_sentences():
    found = {}
    for path in sorted((ROOT / "src/tacit").rglob("*.py")):
        if not any(each in path.as_posix() for each in ELSEWHERE):
            long = [each for text in literals(ast.parse(path.read_text("utf-8"))) for each in too_long(text)]
            found |= {path.name: long} if long else {}
    assert found == {}


def test_help_has_short_sentences():
    texts = [helped(each) for each in commands(get_command(app))]
    assert len(texts) > 25 and sum(map(len, texts)) > 5_000
    assert [each for text in texts for each in too_long(text)] == []


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name.split(".")[0])
def test_a_model_is_described_in_short_sentences(path, tmp_path):
    card = tmp_path / "card.html"
    shown = [
        CliRunner().invoke(app, ["inspect", str(path), *options], env={"COLUMNS": "4000"})
        for options in ([], ["--all", "--releases"], ["--html", str(card)])
    ]
    assert [each.exit_code for each in shown] == [0, 0, 0]
    page = re.sub(r"<(style|script|svg)\b.*?</\1>", " ", card.read_text("utf-8"), flags=re.DOTALL)
    page = html.unescape(re.sub(r"<[^>]+>", "", re.sub(_BLOCKS, "\n\n", page)))
    # What a file of an earlier version says of itself is read as it is.
    stored = path.read_text("utf-8").lower()
    found = [each for text in (*(result.stdout for result in shown), page) for each in too_long(text)]
    assert [each for each in found if each.removeprefix("- ").rstrip(".").lower() not in stored] == []


def test_long_sentences_are_found():
    words = " ".join(["word"] * MAX_WORDS)
    assert too_long(f"{words}.") == []
    assert too_long(f"Short. {words} more.") == [f"{words} more."]
    source = f'"""{words} docstring."""\nraise ValueError(f"{words} of {{name}}.")\n'
    assert [len(too_long(text)) for text in literals(ast.parse(source))] == [1]
