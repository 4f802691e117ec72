"""Names and kinds of columns: all that must be public before a schema is learned from rows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from tacit.errors import SchemaError, shown
from tacit.schema._checks import checked_flag, checked_name, stated_fields, unknown_name
from tacit.schema.categorical import Categorical
from tacit.schema.columns import Column, Numeric
from tacit.schema.file_format import FileFormat, as_pairs, checked_format, read_format
from tacit.schema.label import Label
from tacit.schema.notation import FIELDS
from tacit.schema.replacing import Pairs
from tacit.schema.target import Target

if TYPE_CHECKING:
    from tacit.schema.schema import Schema

WIDEST = 1e300
"""Bound of every number: what is beyond counts as this."""

# Of every day; and of those that years of two digits mean where nothing tells the century.
_DAYS, _DAYS_OF_TWO_DIGITS = ("0001-01-01", "9999-12-31"), ("1969-01-01", "2068-12-31")

_FIELDS = ("missing_codes", *FIELDS)
"""What an entry says of how its cells are written: public, and kept by a learned schema."""

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
    written : mapping of str to mapping, optional
        How cells of a column are written, as fields of its schema entry: ``{"pay": {"decimal": ","}}``. Numbers and
        dates may have ``missing_codes`` and all from ``decimal`` to ``replace``, others ``replace``.

    Raises
    ------
    SchemaError
        If a name occurs twice, a kind is none of these, or fields do not suit the kind or contradict each other.

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
    written: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...] = ()

    if TYPE_CHECKING:

        def __init__(
            self,
            columns: Mapping[str, str] | tuple[tuple[str, str], ...],
            guessed: bool = False,
            file: FileFormat | None = None,
            written: Mapping[str, Mapping[str, Any]] | tuple[tuple[str, tuple[tuple[str, Any], ...]], ...] = (),
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
        object.__setattr__(self, "written", _checked_written(self.written, dict(pairs)))

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

    def fields(self, name: str) -> dict[str, Any]:
        """Return how cells of a column are written, as fields of its schema entry."""
        return dict(dict(self.written).get(name, ()))

    def replaced(self, name: str) -> Pairs:
        """Return what texts of a column are read as."""
        pairs: Pairs = self.fields(name).get("replace") or ()
        return pairs

    def entry(self, name: str) -> Numeric:
        """Return an entry that reads a column of numbers or dates, within bounds that hold all of them."""
        made = _entry(name, dict(self.columns)[name], self.fields(name))
        assert isinstance(made, Numeric)
        return made

    def without(self, label: str) -> Kinds:
        """Return the kinds of all columns but the label.

        Raises
        ------
        SchemaError
            If the label is none of them, or is a date or ignored, or no target can be read as its number is written.
        """
        kinds = dict(self.columns)
        if label not in kinds:
            raise SchemaError(unknown_name(label, tuple(kinds)))
        kind = kinds.pop(label)
        if kind in ("date", "ignored"):
            raise SchemaError(
                f"Expected the label {label!r} to be of the kind number, category, code or boolean, got another. A "
                "number is predicted; a code is a class."
            )
        if kind == "number":
            Target(label, **self.fields(label))  # refuses parts of dates, before anything is paid
        written = {name: dict(fields) for name, fields in self.written if name != label}
        return Kinds(kinds, self.guessed, self.file, written)

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
        written = {
            entry.name: {field: value for field, value in stated_fields(entry).items() if field in _FIELDS}
            for entry in (*schema.inputs, schema.label)
        }
        persons = schema.identifier.names if schema.identifier else ()
        left_out = dict.fromkeys([*(name for name, _ in schema.ignored), *persons], "ignored")
        return cls(kinds | left_out, guessed, schema.file, {name: fields for name, fields in written.items() if fields})

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
        check_keys(document, {"format", "guessed", "kinds", "file", "written"}, "the kinds file")
        version, kinds, written = document.get("format"), document.get("kinds"), document.get("written", {})
        is_read = isinstance(written, dict) and all(isinstance(fields, dict) for fields in written.values())
        if type(version) is not int or version != FORMAT or not isinstance(kinds, dict) or not is_read:
            raise SchemaError(
                f'Expected format = {FORMAT} and name = "kind" lines under [kinds] in the kinds file, got something '
                "else. Draft one with `tacit schema kinds`."
            )
        file = read_format(document.get("file"), "the kinds file")
        return cls(kinds, document.get("guessed", False), file, written)

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
        if self.written:
            from tacit.schema.toml import item_of

            document.add("written", tables := tomlkit.table(is_super_table=True))
            for name, fields in self.written:
                tables.add(name, table := tomlkit.table())
                for field, value in fields:
                    table.add(field, item_of(dict(value) if field == "replace" else value))
        return tomlkit.dumps(document)


def _checked_written(given: object, kinds: Mapping[str, str]) -> tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]:
    if isinstance(given, tuple):
        given = {name: dict(fields) for name, fields in given}
    if not isinstance(given, Mapping) or not all(isinstance(fields, Mapping) for fields in given.values()):
        raise SchemaError(
            "Expected fields by name of a column in written, got something else. Write them as in "
            'written={"pay": {"decimal": ","}}.'
        )
    found = []
    for name, stated in given.items():
        made = _entry(name, kinds.get(name), dict(stated))
        found.append((made.name, tuple((field, getattr(made, field)) for field in _FIELDS if field in stated)))
    return tuple(found)


def _entry(name: str, kind: str | None, fields: dict[str, Any]) -> Column:
    """Return an entry that may hold whatever a column of its kind does, and says how that is written."""
    numeric = kind in ("number", "date")
    known = _FIELDS if numeric else ("replace",) if kind in ("category", "code", "boolean") else ()
    if unknown := [field for field in fields if field not in known]:
        may = ", ".join(known) or "none, as it is not read"
        raise SchemaError(
            f"Expected fields of column {name!r} under [written] that suit its kind, got {unknown[0]!r}. It may have: "
            f"{may}."
        )
    if kind == "boolean":
        return Categorical(name, [False, True], other=True, missing=False, **fields)
    if not numeric:
        return Categorical(name, buckets=2, **fields)
    days = _DAYS_OF_TWO_DIGITS if "%y" in str(fields.get("dates")) else _DAYS
    if kind == "date":
        return Numeric(name, *days, missing="indicator", **fields)
    years = (int(days[0][:4]), int(days[1][:4])) if fields.get("date_part") == "year" else None
    return Numeric(name, *(years or (-WIDEST, WIDEST)), missing="indicator", **fields)


def _kind_of_values(values: tuple[object, ...]) -> ColumnKind:
    if isinstance(values[0], bool):
        return "boolean"
    return "category" if isinstance(values[0], str) else "code"
