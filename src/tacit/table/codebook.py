"""Codes of categories and classes: a function of one cell and of the schema's list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.schema import Value
from tacit.table.cell import as_float, number_of_text, plain

UNSEEN = -1
"""The code of a cell that no category takes."""

# Types whose cells hash and compare as their values do, without anybody's code.
_HASHED = (str, int, float, bool, type(None), np.str_, np.int64, np.float64, np.bool_)
_KNOWN = frozenset(map(id, _HASHED))
_APART = frozenset((id(str), id(type(None))))


class Codebook:
    """Codes of listed values.

    A text that the list has letter for letter is that category. Every other cell goes by its value: a number, a truth
    value and a text that spells a number are the category of the same value, be it listed as a number, as a truth
    value or as a text that spells one.

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
    is_text : bool
        Whether the list is one of texts.
    """

    def __init__(self, listed: Sequence[Value], missing: int = UNSEEN):
        self.missing = missing
        self.is_text = isinstance(listed[0], str)
        self._texts = {value: code for code, value in enumerate(listed)} if self.is_text else {}
        self._integers = {value: code for code, value in enumerate(listed) if type(value) is int}
        self._numbers: dict[float, int] = {}
        self.ambiguous = False
        for code, value in enumerate(listed):
            spelled = number_of_text(value) if isinstance(value, str) else value
            if spelled is not None and spelled == spelled:
                self._add(as_float(spelled), code)

    def code(self, cell: object) -> int:
        """Return the code of one cell of any type."""
        value = plain(cell)
        if type(value) is str:
            known = self._texts.get(value)
            if known is not None:
                return known
            value = number_of_text(value)
            if value is None:
                return UNSEEN
        if value is None or value != value:
            return self.missing
        if type(value) not in (bool, int, float):
            return UNSEEN
        known = self._integers.get(value) if type(value) is int else None
        return self._numbers.get(as_float(value), UNSEEN) if known is None else known

    def codes(self, cells: list[Any], *, of_one_type: bool = False) -> NDArray[np.int32]:
        """Return the code of each cell, shape (n_cells,), as ``code`` gives it.

        ``of_one_type`` says that but for missing cells all are text, or all are built-in numbers of one type.
        """
        kinds = set() if of_one_type else set(map(id, map(type, cells)))
        # Where at most one type besides text is there, no two cells of different types are equal, as 1 and True are.
        if kinds <= _KNOWN and len(kinds - _APART) <= 1:
            return self._looked_up(_Codes(self.code).__getitem__, cells)
        memos = {kind: _Codes(self.code).__getitem__ for kind in kinds & _KNOWN}
        return self._looked_up(lambda cell: memos.get(id(type(cell)), self.code)(cell), cells)

    def _looked_up(self, code: Callable[[Any], int], cells: list[Any]) -> NDArray[np.int32]:
        return np.fromiter(map(code, cells), dtype=np.int32, count=len(cells))

    def _add(self, value: float, code: int) -> None:
        if value in self._numbers:
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
