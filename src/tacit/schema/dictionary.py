"""A draft from the dictionary of a file alone: what people declared of its columns, and no row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tacit.errors import SchemaError
from tacit.schema._checks import unknown_name
from tacit.schema.categorical import Categorical
from tacit.schema.columns import Column, Numeric
from tacit.schema.draft import Draft
from tacit.schema.drafted import entries_of
from tacit.schema.file_format import FileFormat
from tacit.schema.guesses.names import Name
from tacit.schema.guesses.reasons import FROM_LABELS, FROM_NAME, OPEN_BOUNDS, UNLISTED_TEXTS
from tacit.schema.identifier import Identifier
from tacit.schema.label import Label
from tacit.schema.schema import Schema
from tacit.schema.target import Target

UNLISTED = "missing"
"""What an empty cell of a declared list counts as: the code of what is not listed."""


@dataclass(frozen=True)
class DictionaryEntry:
    """What the dictionary of a file says of a column.

    Parameters
    ----------
    name : str
    kind : {"number", "date", "text"}
        Of its cells.
    levels : tuple of str
        What its codes stand for, without those that are missing.
    are_categories : bool
        Whether the levels are all that there is, and not words for a few steps of a scale.
    has_missing : bool
        Whether codes are declared missing.
    """

    name: str
    kind: Literal["number", "date", "text"]
    levels: tuple[str, ...] = ()
    are_categories: bool = False
    has_missing: bool = False


def draft_of_dictionary(declared: Sequence[DictionaryEntry], label: str, file: FileFormat | None = None) -> Draft:
    """Return a draft of a file's schema, of which no row was read: bounds are open, and nothing is a guess.

    Parameters
    ----------
    declared : sequence of DictionaryEntry
        One for each column.
    label : str
        The column to predict: a number without declared values is a target, whose bounds are open.
    file : FileFormat, optional
        How the file is written.

    Raises
    ------
    SchemaError
        If there is no such label, or the dictionary declares less than two classes of it.

    Examples
    --------
    >>> sex = DictionaryEntry("sex", "number", ("male", "female"), True)
    >>> draft = draft_of_dictionary([sex, DictionaryEntry("age", "number")], "sex")
    >>> draft.schema.classes, draft.schema.open, draft.schema.guessed
    (('male', 'female'), ('age',), ())
    """
    by_name = {each.name: each for each in declared}
    if label not in by_name:
        raise SchemaError(unknown_name(label, tuple(by_name)))
    predicted = by_name.pop(label)
    is_number = predicted.kind == "number" and not predicted.levels
    if not is_number and len(predicted.levels) < 2:
        raise SchemaError(
            f"Expected labels of at least two classes of {label!r} in the file's dictionary, got fewer. Draft from the "
            "rows, without --dictionary, or write the label by hand."
        )
    persons = [name for name, each in by_name.items() if not each.levels and Name.of(name).numbers == "person"]
    left_out = {name: why for name, each in by_name.items() if (why := _why_left_out(each)) and name not in persons[:1]}
    columns = [_column(each) for name, each in by_name.items() if name not in left_out and name not in persons[:1]]
    if not columns:
        raise SchemaError("Expected a column that the dictionary describes, got none. Write the schema by hand.")
    identifier = Identifier(persons[0]) if persons else None
    outcome = (
        Target(label, missing="drop" if predicted.has_missing else None)
        if is_number
        else Label(label, predicted.levels)
    )
    schema = Schema(columns, label=outcome, ignored=left_out, identifier=identifier, file=file)
    reasons = {column.name: FROM_LABELS if isinstance(column, Categorical) else OPEN_BOUNDS for column in columns}
    reasons |= {label: OPEN_BOUNDS if is_number else FROM_LABELS} | dict.fromkeys(persons[:1], FROM_NAME)
    return Draft(schema, entries_of(schema, reasons), from_dictionary=True)


def _why_left_out(declared: DictionaryEntry) -> str:
    name = Name.of(declared.name)
    if declared.levels:
        return ""
    if name.is_person or (name.numbers not in (None, "thing") and not name.is_count):
        return FROM_NAME
    return UNLISTED_TEXTS if declared.kind == "text" else ""


def _column(declared: DictionaryEntry) -> Column:
    if declared.levels and (declared.are_categories or declared.kind == "text"):
        return Categorical(declared.name, declared.levels, other=True, missing=UNLISTED)
    missing = "indicator" if declared.has_missing else None
    return Numeric(declared.name, dates="%Y-%m-%d" if declared.kind == "date" else None, missing=missing)
