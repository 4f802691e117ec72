"""Privacy unit: which cells differ between neighboring tables."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tacit.errors import ParameterError


@dataclass(frozen=True, eq=False)
class Slice:
    """One of several disjoint sets of a table's rows; equal to itself alone."""

    number: int
    count: int
    """Which one of how many, from 1 on."""
    partition: object
    """The same for all slices that were made together."""
    parent: Slice | None = None
    """The slice that was divided."""

    def __str__(self) -> str:
        own = f"slice {self.number} of {self.count}"
        return own if self.parent is None else f"{own} of {self.parent}"


@dataclass(frozen=True)
class PrivacyUnit:
    """Replace-one neighbors: same number of rows, one row differs, in the protected cells only.

    Raises ParameterError if a column is listed twice or is not text.
    """

    columns: tuple[str, ...]
    """Protected columns, in the schema's order; everything else in a row is public."""
    label: bool
    """Whether the label is protected, independently of the columns."""
    slice: Slice | None = field(default=None, repr=False)
    """The rows of which one may differ, if not any."""

    def __post_init__(self) -> None:
        given: object = self.columns
        if isinstance(given, str):
            raise ParameterError(f"Expected a sequence of names, got columns={given!r}. Put it in a tuple.")
        columns = tuple(self.columns)
        if not all(isinstance(name, str) for name in columns) or len(set(columns)) < len(columns):
            raise ParameterError(f"Expected different column names, got columns={columns!r}. List each name once.")
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "label", bool(self.label))

    @property
    def protects_nothing(self) -> bool:
        """True if every cell is public, so that there is nothing to pay for."""
        return not self.columns and not self.label

    def divided(self, count: int) -> tuple[PrivacyUnit, ...]:
        """Return the units of so many disjoint sets of rows, which together hold all rows of this one.

        Privacy: which row belongs to which set must be fixed without looking at any protected cell: by position, or
        by a permutation drawn at random.
        """
        # An object of its own, equal to no other: slices of another division may share rows with these.
        partition = object()
        return tuple(replace(self, slice=Slice(at, count, partition, self.slice)) for at in range(1, count + 1))
