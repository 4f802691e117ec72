"""Features of side tables: how well they predict, how long grouping takes, and how much memory many rows take.

A drawn hospital of 20,000 persons, 200,000 visits and 600,000 drugs, whose label depends on counts and latest values.

    python benchmarks/side_tables.py            # areas under the curve, and times
    python benchmarks/side_tables.py --rows 10000000   # memory while so many rows are grouped
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.metrics import roc_auc_score

from tacit import BoostedTreesClassifier, Categorical, Feature, Label, Numeric, Schema, SideTable
from tacit.schema.side_features import without_tables
from tacit.table.files.frames import Query
from tacit.table.files.several import Files
from tacit.table.side_tables import joined_source

PERSONS, VISITS, DRUGS = 20_000, 200_000, 600_000
WARDS = ["heart", "lung", "skin", "surgery"]
NAMES = [f"drug {at}" for at in range(30)]
DAYS = pl.date(2015, 1, 1)

TABLES = [
    SideTable(
        "visits",
        [Numeric("cost", 0, 5000), Categorical("ward", WARDS), Numeric("day", "2015-01-01", "2024-12-31")],
        key="person",
        date="day",
        as_of="admitted",
    ),
    SideTable(
        "drugs",
        [Numeric("dose", 0, 100), Categorical("name", NAMES), Numeric("day", "2015-01-01", "2024-12-31")],
        key="person",
        date="day",
        as_of="admitted",
    ),
]
FEATURES = [
    Numeric("visits", 0, 50, whole=True, from_table=Feature("visits", "count")),
    Numeric("mean cost", 0, 5000, missing="indicator", from_table=Feature("visits", "mean", "cost")),
    Numeric("last cost", 0, 5000, missing="indicator", from_table=Feature("visits", "latest", "cost")),
    Numeric("surgery", 0, 1, missing=0, from_table=Feature("visits", "share", "ward", "surgery")),
    Numeric("drugs", 0, 100, whole=True, from_table=Feature("drugs", "count")),
    Numeric("names", 0, 30, whole=True, from_table=Feature("drugs", "distinct", "name")),
    Numeric("last dose", 0, 100, missing="indicator", from_table=Feature("drugs", "latest", "dose")),
    Numeric("all doses", 0, 5000, from_table=Feature("drugs", "sum", "dose")),
]
SCHEMA = Schema(
    [Numeric("age", 0, 100), Numeric("admitted", "2020-01-01", "2024-12-31"), *FEATURES],
    label=Label("ill", [0, 1]),
    tables=TABLES,
)


def drawn(folder: Path, n_visits: int = VISITS, n_drugs: int = DRUGS, n_persons: int = PERSONS) -> None:
    """Write a hospital."""
    draws = np.random.default_rng(0)

    def rows(count: int, of: dict[str, Any]) -> pl.DataFrame:
        days = draws.integers(0, 3600, count)
        # Some persons have many rows, some none.
        person = (n_persons * draws.beta(0.8, 1.2, count)).astype(np.int64)
        frame = pl.DataFrame({"person": person, "days": days} | of)
        return frame.with_columns(day=DAYS + pl.duration(days=pl.col("days"))).drop("days")

    visits = rows(
        n_visits, {"cost": draws.gamma(2, 400, n_visits).clip(0, 5000), "ward": draws.choice(WARDS, n_visits)}
    )
    drugs = rows(n_drugs, {"dose": draws.gamma(3, 10, n_drugs).clip(0, 100), "name": draws.choice(NAMES, n_drugs)})
    visits.write_parquet(folder / "visits.parquet")
    drugs.write_parquet(folder / "drugs.parquet")
    admitted = 1900 + draws.integers(0, 1700, n_persons)
    persons = pl.DataFrame({"person": np.arange(n_persons), "age": draws.uniform(18, 95, n_persons), "days": admitted})
    persons = persons.with_columns(admitted=DAYS + pl.duration(days=pl.col("days"))).drop("days")
    made = by_hand(persons.lazy(), folder).collect()
    last = made["last cost"].fill_null(0).to_numpy() / 400 + made["last dose"].fill_null(0).to_numpy() / 15
    counts = made["visits"].to_numpy() / 5 + made["names"].to_numpy() / 10
    score = last + counts + draws.logistic(0, 1, n_persons)
    persons.with_columns(ill=pl.Series(score > np.median(score)).cast(pl.Int64)).write_parquet(
        folder / "persons.parquet"
    )


def by_hand(persons: pl.LazyFrame, folder: Path) -> pl.LazyFrame:
    """Return the same features as a user of polars would write them."""

    def windowed(name: str) -> pl.LazyFrame:
        dates = persons.select("person", "admitted")
        return pl.scan_parquet(folder / name).join(dates, on="person").filter(pl.col("day") < pl.col("admitted"))

    visits = windowed("visits.parquet").group_by("person").agg(
        pl.len().alias("visits"),
        pl.col("cost").mean().alias("mean cost"),
        pl.col("cost").sort_by("day", "cost").last().alias("last cost"),
        (pl.col("ward") == "surgery").mean().alias("surgery"),
    )  # fmt: skip
    drugs = windowed("drugs.parquet").group_by("person").agg(
        pl.len().alias("drugs"),
        pl.col("name").n_unique().alias("names"),
        pl.col("dose").sort_by("day", "dose").last().alias("last dose"),
        pl.col("dose").sum().alias("all doses"),
    )  # fmt: skip
    whole = persons.join(visits, on="person", how="left").join(drugs, on="person", how="left")
    return whole.with_columns(pl.col("visits", "drugs", "names", "all doses").fill_null(0)).sort("person")


def ours(folder: Path, *, queries: bool = True) -> pl.DataFrame:
    """Return the joined table, as a fit reads it of queries, or of files, which processes of their own decode."""
    opened = pl.scan_parquet if queries else Files.of
    main, *sides = (opened(folder / f"{name}.parquet") for name in ("persons", "visits", "drugs"))
    source = joined_source(Query.of(main) or main, SCHEMA, dict(zip(("visits", "drugs"), sides, strict=True)))
    return pl.concat([frame for frame, _ in source.frames((*SCHEMA.inputs, SCHEMA.label), "raise")])


def compared(folder: Path, repeats: int) -> None:
    """Print both areas, and both times."""
    persons = pl.scan_parquet(folder / "persons.parquet")
    hand, own = by_hand(persons, folder).collect(engine="streaming"), ours(folder)
    for column in FEATURES:
        off = (hand[column.name].cast(pl.Float64).clip(column.lower, column.upper) - own[column.name].clip(
            column.lower, column.upper)).abs().max()  # fmt: skip
        print(f"{column.name}: differs by at most {off:.2g}")
    plain, y = without_tables(SCHEMA), own["ill"].to_numpy()
    for name, frame in (("by hand", hand), ("side tables", own)):
        areas = []
        for seed in range(repeats):
            order = np.random.default_rng(seed).permutation(len(y))
            train, test = order[: len(y) * 3 // 4], order[len(y) * 3 // 4 :]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fit = BoostedTreesClassifier(plain, epsilon=1.0, delta=1e-6, random_state=seed, ledger="none")
                fit.fit(frame[train], y[train])
                areas.append(roc_auc_score(y[test], fit.predict_proba(frame[test])[:, 1]))
        print(f"{name}: AUC {np.mean(areas):.4f} (epsilon 1, {repeats} splits)")
    for engine in ("streaming", "in-memory"):
        print(f"polars, {engine}: {best(lambda: by_hand(persons, folder).collect(engine=engine)) * 1000:.0f} ms")  # noqa: B023
    print(f"side tables, queries: {best(lambda: ours(folder)) * 1000:.0f} ms")
    print(f"side tables, files: {best(lambda: ours(folder, queries=False)) * 1000:.0f} ms")


def best(run: Any, times: int = 7) -> float:
    """Return the shortest of several times."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def memory(folder: Path, n_rows: int, *, hand: bool) -> None:
    """Print the memory that grouping so many rows takes, beyond that of the process before."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    if hand:
        by_hand(pl.scan_parquet(folder / "persons.parquet"), folder).collect(engine="streaming")
    else:
        ours(folder)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    name = "polars" if hand else "side tables"
    print(f"{name}, {n_rows:,} rows: {(after - before) / 1024:.0f} MiB more, {time.perf_counter() - start:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--rows", type=int, default=0, help="of the side table of drugs, for memory")
    parser.add_argument("--hand", action="store_true", help="memory of polars' own group-by")
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = asked.folder or Path(made)
        folder.mkdir(exist_ok=True)
        if not (folder / "persons.parquet").is_file():
            drawn(folder, n_drugs=asked.rows or DRUGS)
            if asked.rows:
                sys.exit(f"Drawn into {folder}. Run again with --folder, as a process of its own.")
        if asked.rows:
            memory(folder, asked.rows, hand=asked.hand)
        else:
            compared(folder, asked.repeats)


if __name__ == "__main__":
    main()
