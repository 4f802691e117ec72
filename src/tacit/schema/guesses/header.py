"""Whether a table's names of columns are cells of its first row: names are published."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from tacit.errors import SchemaError
from tacit.schema.guesses.observed import ObservedColumn

NO_NAMES = (
    "Expected names of columns in the first line, got cells, as of a file that has no names; names are published. "
    "Write a first line with a name for each column, such as age and income."
)

_NUMBER = re.compile(r"[+-]?[$\u20ac\u00a3]?([0-9]+([.,' ][0-9]*)*|[.,][0-9]+)([eE][+-]?[0-9]+)?%?")
_DATE = re.compile(r"[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}([T ].*)?")
_VALUES = ("true", "false", "nan", "null", "none", "n/a", "?")


def check_names(columns: Mapping[str, ObservedColumn]) -> None:
    """Refuse names that look like a row: numbers, dates, truth values, or cells that come back below.

    Raises
    ------
    SchemaError
        If they do; the message repeats none.
    """
    names = [name.strip() for name in columns]
    numbers = [name for name in names if _NUMBER.fullmatch(name)]
    are_values = any(_DATE.fullmatch(name) or name.lower() in _VALUES for name in names)
    # One name may be a category of its column, as "smoker" is; two are a row.
    n_recurring = sum(name.strip() in observed.distinct for name, observed in columns.items())
    if are_values or n_recurring > 1 or not _are_places(numbers, columns):
        raise SchemaError(NO_NAMES)


def _are_places(numbers: Sequence[str], columns: Mapping[str, ObservedColumn]) -> bool:
    """Return whether names that are numbers count columns, years or steps of a scale, as 0, 1, 2 and 1990, 2000 do."""
    if not numbers or list(numbers) == ["0"]:
        return True
    if not all(number.isdecimal() for number in numbers):
        return False
    counted = [int(number) for number in numbers]
    if len(counted) > 1 and all(after == before + 1 for before, after in pairwise(counted)):
        return True
    cells = any(int(name.strip()) in observed.numbers for name, observed in columns.items() if name.strip() in numbers)
    return len(counted) > 2 and all(after > before for before, after in pairwise(counted)) and not cells
