"""How far effects vary over fits on ranks, over what their models state, on synthetic tables alone.

    python benchmarks/ranked_noise.py [tables of each kind, 1 if not given] [numbers]

Tables of ``ranked_rules``, 3,000 rows, everything private, delta 1e-5, simulated noise, 24 fits each. By rows times
epsilon a column: the root mean square over cells of the quotient of the deviation over fits and the stated one, its
median, and the same for cells whose effects are within two deviations of nothing in the mean. Of categories; or, with
"numbers", of numbers, which then have seven cut points of their own, so that their cells are the same in each fit.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from dataclasses import replace

import numpy as np
import polars as pl
from ranked_rules import DELTA, tables

from tacit import LogisticClassifier
from tacit.schema import Categorical, Numeric, Schema

SIGNALS = (5, 20, 60, 200)
N_ROWS, FITS = 3_000, 24


def with_cuts(frame: pl.DataFrame, schema: Schema) -> Schema:
    """Return the schema with cut points of numbers where an eighth of the rows is between two of them."""
    columns = list(schema.columns)
    for at, column in enumerate(columns):
        if isinstance(column, Numeric):
            found = np.unique(np.quantile(frame[column.name], np.arange(1, 8) / 8))
            inside = found[(found > column.lower) & (found < column.upper)].tolist()
            columns[at] = replace(column, cuts=inside or None)
    return replace(schema, columns=tuple(columns))


def main(seeds: int, kind: type) -> None:
    """Print the quotients."""
    warnings.simplefilter("ignore")
    found = defaultdict(list)
    for frame, labels, schema in tables(seeds):
        if not any(isinstance(column, kind) for column in schema.columns):
            continue
        if kind is Numeric:
            schema = with_cuts(frame, schema)
        for signal in SIGNALS:
            budget = {"epsilon": signal * len(schema.names) / N_ROWS, "delta": DELTA, "encoding": "ranked"}
            fits = [
                LogisticClassifier(schema, random_state=seed, on_invalid="coerce", **budget)
                .fit(frame[:N_ROWS], labels[:N_ROWS])
                .model_.explain()
                for seed in range(FITS)
            ]
            # In the schema's own order in each fit.
            told = pl.concat(fits).group_by("column", "cell", maintain_order=True)
            cells = told.agg(
                pl.col("effect").std().alias("over fits"), pl.col("effect").mean(), pl.col("deviation").mean()
            )
            # A number that has the same value in nearly all rows has no cut points of its own.
            named = [
                each.name for each in schema.columns if isinstance(each, kind) and (kind is not Numeric or each.cuts)
            ]
            kept = cells.filter(pl.col("column").is_in(named) & (pl.col("deviation") > 0))
            quotients = (kept["over fits"] / kept["deviation"]).to_numpy()
            near = (kept["effect"].abs() < 2 * kept["deviation"]).to_numpy()
            found[signal].append((quotients, quotients[near]))
    for signal, each in found.items():
        for name, which in (("all cells", 0), ("near nothing", 1)):
            values = np.concatenate([one[which] for one in each])
            print(
                f"{signal:4d} {name:13s} {np.sqrt(np.mean(values**2)):.2f} {np.median(values):.2f} {len(values)} cells"
            )


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    main(*(numbers or [1]), Numeric if "numbers" in sys.argv else Categorical)
