"""Checks of public parameters: functions for plain numbers, and requirements declared beside a parameter.

The range that a requirement checks is the one that its message names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from numbers import Integral, Real
from typing import Any, Final, final

from tacit.errors import ParameterError, shown

UNFIT: Final = object()
"""Returned by ``Requirement.read`` for a value that the requirement does not admit."""


def real(name: str, value: object, requirement: str = "a finite real number") -> float:
    """Return a finite number as a float; raise ParameterError for booleans, text, arrays and what is not finite."""
    # A bool is an int to Python, but True as an epsilon is a mistake and not 1.
    # Plans check thousands of floats: their own type is asked for first, as that of an abstract class takes longer.
    if type(value) is float or (not isinstance(value, bool) and isinstance(value, Real)):
        number = as_float(value)
        if isfinite(number):
            return number
    raise ParameterError(f"Expected {requirement}, got {name}={shown(value)}. Give a plain finite number.")


def positive(name: str, value: object) -> float:
    """Return a finite number above zero as a float."""
    number = real(name, value, "a number above zero")
    if number > 0:
        return number
    raise ParameterError(f"Expected a number above zero, got {name}={shown(value)}. Give a larger one.")


def nonnegative(name: str, value: object) -> float:
    """Return a finite number of at least zero as a float."""
    number = real(name, value, "a number of at least zero")
    if number >= 0:
        return number
    raise ParameterError(f"Expected a number of at least zero, got {name}={shown(value)}. Give a larger one.")


def failure_probability(name: str, value: object) -> float:
    """Return a number in [0, 1) as a float."""
    number = real(name, value, "a probability in [0, 1)")
    if 0 <= number < 1:
        return number
    raise ParameterError(f"Expected a probability in [0, 1), got {name}={shown(value)}. Give one far below 1.")


def counting(name: str, value: object) -> int:
    """Return an integer of at least one; booleans are refused."""
    if not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= 1:
        return int(value)
    raise ParameterError(f"Expected an integer of at least 1, got {name}={shown(value)}. Give a larger one.")


def as_float(value: Real | float) -> float:
    """Return a real number as a float, one beyond the floats as infinite."""
    try:
        return float(value)
    except OverflowError:  # an integer above the largest float
        return float("inf")


class Requirement(ABC):
    """What a parameter may be; abstract."""

    remedy: str

    @property
    @abstractmethod
    def words(self) -> str:
        """What is expected, as it follows "Expected" in a message."""

    @abstractmethod
    def read(self, value: object) -> Any:
        """Return the value as plain Python, or ``UNFIT``."""

    def check(self, name: str, value: object) -> Any:
        """Return the value as plain Python, or raise ParameterError."""
        plain = self.read(value)
        if plain is UNFIT:
            raise ParameterError(f"Expected {self.words}, got {name}={shown(value)}. {self.remedy}")
        return plain

    def __or__(self, other: Requirement) -> Either:
        return Either((self, other))


@final
@dataclass(frozen=True)
class Whole(Requirement):
    """A whole number within bounds, both included; NumPy's integers count, booleans do not."""

    least: int
    most: int
    remedy: str = "Give a number between."

    @property
    def words(self) -> str:
        """The bounds."""
        return f"a whole number from {self.least} to {_short(self.most)}"

    def read(self, value: object) -> Any:
        """Return an int."""
        whole = isinstance(value, Integral) and not isinstance(value, bool)
        return int(value) if whole and self.least <= value <= self.most else UNFIT  # type: ignore[call-overload, operator]


@final
@dataclass(frozen=True)
class Number(Requirement):
    """A number within bounds, both included unless ``below``; every real type counts, booleans do not."""

    least: float
    most: float
    remedy: str = "Give a number between."
    below: bool = False

    @property
    def words(self) -> str:
        """The bounds."""
        return f"a number from {_short(self.least)} to {'below ' if self.below else ''}{_short(self.most)}"

    def read(self, value: object) -> Any:
        """Return a float."""
        if isinstance(value, bool) or not isinstance(value, Real):
            return UNFIT
        number = as_float(value)
        fits = self.least <= number < self.most if self.below else self.least <= number <= self.most
        return number if fits else UNFIT


@final
@dataclass(frozen=True)
class Choice(Requirement):
    """One of a few texts."""

    texts: tuple[str, ...]
    remedy: str = "Choose one of them."

    @property
    def words(self) -> str:
        """The texts."""
        *first, last = map(repr, self.texts)
        return f"{', '.join(first)} or {last}" if first else last

    def read(self, value: object) -> Any:
        """Return a str."""
        return str(value) if isinstance(value, str) and value in self.texts else UNFIT


@final
@dataclass(frozen=True)
class Kind(Requirement):
    """An object that a test admits, named by ``said``; ``convert`` makes it plain Python."""

    said: str
    admits: Callable[[object], bool]
    remedy: str
    convert: Callable[[Any], Any] = lambda value: value

    @property
    def words(self) -> str:
        """What it is called."""
        return self.said

    def read(self, value: object) -> Any:
        """Return the converted object."""
        return self.convert(value) if self.admits(value) else UNFIT


@final
@dataclass(frozen=True)
class Either(Requirement):
    """What one of several requirements admits.

    Examples
    --------
    >>> (Whole(1, 100) | Choice(("auto",))).words
    "a whole number from 1 to 100 or 'auto'"
    """

    options: tuple[Requirement, ...]

    # The longest one says most: that of None or 0 is a few words.
    @property
    def remedy(self) -> str:  # type: ignore[override]  # a property in place of a field
        """That of the option with most to say."""
        return max((option.remedy for option in self.options), key=len)

    @property
    def words(self) -> str:
        """All of them."""
        return " or ".join(option.words for option in self.options)

    def read(self, value: object) -> Any:
        """Return what the first that admits it returns."""
        return next((plain for option in self.options if (plain := option.read(value)) is not UNFIT), UNFIT)


MAX_SEED: Final = 2**63 - 1
"""A study's store keeps seeds in 64 bits, with a sign."""

SEED: Final = Whole(0, MAX_SEED, "Give a smaller one.")
"""Of simulated noise and splits."""

AUTO: Final = Choice(("auto",))
"""Left to a rule."""

NONE: Final = Kind("None", lambda value: value is None, "Leave it out.")
"""Left out."""


def _is_flag(value: object) -> bool:
    """Admit NumPy's booleans; nothing that is only taken for true."""
    import numpy as np

    return isinstance(value, bool | np.bool_)


FLAG: Final = Kind("True or False", _is_flag, "Choose one of the two.", bool)

ZERO: Final = Kind(
    "0", lambda value: not isinstance(value, bool) and isinstance(value, Real) and value == 0, "Give 0 for none.", float
)
"""Turns something off whose least positive size is not near 0."""


def _short(number: float) -> str:
    """Return a bound as a person writes it: 10,000 and 1e-09."""
    return f"{number:,}" if isinstance(number, int) and number < 10**9 else f"{number:g}"
