"""Codes that stand for a missing number: texts such as N, and numbers such as -99 that no measurement is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import SchemaError
from tacit.schema._checks import as_tuple, kind_of

MOST_CODES = 100

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,2})?")

_NEGATIVE = frozenset(-digit * (10**length - 1) // 9 for digit in (7, 8, 9) for length in range(1, 7))
_POSITIVE = frozenset(10**length - 1 for length in range(2, 7))
# What is measured is at most this part of a code of nines.
_FAR = 4
_FEWEST_CODED = 2


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


def found_codes(numbers: NDArray[Any], stated: Sequence[str] = (), fewest: int = _FEWEST_CODED) -> tuple[float, ...]:
    """Return the numbers that are codes for missing ones, as people stated, or as they look.

    So look -99 where all else is not negative, and 999 far above all else.

    Privacy: reads rows without noise, as all guessing does.
    """
    values, counts = np.unique(numbers, return_counts=True)
    known = spelled_codes(stated)
    found = [value.item() for value in values if value in known]
    counts = counts[~np.isin(values, found)]
    values = values[~np.isin(values, found)]
    if len(values) > 2 and values[0] in _NEGATIVE and values[1] >= 0 and counts[0] >= fewest:
        found.append(values[0].item())
    if len(values) > 2 and values[-1] in _POSITIVE and values[-1] >= _FAR * values[-2] and counts[-1] >= fewest:
        found.append(values[-1].item())
    return tuple(int(code) if code % 1 == 0 else code for code in found)


def spelled_codes(codes: Sequence[str | float]) -> tuple[float, ...]:
    """Return the codes that are numbers, or texts that spell one."""
    return tuple(float(code) for code in codes if not isinstance(code, str) or _NUMBER.fullmatch(code.strip()))
