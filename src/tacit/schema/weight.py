"""How much each row counts: a survey weight, in a column of its own."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tacit.errors import SchemaError, shown
from tacit.schema._checks import Entry, as_call, checked_flag, checked_name, plain
from tacit.schema.columns import Numeric
from tacit.schema.notation import DecimalMark, ThousandsMark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.schema.columns import Column
    from tacit.schema.identifier import Identifier
    from tacit.schema.label import Label
    from tacit.schema.target import Target


@dataclass(frozen=True, repr=False)
class Weight(Entry):
    """The column that says how many people of the population a row stands for, as surveys have it.

    Parameters
    ----------
    name : str
        Of numbers of at least 0, one in every row. It is no feature, and predicting does not need it.
    cap : float
        The largest weight that counts, above 0; a weight beyond it counts as the cap. Public: write it down without
        looking at the weights. Noise is that of one row of this weight, so a cap far above most weights costs accuracy.
    whole : bool
        Whether weights are whole numbers; others are rounded to the nearest.
    mean : float, optional
        The mean weight, where it is public: above 0, at most the cap. It is a setting of the learner alone, so that a
        wrong one costs accuracy and no privacy. Without it a private weight has its sum released, for 5 % of the
        budget.
    decimal : {".", ","}
        Of cells of text, as in ``Numeric``.
    thousands : {".", ",", "'", " "}, optional
        Of cells of text, as in ``Numeric``.
    private : bool
        Whether the weight is protected. Then all columns and the label are, too: every sum moves with a row's weight.

    Raises
    ------
    SchemaError
        If a field has the wrong type, or the cap is not above 0, or the mean not within it.

    Notes
    -----
    Privacy: **a row's weight must follow from that row alone**. Weights that are fitted to the other rows (raking,
    calibration to totals, boosting, balanced weights) tell of these. Proof: ``proofs/queries/survey_weights.md``.

    Examples
    --------
    >>> Weight("wgt", cap=500, mean=120)
    Weight('wgt', 500, mean=120)
    """

    _kind = "weight"

    name: str
    cap: float
    _: KW_ONLY
    whole: bool = False
    mean: float | None = None
    decimal: DecimalMark = "."
    thousands: ThousandsMark | None = None
    private: bool = True

    def __post_init__(self) -> None:
        """Normalize and check every field."""
        self._set("name", checked_name(self.name, "the weight"))
        self._set("cap", self._above_zero("cap", self.cap))
        self._set("whole", checked_flag(self.whole, "whole", self._where))
        self._set("private", checked_flag(self.private, "private", self._where))
        if self.mean is not None:
            self._set("mean", self._above_zero("mean", self.mean))
        if self.mean is not None and self.mean > self.cap:
            raise SchemaError(
                f"Expected a mean of at most the cap of {self._where}, got mean={self.mean!r} and cap={self.cap!r}. "
                "Weights beyond the cap count as the cap."
            )
        if self.whole and float(self.cap) % 1:
            raise SchemaError(
                f"Expected a whole number as the cap of {self._where}, whose weights are whole, got cap={self.cap!r}. "
                "Round it."
            )
        Numeric(self.name, 0, 1, decimal=self.decimal, thousands=self.thousands)  # refuses marks that are none

    def __repr__(self) -> str:
        return as_call(self, positional=2)

    @property
    def mean_share(self) -> float | None:
        """The declared mean as a part of the cap; None if none is declared."""
        return None if self.mean is None else float(self.mean / self.cap)

    @cached_property
    def as_column(self) -> Numeric:
        """The numeric column by which cells are read; negative numbers stay below 0, so that they can be refused."""
        return Numeric(self.name, -self.cap, self.cap, decimal=self.decimal, thousands=self.thousands)

    def _above_zero(self, field: str, value: object) -> float:
        given = plain(value)
        if isinstance(given, int | float) and not isinstance(given, bool) and 0 < given < 1e300:
            return given
        raise SchemaError(
            f"Expected a number above 0 for {field} of {self._where}, got {field}={shown(value)}. Write one that can "
            "be known without looking at the rows."
        )


def check_weight(weight: object, others: Sequence[Column | Label | Target], identifier: Identifier | None) -> None:
    """Refuse what is no weight, or is another entry, or is private where one of the others is public."""
    if weight is None:
        return
    if not isinstance(weight, Weight):
        raise SchemaError(f"Expected weight to be a Weight, got weight={shown(weight)}. Write Weight(name, cap).")
    if weight.name in (*(each.name for each in others), *(identifier.names if identifier else ())):
        raise SchemaError(
            f"Expected a weight that is no column, label or identifier, got weight {weight.name!r}, which is one. "
            "Leave it out there, or give the weight another name."
        )
    public = [each.name for each in others if not each.private]
    if weight.private and public:
        raise SchemaError(
            f"Expected a private label and private columns with the private weight {weight.name!r}, got the "
            f"public {public[0]!r}. Leave out private = false there: with its weight a row may drop out of every sum. "
            "Or write private = false for the weight, if everybody may know it."
        )
