"""Synthetic data from a schema alone, for trying learners without reading a private row.

Columns follow normal traits, labels a random sparse logistic model of the features and of products of two of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import polars as pl

from tacit.features.bin_encoding import long_tailed
from tacit.privacy.parameters import SEED, Whole, nonnegative
from tacit.schema import Schema
from tacit.study.simulated_columns import Cells, Floats, column_cells
from tacit.study.simulated_labels import LabelModel, NumberModel

MAX_CELLS = 10**8
"""Of a synthetic table: 800 MB of numbers."""

# Of these the first was set by judgment, so that made-up tables are about as hard as the packaged ones.
_TRAITS = 2  # common to all columns: columns that share none would be independent
_REFERENCE_ROWS = 4096  # over which the log-odds get their variance: an error of 1 / sqrt(2 * 4096), about 1 %
_BLOCK_ROWS = 65_536  # drawn at once, so that a large table takes little more memory than its cells


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
        equal classes no learner gets more right than about 0.68 at 1, 0.78 at 2, 0.84 at 3 and 0.90 at 5. Of a number
        to predict, the standard deviation of what the columns say of it, where that of noise is 1.

    Returns
    -------
    frame : polars.DataFrame
        The columns in the schema's order, numbers of those declared whole rounded, none of its cells null but in
        columns with ``missing="indicator"``.
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
    one quarter; with more than two classes, one form for each. Random class shares are met on average. A number to
    predict is such a form with normal noise, spread between the target's bounds as a column is.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric
    >>> schema = Schema([Numeric("age", 17, 90)], label=Label("income", ["low", "high"]))
    >>> frame, labels = simulate(schema, 5, seed=1)
    >>> frame.columns, labels.name, frame["age"].is_between(17, 90).all()
    (['age'], 'income', True)
    """
    n_rows = Whole(1, MAX_CELLS // len(schema.full.columns), "More rows, or columns, would not fit in memory.").check(
        "n_rows", n_rows
    )
    seed = SEED.check("seed", seed)
    strength = nonnegative("signal", signal)
    shape = np.random.default_rng([seed, 0])
    columns = [column_cells(column, shape) for column in map(long_tailed, schema.full.inputs)]
    loadings = shape.uniform(-1.0, 1.0, (len(columns), _TRAITS))
    spare, people, chance = (np.random.default_rng([seed, stream]) for stream in (1, 2, 3))
    drawn_by = NumberModel if schema.target else LabelModel
    label_model = drawn_by.drawn(schema, _people(columns, loadings, _REFERENCE_ROWS, spare), strength, spare)
    sizes = [min(_BLOCK_ROWS, n_rows - start) for start in range(0, n_rows, _BLOCK_ROWS)]
    frames = [_people(columns, loadings, size, people) for size in sizes]
    return pl.concat(frames), pl.concat([label_model.labels(frame, chance) for frame in frames])


def _people(columns: Sequence[Cells], loadings: Floats, n_rows: int, generator: np.random.Generator) -> pl.DataFrame:
    """Return rows; everything of one block is drawn together."""
    common = generator.normal(size=(n_rows, _TRAITS))

    def trait(loading: Floats) -> Floats:
        return np.asarray((common @ loading + generator.normal(size=n_rows)) / sqrt(1.0 + loading @ loading))

    return pl.DataFrame([cells(trait(own), generator) for cells, own in zip(columns, loadings, strict=True)])
