"""Codes that stand for a missing number: texts such as N, and numbers such as -99 that no measurement is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tacit.errors import SchemaError
from tacit.schema._checks import as_tuple, kind_of

MAX_CODES = 100

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,2})?")


def checked_codes(values: object, where: str) -> tuple[str | float, ...]:
    """Return different codes, texts or numbers, of a numeric column."""
    listed = as_tuple(values, "missing_codes", where)
    kinds = {kind_of(value) for value in listed}
    if listed and len(listed) <= MAX_CODES and kinds <= {"text", "number"} and len(set(listed)) == len(listed):
        return listed  # type: ignore[return-value]
    raise SchemaError(
        f"Expected one to {MAX_CODES} different texts or numbers in missing_codes of {where}, got something else. "
        'Write what means a missing number, as in missing_codes = ["N", -99].'
    )


@dataclass(frozen=True)
class StatedCodes:
    """What people say stands for a missing cell.

    Parameters
    ----------
    everywhere : tuple of str
        In every column where they occur.
    of_columns : mapping of str to tuple of str
        Further ones of single columns, by name.

    Examples
    --------
    >>> StatedCodes.of(["N,?", "trust=77,88"]).of_columns
    {'trust': ('77', '88')}
    """

    everywhere: tuple[str, ...] = ()
    of_columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, options: Sequence[str]) -> StatedCodes:
        """Return what options say, each a list divided by commas, or a column's name, = and its list."""
        everywhere: tuple[str, ...] = ()
        of_columns: dict[str, tuple[str, ...]] = {}
        for option in options:
            name, _, listed = option.rpartition("=")
            codes = tuple(code.strip() for code in listed.split(",") if code.strip())
            if name:
                of_columns[name.strip()] = (*of_columns.get(name.strip(), ()), *codes)
            else:
                everywhere = (*everywhere, *codes)
        return cls(everywhere, of_columns)


def by_number(texts: Iterable[str]) -> dict[float, str]:
    """Return those of some texts that spell a number, by it: 0 is where a library made a number of 00000000."""
    return {float(text): text for text in texts if _NUMBER.fullmatch(text)}


def spelled_codes(codes: Sequence[str | float]) -> tuple[float, ...]:
    """Return the codes that are numbers, or texts that spell one."""
    return tuple(float(code) for code in codes if not isinstance(code, str) or _NUMBER.fullmatch(code.strip()))
