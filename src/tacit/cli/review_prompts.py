"""The review of a schema in the terminal: entry by entry, each answer kept before the next is asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import typer

from tacit.cli.console import Terminal, quoted
from tacit.cli.review_changes import changed
from tacit.errors import SchemaError
from tacit.schema import Schema
from tacit.schema.decisions import accepted, left_out, reviewed_toml, with_privacy_turned
from tacit.schema.drafted import DraftEntry, entries_of, n_undecided

_CHOICES = {
    "a": "accept",
    "A": "accept all of this kind",
    "c": "change",
    "x": "leave out",
    "h": "leave out and do not name",
    "p": "private or public",
    "u": "undo",
    "n": "later",
    "q": "quit",
}

_MOST_UNKNOWN = 20
"""Answers in a row that are no choice: input that comes from a program, and would never end."""


def ask_all(schema: Schema, path: Path, reasons: Mapping[str, str], terminal: Terminal) -> Schema:
    """Ask for each guessed entry what to do, and return the schema as it is at the end.

    The file is written, whole, after each answer: stopping at any moment loses none.
    """
    return _Asking(schema, path, reasons, terminal).run()


class _Asking:
    def __init__(self, schema: Schema, path: Path, reasons: Mapping[str, str], terminal: Terminal) -> None:
        self.path, self.reasons, self.terminal = path, reasons, terminal
        self.past = [schema]
        self.later: set[str] = set()
        self.unknown = 0

    @property
    def schema(self) -> Schema:
        return self.past[-1]

    def run(self) -> Schema:
        try:
            while (entry := self._next()) and self._answered(entry):
                pass
        except (typer.Abort, KeyboardInterrupt):  # Ctrl-C and the end of the input: nothing is lost
            self.terminal.note("")
        return self.schema

    def _next(self) -> DraftEntry | None:
        open_entries = [entry for entry in entries_of(self.schema, self.reasons) if entry.guessed]
        return next((entry for entry in open_entries if entry.name not in self.later), None)

    def _answered(self, entry: DraftEntry) -> bool:
        self.terminal.say("", *_lines(entry, self.schema))
        offered = {key: words for key, words in _CHOICES.items() if entry.kind != "label" or key not in "xh"}
        words = ", ".join(f"[{key}] {words}" for key, words in offered.items())
        answer = typer.prompt(words, default="", show_default=False, err=True).strip()
        if answer == "q":
            return False
        if answer not in offered:
            self.terminal.note(f"Type one of {', '.join(offered)}.")
            self.unknown += 1
            return self.unknown < _MOST_UNKNOWN
        self.unknown = 0
        try:
            self._decide(answer, entry)
        except SchemaError as error:
            self.terminal.note(str(error))
        return True

    def _decide(self, answer: str, entry: DraftEntry) -> None:
        if answer == "n":
            self.later.update(entry.names)
        elif answer == "u":
            self._undo()
        else:
            self._keep(self._decided(answer, entry))

    def _decided(self, answer: str, entry: DraftEntry) -> Schema:
        if answer == "a":
            return accepted(self.schema, entry.names)
        if answer == "A":
            return self._accepted_alike(entry)
        if answer == "c":
            return changed(self.schema, entry)
        if answer == "p":
            return with_privacy_turned(self.schema, entry.names)
        return left_out(self.schema, entry.names) if answer == "x" else left_out(self.schema, entry.names, reason=None)

    def _accepted_alike(self, entry: DraftEntry) -> Schema:
        """Accept what has been shown at least once, here if not before."""
        alike = [each for each in entries_of(self.schema) if each.guessed and each.kind == entry.kind]
        self.terminal.say(*(f"  {_heading(each)}: {'; '.join(_values(each))}" for each in alike))
        if not typer.confirm(f"Accept these {len(alike)} as they are?", err=True):
            return self.schema
        return accepted(self.schema, [name for each in alike for name in each.names])

    def _undo(self) -> None:
        if len(self.past) == 1:
            self.terminal.note("Nothing to undo.")
            return
        self.past.pop()
        self.later.clear()
        self._write()

    def _keep(self, schema: Schema) -> None:
        if schema != self.schema:
            self.past.append(schema)
            self._write()

    def _write(self) -> None:
        from tacit.saving import write_atomically

        write_atomically(self.path, reviewed_toml(self.schema))


def _lines(entry: DraftEntry, schema: Schema) -> list[str]:
    return [
        f"{_heading(entry)} ({entry.section}; {n_undecided(schema)} left)",
        *(f"    {line}" for line in _values(entry)),
        f"  Why: {entry.reason}.",
        f"  Published: {entry.publishes}.",
        f"  {entry.way}",
    ]


def _heading(entry: DraftEntry) -> str:
    return ", ".join(entry.names)


def _values(entry: DraftEntry) -> list[str]:
    """Return the lines of an entry's TOML, less those that say its name and that it is a guess."""
    return [line for line in entry.toml.splitlines()[1:] if not line.startswith(("name =", "columns =", "guessed ="))]


def left_words(schema: Schema, path: Path) -> str:
    """Say what is left after a review, and what comes next."""
    if n_undecided(schema):
        return f"{n_undecided(schema)} left to decide; the answers are in {quoted(path)}. The same command goes on."
    return f"Everything is decided. Look at it with: tacit schema check {quoted(path)}"
