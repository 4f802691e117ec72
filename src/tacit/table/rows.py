"""Rows that fit their schema: one array per column, every value inside what the schema admits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError

OnInvalid = Literal["raise", "code"]


class Encoding(Protocol):
    """A function of the schema and of one row at a time."""

    def transform(self, rows: Rows) -> NDArray[Any]:
        """Return an array with one row for each of the rows."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class Rows:
    """Validated columns: float64 numbers within their bounds, int32 codes of categories (-1 is unseen)."""

    columns: Mapping[str, NDArray[Any]]
    n_rows: int

    def __len__(self) -> int:
        return self.n_rows

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("Expected rows to stay where they are, got a request to copy or pickle them.")

    def slice(self, start: int, stop: int) -> Rows:
        """Return rows ``start`` to ``stop`` as views."""
        stop = min(stop, self.n_rows)
        return Rows({name: values[start:stop] for name, values in self.columns.items()}, stop - start)

    def take(self, positions: NDArray[np.intp]) -> Rows:
        """Return the rows at these positions, as copies."""
        return Rows({name: values[positions] for name, values in self.columns.items()}, len(positions))

    def keeping(self) -> Rows:
        """Return the same rows, ready to be read many times."""
        return self

    def encoded(self, encoding: Encoding) -> NDArray[Any]:
        """Return what an encoding makes of the rows: float32 features or byte codes; see ``Block``."""
        made = encoding.transform(self)
        return made.astype(np.float32) if made.dtype == np.float64 else made
