"""What is said of an entry as it is now: why it is so, what to check, and what publishing it tells everybody.

All of it follows from the kind of the entry and from its lines in a schema file. The page of a review gets the
sentences as data and puts them together in the same way (``report/page/review_words.js``), so that neither can say what
the other does not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from tacit.schema.entry_fields import FIELDS, EntryKind, Field


@dataclass(frozen=True)
class Form:
    """A kind of entry, or those of a kind that have a certain field, and what is said of them.

    Parameters
    ----------
    kind : EntryKind
    given : str
        The field that makes the form; empty for all others of the kind.
    reason : str
        Why an entry is so, where no draft says more.
    way : str
        What to check, and what to do where it is wrong.
    """

    kind: EntryKind
    given: str
    reason: str
    way: str


_COLUMNS: tuple[EntryKind, ...] = ("numeric", "categorical")

FORMS = (
    Form(
        "identifier",
        "",
        "it says which rows are of one person",
        "If each value is not one person, leave it out.",
    ),
    Form(
        "label",
        "missing",
        "the column to predict, where not every row has a label",
        "List every class that is possible. Where rows without a label are left out, check that everybody may know "
        "which rows have a label, and of whom they are. Else list a class of its own for them, and let them count as "
        "it.",
    ),
    Form(
        "target",
        "",
        "the number to predict",
        "Write bounds that are known without the table, from what the number means. No prediction leaves them; wide "
        "ones cost little.",
    ),
    Form("label", "", "the column to predict", "List every class that is possible, whether or not a row has it."),
    *(
        Form(
            kind,
            "from",
            "computed of each person's rows in a side table",
            "Check what is computed, and strike what says little: each column adds noise. Bounds and lists are to be "
            "known without the tables.",
        )
        for kind in _COLUMNS
    ),
    Form(
        "numeric",
        "",
        "a column of numbers or dates",
        "Write bounds that are known without the table, from what the column means.",
    ),
    Form(
        "categorical",
        "buckets",
        "a column of very many values, which a public hash puts into buckets",
        "Check that its values are codes and not people. Where their beginnings mean something, list those in place of "
        "buckets.",
    ),
    Form(
        "categorical",
        "match",
        "a column of codes that begin as listed",
        "List the beginnings that mean something, and count the rest as other.",
    ),
    Form(
        "categorical",
        "",
        "a column of few different values",
        "List what is possible; strike what is rare or telling, and count the rest as other.",
    ),
    Form(
        "left out",
        "",
        "left out",
        "To use it, say what it may hold.",
    ),
    Form(
        "side table",
        "",
        "a further table, in which a person may have several rows",
        "Check whose its rows are (key), when they were (date), and that all bounds and lists are known without it. "
        "Name under as_of the date before which rows count, so that a label cannot leak back.",
    ),
    Form("table", "", "what is said of the table as a whole", "Check what holds of all rows."),
)
"""The first that fits is an entry's."""

HEADS: dict[EntryKind, str] = {
    "identifier": "the column's name; that its values say which rows are of one person, and none of them",
    "label": "the label's name",
    "target": "the target's name",
    "numeric": "the column's name",
    "categorical": "the column's name",
    "side table": "the table's name; how it names persons and dates; names, bounds and lists of its columns",
    "left out": "the column's name; this reason",
    "table": "",
}
"""What publishing an entry tells before its fields do."""

HEADS_OF_SEVERAL: dict[EntryKind, str] = {
    "identifier": "the columns' names; that their values together say which rows are of one person, and none of them",
    "numeric": "the columns' names; of each",
    "categorical": "the columns' names; of each",
}

NOTHING = "nothing"
"""Where nothing is published."""

MAX_TOLD = 6
"""Values of a list that a sentence repeats; a longer list is shown beside it, and counted."""

ALIKE = ", the same in all of these columns"
SPLIT = "One that differs needs an entry of its own."

ALONE = r"\s|.{21}|(?:[0-9].*){6}"
"""A text of cells that is accepted by itself only: of several words, of more than 20 characters, or with six digits.

Notes, names of people and numbers of telephones are such texts; so are some harmless ones.
"""


def form_of(kind: EntryKind, pairs: Mapping[str, Any]) -> Form:
    """Return the form of an entry; ``pairs`` are its lines in a schema file."""
    return next(form for form in FORMS if form.kind == kind and (not form.given or form.given in pairs))


def published(kind: EntryKind, names: Collection[str], pairs: Mapping[str, Any]) -> str:
    """Return what publishing an entry tells everybody.

    Examples
    --------
    >>> published("categorical", ["sex"], {"categories": ["F", "M"], "other": True})
    "the column's name; each category listed (2): F, M; that what is not listed counts as one more"
    >>> published("numeric", ["age"], {"low": 0, "high": 120, "missing": "indicator"})
    "the column's name; its low bound 0; its high bound 120; that an empty cell is a category of its own"
    """
    head = HEADS_OF_SEVERAL.get(kind, HEADS[kind]) if len(names) > 1 else HEADS[kind]
    told = [tells(field, pairs[field.name]) for field in FIELDS.get(kind, ()) if field.name in pairs]
    return "; ".join(filter(None, (head, *told))) or NOTHING


def tells(field: Field, value: Any) -> str:
    """Return what publishing a field tells, in an enumeration."""
    told = dict(field.told)
    if isinstance(value, list | tuple | Mapping):
        if not field.tells:
            return ""
        listed = "" if isinstance(value, Mapping) or not 0 < len(value) <= MAX_TOLD else f": {said(value)}"
        return f"{field.tells.replace('{n}', str(len(value)))}{listed}"
    word = said(value)
    if value is False and field.editor == "flag":
        return ""
    return told[word] if word in told else field.tells.replace("{}", word)


def said(value: Any) -> str:
    """Return a value as people read it: a text as it is, a whole number without a point, all else as TOML has it."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # as the file of a model may have it in another type
    if isinstance(value, list | tuple):
        return ", ".join(map(said, value))
    return literal(value)


def literal(value: Any) -> str:
    """Return a value as TOML on one line."""
    import tomlkit

    if isinstance(value, Mapping):
        pairs = (f"{tomlkit.item(key).as_string()} = {literal(each)}" for key, each in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(literal, value))}]"
    text: str = tomlkit.item(value).as_string()
    return text


def is_accepted_alone(kind: EntryKind, pairs: Mapping[str, Any]) -> bool:
    """Return whether an entry is no part of accepting many at once, as a text of its cells may name somebody.

    A side table never is: it has many columns.

    Examples
    --------
    >>> is_accepted_alone("categorical", {"categories": ["F", "M"]})
    False
    >>> is_accepted_alone("categorical", {"categories": ["Anna Meier", "M"]})
    True
    """
    given = [pairs[field.name] for field in FIELDS.get(kind, ()) if field.of_cells and field.name in pairs]
    return kind == "side table" or any(re.search(ALONE, text) for value in given for text in _texts(value))


def lacks(kind: EntryKind, pairs: Mapping[str, Any]) -> list[Field]:
    """Return the fields that every entry of its kind has, and this one lacks: it is not to be accepted as it is."""
    given = {"private", "columns", *pairs}
    return [field for field in FIELDS.get(kind, ()) if field.always and field.name not in given]


def _texts(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [*value.keys(), *map(str, value.values())]
    return [each for each in (value if isinstance(value, list | tuple) else [value]) if isinstance(each, str)]
