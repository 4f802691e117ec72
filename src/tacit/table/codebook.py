"""Codes of categories: of listed values, of the longest listed prefixes, or of buckets of a public hash."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tacit.kept import kept
from tacit.schema import Categorical, Value
from tacit.table.cell import as_float, number_of_text, plain

UNSEEN = -1
"""The code of a cell that no category takes."""

UNLIKE = -2
"""The code of a cell of a type that no listed value has: bytes, a list, a moment, a number among words."""

# Types whose cells hash and compare as their values do, without foreign code.
_HASHED = (str, int, float, bool, type(None), np.str_, np.int64, np.float64, np.bool_)
_HASHED_TYPES = frozenset(map(id, _HASHED))
_UNLIKE_NUMBERS = frozenset((id(str), id(type(None))))


class Codebook:
    """Codes of listed values.

    A text that the list has letter for letter is that category, blanks around it not counted unless a listed text has
    some; a text of nothing but blanks is a missing cell. Every other cell goes by its value: a number, a truth value
    and a text that spells a number are the category of the same value, be it listed as a number, as a truth value or
    as a text that spells one.

    Parameters
    ----------
    listed : sequence of str, int, float or bool
        Of one kind; the code of each is its position.
    missing : int
        The code of a missing cell.

    Attributes
    ----------
    ambiguous : bool
        Whether two listed values are one number, as "1" and "01" are, or integers that no double distinguishes: no
        cell that is a number only can be either.
    spells_nan : bool
        Whether a listed text is "nan" or "NaN": a missing number, but for arrays that turned it into that text.
    is_text : bool
        Whether the list is one of texts.
    """

    takes_numbers: ClassVar[bool] = True
    """Whether cells of a column of numbers have codes."""

    def __init__(self, listed: Sequence[Value], missing: int = UNSEEN):
        self.missing = missing
        self.is_text = isinstance(listed[0], str)
        self._texts = {value: code for code, value in enumerate(listed)} if self.is_text else {}
        self._are_padded = any(isinstance(value, str) and value != value.strip() for value in listed)
        self._integers = {value: code for code, value in enumerate(listed) if type(value) is int}
        self._numbers: dict[float, int] = {}
        self.ambiguous, self.spells_nan = False, False
        self._replaced: dict[str, int] = {}
        for code, value in enumerate(listed):
            spelled = number_of_text(value) if isinstance(value, str) else value
            if spelled is not None and spelled != spelled:
                self.spells_nan = True
            elif spelled is not None:
                self._add(as_float(spelled), code)

    @property
    def numbers(self) -> tuple[float, ...] | None:
        """The different numbers that are listed, or that texts of the list spell; None where any number has a code."""
        return tuple(self._numbers)

    def replace(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Give texts the codes of others, of an empty text that of a missing cell; numbers go by value here, too."""
        for text, by in pairs:
            self._replaced[text] = code = self.code(by) if by else self.missing
            spelled = number_of_text(text)
            if spelled is not None:
                self._add(as_float(spelled), code)

    def code(self, cell: object) -> int:
        """Return the code of one cell of any type."""
        value, unlisted = plain(cell), UNSEEN if self._numbers else UNLIKE
        if type(value) is str:
            known = self._texts.get(value)
            text = value.strip()
            if known is None:
                known = (
                    self._replaced.get(text) if self._are_padded else self._texts.get(text, self._replaced.get(text))
                )
            if known is not None:
                return known
            if not (value if self._are_padded else text):
                return self.missing
            value, unlisted = number_of_text(value), UNSEEN
            if value is None:
                return UNSEEN
        if value is None or value != value:
            return self.missing
        if type(value) not in (bool, int, float):
            return UNLIKE
        known = self._integers.get(value) if type(value) is int else None
        return self._numbers.get(as_float(value), unlisted) if known is None else known

    def codes(self, cells: list[Any], *, of_one_type: bool = False) -> NDArray[np.int32]:
        """Return the code of each cell, shape (n_cells,), as ``code`` gives it.

        ``of_one_type`` says that but for missing cells all are text, or all are built-in numbers of one type.
        """
        kinds = set() if of_one_type else set(map(id, map(type, cells)))
        # Where at most one type besides text is there, no two cells of different types are equal, as 1 and True are.
        if kinds <= _HASHED_TYPES and len(kinds - _UNLIKE_NUMBERS) <= 1:
            return self._looked_up(_Codes(self.code).__getitem__, cells)
        memos = {kind: _Codes(self.code).__getitem__ for kind in kinds & _HASHED_TYPES}
        return self._looked_up(lambda cell: memos.get(id(type(cell)), self.code)(cell), cells)

    def _looked_up(self, code: Callable[[Any], int], cells: list[Any]) -> NDArray[np.int32]:
        return np.fromiter(map(code, cells), dtype=np.int32, count=len(cells))

    def _add(self, value: float, code: int) -> None:
        if self._numbers.get(value, code) != code:
            self.ambiguous = True
            code = UNSEEN
        self._numbers[value] = code


class _Codes(dict[Any, int]):
    """Codes of the cells that have occurred."""

    def __init__(self, code: Callable[[object], int]):
        super().__init__()
        self._code = code

    def __missing__(self, cell: Any) -> int:
        code = self._code(cell)
        if type(cell) is not float or cell == cell:  # each NaN would be kept as one more key
            self[cell] = code
        return code


class PrefixCodebook(Codebook):
    """Codes of texts that begin with a listed one, letter by letter, the longest such; blanks around a text are none.

    Only texts have codes: a number has lost the zeros before it and after its point. An empty text is a missing cell,
    and so is "nan" or "NaN", which arrays of text have for one.

    Parameters
    ----------
    listed : sequence of str
        Different ones, none of them empty.
    missing : int
        The code of a missing cell.
    """

    takes_numbers = False

    def __init__(self, listed: Sequence[Value], missing: int = UNSEEN):
        super().__init__(listed, missing)
        self.ambiguous, self.spells_nan = False, False
        self._lengths = sorted({len(str(text)) for text in self._texts}, reverse=True)

    @property
    def numbers(self) -> tuple[float, ...]:
        """None: see ``takes_numbers``."""
        return ()

    def code(self, cell: object) -> int:
        """Return the code of one cell of any type."""
        value = plain(cell)
        if type(value) is str:
            text = value.strip()
            if text in self._replaced:
                return self._replaced[text]
            if text not in _MISSING_TEXTS:
                # Cut at a length beyond its own, a text is whole: it is its own longest prefix.
                found = (self._texts.get(text[:length]) for length in self._lengths)
                return next((code for code in found if code is not None), UNSEEN)
            value = None
        return self.missing if value is None or _is_nan(value) else UNLIKE


class BucketCodebook(Codebook):
    """Buckets of texts by a keyed hash: 8 bytes of BLAKE2b, little-endian, modulo the number of buckets.

    A text is hashed in UTF-8, without blanks around it. A number, a truth value and a text that spells a number are
    hashed as the shortest text of the number in double precision, whole ones without a point, so that a code is in one
    bucket whether a library read it as text or as a number. Missing cells, empty texts and "nan" or "NaN" have the
    code after the last bucket. The key is the BLAKE2b hash of the salt in UTF-8.

    Parameters
    ----------
    buckets : int
    salt : str
    """

    def __init__(self, buckets: int, salt: str):
        self.missing, self.is_text, self.ambiguous, self.spells_nan = buckets, True, False, False
        self._buckets, self._key = buckets, blake2b(_bytes(salt)).digest()
        self._replaced = {}

    @property
    def numbers(self) -> None:
        """None, as any number has a code."""
        return

    def replace(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Give texts the codes of others; see ``Codebook``."""
        self._replaced |= {str(_hashed(text)): self.code(by) for text, by in pairs}

    def code(self, cell: object) -> int:
        """Return the code of one cell of any type."""
        value = _hashed(cell)
        if value is None:
            return self.missing
        if type(value) is not str:
            return UNLIKE
        if value in self._replaced:
            return self._replaced[value]
        digest = blake2b(_bytes(value), digest_size=8, key=self._key).digest()
        # Of 2^64 values no bucket gets more than its share by one in 2^48.
        return int.from_bytes(digest, "little") % self._buckets


@kept
def codebook(column: Categorical) -> Codebook:
    """Return the codes of a column's cells.

    Examples
    --------
    >>> codebook(Categorical("zip", buckets=16)).code("02139") == codebook(Categorical("zip", buckets=16)).code(2139.0)
    True
    >>> book = codebook(Categorical("diagnosis", ["I", "I21"], match="prefix"))
    >>> book.code("I21.4"), book.code("I63"), book.code("J45")
    (1, 0, -1)
    """
    book = _without_replaced(column)
    book.replace(column.replace or ())
    return book


def _without_replaced(column: Categorical) -> Codebook:
    if column.buckets is not None:
        return BucketCodebook(column.buckets, column.salt)
    kind = PrefixCodebook if column.match == "prefix" else Codebook
    if column.missing is None:
        return kind(column.categories)
    missing = Codebook(column.categories).code(column.missing)
    return kind(column.categories, len(column.categories) if missing == UNSEEN else missing)


_MISSING_TEXTS = ("", "nan", "NaN")


def _hashed(cell: object) -> Any:
    """Return the text of a cell that is hashed, None for a missing one, and what is neither as it is."""
    value = plain(cell)
    if type(value) is str:
        spelled = number_of_text(value)
        value = (value.strip() or None) if spelled is None else spelled
    if value is None or _is_nan(value):
        return None
    return _shortest(as_float(value)) if type(value) in (bool, int, float) else value


def _is_nan(value: Any) -> bool:
    return type(value) is float and value != value


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # a lone surrogate is a text, too


def _shortest(number: float) -> str:
    # Whole numbers below 2^53 are exact; -0.0 is 0.
    return str(int(number)) if abs(number) < 2.0**53 and number.is_integer() else repr(number)
