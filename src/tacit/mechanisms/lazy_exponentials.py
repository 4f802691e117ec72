"""Exponential draws of as many random bits as a decision needs: 64 at once, more where these leave it open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import (
    ROUND_CEILING,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
)
from typing import final

import numpy as np
from numpy.typing import NDArray

Words = Callable[[int], NDArray[np.uint64]]
"""Returns so many independent uniform words of 64 bits."""

Bracket = tuple[Decimal, Decimal]
"""A number is at least the first and at most the second."""

SLACK = 2.0**-47
"""Error of ``middle`` from rounding, relative to 1 + ``middle``: eight times that of a logarithm that is
off by four units in its last place."""

_WORD = 64
_GUARD_DIGITS = 30


@final
class LazyExponentials:
    """Independent draws E = -ln U of the standard exponential law, U uniform on (0, 1), known as far as was asked.

    Parameters
    ----------
    words : callable
    size : int

    Attributes
    ----------
    middle, radius : array of shape (size,)
        Each draw lies within its radius of its middle; an infinite radius says that the first word was zero.

    Notes
    -----
    Privacy: U has infinitely many bits, of which only those are drawn that a decision depends on, so that decisions
    have their exact probabilities (Flajolet and Saheb 1986; Karney 2016). Proof:
    ``proofs/mechanisms/exact_samplers.md``.
    """

    def __init__(self, words: Words, size: int) -> None:
        self._words = words
        self._first = words(size)
        leading = np.maximum(self._first, np.uint64(1)).astype(np.float64)
        self.middle = -np.log(leading * 2.0**-_WORD)
        # U lies in an interval of relative length 1 / first word.
        self.radius = SLACK * (1.0 + self.middle) + 1.0 / leading
        self.radius[self._first == 0] = np.inf

    def brackets(self, index: int) -> Iterator[Bracket]:
        """Yield ever narrower brackets of one draw; a second call would draw new bits after the first word."""
        known, bits = int(self._first[index]), _WORD
        while True:
            yield _bracket(known, bits)
            known, bits = (known << _WORD) + int(self._words(1)[0]), bits + _WORD


def logarithm(bracket: Bracket) -> Bracket:
    """Return a bracket of a positive number's logarithm."""
    low, high = bracket
    context = _context(len(high.as_tuple().digits) if high.is_finite() else _GUARD_DIGITS, ROUND_HALF_EVEN)
    least = context.next_minus(low.ln(context)) if low > 0 else Decimal("-Infinity")
    return least, context.next_plus(high.ln(context)) if high.is_finite() else high


def _bracket(known: int, bits: int) -> Bracket:
    """Return a bracket of -ln U for U from known / 2**bits to (known + 1) / 2**bits."""
    digits = _GUARD_DIGITS + bits // 3
    below, above = _context(digits, ROUND_FLOOR), _context(digits, ROUND_CEILING)
    # Decimal's logarithms are the nearest numbers of so many digits: the next ones lie on either side of the truth.
    whole, most = Decimal(2**bits).ln(below), Decimal(known + 1).ln(below)
    low = below.subtract(below.next_minus(whole), below.next_plus(most))
    if known == 0:
        return max(low, Decimal(0)), Decimal("Infinity")
    high = above.subtract(above.next_plus(whole), above.next_minus(Decimal(known).ln(above)))
    return max(low, Decimal(0)), high


def _context(digits: int, rounding: str) -> Context:
    """Return a context that takes nothing over from what a program has set for decimal numbers elsewhere."""
    return Context(
        prec=digits,
        rounding=rounding,
        Emin=-999_999,
        Emax=999_999,
        clamp=0,
        flags=[],
        traps=[InvalidOperation, DivisionByZero, Overflow],
    )
