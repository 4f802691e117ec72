"""Exact samplers for many numbers at once: exponential, discrete Laplace and discrete Gaussian noise, noisy maxima.

Each decision is made in float64 with a bound on its error. Where the bound leaves it open, about once in 2^40 draws of
a small scale, it is made in exact arithmetic, with more bits of the same draw.
"""

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
from fractions import Fraction
from functools import cache
from math import floor, inf, isfinite
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

Words = Callable[[int], NDArray[np.uint64]]
"""Returns so many independent uniform words of 64 bits."""

Bracket = tuple[Decimal, Decimal]
"""A number is at least the first and at most the second."""

Exact = Fraction | float
"""An exact number, or an infinite one."""

MIN_SCALE, MAX_SCALE = 2.0**-30, 2.0**36
"""Where the bounds on rounding hold for whole numbers, and seldom leave a decision open."""

SLACK = 2.0**-47
"""Error of ``middle`` from rounding, relative to 1 + ``middle``: eight times that of a logarithm that is
off by four units in its last place."""

RELATIVE = 2.0**-47
"""Error of ``numbers``, relative to each."""

# Relative error of a few operations in float64, with a wide margin: one operation is off by at most 2^-53.
_ROUNDING = 2.0**-48

# A first word k leaves U uncertain by 1/k of itself: below 2^49 that is more than the bounds above promise.
_NEAR_END = 2**49

_WORD = 64
# Multiples of 2^64 divided by the golden ratio are spread evenly modulo 2^64: test points for logarithms.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# Decimal digits beyond those of the known bits, so that a bracket's own rounding is far below its width.
_GUARD_DIGITS = 30


@final
class ExactExponentials:
    """Exact exponential variates, refined lazily to as many bits as a comparison needs.

    Independent draws E = -ln U, U uniform on (0, 1).

    Privacy: U has infinitely many bits, of which only those are drawn that a decision depends on, so that decisions
    have their exact probabilities (Flajolet and Saheb 1986; Karney 2016). Proof:
    ``proofs/mechanisms/exact_samplers.md``.

    Attributes
    ----------
    middle, radius : array of shape (size,)
        Each draw lies within its radius of its middle; an infinite radius says that the first word was zero.
    """

    def __init__(self, words: Words, size: int) -> None:
        self._words = words
        self._first = words(size)
        leading = np.maximum(self._first, np.uint64(1)).astype(np.float64)
        self.middle = -np.log(leading * 2.0**-_WORD)
        # U lies in an interval of relative length 1 / first word.
        self.radius = SLACK * (1.0 + self.middle) + 1.0 / leading
        self.radius[self._first == 0] = np.inf

    def numbers(self) -> NDArray[np.float64]:
        """Return the draws as floats, each within ``RELATIVE`` of itself, whatever was drawn.

        The logarithm is taken of U or, for U above one half, of one minus the distance from one, so that draws
        near zero are as good as all others. More bits are drawn where the first word leaves more open, and where
        NumPy's logarithms cannot be relied on.
        """
        upper = self._first >= np.uint64(2 ** (_WORD - 1))
        to_end = np.where(upper, -self._first, self._first)  # modulo 2^64: the distance from one, or from zero
        found = np.where(upper, _from_one(np.where(upper, to_end, 0)), self.middle)
        for index in np.flatnonzero((to_end < _NEAR_END) | (not logarithms_hold())).tolist():
            found[index] = next(
                float(low)
                for low, high in self.brackets(index)
                if high.is_finite() and Fraction(high) - Fraction(low) <= Fraction(low) * Fraction(RELATIVE) / 4
            )
        return found

    def brackets(self, index: int) -> Iterator[Bracket]:
        """Yield ever narrower brackets of one draw; a second call would draw new bits after the first word."""
        known, bits = int(self._first[index]), _WORD
        while True:
            yield _bracket(known, bits)
            known, bits = (known << _WORD) + int(self._words(1)[0]), bits + _WORD


def exponentials(words: Words, size: int) -> NDArray[np.float64]:
    """Return independent draws of the standard exponential distribution, each off by at most 2^-47 of itself.

    Privacy: each number is a rounding of an exact draw, whatever that is. Proof:
    ``proofs/mechanisms/exact_samplers.md``.
    """
    return ExactExponentials(words, size).numbers()


def uniforms(words: Words, size: int) -> NDArray[np.float64]:
    """Return independent numbers uniform on (0, 1), each off by at most 2^-49 of itself; never one.

    Privacy: each number is a rounding of an exact draw: small ones get more bits. Proof:
    ``proofs/mechanisms/exact_samplers.md``.
    """
    first = words(size)
    found = (first.astype(np.float64) + 0.5) * 2.0**-64
    for index in np.flatnonzero(first < _NEAR_END).tolist():
        known, bits = int(first[index]), 64
        while known < _NEAR_END:
            known, bits = (known << 64) + int(words(1)[0]), bits + 64
        found[index] = float(Fraction(2 * known + 1, 2 ** (bits + 1)))
    return np.minimum(found, 1 - 2.0**-53)  # the sum above may round to one, which callers exclude


def integers(words: Words, stops: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return independent integers, each uniform on 0 up to and without its stop.

    Notes
    -----
    Privacy: exact, by rejection of words beyond the last whole multiple of the stop. Proof:
    ``proofs/mechanisms/exact_samplers.md``.
    """
    below = stops.astype(np.uint64)
    # 2^64 mod stop, in words: the last so many would make small remainders more likely.
    last = np.uint64(2**_WORD - 1) - (np.uint64(2**_WORD - 1) % below + np.uint64(1)) % below
    found, left = np.empty(len(stops), dtype=np.int64), np.arange(len(stops))
    while len(left):
        drawn = words(len(left))
        kept = drawn <= last[left]
        found[left[kept]] = (drawn[kept] % below[left[kept]]).astype(np.int64)
        left = left[~kept]
    return found


def discrete_laplace(words: Words, size: int, scale: float) -> NDArray[np.int64]:
    """Return independent integers k, each with probability proportional to exp(-|k| / scale).

    The difference of two geometric draws floor(scale * E). The scale is from MIN_SCALE to MAX_SCALE.

    Privacy: exact. Proof: ``proofs/mechanisms/exact_samplers.md``.
    """
    draws = ExactExponentials(words, 2 * size)
    # floor(scale * E) is geometric, and the difference of two geometric numbers has the discrete Laplace distribution.
    whole = _floors(draws, scale)
    return whole[:size] - whole[size:]


def discrete_gaussian(words: Words, size: int, deviation: float) -> NDArray[np.int64]:
    """Return independent integers k, each with probability proportional to exp(-k^2 / (2 deviation^2)).

    By rejection from the discrete Laplace distribution: Canonne, Kamath and Steinke (2020), Algorithm 3. The deviation
    is from MIN_SCALE to MAX_SCALE.

    Privacy: exact. Proof: ``proofs/mechanisms/exact_samplers.md``.
    """
    found, left = np.empty(size, dtype=np.int64), np.arange(size)
    scale = floor(deviation) + 1  # the integer scale for which the paper bounds the number of rejections
    while len(left):
        proposed = discrete_laplace(words, len(left), float(scale))
        kept = _accepted(words, proposed, deviation, scale)
        found[left[kept]] = proposed[kept]
        left = left[~kept]
    return found


def largest_by_exponential(words: Words, scores: NDArray[Any], scale: float) -> int:
    """Return the index of the largest of int64 or float64 scores after exponential noise of mean ``scale``.

    Privacy: exact. Proof: ``proofs/mechanisms/exact_samplers.md``.
    """
    draws, values = ExactExponentials(words, len(scores)), _above_best(scores)
    noisy = values + scale * draws.middle
    radius = 2 * scale * draws.radius + _ROUNDING * np.abs(values)
    open_to = np.flatnonzero(noisy + radius >= (noisy - radius).max()).tolist()
    left = {index: draws.brackets(index) for index in open_to}
    while len(left) > 1:
        bounds = {index: _scaled(scale, next(narrower)) for index, narrower in left.items()}
        starts = {index: Fraction(scores[index].item()) for index in left}
        least = max(starts[index] + low for index, (low, _) in bounds.items())
        left = {index: left[index] for index, (_, high) in bounds.items() if starts[index] + high >= least}
    return int(next(iter(left)))


def _above_best(scores: NDArray[Any]) -> NDArray[np.float64]:
    """Return scores minus the best, all with a relative error of 2^-53.

    Ties stay ties: whether float64 can decide does not depend on how large the best is.
    """
    if scores.dtype == np.int64:
        # Below 2^64, so exact modulo 2^64.
        return -np.asarray(scores.max().view(np.uint64) - scores.view(np.uint64), dtype=np.float64)
    return np.asarray(scores - scores.max(), dtype=np.float64)


def _floors(draws: ExactExponentials, scale: float) -> NDArray[np.int64]:
    """Return floor(scale * E) of each draw: geometric, P(at least k) = exp(-k / scale)."""
    middle, radius = scale * draws.middle, 2 * scale * draws.radius
    low, high = np.floor(np.maximum(middle - radius, 0.0)), np.floor(middle + radius)
    found = low.astype(np.int64)
    # Both ends of the float64 bracket mostly have one floor; the few draws next to an integer get more bits.
    for index in np.flatnonzero(low != high).tolist():
        for bracket in draws.brackets(index):
            least, most = _scaled(scale, bracket)
            if most < inf and floor(least) == floor(most):
                found[index] = floor(least)
                break
    return found


def _accepted(words: Words, proposed: NDArray[np.int64], deviation: float, scale: int) -> NDArray[np.bool_]:
    """Return, each by a draw of its own, yes with probability exp(-(|k| - deviation^2 / scale)^2 / (2 deviation^2))."""
    draws = ExactExponentials(words, len(proposed))
    sizes, center, double = np.abs(proposed).astype(np.float64), deviation**2 / scale, 2 * deviation**2
    exponent = (sizes - center) ** 2 / double
    radius = draws.radius + _ROUNDING * ((sizes + center) ** 2 / double)
    kept = draws.middle > exponent
    for index in np.flatnonzero(np.abs(draws.middle - exponent) <= radius).tolist():
        variance = Fraction(deviation) ** 2
        exact = (abs(int(proposed[index])) - variance / scale) ** 2 / (2 * variance)
        kept[index] = next(
            low > exact
            for low, high in (_scaled(1.0, bracket) for bracket in draws.brackets(index))
            if low > exact or high < exact
        )
    return np.asarray(kept)


def _scaled(scale: float, bracket: Bracket) -> tuple[Exact, Exact]:
    """Return a bracket of scale * noise, exactly, from one of the noise."""
    low, high = (_exact(bound) for bound in bracket)
    return Fraction(scale) * low, Fraction(scale) * high


def _exact(bound: Decimal) -> Exact:
    return Fraction(bound) if bound.is_finite() else float(bound)


def _from_one(distance: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return -ln U for U so many 2^-64 below one."""
    return np.asarray(-np.log1p(-distance.astype(np.float64) * 2.0**-_WORD))


@cache
def logarithms_hold() -> bool:
    """Return whether a thousand of NumPy's logarithms are as accurate here as the proof assumes.

    Measured once a process, against decimal logarithms of 30 digits: NumPy picks its instructions by the processor.
    """
    spread = (np.arange(1, 873, dtype=np.uint64) * _GOLDEN) >> (np.arange(872, dtype=np.uint64) % np.uint64(_WORD))
    # Near one the logarithm is small, and so is its allowed error.
    near_one = np.uint64(2**_WORD - 1) - (np.uint64(1) << np.arange(_WORD, dtype=np.uint64)) + np.uint64(1)
    powers = np.uint64(1) << np.arange(_WORD, dtype=np.uint64)
    words = np.maximum(np.concatenate([spread, near_one, powers]), np.uint64(1))
    middles = ExactExponentials(lambda size: words, len(words)).middle.tolist()
    context = _context(30, ROUND_HALF_EVEN)
    whole, allowed = Decimal(2**_WORD).ln(context), Decimal(SLACK / 8)
    for word, middle in zip(words.tolist(), middles, strict=True):
        if not isfinite(middle):
            return False
        error = context.subtract(Decimal(middle), context.subtract(whole, Decimal(word).ln(context)))
        if error.copy_abs() > context.multiply(allowed, context.add(Decimal(1), Decimal(middle))):
            return False
    return _hold_near_one(powers[:-1])


def _hold_near_one(distances: NDArray[np.uint64]) -> bool:
    """Return whether logarithms of one minus so many 2^-64 are off by four units in the last place at most."""
    context, allowed = _context(60, ROUND_HALF_EVEN), Decimal(RELATIVE / 8)
    whole = Decimal(2**_WORD)
    for distance, found in zip(distances.tolist(), _from_one(distances).tolist(), strict=True):
        exact = context.subtract(whole.ln(context), context.subtract(whole, Decimal(distance)).ln(context))
        if not isfinite(found):
            return False
        if context.subtract(Decimal(found), exact).copy_abs() > context.multiply(allowed, exact):
            return False
    return True


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
