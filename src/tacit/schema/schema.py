"""The schema: what everyone may know about a table before anything is learned from it."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from tacit.errors import SchemaError, shown
from tacit.notebook import as_table
from tacit.schema._checks import Value, as_tuple, checked_delta, checked_flag, unknown_name
from tacit.schema.categorical import Categorical
from tacit.schema.columns import Column, Numeric, is_indicator, with_indicators
from tacit.schema.file_format import FileFormat, checked_format
from tacit.schema.identifier import Identifier, check_identifier, checked_rows_per_person
from tacit.schema.label import Label
from tacit.schema.learned import LearnedEntries
from tacit.schema.parts import checked_columns, checked_ignored, divided
from tacit.schema.side_features import check_features, checked_tables
from tacit.schema.side_table import SideTable
from tacit.schema.target import Target
from tacit.schema.weight import Weight, check_weight

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Sequence


@dataclass(frozen=True, repr=False)
class Schema:
    """Public knowledge about a table: its columns, its label, and which of them are private.

    Parameters
    ----------
    columns : sequence of Numeric or Categorical
        The columns that are used, under different names, in the order that arrays have them; at most 10,000, with at
        most 100,000 categories, buckets and cut points together.
    label : Label or Target
        What is predicted, a class or a number; its name is no column's.
    ignored : mapping or sequence of (name, reason), optional
        Columns that are known to be there and left out on purpose, with the reason.
    guessed : sequence of str, optional
        Names of columns (or the label, or the identifier) whose entry was read off data and not checked yet.
    identifier : Identifier, optional
        What says which rows are of one person, where one may have several; no feature and no label.
    rows_per_person : int
        Without an identifier: the most rows that one person has. Noise is so many times as much.
    learned : LearnedEntries, optional
        Which entries were released from rows, and the certificate of that release: see ``tacit.learn_schema``.
    file : FileFormat, optional
        How the table's files are written: their encoding, if it is not UTF-8, and the sheet of a spreadsheet.
    delta : 0, optional
        Fits under the schema that leave their delta to a rule have none: pure epsilon.
    weight : Weight, optional
        The column that says how much each row counts.
    tables : sequence of SideTable, optional
        Tables in which a person may have any number of rows, of which columns with ``from_table`` are computed.
    group_columns : sequence of Categorical
        Columns with ``feature=False``, wherever they are given: fits read them, after the others in an array, to count
        rows by; models do not.

    Raises
    ------
    SchemaError
        If parts contradict each other; the message names the column.

    Notes
    -----
    Privacy: a schema is published as written, so it must not come from private rows. Entries that did are
    listed in `guessed`, and a certificate that rests on one of them promises nothing.

    Examples
    --------
    >>> from tacit.schema import Categorical
    >>> schema = Schema(
    ...     [Numeric("age", 17, 90), Categorical("sex", ["Female", "Male"], private=False)],
    ...     label=Label("income", ["<=50K", ">50K"]),
    ... )
    >>> schema.private_columns, schema.public_columns
    (('age',), ('sex',))
    >>> schema == Schema.from_toml(schema.to_toml())
    True
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    columns: tuple[Column, ...]
    _: KW_ONLY
    label: Label | Target
    ignored: tuple[tuple[str, str], ...] = ()
    guessed: tuple[str, ...] = ()
    identifier: Identifier | None = None
    rows_per_person: int = 1
    learned: LearnedEntries | None = None
    file: FileFormat | None = None
    delta: int | None = None
    tables: tuple[SideTable, ...] = ()
    group_columns: tuple[Categorical, ...] = ()
    weight: Weight | None = None

    if TYPE_CHECKING:

        def __init__(  # what is accepted is wider than what is stored
            self,
            columns: Sequence[Column],
            *,
            label: Label | Target,
            ignored: Mapping[str, str] | Sequence[tuple[str, str]] = (),
            guessed: Sequence[str] = (),
            identifier: Identifier | None = None,
            rows_per_person: int = 1,
            learned: LearnedEntries | None = None,
            file: FileFormat | None = None,
            delta: int | None = None,
            tables: Sequence[SideTable] = (),
            group_columns: Sequence[Categorical] = (),
            weight: Weight | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Normalize and check every field."""
        columns, group_columns = divided(checked_columns(self.columns, self.group_columns))
        object.__setattr__(self, "group_columns", group_columns)
        object.__setattr__(self, "columns", checked_columns(with_indicators(columns)))
        if not isinstance(self.label, Label | Target):
            raise SchemaError(
                f"Expected label to be a Label or a Target, got label={shown(self.label)}. Write "
                "Label(name, classes), or of a number Target(name, low, high)."
            )
        if self.label.name in self.full_names:
            raise SchemaError(
                f"Expected a label that is no column, got label {self.label.name!r}, which is one. "
                "Leave it out of the columns, or give the label another name."
            )
        check_identifier(self.identifier, (*self.full_names, self.label.name), self.rows_per_person)
        object.__setattr__(self, "rows_per_person", checked_rows_per_person(self.rows_per_person))
        check_weight(self.weight, (*self.columns, *group_columns, self.label), self.identifier)
        object.__setattr__(self, "ignored", checked_ignored(self.ignored, self._used))
        object.__setattr__(self, "tables", checked_tables(self.tables))
        object.__setattr__(self, "guessed", self._checked_names(self.guessed, "guessed"))
        if self.learned is not None:
            entries = self._checked_names(self.learned.entries, "learned")
            object.__setattr__(self, "learned", replace(self.learned, entries=entries))
        object.__setattr__(self, "file", checked_format(self.file, "the schema"))
        object.__setattr__(self, "delta", checked_delta(self.delta))
        check_features(self.columns, self.tables, self._used, self.identifier, self.rows_per_person)

    def __repr__(self) -> str:
        lines = ["["] + [f"    {column!r}," for column in (*self.columns, *self.group_columns)]
        lines += ["],", f"label={self.label!r},"]
        if self.ignored:
            lines.append(f"ignored={dict(self.ignored)!r},")
        if self.guessed:
            lines.append(f"guessed={list(self.guessed)!r},")
        if self.identifier:
            lines.append(f"identifier={self.identifier!r},")
        if self.rows_per_person != 1:
            lines.append(f"rows_per_person={self.rows_per_person},")
        if self.learned:
            lines.append(f"learned={list(self.learned.entries)!r},")
        others = {"file": self.file, "delta": self.delta, "tables": list(self.tables) or None, "weight": self.weight}
        lines += [f"{name}={value!r}," for name, value in others.items() if value is not None]
        return "\n".join(["Schema(", *(f"    {line}" for line in lines), ")"])

    def _repr_html_(self) -> str:
        lines = [
            (each.name, type(each).__name__.lower(), _extent(each), "private" if each.private else "public")
            for each in (*self.columns, *self.group_columns, self.label)
        ]
        noted = f"; guessed, not checked: {', '.join(self.guessed)}" if self.guessed else ""
        return as_table(f"{len(self.columns)} columns and a label{noted}", ("name", "kind", "values", "cells"), lines)

    @property
    def target(self) -> Target | None:
        """The number that is predicted; None where it is a class."""
        return self.label if isinstance(self.label, Target) else None

    @property
    def class_label(self) -> Label:
        """The label whose classes are predicted.

        Raises
        ------
        SchemaError
            If a number is predicted.
        """
        if isinstance(self.label, Label):
            return self.label
        raise SchemaError(
            f"Expected a label with classes, got the number {self.label.name!r} to predict. Take a regressor, or "
            "`tacit fit`; what was asked is of classes alone."
        )

    @property
    def classes(self) -> tuple[Value, ...]:
        """The classes that are predicted, in the order in which the label lists them; see ``class_label``."""
        return self.class_label.classes

    @property
    def n_classes(self) -> int:
        """Number of classes; 1 where a number is predicted."""
        return 1 if self.target else len(self.classes)

    @property
    def n_scores(self) -> int:
        """How many scores a row has: one of two classes and of a number, else one a class."""
        return 1 if self.n_classes <= 2 else self.n_classes

    @property
    def score_names(self) -> tuple[Value, ...]:
        """What each score of a row speaks for: of two classes the second, of a number its name, else each class."""
        if self.target:
            return (self.target.name,)
        return tuple(sorted(self.classes)[self.n_classes == 2 :])

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns that are learned from, in order, without the label."""
        return tuple(column.name for column in self.columns)

    @property
    def inputs(self) -> tuple[Column, ...]:
        """The columns that a table has, in order: without indicators of empty cells, which are made when it is read."""
        return tuple(column for column in self.columns if not is_indicator(column))

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the columns that a table has, in order."""
        return tuple(column.name for column in self.inputs)

    @property
    def full(self) -> Schema:
        """The same schema with all columns as features: what fits read, and what is protected."""
        # Never kept by itself: what stores objects by their attributes would go around in a circle.
        return self._with_groups if self.group_columns else self

    @cached_property
    def _with_groups(self) -> Schema:
        columns = (*self.inputs, *(replace(column, feature=True) for column in self.group_columns))
        return replace(self, columns=columns, group_columns=())

    @property
    def full_names(self) -> tuple[str, ...]:
        """Names of all columns: those that are learned from, and those that rows are only counted by."""
        return (*self.names, *(column.name for column in self.group_columns))

    @property
    def private_columns(self) -> tuple[str, ...]:
        """Names of the protected columns that are learned from, in order."""
        return tuple(column.name for column in self.columns if column.private)

    @property
    def paid_columns(self) -> tuple[Column, ...]:
        """The columns that cost privacy, as a table has them: all under a private label, of which each tells."""
        return tuple(column for column in self.inputs if column.private or self.label.private)

    @property
    def public_columns(self) -> tuple[str, ...]:
        """Names of the columns that everybody may see, in order."""
        return tuple(column.name for column in self.columns if not column.private)

    @property
    def open(self) -> tuple[str, ...]:
        """Names of the columns, and of the target, whose bounds are open, in order: by them nothing is fitted."""
        entries = (*self.columns, self.label)
        return tuple(entry.name for entry in entries if isinstance(entry, Numeric) and entry.is_open)

    def column(self, name: str) -> Column:
        """Return the column of this name; raises SchemaError if there is none."""
        found = self._by_name.get(name) if isinstance(name, str) else None
        if found is None:
            raise SchemaError(unknown_name(name, self.full_names))
        return found

    def without_persons(self) -> Schema:
        """Return the same schema without an identifier, and places of side tables: what predicting needs of it."""
        tables = tuple(table.without_file() for table in self.tables)
        if self.identifier is None:
            return replace(self, rows_per_person=1, tables=tables)
        guessed = tuple(name for name in self.guessed if name not in self.identifier.names)
        return replace(self, identifier=None, rows_per_person=1, guessed=guessed)

    def all_private(self) -> Schema:
        """Return the same schema with every column and the label private."""
        return self.with_private(self.full_names, label=True)

    def with_private(self, names: Collection[str], *, label: bool | None = None) -> Schema:
        """Return the same schema with exactly these columns private and the others public.

        Parameters
        ----------
        names : collection of str
            The columns to protect.
        label : bool, optional
            Whether the label is private; left as it is if not given.

        Raises
        ------
        SchemaError
            If a name is no column of this schema.
        """
        chosen = names if isinstance(names, Set) else as_tuple(names, "names", "the private columns")
        for name in chosen:
            if name not in self.full_names:
                raise SchemaError(unknown_name(name, self.full_names))
        protects_label = self.label.private if label is None else checked_flag(label, "label", "with_private")
        return replace(
            self,
            columns=tuple(replace(column, private=column.name in chosen) for column in self.columns),
            group_columns=tuple(replace(column, private=column.name in chosen) for column in self.group_columns),
            label=replace(self.label, private=protects_label),
        )

    @classmethod
    def from_toml(cls, source: str | os.PathLike[str]) -> Schema:
        """Read a schema from a TOML file, or from TOML text.

        Parameters
        ----------
        source : path, or str
            A text with a line break in it is TOML, since no schema fits on one line; any other is a path.

        Raises
        ------
        SchemaError
            If there is no such file, it is no TOML, or it is no schema; the message names the entry.
        """
        from tacit.schema.toml import read_schema

        return cls(**read_schema(source))

    def to_toml(self) -> str:
        """Return the schema as TOML text, from which `from_toml` makes an equal one."""
        from tacit.schema.toml import write_schema

        return write_schema(self)

    @classmethod
    def from_data(cls, data: Any, labels: Any = None, *, label_name: str = "label") -> Schema:
        """Guess a schema from rows, every entry of it marked as guessed; labels are classes, be they numbers or not.

        Parameters
        ----------
        data : data frame or numpy.ndarray of shape (n_rows, n_columns)
            Any frame that narwhals knows. An array's columns are called x0, x1, ... and all of them are kept.
        labels : array-like of shape (n_rows,), or str, optional
            The labels, or the name of the frame's column that holds them; `label_name` if not given.
        label_name : str
            What to call labels that are no column of the frame.

        Raises
        ------
        SchemaError
            If no schema can be guessed; the message names the column, and never a cell.

        Notes
        -----
        Privacy: **this reads the rows and adds no noise**. Bounds are rounded outward to 1-2-5 steps, and
        identifiers, dates and texts of many values are left out unlisted. It still is not private, so
        `guessed` names every entry, and a certificate that rests on one promises nothing.

        Examples
        --------
        >>> import numpy as np
        >>> Schema.from_data(np.array([[17.0], [64.5]]), [0, 1]).columns
        (Numeric('x0', 10, 100),)
        """
        from tacit.schema.infer import guess_schema

        return cls(**guess_schema(data, labels, label_name, only_classes=True).parts)

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in (*self.columns, *self.group_columns)}

    @property
    def _used(self) -> tuple[str, ...]:
        """Names that have a meaning of their own."""
        others = (name for each in (self.identifier, self.weight) if each for name in each.names)
        return (*self.full_names, self.label.name, *others)

    def _checked_names(self, names: object, field: str) -> tuple[str, ...]:
        known = (*self._used, *(table.entry for table in self.tables))
        listed = as_tuple(names, field, "the schema")
        texts = {name for name in listed if isinstance(name, str)}
        if self.identifier and texts & set(self.identifier.names):
            texts |= set(self.identifier.names)  # one entry, whichever of its columns is named
        for name in listed:
            if not isinstance(name, str) or (name not in self._by_name and name not in known[len(self.full_names) :]):
                raise SchemaError(unknown_name(name, known))
        return tuple(name for name in known if name in texts)


def _extent(entry: Column | Label | Target) -> str:
    if isinstance(entry, Numeric):
        return "open bounds" if entry.is_open else f"{entry.low} to {entry.high}"
    return ", ".join(map(str, entry.cells)) if isinstance(entry, Label) else entry.extent
