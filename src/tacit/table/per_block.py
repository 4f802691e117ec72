"""State that stays beside the rows: one value for each block of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from tacit.errors import PrivacyError

if TYPE_CHECKING:
    from tacit.table.table import Block

T = TypeVar("T")


class PerBlock(Generic[T]):
    """A value for each block, made when it is first asked for; only ``Table.per_block`` makes one.

    What is kept must be a function of the block's rows and of what was released so far: then a table whose blocks
    lie on disk or on other machines can recompute it, in any order, where it was lost.

    Parameters
    ----------
    visit : callable
        ``Table.visit`` of the table whose blocks these are.
    start : callable
        Returns a block's first value.

    Notes
    -----
    Privacy: as private as the rows. It cannot be printed, copied or pickled.
    """

    def __init__(self, visit: Callable[[Callable[[Block], None]], None], start: Callable[[Block], T]):
        self._visit, self._start = visit, start
        # By position: a block that is read again is another object, with the same rows.
        self._values: dict[int, T] = {}

    def __getitem__(self, block: Block) -> T:
        if block.index not in self._values:
            self._values[block.index] = self._start(block)
        return self._values[block.index]

    def advance(self, update: Callable[[Block, T], T]) -> None:
        """Replace every block's value by a function of the block and of its value.

        The function owns the old value: it may change it in place and return it.
        """

        def follow(block: Block) -> None:
            self._values[block.index] = update(block, self[block])

        self._visit(follow)

    def __repr__(self) -> str:
        return "<state of a private table's blocks>"

    def __reduce__(self) -> Any:
        raise PrivacyError("Expected state of rows to stay where the rows are, got a request to copy or pickle it.")
