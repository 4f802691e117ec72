"""Codes that stand for a missing number: texts such as N, and numbers such as -99 that no measurement is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tacit.errors import SchemaError
from tacit.schema._checks import as_tuple, kind_of

MOST_CODES = 100

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,2})?")


def checked_codes(values: object, where: str) -> tuple[str | float, ...]:
    """Return different codes, texts or numbers, of a numeric column."""
    listed = as_tuple(values, "missing_codes", where)
    kinds = {kind_of(value) for value in listed}
    if listed and len(listed) <= MOST_CODES and kinds <= {"text", "number"} and len(set(listed)) == len(listed):
        return listed  # type: ignore[return-value]
    raise SchemaError(
        f"Expected one to {MOST_CODES} different texts or numbers in missing_codes of {where}, got something else. "
        'Write what stands for a missing number, as in missing_codes = ["N", -99].'
    )


def spelled_codes(codes: Sequence[str | float]) -> tuple[float, ...]:
    """Return the codes that are numbers, or texts that spell one."""
    return tuple(float(code) for code in codes if not isinstance(code, str) or _NUMBER.fullmatch(code.strip()))
