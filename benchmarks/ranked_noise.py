"""How far effects of categories vary over fits on ranks, over what their models state, on synthetic tables alone.

    python benchmarks/ranked_noise.py [tables of each kind, 1 if not given]

Tables of ``ranked_rules``, 3,000 rows, everything private, delta 1e-5, simulated noise, 24 fits each. By rows times
epsilon a column: the root mean square over cells of the quotient of the deviation over fits and the stated one, its
median, and the same for cells whose effects are within two deviations of nothing in the mean. Numbers are left out, as
their cells are other ones in each fit.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict

import numpy as np
import polars as pl
from ranked_rules import DELTA, tables

from tacit import LogisticClassifier
from tacit.schema import Categorical

SIGNALS = (5, 20, 60, 200)
N_ROWS, FITS = 3_000, 24


def main(seeds: int) -> None:
    """Print the quotients."""
    warnings.simplefilter("ignore")
    found = defaultdict(list)
    for frame, labels, schema in tables(seeds):
        if not any(isinstance(column, Categorical) for column in schema.columns):
            continue
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
            named = [column.name for column in schema.columns if isinstance(column, Categorical)]
            of_categories = cells.filter(pl.col("column").is_in(named) & (pl.col("deviation") > 0))
            quotients = (of_categories["over fits"] / of_categories["deviation"]).to_numpy()
            near = (of_categories["effect"].abs() < 2 * of_categories["deviation"]).to_numpy()
            found[signal].append((quotients, quotients[near]))
    for signal, each in found.items():
        for name, which in (("all cells", 0), ("near nothing", 1)):
            values = np.concatenate([one[which] for one in each])
            print(
                f"{signal:4d} {name:13s} {np.sqrt(np.mean(values**2)):.2f} {np.median(values):.2f} {len(values)} cells"
            )


if __name__ == "__main__":
    main(*([int(sys.argv[1])] if len(sys.argv) > 1 else [1]))
