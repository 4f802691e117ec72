"""The label: what a classifier predicts, with the classes that everyone may know."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from tacit.errors import SchemaError
from tacit.schema._checks import Value, as_call, checked_flag, checked_name, checked_values

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_CLASSES = 1_000
"""A budget divided among more leaves nothing to any."""


@dataclass(frozen=True, repr=False)
class Label:
    """What a classifier predicts: two public classes or more.

    Parameters
    ----------
    name : str
    classes : sequence of str, int, float or bool
        Two to 1,000, of one kind; the order is kept.
    private : bool
        Whether the label is protected.

    Raises
    ------
    SchemaError
        If a field has the wrong type or there are fewer than two classes; the message names the label.

    Examples
    --------
    >>> Label("income", ["<=50K", ">50K"])
    Label('income', ['<=50K', '>50K'])
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    classes: tuple[Value, ...]
    _: KW_ONLY
    private: bool = True

    if TYPE_CHECKING:

        def __init__(  # what is accepted is wider than what is stored
            self, name: str, classes: Sequence[Value], *, private: bool = True
        ) -> None: ...

    def __post_init__(self) -> None:
        """Normalize and check every field."""
        where = f"label {checked_name(self.name, 'the label')!r}"
        classes = checked_values(self.classes, "classes", where)
        if len(classes) < 2:
            raise SchemaError(f"Expected at least two classes in {where}, got one. List every class there is.")
        if len(classes) > MOST_CLASSES:
            raise SchemaError(
                f"Expected at most {MOST_CLASSES:,} classes in {where}, got {len(classes):,}. Gather rare ones; a "
                "number to predict is no class."
            )
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "private", checked_flag(self.private, "private", where))

    def __repr__(self) -> str:
        return as_call(self, positional=2)
