"""A field of a schema's entry as it is asked for in the terminal, and what a typed answer means."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import typer

from tacit.cli.console import shown
from tacit.errors import SchemaError
from tacit.schema import Value
from tacit.schema.entry_fields import Field
from tacit.schema.entry_words import literal

_TRUE_FALSE = {"true": True, "false": False}


def asked(words: str, default: object) -> str:
    """Ask for a line, which Enter leaves as it is; None for one that must be typed."""
    if default is None:
        return str(typer.prompt(words, err=True)).strip()
    known = f" [{shown(str(default))}]" if default != "" else ""  # shown here: a category may hold control characters
    return str(typer.prompt(words + known, default=str(default), show_default=False, err=True)).strip()


def chosen_names(line: str, known: Collection[str]) -> list[str]:
    """Return the names in a line.

    Raises
    ------
    SchemaError
        If one is not known.
    """
    names = _words(line)
    if unknown := [name for name in names if name not in known]:
        raise SchemaError(f"Expected fields of the entry, got {unknown[0]!r}. Type some of {', '.join(known)}.")
    return names


def answered(
    field: Field,
    known: Any,
    pairs: Mapping[str, Any],
    *,
    was: Mapping[str, Any] | None = None,
    line: str | None = None,
    as_numbers: bool = False,
) -> Any:
    """Return the value that is typed for a field; None where it is to be left out.

    Parameters
    ----------
    field : Field
    known : value or None
        What it is now, which Enter keeps.
    pairs : mapping of str to value
        The entry's lines as far as they are answered: its list says what some values may be.
    was : mapping of str to value, optional
        Its lines before.
    line : str, optional
        What was typed, where it was asked for before.
    as_numbers : bool
        Whether values of a list that is new are numbers.

    Raises
    ------
    SchemaError
        If what is typed is no such value; the entry checks the rest.
    """
    if field.editor == "values":
        return _listed(known or (), as_numbers=as_numbers)
    if field.editor == "flag":
        return typer.confirm(f"{field.label}?", default=bool(known), err=True) or None
    before = _before(field, known)
    if field.editor == "one" and known is not None and _is_struck(known, pairs, was or pairs):
        before, known = ("missing" if field.name == "missing" else field.unset), None
    said = asked(_question(field), before) if line is None else line
    if known is not None and said == before:
        return known  # what is not touched stays as it is, even where nobody could type it
    if said == field.unset and not field.always:
        return None
    return _READ[field.editor](said, field, pairs)


def _question(field: Field) -> str:
    """Return the label with its hint and the words that can be chosen."""
    words = [f"{word}: {means}" if word.strip() else means for word, means in field.words]
    unset = (
        []
        if field.always or field.unset in dict(field.words) or "none:" in field.hint
        else [f"{field.unset}: not said"]
    )
    parts = [part for part in (field.hint, *(words if field.editor == "choice" else ()), *unset) if part]
    return f"{field.label} ({'; '.join(parts)})" if parts else field.label


def _before(field: Field, known: Any) -> str | None:
    """Return what Enter keeps, as it is shown."""
    if known is None:
        return None if field.always and field.unset == "none" else field.unset
    if isinstance(known, Mapping):
        return _line([f"{text} = {by}" for text, by in known.items()])
    return _line(map(_written, known)) if isinstance(known, list | tuple) else _written(known)


def _is_struck(known: Value, pairs: Mapping[str, Any], was: Mapping[str, Any]) -> bool:
    """Return whether a category was struck: it is not to be published as what an empty cell counts as, either."""
    return known in was.get("categories", ()) and known not in pairs.get("categories", ())


def _line(words: Any) -> str:
    """Return words with commas between, in quotes where they hold one."""
    return ", ".join(f'"{word.replace(chr(34), chr(34) * 2)}"' if set(word) & set(',"') else word for word in words)


def _listed(values: Sequence[Value], *, as_numbers: bool = False) -> tuple[Value, ...]:
    """Return the values less those struck and with those added, which get the type of the others."""
    kept = values
    if values:
        struck = _words(asked("Strike (with commas between, Enter for none)", ""))
        if unknown := [word for word in struck if word not in map(_written, values)]:
            raise SchemaError(f"Expected values of the list, got {unknown[0]!r}. Type them as they are shown.")
        kept = [value for value in values if _written(value) not in struck]
    added = _words(asked("Add (with commas between, Enter for none)" if values else "Values, with commas between", ""))
    sort = type(values[0]) if values else None
    return (*kept, *(_typed(word, sort, as_numbers) for word in added))


def _words(line: str) -> list[str]:
    """Return the words of a line, of which some may be in quotes for their commas."""
    found = next(csv.reader([line], skipinitialspace=True), [])
    return [word.strip() for word in found if word.strip()]


def _written(value: object) -> str:
    return value if isinstance(value, str) else literal(value)


def _typed(word: str, sort: type | None, as_numbers: bool) -> Value:
    if sort is bool and word in _TRUE_FALSE:
        return _TRUE_FALSE[word]
    return _number(word) if sort in (int, float) or (sort is None and as_numbers) else word


def _number(text: str) -> int | float | str:
    """Return a number if the text is one; a text else, which may be a date, or is refused by the entry."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def _as_listed(said: str, pairs: Mapping[str, Any]) -> Value:
    """Return the value of the entry's list that is written so; else the text."""
    values = pairs.get("categories", pairs.get("classes", ()))
    return next((value for value in values if _written(value) == said), said)


def _choice(said: str, field: Field, _: object) -> object:
    """Return the word that is chosen, by itself or by what it means."""
    for word, means in field.words:
        if said in (word, means):
            return _TRUE_FALSE.get(word, word)
    offered = ", ".join(word if word.strip() else means for word, means in field.words)
    raise SchemaError(f"Expected one of {offered} for {field.name}, got {said!r}. Type one of them.")


def _pairs(said: str, field: Field, _: object) -> dict[str, str]:
    """Return texts and what each is read as."""
    found: dict[str, str] = {}
    for word in _words(said):
        text, sign, by = (part.strip() for part in word.partition(" = " if " = " in word else "="))
        if not sign or text in found:
            raise SchemaError(f"Expected each text once, as in f = female, for {field.name}, got another. Type pairs.")
        found[text] = by
    return found


def _text(said: str, *_: object) -> str:
    """Return a text; one in quotes may be a word that means something, or begin with a blank."""
    return said[1:-1] if len(said) > 1 and said[0] == said[-1] == '"' else said


_READ: dict[str, Callable[[str, Field, Mapping[str, Any]], Any]] = {
    "bound": lambda said, *_: _number(said),
    "count": lambda said, *_: _number(said),
    "bounds": lambda said, *_: tuple(map(_number, _words(said))),
    "shares": lambda said, *_: tuple(map(_number, _words(said))),
    "codes": lambda said, *_: tuple(map(_number, _words(said))),
    "texts": lambda said, *_: tuple(_words(said)),
    "text": _text,
    "choice": _choice,
    "pairs": _pairs,
    "one": lambda said, _, pairs: _as_listed(_text(said), pairs),
    "some": lambda said, _, pairs: tuple(_as_listed(word, pairs) for word in _words(said)),
}
