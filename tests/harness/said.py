"""What a person reads of Tacit, as texts: messages, help, and what is printed of models."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Iterator
from pathlib import Path

import click
from typer.main import get_command
from typer.testing import CliRunner

from tacit.cli.app import app

ROOT = Path(__file__).parents[2]
MODELS = sorted((ROOT / "tests/golden/format-1").glob("*.model.json"))
SOURCES = sorted((ROOT / "src/tacit").rglob("*.py"))
FILLED = "\0"
"""Where a message has a value."""

_BLOCKS = (
    r"</?(?:p|li|t[dhr]|h\d|div|d[tdl]|[uo]l|br|title|section|table|label|button|summary|figcaption|caption)\b[^>]*>"
)


def literals(tree: ast.AST) -> Iterator[str]:
    """Yield texts that are neither docstrings, programs nor lists of names that are split."""
    inner: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inner.add(id(node.value))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
            inner.add(id(node.func.value))
        if isinstance(node, ast.JoinedStr):
            inner.update(id(each) for each in ast.walk(node) if each is not node)
    for node in ast.walk(tree):
        if id(node) in inner:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else FILLED for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not is_program(node.value):
            yield node.value


def is_program(text: str) -> bool:
    """Return whether a text of several lines is Python, which another process runs."""
    try:
        return "\n" in text and bool(ast.parse(text))
    except SyntaxError:
        return False


def help_texts() -> list[str]:
    """Return what ``--help`` says of each command and its options."""
    return [_helped(each) for each in _commands(get_command(app))]


def model_texts(path: Path, card: Path) -> list[str]:
    """Return what ``inspect`` prints of a model, short and whole, and what its card says, which is written."""
    shown = [
        CliRunner().invoke(app, ["inspect", str(path), *options], env={"COLUMNS": "4000"})
        for options in ([], ["--all", "--releases"], ["--html", str(card)])
    ]
    assert [each.exit_code for each in shown] == [0, 0, 0]
    page = re.sub(r"<(style|script|svg)\b.*?</\1>", " ", card.read_text("utf-8"), flags=re.DOTALL)
    page = html.unescape(re.sub(r"<[^>]+>", "", re.sub(_BLOCKS, "\n\n", page)))
    return [*(each.stdout for each in shown), page]


def _commands(command: click.Command, parent: click.Context | None = None) -> Iterator[click.Command]:
    loaded = command.loaded() if hasattr(command, "loaded") else command
    context = click.Context(loaded, parent=parent)
    yield loaded
    # Groups of typer are none of click's own class.
    for name in loaded.list_commands(context) if hasattr(loaded, "list_commands") else ():
        yield from _commands(loaded.get_command(context, name), context)


def _helped(command: click.Command) -> str:
    return "\n\n".join([command.help or "", *(getattr(each, "help", None) or "" for each in command.params)])
