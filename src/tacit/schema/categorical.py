"""A column of categories that everyone may know."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from tacit.errors import SchemaError, shown
from tacit.schema._checks import Value, as_call, checked_flag, checked_name, checked_values, kind_of, plain

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, repr=False)
class Categorical:
    """A column whose cells are one of a public list of categories.

    Parameters
    ----------
    name : str
    categories : sequence of str, int, float or bool
        What can occur, whether or not it does, of one kind; the order is kept.
    other : bool
        Whether one more code, after the last category, takes whatever the list lacks.
    missing : str, int, float or bool, optional
        The category that an empty cell counts as; any value will do if `other` takes it.
    center : str, int, float or bool, optional
        A public guess at the typical category, one of the list: where ordinal codes have their zero. Without it, the
        middle of the list.
    private : bool
        Whether the column is protected. Only what everybody may know of every single person is public.

    Raises
    ------
    SchemaError
        If a field has the wrong type or contradicts another; the message names the column.

    Examples
    --------
    >>> Categorical("sex", ["Female", "Male"], other=True, private=False)
    Categorical('sex', ['Female', 'Male'], other=True, private=False)
    >>> Categorical("blood", ["A", "B", "AB", "0"], other=True).n_codes
    5
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    categories: tuple[Value, ...]
    _: KW_ONLY
    other: bool = False
    missing: Value | None = None
    center: Value | None = None
    private: bool = True

    if TYPE_CHECKING:

        def __init__(  # what is accepted is wider than what is stored
            self,
            name: str,
            categories: Sequence[Value],
            *,
            other: bool = False,
            missing: Value | None = None,
            center: Value | None = None,
            private: bool = True,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Normalize and check every field."""
        self._set("name", checked_name(self.name, "a column"))
        self._set("categories", checked_values(self.categories, "categories", self._where))
        self._set("other", checked_flag(self.other, "other", self._where))
        self._set("private", checked_flag(self.private, "private", self._where))
        self._set("missing", plain(self.missing))
        self._set("center", plain(self.center))
        if self.missing is not None:
            self._check_missing()
        if self.center is not None and not self._lists(self.center):
            raise SchemaError(
                f"Expected center to be one of the categories of {self._where}, got center={shown(self.center)}. "
                "Name the typical category, or leave it out."
            )

    def __repr__(self) -> str:
        return as_call(self, positional=2)

    @property
    def n_codes(self) -> int:
        """How many codes the column has: one for each category, and one for `other`."""
        return len(self.categories) + self.other

    @property
    def middle(self) -> float:
        """The code where ordinal features have their zero: the center's, else halfway."""
        return (self.n_codes - 1) / 2 if self.center is None else float(self.categories.index(self.center))

    @property
    def _where(self) -> str:
        return f"column {self.name!r}"

    def _set(self, field: str, value: object) -> None:
        object.__setattr__(self, field, value)

    def _check_missing(self) -> None:
        if kind_of(self.missing) is None or not (self._lists(self.missing) or self.other):
            raise SchemaError(
                f"Expected missing to be one of the categories of {self._where}, "
                f"got missing={shown(self.missing)}. "
                "Add it to categories, or write other = true."
            )

    def _lists(self, value: object) -> bool:
        # Python finds True among [0, 1]; a table's column of numbers holds no booleans.
        return value in self.categories and kind_of(value) == kind_of(self.categories[0])
