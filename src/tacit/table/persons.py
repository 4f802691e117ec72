"""Rows of one person: identifiers read as text, and the integer weights that add to the same for each person."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError, TableError
from tacit.privacy import Persons, PrivacyUnit, RowWeight, Slice
from tacit.schema import Schema
from tacit.table.cell import plain
from tacit.table.containers import ColumnTypeError, GivenColumn
from tacit.table.storage import Storage

MAX_UNIT_WEIGHT = 2**12
"""What one person weighs at most: of a person with more rows, so many are counted."""

_WEIGHT_BITS = 33
"""Bits of all persons' weights together. Sums of them times values on a grid of 2^-20 stay below 2^53: exact in float64
in any order."""

_KEY = b"tacit: rows of one person"
"""Public: the order that it gives must be unlike that of the file, not secret."""

_MAX_BITS = 8_192
"""Of a whole number that names a person: Python writes no number of more than 4,300 digits."""

NO_IDENTIFIERS = frozenset(("", "nan", "na", "n/a", "null", "none", "<na>", "nat", "?"))
"""Texts, in lower case, that stand for a missing identifier: they would make one person of many."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""What numbers are multiplied by before they are mixed."""


@dataclass(frozen=True, eq=False, repr=False)
class Members:
    """Which person each row is of, and its place in a public pseudorandom order of that person's rows.

    Parameters
    ----------
    person : int64 array of shape (n_rows,)
        Ascending in the order in which persons first appear: not public. From 0 on, without gaps, where one process
        reads all rows; in slices and on a cluster some numbers are nobody's.
    rank : int64 array of shape (n_rows,)
        From 0 on among the person's rows.
    count : int64 array of shape (n_rows,)
        Rows of the row's person.
    key : uint64 array of shape (n_rows,)
        Public hash of the person's identifier. Persons may share one.

    Notes
    -----
    Privacy: rank, count and key follow from the identifier and the position among the person's own rows, never from
    other cells or persons: neighbors that share identifiers share all three. Proof: ``proofs/queries/person_sums.md``.
    The person's number does not: where one person's rows have moved, everybody's may be another.
    """

    person: NDArray[np.int64]
    rank: NDArray[np.int64]
    count: NDArray[np.int64]
    key: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.person)

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("Expected identifiers to stay where the rows are, got a request to copy or pickle them.")

    @classmethod
    def of(cls, identifiers: Sequence[str]) -> Members:
        """Return the members of persons named by texts, one for each row."""
        # Not an array of texts: one long identifier would take its length in every row.
        numbers: dict[str, int] = {}
        person = np.asarray([numbers.setdefault(name, len(numbers)) for name in identifiers], dtype=np.int64)
        keys = np.asarray([key_of(name) for name in numbers], dtype=np.uint64)
        place = _places(person, np.arange(len(person)))
        # The occurrence and not the cells: a hash of protected cells would move weights of public ones.
        order = mixed(keys[person] + place.astype(np.uint64) * GOLDEN)
        return cls(person, _places(person, order), np.bincount(person)[person], keys[person])

    @property
    def n_persons(self) -> int:
        """Number of persons; public."""
        return int(np.count_nonzero(self.rank == 0))

    def weights(self, unit_weight: int) -> NDArray[np.float64]:
        """Return whole weights that add to the unit for each person: equal, but for a remainder of one a row."""
        whole, rest = np.divmod(np.int64(unit_weight), self.count)
        return (whole + (self.rank < rest)).astype(np.float64)

    def first(self, most: int) -> tuple[NDArray[np.intp], Members]:
        """Return the positions of each person's first rows in their order, at most so many, and their members."""
        kept = np.flatnonzero(self.rank < most)
        rank, count = self.rank[kept], np.minimum(self.count[kept], most)
        return kept, Members(self.person[kept], rank, count, self.key[kept])

    def part(self, positions: NDArray[np.intp]) -> Members:
        """Return the members of some rows of a study, in which persons may have fewer rows."""
        person, rank = self.person[positions], self.rank[positions]
        _, person = np.unique(person, return_inverse=True)
        person = person.reshape(-1).astype(np.int64)
        return Members(person, _places(person, rank), np.bincount(person)[person], self.key[positions])

    @classmethod
    def joined(cls, parts: Sequence[Members]) -> Members | None:
        """Return the members of all rows, None if there are no parts."""
        if not parts:
            return None
        names = ("person", "rank", "count", "key")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def kept(self, storage: Storage) -> Members:
        """Return the same members in a storage."""
        kept = storage.kept
        return Members(kept(self.person), kept(self.rank), kept(self.count), kept(self.key))

    def take(self, positions: NDArray[np.intp] | slice) -> Members:
        """Return the members of some rows; all of a person's, or ranks and counts would not fit."""
        return Members(self.person[positions], self.rank[positions], self.count[positions], self.key[positions])


def mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return words that look random: the finalizer of Steele, Lea and Flood (2014)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def persons_of(schema: Schema) -> Persons | None:
    """Return what of several rows is one person's."""
    public = schema.weight is not None and not schema.weight.private
    shared = bool(schema.full.public_columns) or not schema.label.private or public
    if schema.identifier is not None:
        return Persons(schema.identifier.name, schema.identifier.rows, shared)
    return Persons(None, schema.rows_per_person, True) if schema.rows_per_person > 1 else None


def unit_of(schema: Schema, slice: Slice | None = None) -> PrivacyUnit:
    """Return what two tables of a schema differ in that are neighbors."""
    own = schema.weight
    weight = None if own is None else RowWeight(own.name, own.cap, own.private)
    given = schema.label.drops_missing, bool(schema.tables), weight
    return PrivacyUnit(schema.full.private_columns, schema.label.private, slice, persons_of(schema), *given)


def unit_weight_for(n_persons: int) -> int:
    """Return what one person weighs, a power of two; from the public number of persons alone.

    Examples
    --------
    >>> unit_weight_for(70_000), unit_weight_for(2**25)
    (4096, 256)
    """
    return min(MAX_UNIT_WEIGHT, 1 << max(0, _WEIGHT_BITS - ceil(log2(max(n_persons, 1)))))


def key_of(name: str) -> int:
    """Return a public hash of an identifier, the same on every machine, in [0, 2^64)."""
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, key=_KEY).digest()
    return int.from_bytes(digest, "little")


def read_identifiers(given: GivenColumn, name: str) -> list[str]:
    """Return each row's identifier as text without blanks around it; a whole number is the text of its digits.

    Raises
    ------
    TableError
        If the column is of another type (doubles merge whole numbers above 2^53), or an identifier is missing.
    """
    check_identifiers(given, name)
    return _texts(given.cells(), name)


def check_identifiers(given: GivenColumn, name: str) -> None:
    """Refuse a column whose type holds no identifiers; looks at no cell."""
    if given.kind == "moment" or (given.kind == "number" and _is_no_integer(given)):
        raise ColumnTypeError(
            f"Expected text or whole numbers in the identifier {name!r}, got another type, such as floating-point "
            "numbers, which merge persons. Read the column as text or integers, and leave no row without."
        )


def keys_of(given: GivenColumn, name: str) -> list[str | None]:
    """Return each row's key as ``read_identifiers`` reads it, None where a row has none: it is nobody's.

    Raises
    ------
    TableError
        If the column is of another type.
    """
    check_identifiers(given, name)
    return [_text(cell) for cell in given.cells()]


def joined_identifiers(parts: Sequence[Sequence[str]]) -> list[str]:
    """Return one text for each row of those in several columns; rows with other texts in a column have another one.

    Each text comes after its length, so that what is joined can be taken apart in one way only.

    Examples
    --------
    >>> joined_identifiers([["1", "12"], ["23", "3"]])
    ['1:1 2:23', '2:12 1:3']
    """
    return [" ".join(f"{len(text)}:{text}" for text in row) for row in zip(*parts, strict=True)]


def _is_no_integer(given: GivenColumn) -> bool:
    if isinstance(given.source, np.ndarray):
        return bool(given.source.dtype.kind not in "iu")
    return not given.source.dtype.is_integer()


def _texts(cells: Sequence[Any], name: str) -> list[str]:
    read = [_text(cell) for cell in cells]
    if any(text is None for text in read):
        raise TableError(
            f"Expected text or a whole number as the identifier {name!r} of every row, got a row without one, or with "
            "something else. Give each row its person's identifier, or leave such rows out."
        )
    return read  # type: ignore[return-value]


def _text(cell: Any) -> str | None:
    value = cell if type(cell) in (str, int) else plain(cell)
    if type(value) is int:
        return str(value) if value.bit_length() <= _MAX_BITS else None
    if type(value) is not str:
        return None
    text = value.strip()  # as of files: a blank makes no other person
    return None if text.lower() in NO_IDENTIFIERS else text


def _places(person: NDArray[np.int64], keys: NDArray[Any]) -> NDArray[np.int64]:
    """Return each row's place among its person's rows, in the order of the keys; ties as in the table."""
    order = np.lexsort((keys, person))
    starts = np.concatenate([[0], np.cumsum(np.bincount(person))[:-1]])
    places = np.empty(len(person), dtype=np.int64)
    places[order] = np.arange(len(person)) - starts[person[order]]
    return places
