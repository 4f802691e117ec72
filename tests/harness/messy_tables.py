"""Tables as people have them: repeated persons, codes, many columns alike, rare positives, hostile names."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
import polars as pl
from scipy.optimize import brentq
from scipy.special import expit

from tacit.schema import Categorical, Identifier, Label, Numeric, Schema

PERSON = "patient number"
POSITIVE = 0.095
"""Expected share of the second class."""

N_DRUGS = 12
DOSES = ("No", "Down", "Steady", "Up")
CODES = tuple(f"{letter}{number:02d}" for letter in "AEIKZ" for number in range(8))
"""Listed ones; rows have a few that are not."""

HTML, QUOTED, RIGHT_TO_LEFT = (
    "<script>alert('column')</script>",
    "a \"quoted\" & 'odd' name",
    "\u05d2\u05d9\u05dc \u0639\u0645\u0631",
)
HOSTILE = ("<img src=x onerror=alert(1)>", "</script><b>", 'O\'Brien & "Co"', "\u202eright to left", "=1+1", "${title}")
EFFECTS: dict[str, tuple[float, ...]] = {
    "drug 3": (-0.2, 0.3, 0.6, 1.2),
    "drug 7": (0.1, 0.0, -0.6, -1.2),
    "race": (0.0, 0.5, -0.5, 0.0),
    HTML: (0.8, -0.8),
    QUOTED: (1.0, -0.4, 0.4, -0.6, 0.0, -1.0),
    "code": tuple({"E": 0.8, "Z": -0.9}.get(code[0], 0.0) for code in CODES),
}
"""Log-odds that each category adds. Other columns say nothing, but for three numbers."""


@dataclass(frozen=True)
class MessyTable:
    """Rows with their true schema, and what truly decides the label.

    Parameters
    ----------
    schema : Schema
        Persons are its identifier, each weighing one.
    frame : polars.DataFrame
        The columns and ``PERSON``.
    labels : polars.Series
    informative : frozenset of str
        The columns that the label depends on.
    """

    schema: Schema
    frame: pl.DataFrame
    labels: pl.Series
    informative: frozenset[str]


def messy_table(n_rows: int, seed: int) -> MessyTable:
    """Return a table of about ``POSITIVE`` second classes, whose persons have one to twenty rows.

    The seed decides the rows; the schema and the effects are always the same.
    """
    draw = np.random.default_rng(seed)
    columns = _numbers(draw, n_rows) | _categories(draw, n_rows)
    log_odds = _log_odds(columns)
    intercept = brentq(lambda start: float(expit(start + log_odds).mean()) - POSITIVE, -30, 30)
    ill = draw.random(n_rows) < expit(intercept + log_odds)
    frame = pl.DataFrame({PERSON: _persons(draw, n_rows)} | columns)
    labels = pl.Series("readmitted", np.where(ill, "yes", "no"))
    return MessyTable(messy_schema(), frame, labels, frozenset({*EFFECTS, "age", "days in hospital", "lab value"}))


def messy_schema() -> Schema:
    """Return the true schema: codes of missing values are named, and -99 has a bin of its own."""
    drugs = [Categorical(f"drug {number}", DOSES) for number in range(1, N_DRUGS + 1)]
    return Schema(
        [
            Numeric("age", 0, 100, cuts=[30, 45, 55, 65, 75, 85]),
            Numeric("days in hospital", 0, 365, center=0, scale="log"),
            Numeric("lab value", -99, 300, cuts=[-50, 60, 80, 100, 130, 170]),
            Numeric("always one", 0, 10),
            *drugs,
            Categorical("race", ["?", "A", "B", "C"], missing="?"),
            Categorical("insurance", ["N", "public", "private"], missing="N"),
            Categorical("site", ["main", "annex"]),
            Categorical("code", list(CODES), other=True),
            Categorical(HTML, ["yes", "no"]),
            Categorical(QUOTED, list(HOSTILE)),
            Categorical(RIGHT_TO_LEFT, ["\u05d0", "\u05d1", "\u0645\u0631\u062d\u0628\u0627"]),
        ],
        label=Label("readmitted", ["no", "yes"]),
        identifier=Identifier(PERSON),
    )


def _persons(draw: np.random.Generator, n_rows: int) -> np.ndarray:
    """Return whose row each is: most persons have one, some up to twenty, in no order."""
    rows = np.minimum(draw.zipf(2.5, n_rows), 20)
    return draw.permutation(np.repeat(np.arange(n_rows), rows)[:n_rows]) + 100_000


def _numbers(draw: np.random.Generator, n_rows: int) -> dict[str, np.ndarray]:
    lab = np.clip(draw.normal(110, 35, n_rows).round(), 0, 300)
    return {
        "age": np.clip(draw.normal(64, 16, n_rows).round(), 0, 100),
        "days in hospital": np.clip(draw.lognormal(1.2, 0.9, n_rows).round(), 0, 365),
        "lab value": np.where(draw.random(n_rows) < 0.15, -99, lab),
        "always one": np.ones(n_rows),
    }


def _categories(draw: np.random.Generator, n_rows: int) -> dict[str, np.ndarray]:
    def drawn(values: tuple[str, ...], shares: np.ndarray | list[float]) -> np.ndarray:
        return draw.choice(np.asarray(values, dtype=object), n_rows, p=np.asarray(shares) / np.sum(shares))

    usual = {f"drug {number}": drawn(DOSES, [10, 0.5, 4, 1]) for number in range(1, N_DRUGS + 1)}
    return usual | {
        "race": drawn(("?", "A", "B", "C"), [1, 6, 3, 0.1]),
        "insurance": drawn(("N", "public", "private"), [5, 4, 1]),
        "site": np.full(n_rows, "main", dtype=object),
        "code": drawn((*CODES, "V99", "Q17"), [*(1 / np.arange(1, len(CODES) + 1)), 0.02, 0.01]),
        HTML: drawn(("yes", "no"), [1, 3]),
        QUOTED: drawn(HOSTILE, [5, 3, 3, 2, 0, 1]),  # one category that no row has
        RIGHT_TO_LEFT: drawn(("\u05d0", "\u05d1", "\u0645\u0631\u062d\u0628\u0627"), [3, 2, 1]),
    }


def _log_odds(columns: dict[str, np.ndarray]) -> np.ndarray:
    total = (columns["age"] - 64) / 25 + 0.6 * (np.log1p(columns["days in hospital"]) - log(4))
    total += np.where(columns["lab value"] == -99, -0.7, (columns["lab value"] - 110) / 70)
    for name, values in EFFECTS.items():
        added = dict(zip(_categories_of(name), values, strict=True))
        total += np.asarray([added.get(cell, 0.0) for cell in columns[name]])
    return total


def _categories_of(name: str) -> tuple[str, ...]:
    column = messy_schema().column(name)
    assert isinstance(column, Categorical)
    return tuple(map(str, column.categories))
