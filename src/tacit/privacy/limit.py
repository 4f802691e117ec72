"""Limits: what the releases of one set of rows may cost together, which is what a certificate promises."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tacit.errors import ParameterError
from tacit.privacy.parameters import nonnegative
from tacit.privacy.plan import Composition, PrivacyFilter
from tacit.privacy.rounding import down, up

if TYPE_CHECKING:
    from tacit.privacy.unit import Slice

Slices = tuple[tuple[int, int], ...]
"""Which slice of how many, and which slice of that one; all rows where empty."""

Counted = Literal["pure", "zcdp", "gaussian", "approximate"]
"""How a loss is counted: epsilons that add up, rhos that add up, Gaussian noise after all else, counted by its exact
distribution, or an epsilon and a delta beside the others."""


@dataclass(frozen=True)
class Limit:
    """What all releases of one set of rows may cost together; stated, as the sum spent may depend on answers.

    Raises ParameterError if a number is negative or infinite, or a slice is none of so many.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    slice: Slices
    """Of which rows."""
    composition: Composition
    loss: float
    """Of all releases but approximate ones: an epsilon under pure composition, else a rho."""
    gaussian: float
    """The part of that rho for Gaussian noise that comes last, or 0."""
    epsilon: float
    """For approximate releases, beside the loss."""
    delta: float
    """For approximate releases, and for those whose loss holds up to a delta."""
    released: int
    """How many releases the certificate lists of these rows."""
    n_rows: int
    """Public; of persons where an identifier names them."""

    def __post_init__(self) -> None:
        for name in ("loss", "gaussian", "epsilon", "delta", "released", "n_rows"):
            nonnegative(name, getattr(self, name))
        check_slices(self.slice)

    @classmethod
    def of(cls, spending: PrivacyFilter, slice_: Slices, released: int, n_rows: int) -> Limit:
        """Return what a filter admits."""
        return cls(
            slice=slice_,
            composition=spending.composition,
            loss=up(spending.shared.limit),
            gaussian=down(spending.gaussian),
            epsilon=up(spending.epsilon.limit),
            delta=up(spending.delta.limit),
            released=released,
            n_rows=n_rows,
        )


def check_slices(slices: Slices) -> None:
    """Raise ParameterError unless each slice is one of so many."""
    if any(not 1 <= number <= count for number, count in slices):
        raise ParameterError("Expected a slice from 1 to the number of slices, got another. Take it from a table.")


def slices_of(slice_: Slice | None) -> Slices:
    """Return a slice as numbers, the outermost division first.

    Examples
    --------
    >>> from tacit.privacy import PrivacyUnit
    >>> second = PrivacyUnit(("age",), True).divided(2)[1]
    >>> slices_of(second.divided(3)[0].slice)
    ((2, 2), (1, 3))
    """
    return () if slice_ is None else (*slices_of(slice_.parent), (slice_.number, slice_.count))


def slice_words(slices: Slices) -> str:
    """Return in words which slice it is; nothing of all rows.

    Examples
    --------
    >>> slice_words(((2, 2), (1, 3)))
    'slice 1 of 3 of slice 2 of 2'
    """
    return " of ".join(f"slice {number} of {count}" for number, count in reversed(slices))


def disjoint(parts: Iterable[Slices]) -> bool:
    """Return whether no row is in two of these sets of rows.

    Two are disjoint where the first division in which they differ made both.

    Examples
    --------
    >>> disjoint([((1, 2),), ((2, 2), (1, 3)), ((2, 2), (2, 3))]), disjoint([(), ((1, 2),)])
    (True, False)
    """
    listed = list(parts)
    return all(_apart(one, other) for at, one in enumerate(listed) for other in listed[:at])


def _apart(one: Slices, other: Slices) -> bool:
    for (number, count), (its_number, its_count) in zip(one, other, strict=False):
        if count != its_count:
            return False
        if number != its_number:
            return True
    return False  # one holds the other
