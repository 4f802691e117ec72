"""Privacy unit: which cells differ between neighboring tables."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from tacit.errors import ParameterError
from tacit.privacy.parameters import counting


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


def rows_of_one(identifier: str | tuple[str, ...]) -> str:
    """Return in words what neighbors differ in where a column names persons, or several columns together do.

    Examples
    --------
    >>> print(rows_of_one("person"), rows_of_one(("household", "number")), sep="; ")
    all rows of one 'person'; all rows of one person, as 'household' and 'number' together name them
    """
    if isinstance(identifier, str):
        return f"all rows of one {identifier!r}"
    return f"all rows of one person, as {listed_names(identifier)} together name them"


def listed_names(identifier: str | tuple[str, ...]) -> str:
    """Return the names of one column or several, in words."""
    names = (identifier,) if isinstance(identifier, str) else identifier
    *first, last = map(repr, names)
    return f"{', '.join(first)} and {last}" if first else last


@dataclass(frozen=True)
class Persons:
    """Rows of one person, who may have several: neighbors differ in all of them.

    Raises ParameterError if the name is empty, or rows are neither ``"mean"`` nor above zero, or are a mean without
    an identifier.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    identifier: str | tuple[str, ...] | None
    """The column whose equal values are one person, or several together; None where rows are declared alone."""
    rows: Literal["mean"] | int
    """Each person weighs one; or the most rows of one person, which count one each."""
    same_rows: bool = False
    """Whether neighbors have the same identifiers, row by row: where a column or the label is public."""

    def __post_init__(self) -> None:
        names = (self.identifier,) if isinstance(self.identifier, str) else self.identifier
        if names is not None and not (names and all(isinstance(name, str) and name.strip() for name in names)):
            raise ParameterError(f"Expected the name of a column, got identifier={self.identifier!r}. Name it.")
        if self.rows != "mean":
            counting("rows", self.rows)
        elif self.identifier is None:
            raise ParameterError("Expected an identifier with rows='mean', got none. Name the column of persons.")

    @property
    def most_rows(self) -> int:
        """How often a person counts at most, in units of one row."""
        return 1 if self.rows == "mean" else int(self.rows)

    def __str__(self) -> str:
        if self.identifier is None:
            return f"up to {self.rows} rows of one person"
        if self.rows == "mean":
            return f"{rows_of_one(self.identifier)}, which together count as one row"
        return f"{rows_of_one(self.identifier)}, of which at most {self.rows} are read"


@dataclass(frozen=True)
class RowWeight:
    """How much rows count, as a column of the table says: their weight over a public cap, from 0 to 1."""

    name: str
    cap: float
    private: bool
    """Whether neighbors may differ in it; then all columns and the label are protected."""


@dataclass(frozen=True)
class PrivacyUnit:
    """Replace-one neighbors: same number of rows, one row differs, in the protected cells only.

    With ``persons`` all rows of one person differ. Where everything is protected, a person may have another number of
    rows in the neighboring table, and the number of persons is public in place of that of rows. Where a column or
    the label is public, neighbors have the same identifiers, row by row.

    Where rows without a label are left out, neighbors have labels in the same rows; where the number of a person's rows
    is protected, the same persons have rows with one. Proof: ``proofs/privacy/labeled_rows.md``.

    Where columns are computed of side tables, neighbors differ in all rows that one person has there, and in how many,
    too: in the table of features that is one row. Proof: ``proofs/queries/side_tables.md``.

    Where rows have a weight that is protected, neighbors may differ in it; one that is public stays. Proof:
    ``proofs/queries/survey_weights.md``.

    Raises ParameterError if a column is listed twice or is not text.
    """

    columns: tuple[str, ...]
    """Protected columns, in the schema's order; everything else in a row is public."""
    label: bool
    """Whether the label is protected, independently of the columns."""
    slice: Slice | None = field(default=None, repr=False)
    """The rows of which one may differ, if not any."""
    persons: Persons | None = None
    """What of several rows is one person's; None where each row is a person's only one."""
    labeled_public: bool = False
    """Whether rows without a label are left out, as everybody may know which rows, or which persons, have one."""
    side_tables: bool = False
    """Whether columns are computed of a person's rows in side tables, all of which are protected with the row."""
    weight: RowWeight | None = None
    """How much rows count, each by its own cells; None where each counts one."""

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

    @property
    def most_rows(self) -> int:
        """How often a person counts at most in a sum over rows, in units of one row."""
        return 1 if self.persons is None else self.persons.most_rows

    def divided(self, count: int) -> tuple[PrivacyUnit, ...]:
        """Return the units of so many disjoint sets of rows, which together hold all rows of this one.

        Privacy: which row belongs to which set must be fixed without looking at any protected cell: by position, or
        by a permutation drawn at random.
        """
        # An object of its own, equal to no other: slices of another division may share rows with these.
        partition = object()
        return tuple(replace(self, slice=Slice(at, count, partition, self.slice)) for at in range(1, count + 1))
