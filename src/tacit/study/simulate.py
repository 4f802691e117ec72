"""Synthetic data from a schema alone, for trying learners without reading a private row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.privacy.parameters import SEED, Whole, nonnegative
from tacit.schema import Numeric, Schema
from tacit.study.simulated_columns import CategoricalLaw, NumericLaw
from tacit.study.simulated_labels import LabelLaw
from tacit.table.feature_encoding import with_long_tails

MOST_CELLS = 10**8
"""Of a synthetic table: 800 MB of numbers."""

_TRAITS = 2
_REFERENCE_ROWS = 4096
_BLOCK_ROWS = 65_536


def simulate(schema: Schema, n_rows: int, seed: int, *, signal: float = 3.0) -> tuple[pl.DataFrame, pl.Series]:
    """Return synthetic rows and labels that fit the schema.

    Parameters
    ----------
    schema : Schema
        All that is known of the table.
    n_rows : int
        As many as have 1e8 cells at most.
    seed : int
        Decides the population and the people drawn from it; however many are drawn, the population is the same.
    signal : float
        How strongly the label depends on the columns: the standard deviation of its log-odds. At 0 not at all; of two
        equal classes no learner gets more right than about 0.68 at 1, 0.78 at 2, 0.84 at 3 and 0.90 at 5.

    Returns
    -------
    frame : polars.DataFrame
        The columns in the schema's order, none of its cells null.
    labels : polars.Series
        Under the label's name.

    Raises
    ------
    ParameterError
        If a number is out of its range.

    Notes
    -----
    Privacy: the schema and the seed decide everything, so the rows are as public as the schema. Where an entry of it
    was guessed from a table, they are not.

    *Columns.* Each follows a normal trait that leans on two common ones, so that columns depend on each other. A number
    has half of its values on either side of its center on its scale, thinning out to the bounds, or random shares of
    its bins where it declares cut points; a long tail (a center at a bound) becomes logarithmic. One in twenty takes
    the declared code for missing ones. Categories have random shares, the declared center the largest.

    *Labels.* A third of the columns matter. Log-odds are a random linear form of their public features (numbers in
    [-1, 1], categories one-hot), three quarters of the variance, and of products of two features of different columns,
    one quarter; with more than two classes, one form for each. Random class shares are met on average.

    Examples
    --------
    >>> from tacit.schema import Label
    >>> schema = Schema([Numeric("age", 17, 90)], label=Label("income", ["low", "high"]))
    >>> frame, labels = simulate(schema, 5, seed=1)
    >>> frame.columns, labels.name, frame["age"].is_between(17, 90).all()
    (['age'], 'income', True)
    """
    n_rows = Whole(1, MOST_CELLS // len(schema.columns), "More rows, or columns, would not fit in memory.").check(
        "n_rows", n_rows
    )
    seed = SEED.check("seed", seed)
    strength = nonnegative("signal", signal)
    population = _Population.drawn(schema, np.random.default_rng([seed, 0]))
    spare = np.random.default_rng([seed, 1])
    law = LabelLaw.drawn(schema, population.people(_REFERENCE_ROWS, spare), strength, spare)
    people, chance = np.random.default_rng([seed, 2]), np.random.default_rng([seed, 3])
    sizes = [min(_BLOCK_ROWS, n_rows - start) for start in range(0, n_rows, _BLOCK_ROWS)]
    frames = [population.people(size, people) for size in sizes]
    return pl.concat(frames), pl.concat([law.labels(frame, chance) for frame in frames])


@dataclass(frozen=True)
class _Population:
    """Laws of the columns, and how each leans on the common traits, shape (n_columns, _TRAITS)."""

    schema: Schema
    laws: Sequence[NumericLaw | CategoricalLaw]
    leanings: NDArray[np.float64]

    @classmethod
    def drawn(cls, schema: Schema, generator: np.random.Generator) -> _Population:
        laws = [
            (NumericLaw if isinstance(column, Numeric) else CategoricalLaw).drawn(column, generator)  # type: ignore[arg-type]
            for column in with_long_tails(schema).columns
        ]
        return cls(schema, laws, generator.uniform(-1.0, 1.0, (len(laws), _TRAITS)))

    def people(self, n_rows: int, generator: np.random.Generator) -> pl.DataFrame:
        """Return rows; everything of one block is drawn together."""
        common = generator.normal(size=(n_rows, _TRAITS))
        return pl.DataFrame(
            [
                law.cells(_standard(common @ leaning + generator.normal(size=n_rows), leaning), generator)
                for law, leaning in zip(self.laws, self.leanings, strict=True)
            ]
        )


def _standard(trait: NDArray[np.float64], leaning: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(trait / sqrt(1.0 + leaning @ leaning))
