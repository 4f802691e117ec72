"""A number to predict, between bounds that everyone may know."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from tacit.errors import SchemaError, shown
from tacit.schema._checks import as_call, plain
from tacit.schema.columns import Numeric
from tacit.schema.label import DROP

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tacit.schema.notation import BelowCounts, DecimalMark, Negatives, ThousandsMark
    from tacit.schema.replacing import Pairs


@dataclass(frozen=True, repr=False)
class Target(Numeric):
    """What a regressor predicts: a number between public bounds.

    Fields of cells' notation are those of ``Numeric``: `missing_codes`, `decimal`, `thousands`, `signs`, `negatives`,
    `below`, `below_counts` and `replace`.

    Parameters
    ----------
    name : str
    low, high : float, optional
        Bounds that could have been written without seeing the table. A number beyond counts as the bound, and no
        prediction leaves them. Noise follows how far the numbers spread, not the bounds: wide ones cost little. Without
        both they are open, as a column's: they can be reviewed and learned, and nothing is fitted.
    center : float, optional
        A public guess at a typical number, near which private quantiles are looked for first where bounds are far too
        wide; by default the lower bound.
    whole : bool
        Whether it counts something, so that its numbers are whole. Predictions are means, and need not be.
    scale : {"linear", "log"}
        ``"log"`` needs a low above 0: regressors then learn the logarithm of the mean, by a gamma likelihood. So
        predictions are means in the target's own unit, and no logarithm of a number is taken that would have to be
        turned back.
    missing : "drop", optional
        What becomes of a row without a number, which else is an error. ``"drop"`` leaves it out, and so declares that
        everybody may know **which rows have one**: certificates and accounts say it.
    private : bool
        Whether it is protected.

    Raises
    ------
    SchemaError
        If a field has the wrong type, or bounds are dates, or not apart; the message names the target.

    Examples
    --------
    >>> Target("rings", 1, 29, whole=True)
    Target('rings', 1, 29, whole=True)
    """

    _kind = "target"

    missing: Literal["drop"] | None = None  # type: ignore[assignment] # a row is left out, and no number put in

    if TYPE_CHECKING:

        def __init__(  # what is accepted is wider than what is stored
            self,
            name: str,
            low: float | None = None,
            high: float | None = None,
            *,
            center: float | None = None,
            scale: Literal["linear", "log"] = "linear",
            whole: bool = False,
            missing: Literal["drop"] | None = None,
            missing_codes: Sequence[str | float] | None = None,
            decimal: DecimalMark = ".",
            thousands: ThousandsMark | None = None,
            signs: Sequence[str] | None = None,
            negatives: Negatives | None = None,
            below: str | None = None,
            below_counts: BelowCounts = "limit",
            replace: Mapping[str, str] | Pairs | None = None,
            private: bool = True,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Normalize and check every field."""
        missing = plain(self.missing)
        if missing is not None and missing != DROP:
            raise SchemaError(
                f"Expected {DROP!r}, which leaves out rows without a number, or nothing for missing of {self._where}, "
                f"got missing={shown(missing)}. Write one of the two."
            )
        # As a column whose empty cells count as a bound, so that codes of missing numbers are checked as there.
        self._set("missing", self.low if missing else None)
        super().__post_init__()
        self._set("missing", missing)
        for field in ("cuts", "dates", "date_part", "from_table"):
            if getattr(self, field) is not None:
                raise SchemaError(f"Expected no {field} in {self._where}, got one. Leave it out; it is for columns.")
        if self.scale == "log" and (self.is_open or self.lower <= 0):
            raise SchemaError(
                f"Expected a low above 0 and a high with scale='log' of {self._where}, got others. Write bounds that "
                "everybody may know, or leave scale out."
            )
        if self.is_date:
            raise SchemaError(
                f"Expected numbers as low and high of {self._where}, got something else. Write bounds "
                "that everybody may know."
            )

    def __repr__(self) -> str:
        return as_call(self, positional=3)

    @property
    def missing_value(self) -> None:
        """None: no number is put in where one is missing."""
        return

    @property
    def drops_missing(self) -> bool:
        """Whether rows without a number are left out, so that everybody may know which rows have one."""
        return self.missing == DROP

    @property
    def ends(self) -> tuple[float, float]:
        """Both bounds."""
        return self.lower, self.upper

    @property
    def half_width(self) -> float:
        """Half of the distance between the bounds."""
        return (self.upper - self.lower) / 2

    @cached_property
    def as_column(self) -> Numeric:
        """The numeric column of the same numbers, by which cells are read; where one is missing it has the bound.

        Its grid is finest at the center, by default the lower bound, where long tails begin: so it follows when numbers
        and bounds move.
        """
        stated = {field.name: getattr(self, field.name) for field in fields(Numeric)}
        return Numeric(
            **stated
            | {"missing": self.low, "center": self.low if self.center is None else self.center, "whole": False}
            | {"scale": "linear"}  # finest at the center, it is as good for long tails
        )

    def as_written(self) -> Target:
        """Return the target itself: it is written as it is."""
        return self
