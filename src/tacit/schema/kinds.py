"""Names and kinds of columns: all that must be public before a schema is learned from rows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from tacit.errors import SchemaError, shown
from tacit.schema._checks import checked_flag, checked_name, unknown_name
from tacit.schema.columns import Numeric
from tacit.schema.file_format import FileFormat, as_pairs, checked_format, read_format
from tacit.schema.label import Label

if TYPE_CHECKING:
    from tacit.schema.schema import Schema

ColumnKind = Literal["number", "date", "category", "code", "boolean", "ignored"]
"""Numbers; days; texts of a few values; whole numbers that are names; true or false; or left out."""

FORMAT = 1
"""The version of the layout of a kinds file; a file of another version is refused."""

_INTRODUCTION = """\
Kinds of columns, from which `tacit schema learn` learns a private schema. They are public: write what everybody knows
from what a column means. One of: number, date, category (a few texts), code (whole numbers that are names), boolean,
ignored (identifiers, free text, and whatever is not to be used)."""

_GUESSED = "read off your data, not private: check each kind, then delete this line"


@dataclass(frozen=True)
class Kinds:
    """The kind of each column, the label's included.

    Parameters
    ----------
    columns : mapping of str to str, or sequence of (name, kind)
        Kinds are ``"number"``, ``"date"``, ``"category"``, ``"code"``, ``"boolean"`` and ``"ignored"``.
    guessed : bool
        Whether they were read off rows and nobody has checked them yet.
    file : FileFormat, optional
        How the table's file is written.

    Raises
    ------
    SchemaError
        If a name occurs twice, or a kind is none of these.

    Notes
    -----
    Privacy: taken for public. A column that is known to be there, and what it holds, must not depend on the rows.

    Examples
    --------
    >>> kinds = Kinds({"age": "number", "job": "category", "name": "ignored"})
    >>> kinds.used, kinds.ignored
    (('age', 'job'), ('name',))
    >>> kinds == Kinds.from_toml(kinds.to_toml())
    True
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    columns: tuple[tuple[str, ColumnKind], ...]
    guessed: bool = False
    file: FileFormat | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            columns: Mapping[str, str] | tuple[tuple[str, str], ...],
            guessed: bool = False,
            file: FileFormat | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        given: object = self.columns
        pairs = tuple(given.items()) if isinstance(given, Mapping) else tuple(self.columns)
        for name, kind in pairs:
            checked_name(name, "a column")
            if kind not in get_args(ColumnKind):
                raise SchemaError(
                    f"Expected a kind of column {name!r}, got kind={shown(kind)}. Write one of "
                    f"{', '.join(get_args(ColumnKind))}."
                )
        if len({name for name, _ in pairs}) < len(pairs):
            raise SchemaError("Expected different names, got a column twice. Give each column one kind.")
        object.__setattr__(self, "columns", pairs)
        object.__setattr__(self, "guessed", checked_flag(self.guessed, "guessed", "the kinds"))
        object.__setattr__(self, "file", checked_format(self.file, "the kinds"))

    @property
    def used(self) -> tuple[str, ...]:
        """Names of the columns that are not ignored."""
        return tuple(name for name, kind in self.columns if kind != "ignored")

    @property
    def ignored(self) -> tuple[str, ...]:
        """Names of the columns that are left out."""
        return tuple(name for name, kind in self.columns if kind == "ignored")

    def of(self, *kinds: ColumnKind) -> tuple[str, ...]:
        """Return the names of the columns of these kinds, in order."""
        return tuple(name for name, kind in self.columns if kind in kinds)

    def without(self, label: str) -> Kinds:
        """Return the kinds of the columns beside the label.

        Raises
        ------
        SchemaError
            If the label is none of them, or is a number, a date or ignored.
        """
        kinds = dict(self.columns)
        if label not in kinds:
            raise SchemaError(unknown_name(label, tuple(kinds)))
        if kinds.pop(label) in ("number", "date", "ignored"):
            raise SchemaError(
                f"Expected the label {label!r} to be of the kind category, code or boolean, got another. A number to "
                "predict is no class: write code where it is a few whole numbers."
            )
        return Kinds(kinds, self.guessed, self.file)

    @classmethod
    def of_schema(cls, schema: Schema, *, guessed: bool = True) -> Kinds:
        """Return the kinds that a schema's entries have, such as those of a draft."""
        kinds: dict[str, str] = {}
        for entry in (*schema.inputs, schema.label):
            if isinstance(entry, Numeric):
                kinds[entry.name] = "date" if entry.is_date else "number"
            else:
                listed = entry.cells if isinstance(entry, Label) else entry.categories
                kinds[entry.name] = _kind_of_values(listed or ("",))  # buckets are of texts
        persons = schema.identifier.names if schema.identifier else ()
        return cls(
            kinds | dict.fromkeys([*(name for name, _ in schema.ignored), *persons], "ignored"), guessed, schema.file
        )

    @classmethod
    def from_toml(cls, source: str | os.PathLike[str]) -> Kinds:
        """Read kinds from a TOML file, or from TOML text.

        Raises
        ------
        SchemaError
            If there is no such file, or it holds no kinds.
        """
        from tacit.schema.toml import check_keys, parsed_toml

        document = parsed_toml(source)
        check_keys(document, {"format", "guessed", "kinds", "file"}, "the kinds file")
        version, kinds = document.get("format"), document.get("kinds")
        if type(version) is not int or version != FORMAT or not isinstance(kinds, dict):
            raise SchemaError(
                f'Expected format = {FORMAT} and name = "kind" lines under [kinds] in the kinds file, got something '
                "else. Draft one with `tacit schema kinds`."
            )
        return cls(kinds, document.get("guessed", False), read_format(document.get("file"), "the kinds file"))

    def to_toml(self) -> str:
        """Return TOML text, from which ``from_toml`` makes an equal object."""
        import tomlkit

        document = tomlkit.document()
        for line in _INTRODUCTION.splitlines():
            document.add(tomlkit.comment(line))
        document.add("format", tomlkit.item(FORMAT))
        if self.guessed:
            document.add("guessed", tomlkit.item(True).comment(_GUESSED))
        if self.file:
            document.add("file", tomlkit.item(as_pairs(self.file)))
        document.add("kinds", tomlkit.item(dict(self.columns)))
        return tomlkit.dumps(document)


def _kind_of_values(values: tuple[object, ...]) -> ColumnKind:
    if isinstance(values[0], bool):
        return "boolean"
    return "category" if isinstance(values[0], str) else "code"
