"""The label of a table, with the classes and their shares that everyone may know."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from tacit.errors import SchemaError, shown
from tacit.schema._checks import (
    Entry,
    Value,
    as_call,
    as_tuple,
    checked_flag,
    checked_name,
    checked_values,
    kind_of,
    plain,
)
from tacit.schema.replacing import Pairs, check_replaced_values, checked_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


DROP = "drop"
"""What becomes of rows without a label: they are left out."""

MAX_CLASSES = 1_000
"""A budget divided among more leaves nothing to any."""

_ROUNDED_SHARES = 1e-3
"""How far the sum of shares that a person rounded may be from 1."""

LONGEST_CLASS = 1_000
"""Characters of a class that is a text: predictions hold as many for each row, in four bytes each."""


@dataclass(frozen=True, repr=False)
class Label(Entry):
    """What a classifier predicts: two public classes or more.

    Parameters
    ----------
    name : str
    classes : sequence of str, int, float or bool
        Two to 1,000, of one kind, texts of at most 1,000 characters; the order is kept.
    private : bool
        Whether the label is protected.
    prevalence : sequence of float, optional
        The share of each class, in the order of ``classes``, where that is public: above 0, of sum 1. Used for
        thresholds and class weights, and at small budgets for what is learned; never estimate it from private rows.
    positive : sequence of str, int, float or bool, optional
        Some of the classes that a table has, which are one class together, ``True``; all others are ``False``. So are
        the classes from then on, of the estimator and of `prevalence`; tables keep those that are listed.
    listed : sequence of str, int, float or bool, optional
        With `positive`: the classes that a table has. If not given, they are ``classes``.
    replace : mapping of str to str, optional
        What texts in a table are read as: ``{"f": "female", "F": "female"}``, classes that a table has; with `missing`
        also an empty text, as in ``{"NA": ""}``.
    missing : "drop", or one of the classes of a table, optional
        What becomes of a row without a label, which else is an error. ``"drop"`` leaves it out, and so declares that
        everybody may know **which rows have a label**: certificates and accounts say it. A class counts such rows as
        its own, and declares nothing.

    Raises
    ------
    SchemaError
        If a field has the wrong type, there are fewer than two classes or too many, or one is too long; the message
        names the label.

    Examples
    --------
    >>> Label("income", ["<=50K", ">50K"])
    Label('income', ['<=50K', '>50K'])
    >>> outcome = Label("outcome", ["cured", "relapse", "death"], positive=["relapse", "death"])
    >>> outcome.classes, outcome.cells
    ((False, True), ('cured', 'relapse', 'death'))
    """

    _kind = "label"

    name: str
    classes: tuple[Value, ...]
    _: KW_ONLY
    private: bool = True
    prevalence: tuple[float, ...] | None = None
    positive: tuple[Value, ...] | None = None
    listed: tuple[Value, ...] | None = None
    replace: Pairs | None = None
    missing: Value | None = None

    if TYPE_CHECKING:

        def __init__(  # what is accepted is wider than what is stored
            self,
            name: str,
            classes: Sequence[Value],
            *,
            private: bool = True,
            prevalence: Sequence[float] | None = None,
            positive: Sequence[Value] | None = None,
            listed: Sequence[Value] | None = None,
            replace: Mapping[str, str] | Pairs | None = None,
            missing: Value | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Normalize and check every field."""
        self._set("name", checked_name(self.name, "the label"))
        classes = checked_values(self.classes, "classes", self._where)
        if len(classes) < 2:
            raise SchemaError(f"Expected at least two classes in {self._where}, got one. List every class there is.")
        if len(classes) > MAX_CLASSES:
            raise SchemaError(
                f"Expected at most {MAX_CLASSES:,} classes in {self._where}, got {len(classes):,}. "
                "Gather rare ones; a number to predict is no class but a target."
            )
        if any(isinstance(each, str) and len(each) > LONGEST_CLASS for each in classes):
            raise SchemaError(
                f"Expected classes of at most {LONGEST_CLASS:,} characters in {self._where}, got a longer one. "
                "Write short names for them in the table."
            )
        self._set("classes", classes)
        if self.positive is not None or self.listed is not None:
            self._derive()
        self._set("private", checked_flag(self.private, "private", self._where))
        self._check_missing()
        if self.prevalence is not None:
            self._set("prevalence", self._checked_prevalence())
        self._set("replace", checked_pairs(self.replace, self._where))
        check_replaced_values(self.replace, self.cells, self._where, missing=self.missing is not None)

    def __repr__(self) -> str:
        return as_call(self.as_written(), positional=2)

    @property
    def sorted_prevalence(self) -> tuple[float, ...] | None:
        """The declared share of each class, in the order of sorted ones; None if none are declared.

        Examples
        --------
        >>> Label("ill", ["yes", "no"], prevalence=[0.1, 0.9]).sorted_prevalence
        (0.9, 0.1)
        """
        if self.prevalence is None:
            return None
        return tuple(share for _, share in sorted(zip(self.classes, self.prevalence, strict=True)))

    @property
    def cells(self) -> tuple[Value, ...]:
        """The classes that a table has; with `positive`, those that are not positive first."""
        if self.listed is None or self.positive is None:
            return self.classes
        return tuple(sorted(self.listed, key=self.positive.__contains__))

    def class_of(self, cell: Value) -> Value:
        """Return the class of one of the table's classes."""
        return cell if self.positive is None else cell in self.positive

    @property
    def drops_missing(self) -> bool:
        """Whether rows without a label are left out, so that everybody may know which rows have one."""
        return self.missing == DROP

    def as_written(self) -> Label:
        """Return the label with what people write: the classes of the table, and which of them are positive."""
        if self.listed is None:
            return self
        written = copy(self)
        written._set("classes", self.listed)
        written._set("listed", None)
        return written

    def _check_missing(self) -> None:
        value = plain(self.missing)
        self._set("missing", value)
        kind = kind_of(value)
        is_class = kind is not None and (kind, value) in {(kind_of(cell), cell) for cell in self.cells}
        if value is not None and is_class == (value == DROP):
            found = "a class of that name" if is_class else f"missing={shown(value)}"
            raise SchemaError(
                f"Expected {DROP!r}, which leaves out rows without a label, or one of the table's classes for missing "
                f"of {self._where}, got {found}. Write one of the two; a class for such rows is listed in classes, too."
            )

    def _derive(self) -> None:
        """Make the classes False and True of those that a table has."""
        listed = checked_values(self.classes if self.listed is None else self.listed, "classes", self._where)
        positive = () if self.positive is None else checked_values(self.positive, "positive", self._where)
        known = {(kind_of(value), value) for value in listed}
        if not positive or len(positive) == len(listed) or not {(kind_of(value), value) for value in positive} <= known:
            raise SchemaError(
                f"Expected some of the classes in positive of {self._where}, but not all, got others. Name those that "
                "are one class together, as classes has them."
            )
        if self.listed is not None and self.classes != (False, True):
            raise SchemaError(
                f"Expected classes False and True with listed in {self._where}, got others. Leave listed out."
            )
        for field, values in (("classes", (False, True)), ("positive", positive), ("listed", listed)):
            self._set(field, values)

    def _checked_prevalence(self) -> tuple[float, ...]:
        assert self.prevalence is not None
        shares = as_tuple(self.prevalence, "prevalence", self._where)
        found = tuple(float(share) for share in shares if kind_of(share) == "number")  # type: ignore[arg-type]
        whole = len(found) == len(shares) == len(self.classes) and abs(math.fsum(found) - 1) < _ROUNDED_SHARES
        if not whole or min(found) <= 0:
            raise SchemaError(
                f"Expected a share above 0 for each class in prevalence of {self._where}, of sum 1, got something "
                "else. Give the shares in the order of classes, for example prevalence=[0.9, 0.1]."
            )
        return found
