"""Columns of categories: listed ones, prefixes of codes, or buckets that a public hash decides about."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

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
from tacit.schema.feature import Feature, checked_source
from tacit.schema.replacing import Pairs, check_replaced_values, checked_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_BUCKETS = 2**16 - 2
"""Of a column: with a code for missing cells and one for unlisted categories, two bytes hold every code."""

LONGEST_SALT = 1_000
"""Characters; hashing a cell hashes the salt, too."""


Match = Literal["value", "prefix"]
"""How a cell is a category: by its value, or as a text that starts with it."""


@dataclass(frozen=True, repr=False)
class Categorical(Entry):
    """A column of categories: one of a public list, or a bucket that a public hash puts a text into.

    Parameters
    ----------
    name : str
    categories : sequence of str, int, float or bool, optional
        What can occur, whether or not it does, of one kind; the order is kept. Left out where there are `buckets`.
    other : bool
        Whether one more code, after the last category, takes whatever the list lacks.
    missing : str, int, float or bool, optional
        The category that an empty cell counts as; any value will do if `other` takes it.
    center : str, int, float or bool, optional
        A public guess at the typical category, one of the list: where ordinal codes have their zero. Without it, the
        middle of the list.
    match : {"value", "prefix"}
        "prefix": a text is the longest listed category that it starts with, letter by letter, dots included: of "I21"
        and "I", "I21.4" is the first and "I63" the second.
    buckets : int, optional
        In place of a list: how many buckets, 2 to 65,534, cells are hashed into. Missing cells have a code of their
        own, after the last bucket.
    salt : str
        Public; another salt puts other texts into one bucket.
    replace : mapping of str to str, optional
        What texts are read as: ``{"f": "female", "F": "female"}``, listed values all. One that spells a number goes by
        its value, as cells do.
    feature : bool
        Whether models read it. Without, rows of holdouts and evaluations are counted by it alone: see ``holdout_by``.
    private : bool
        Whether the column is protected. Only what everybody may know of every single person is public.
    indicates : str, optional
        The number whose empty cells this column marks. A schema makes such columns; tables have none.
    from_table : Feature, optional
        What the category is computed of, in a side table; it is then in no table itself. In a schema file, ``from``.

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
    >>> Categorical("diagnosis", ["I", "I21"], match="prefix", other=True).words
    ('I*', 'I21*', 'another value')
    >>> Categorical("zip", buckets=2).words
    ('bucket 0', 'bucket 1', 'missing')
    """

    name: str
    categories: tuple[Value, ...] = ()
    _: KW_ONLY
    other: bool = False
    missing: Value | None = None
    center: Value | None = None
    match: Match = "value"
    buckets: int | None = None
    salt: str = ""
    replace: Pairs | None = None
    feature: bool = True
    private: bool = True
    indicates: str | None = None
    from_table: Feature | None = None

    if TYPE_CHECKING:

        def __init__(  # what is accepted is wider than what is stored
            self,
            name: str,
            categories: Sequence[Value] = (),
            *,
            other: bool = False,
            missing: Value | None = None,
            center: Value | None = None,
            match: Match = "value",
            buckets: int | None = None,
            salt: str = "",
            replace: Mapping[str, str] | Pairs | None = None,
            feature: bool = True,
            private: bool = True,
            indicates: str | None = None,
            from_table: Feature | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Normalize and check every field."""
        self._set("name", checked_name(self.name, "a column"))
        self._set("other", checked_flag(self.other, "other", self._where))
        self._set("private", checked_flag(self.private, "private", self._where))
        checked_source(self.from_table, self.private, self._where)
        self._check_feature()
        self._set("missing", plain(self.missing))
        self._set("center", plain(self.center))
        self._set("replace", checked_pairs(self.replace, self._where))
        if self.buckets is not None:
            self._check_buckets()
            return
        if isinstance(self.categories, tuple) and not self.categories:
            raise SchemaError(
                f"Expected categories, or buckets, in {self._where}, got neither. List what can occur, or write "
                "buckets = 256."
            )
        self._set("categories", checked_values(self.categories, "categories", self._where))
        if self.salt != "":
            raise SchemaError(
                f"Expected a salt with buckets only, got salt={shown(self.salt)} of {self._where}. Leave it out."
            )
        self._check_match()
        if self.missing is not None:
            self._check_missing()
        if self.center is not None and not self._lists(self.center):
            raise SchemaError(
                f"Expected center to be one of the categories of {self._where}, got center={shown(self.center)}. "
                "Name the typical category, or leave it out."
            )
        has_missing, prefixes = self.missing is not None, self.match == "prefix"
        check_replaced_values(self.replace, self.categories, self._where, prefixes=prefixes, missing=has_missing)

    def __repr__(self) -> str:
        return as_call(self, positional=2 if self.buckets is None else 1)

    @property
    def n_codes(self) -> int:
        """How many codes the column has: one for each category and for `other`, or each bucket and missing cells."""
        return len(self.categories) + self.other if self.buckets is None else self.buckets + 1

    @cached_property
    def words(self) -> tuple[str, ...]:
        """What each code is called where a model is described."""
        if self.buckets is not None:
            return (*(f"bucket {number}" for number in range(self.buckets)), "missing")
        sign = "*" if self.match == "prefix" else ""
        return (*(f"{category}{sign}" for category in self.categories), *(["another value"] * self.other))

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of one 0/1 feature for each code."""
        names = tuple(f"{self.name}={word}" for word in self.words)
        return (*names[:-1], f"{self.name} otherwise") if self.other else names

    @property
    def extent(self) -> str:
        """What cells may hold, in short."""
        if self.buckets is not None:
            return f"any text, in {self.buckets} buckets"
        return ", ".join(self.words[: len(self.categories)])

    @property
    def middle(self) -> float:
        """The code where ordinal features have their zero: the center's, else halfway."""
        return (self.n_codes - 1) / 2 if self.center is None else float(self.categories.index(self.center))

    def _check_feature(self) -> None:
        self._set("feature", checked_flag(self.feature, "feature", self._where))
        if not self.feature and (self.buckets is not None or self.from_table is not None):
            raise SchemaError(
                f"Expected listed categories in the table itself for {self._where}, which is no feature, got others. "
                "Rows are counted by it: list its categories, or leave feature out."
            )

    def _check_buckets(self) -> None:
        buckets = plain(self.buckets)
        if type(buckets) is not int or not 2 <= buckets <= MAX_BUCKETS:
            raise SchemaError(
                f"Expected 2 to {MAX_BUCKETS:,} buckets in {self._where}, got buckets={shown(buckets)}. "
                "256 suit most columns of many codes."
            )
        self._set("buckets", buckets)
        self._set("categories", as_tuple(self.categories, "categories", self._where))
        for field, unset in (("categories", ()), ("other", False), ("missing", None), ("center", None)):
            if getattr(self, field) != unset:
                raise SchemaError(
                    f"Expected buckets without {field} in {self._where}, got both. Leave one of them out: every text "
                    "has a bucket, and missing cells have a code of their own."
                )
        if self.match != "value":
            raise SchemaError(
                f"Expected buckets or match='prefix' in {self._where}, got both. List prefixes, or leave match out."
            )
        check_replaced_values(self.replace, (), self._where)
        if not isinstance(self.salt, str) or len(self.salt) > LONGEST_SALT:
            raise SchemaError(
                f"Expected a text of at most {LONGEST_SALT} characters for salt of {self._where}, got another. "
                "Write a word: it is public."
            )

    def _check_match(self) -> None:
        if self.match not in get_args(Match):
            raise SchemaError(
                f"Expected match 'value' or 'prefix' in {self._where}, got match={shown(self.match)}. Choose one."
            )
        if self.match == "prefix" and not all(
            isinstance(each, str) and each and each == each.strip() for each in self.categories
        ):
            raise SchemaError(
                f"Expected texts without blanks around them as prefixes in {self._where}, got others. Write each in "
                "quotes; for cells that start with none of them write other = true."
            )

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
