"""What one person's change may touch: the privacy unit."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.errors import ParameterError


@dataclass(frozen=True)
class PrivacyUnit:
    """Replace-one neighbors: same number of rows, one row differs, in the protected cells only.

    Parameters
    ----------
    columns : sequence of str
        Protected columns, in the schema's order; everything else in a row is public.
    label : bool
        Whether the label is protected, independently of the columns.

    Raises
    ------
    ParameterError
        If a column is listed twice or is not text.

    Examples
    --------
    >>> PrivacyUnit(columns=("age",), label=False).protects_nothing
    False
    """

    columns: tuple[str, ...]
    label: bool

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
