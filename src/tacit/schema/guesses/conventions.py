"""What all columns of a table have in common: the mark of decimals, and whether the day or the month comes first."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw

from tacit.schema.guesses.codes import words_for_missing
from tacit.schema.guesses.dates import Order, order_in
from tacit.schema.guesses.notation import decimal_mark
from tacit.schema.guesses.observed import ObservedColumn, observe_series
from tacit.schema.notation import DecimalMark


@dataclass(frozen=True)
class Conventions:
    """How one program or country writes, as far as some columns of a table show it; None where they do not.

    Drafts only: what is read later never depends on other cells.
    """

    decimal: DecimalMark | None = None
    order: Order | None = None

    @classmethod
    def of(cls, columns: Collection[ObservedColumn]) -> Conventions:
        """Return what columns that can be read in one way only have in common."""
        texts = []
        for column in columns:
            if column.kind == "text":
                words = words_for_missing(column.texts, column.codes)
                texts.append([text for text in column.texts if text not in words])
        has_points = any(column.kind == "number" and not column.is_whole for column in columns)
        return cls(decimal_mark(texts, has_points=has_points), order_in(texts))

    @classmethod
    def of_frame(cls, frame: Any) -> Conventions:
        """Return what the columns of a frame have in common."""
        opened = nw.from_native(frame, eager_only=True)
        return cls.of([observe_series(opened[name]) for name in opened.columns])
