"""The review of a schema in the terminal: entry by entry, each answer kept before the next is asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import typer

from tacit.cli.console import Terminal, quoted
from tacit.cli.review_answers import asked
from tacit.cli.review_changes import changed, with_fields
from tacit.cli.review_file import ReviewFile
from tacit.errors import SchemaError
from tacit.schema import Schema
from tacit.schema.decisions import accepted, left_out, with_privacy_turned, with_reason
from tacit.schema.drafted import DraftEntry, entries_of, n_undecided, table_entry

_CHOICES = {
    "a": "accept",
    "A": "accept all of this kind",
    "c": "change",
    "f": "change any field",
    "x": "leave out",
    "h": "leave out and do not name",
    "p": "private or public",
    "r": "reason",
    "g": "go to another entry",
    "t": "the table as a whole",
    "u": "undo",
    "n": "later",
    "q": "quit",
}
_OF_ALL = "gtunq"
_OFFERED = {
    "label": "aAcfp",
    "target": "aAcfp",
    "identifier": "aAcfxh",
    "left out": "chr",
    "side table": "ax",
    "table": "c",
}
"""What may be done with an entry, beside what always may; other kinds take all but a reason."""

_MAX_UNKNOWN = 20
"""Answers in a row that are no choice: input that comes from a program, and would never end."""


def ask_all(schema: Schema, file: ReviewFile, reasons: Mapping[str, str], terminal: Terminal) -> Schema:
    """Ask for each guessed entry what to do, and return the schema as it is at the end.

    The file is written, whole, after each answer: stopping at any moment loses none.
    """
    return _Asking(schema, file, reasons, terminal).run()


class _Asking:
    def __init__(self, schema: Schema, file: ReviewFile, reasons: Mapping[str, str], terminal: Terminal) -> None:
        self.file, self.reasons, self.terminal = file, reasons, terminal
        self.past = [schema]
        self.later: set[str] = set()
        self.wanted = ""
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

    def _entries(self) -> tuple[DraftEntry, ...]:
        return (*entries_of(self.schema, self.reasons), table_entry(self.schema))

    def _next(self) -> DraftEntry | None:
        """Return the entry that was asked for, else the next one to decide; None at the end."""
        entries = self._entries()
        wanted, self.wanted = self.wanted, ""
        if wanted:
            return next(entry for entry in entries if wanted in _called(entry))
        if found := next((each for each in entries if each.guessed and each.name not in self.later), None):
            return found
        if n_undecided(self.schema):
            return None
        said = asked("Everything is decided. The name of an entry to look at it again, or Enter to finish", "")
        if said:
            self._go_to(said)
        return self._next() if said else None

    def _go_to(self, name: str) -> None:
        if any(name in _called(entry) for entry in self._entries()):
            self.wanted = name
        else:
            self.terminal.note(
                f"There is no entry of this name. Type one of {', '.join(map(_heading, self._entries()))}."
            )

    def _answered(self, entry: DraftEntry) -> bool:
        self.terminal.say("", *_lines(entry, self.schema))
        own = _OFFERED.get(entry.kind, "aAcfxhp")
        offered = {
            key: words
            for key, words in _CHOICES.items()
            if key in _OF_ALL or (key in own and (entry.guessed or key not in "aA"))
        }
        words = ", ".join(f"[{key}] {words}" for key, words in offered.items())
        answer = typer.prompt(words, default="", show_default=False, err=True).strip()
        if answer == "q":
            return False
        if answer not in offered:
            self.terminal.note(f"Type one of {', '.join(offered)}.")
            self.unknown += 1
            return self.unknown < _MAX_UNKNOWN
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
        elif answer == "g":
            self._go_to(asked("Name of the entry", None))
        elif answer == "t":
            self.wanted = _WHOLE
        else:
            self._keep(self._decided(answer, entry))

    def _decided(self, answer: str, entry: DraftEntry) -> Schema:
        if answer == "A":
            return self._accepted_alike(entry)
        if answer == "r" or (answer == "h" and entry.kind == "left out"):
            reason = asked("Why it is left out, which is published", entry.reason) if answer == "r" else None
            return with_reason(self.schema, entry.name, reason)
        if answer in "cf":
            return (changed if answer == "c" else with_fields)(self.schema, entry)
        if answer in "xh":
            return left_out(self.schema, entry.names, **({} if answer == "x" else {"reason": None}))
        return (accepted if answer == "a" else with_privacy_turned)(self.schema, entry.names)

    def _accepted_alike(self, entry: DraftEntry) -> Schema:
        """Accept what has been shown at least once, here if not before; no texts that may name somebody."""
        alike = [each for each in entries_of(self.schema) if each.guessed and each.kind == entry.kind]
        taken = [each for each in alike if not (each.is_accepted_alone or each.lacks)]
        self.terminal.say(*(f"  {_heading(each)}: {'; '.join(_values(each))}" for each in taken))
        if alone := [_heading(each) for each in alike if each.is_accepted_alone]:
            self.terminal.say(
                f"  Not among them: {', '.join(alone)}. Texts of several words, of more than 20 characters or with six "
                "digits may name somebody: decide each by itself."
            )
        if not taken or not typer.confirm(f"Accept these {len(taken)} as they are?", err=True):
            return self.schema
        return accepted(self.schema, [name for each in taken for name in each.names])

    def _undo(self) -> None:
        if len(self.past) == 1:
            self.terminal.note("Nothing to undo.")
            return
        self.past.pop()
        self.later.clear()
        self.file.write(self.schema)

    def _keep(self, schema: Schema) -> None:
        if schema != self.schema:
            self.file.write(schema)
            self.past.append(schema)


_WHOLE = "The table as a whole"


def _called(entry: DraftEntry) -> tuple[str, ...]:
    return entry.names or (_WHOLE,)


def _lines(entry: DraftEntry, schema: Schema) -> list[str]:
    return [
        f"{_heading(entry)} ({entry.section}; {n_undecided(schema)} left)",
        *(f"    {line}" for line in _values(entry)),
        f"  Why: {entry.reason}.",
        f"  Published: {entry.publishes}.",
        f"  {entry.way}",
    ]


def _heading(entry: DraftEntry) -> str:
    return ", ".join(_called(entry))


def _values(entry: DraftEntry) -> list[str]:
    """Return the lines of an entry's TOML, less those that say its name and that it is a guess."""
    if entry.kind == "left out":
        return []
    lines = entry.toml.splitlines()[0 if entry.kind == "table" else 1 :]
    if entry.kind == "side table":  # its columns have names, too
        return [line for line in lines[1:] if line and not line.startswith("guessed =")]
    return [line for line in lines if not line.startswith(("name =", "columns =", "guessed ="))]


def left_words(schema: Schema, path: Path) -> str:
    """Say what is left after a review, and what comes next."""
    if n_undecided(schema):
        return f"{n_undecided(schema)} left to decide; the answers are in {quoted(path)}. The same command goes on."
    return f"Everything is decided. Look at it with: tacit schema check {quoted(path)}"
