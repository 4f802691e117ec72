"""Values of a spec, which people write by hand: each of its type, or an error that says what to write."""

from __future__ import annotations

import os
from collections.abc import Iterable
from math import isfinite
from pathlib import Path
from typing import Any

from tacit.errors import ParameterError


def several(values: Any, name: str) -> tuple[Any, ...]:
    """Return the elements of a list.

    Raises
    ------
    ParameterError
        If it is a single thing.

    Examples
    --------
    >>> several(["brc", "tree"], "learners")
    ('brc', 'tree')
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ParameterError(f"Expected a list of {name}, got a single one. Put it into brackets.")
    return tuple(values)


def numbers(values: tuple[Any, ...], name: str) -> tuple[float, ...]:
    """Return numbers as floats.

    Raises
    ------
    ParameterError
        If one is something else, or a whole number beyond all floats.
    """
    return tuple(number(value, name) for value in values)


def number(value: Any, name: str) -> float:
    """Return a number as a float; see ``numbers``."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            pass
    raise ParameterError(f"Expected numbers as {name}, got something else. Write for example [0.1, 1.0].")


def check_share(value: Any, name: str) -> None:
    """Refuse what is no number between 0 and 1.

    Raises
    ------
    ParameterError
        If it is not.
    """
    known = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if not (known and 0 < value < 1):
        raise ParameterError(f"Expected a {name} between 0 and 1, got {name}={value!r}. Write 0.25.")


def check_text(value: Any, name: str) -> None:
    """Refuse what is no text.

    Raises
    ------
    ParameterError
        If it is not.
    """
    if not isinstance(value, str):
        raise ParameterError(f"Expected a text as {name}, got {name}={value!r}. Put it into quotes.")


def path_of(value: Any, name: str) -> Path:
    """Return a path.

    Raises
    ------
    ParameterError
        If it is no text and no path, or has a null character, which no file's name has.
    """
    if isinstance(value, str | os.PathLike) and "\0" not in str(value):
        return Path(value)
    raise ParameterError(f"Expected the path of a file as {name}, got {name}={value!r}. Write it in quotes.")
