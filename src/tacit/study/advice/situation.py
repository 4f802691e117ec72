"""What advice is asked for: a schema's shape, a number of rows, a budget."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import polars as pl

from tacit.errors import ParameterError
from tacit.privacy import Budget
from tacit.schema import Schema
from tacit.study.advice.shape import Shape

MOST_ROWS = 10**12


@dataclass(frozen=True)
class Situation:
    """A shape, rows to learn from, and what may be spent on them: all of it public.

    Parameters
    ----------
    shape : Shape
    rows : int
    epsilon : float
    delta : float

    Raises
    ------
    ParameterError
        If a number is out of range, delta is not below 1/rows, or nothing is protected.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric
    >>> schema = Schema([Numeric("age", 0, 90)], label=Label("ill", ["no", "yes"]))
    >>> Situation.of(schema, rows=30_000, epsilon=0.1).frame()["rows"].to_list()
    [30000]
    """

    shape: Shape
    rows: int
    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        if isinstance(self.rows, bool) or not isinstance(self.rows, int) or not 1 <= self.rows <= MOST_ROWS:
            raise ParameterError(f"Expected rows from 1 to 1e12, got rows={self.rows!r}. Give the number of people.")
        if self.shape.protects_nothing:
            raise ParameterError(
                "Expected something to protect, got a schema in which every column and the label are public. "
                "Nothing is paid for then: take any learner."
            )
        budget = Budget(self.epsilon, self.delta)
        budget.check_rows(self.rows)
        object.__setattr__(self, "epsilon", budget.epsilon)
        object.__setattr__(self, "delta", budget.delta)

    @classmethod
    def of(cls, schema: Schema, *, rows: int, epsilon: float, delta: float = 0.0) -> Situation:
        """Return the situation of a table with this schema."""
        return cls(Shape.of(schema), rows, epsilon, delta)

    def frame(self) -> pl.DataFrame:
        """Return one row, with the columns by which past studies describe themselves."""
        return pl.DataFrame(
            [asdict(self.shape) | {"rows": self.rows, "epsilon": self.epsilon, "delta": self.delta}],
            schema_overrides={"rows": pl.Int64, "epsilon": pl.Float64, "delta": pl.Float64},
        )
