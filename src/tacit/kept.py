"""What is made of public objects once, and kept in them as long as they live: encodings, look-up tables, codebooks."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from operator import is_
from typing import Any, TypeVar, TypeVarTuple, Unpack

Owner = TypeVar("Owner")
Others = TypeVarTuple("Others")
Made = TypeVar("Made")


def kept(make: Callable[[Owner, Unpack[Others]], Made]) -> Callable[[Owner, Unpack[Others]], Made]:
    """Return a function whose last result stays in its first argument, and is given back for the very same others.

    For functions of frozen objects alone, as models and schemas are. Others are compared as objects, since comparing
    or hashing a schema takes longer than predicting a row. Copies and pickles of the owner are without what it keeps.

    Examples
    --------
    >>> class Words:
    ...     @kept
    ...     def joined(self, words):
    ...         print("made")
    ...         return " ".join(words)
    >>> words, listed = Words(), ["a", "b"]
    >>> words.joined(listed), words.joined(listed)
    made
    ('a b', 'a b')
    """
    name = f"{make.__module__}.{make.__qualname__}"

    @wraps(make)
    def found(owner: Owner, *others: *Others) -> Made:
        held = vars(owner).get(name)
        if held is None or not held.is_of(others):
            # Not by an attribute, as owners are frozen. Threads that come here together make it twice.
            held = vars(owner)[name] = _Kept(others, make(owner, *others))
        value: Made = held.value
        return value

    return found


class _Kept:
    """A result, and the arguments that it was made of."""

    def __init__(self, others: tuple[object, ...] | None = None, value: Any = None):
        self._others, self.value = others, value

    def is_of(self, others: tuple[object, ...]) -> bool:
        """Tell whether it was made of these very objects."""
        mine = self._others
        return mine is not None and len(mine) == len(others) and all(map(is_, mine, others))

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return _Kept, ()
