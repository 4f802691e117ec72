"""A schema with a side table of visits, and what its features are, computed row by row in plain Python."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import Any

import polars as pl

from tacit.schema import Categorical, Feature, Label, Numeric, Schema, SideTable

EPOCH = dt.date(1970, 1, 1)
WARDS = ["heart", "lung", "skin"]

VISITS = SideTable(
    "visits",
    [
        Numeric("cost", -100, 500),
        Categorical("ward", WARDS),
        Numeric("day", "2010-01-01", "2020-12-31"),
    ],
    key="person",
    date="day",
    as_of="admitted",
    days=365,
)

TAKEN = {
    "n": Feature("visits", "count"),
    "n with a cost": Feature("visits", "count", "cost"),
    "n of heart": Feature("visits", "count", "ward", "heart"),
    "any": Feature("visits", "any"),
    "any of skin": Feature("visits", "any", "ward", "skin"),
    "share of lung": Feature("visits", "share", "ward", "lung"),
    "wards": Feature("visits", "distinct", "ward"),
    "costs": Feature("visits", "distinct", "cost"),
    "mean cost": Feature("visits", "mean", "cost"),
    "least cost": Feature("visits", "min", "cost"),
    "largest cost": Feature("visits", "max", "cost"),
    "all costs": Feature("visits", "sum", "cost"),
    "last cost": Feature("visits", "latest", "cost"),
    "first cost": Feature("visits", "first", "cost"),
    "span of costs": Feature("visits", "span", "cost"),
    "days": Feature("visits", "span"),
}


def schema_of(table: SideTable = VISITS) -> Schema:
    numbers = [Numeric(name, -1e6, 1e6, missing=0, from_table=feature) for name, feature in TAKEN.items()]
    return Schema(
        [
            Numeric("age", 0, 100),
            Numeric("admitted", "2010-01-01", "2020-12-31", missing="2010-01-01"),
            *numbers,
            Categorical("last ward", [*WARDS, "none"], missing="none", from_table=Feature("visits", "latest", "ward")),
            Categorical("ever", [False, True], from_table=Feature("visits", "any")),
            Numeric("first day", "2010-01-01", "2020-12-31", missing="2010-01-01",
                    from_table=Feature("visits", "min", "day")),
        ],
        label=Label("ill", ["no", "yes"]),
        tables=[table],
    )  # fmt: skip


def frame_of(rows: list[tuple[Any, Any, Any, Any]]) -> pl.DataFrame:
    """Return rows of (person, cost, ward, day) as a table of visits."""
    kinds = {"person": pl.String, "cost": pl.Float64, "ward": pl.String, "day": pl.Date}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def by_hand(rows: list[tuple[Any, Any, Any, Any]], person: str, admitted: dt.date | None) -> dict[str, Any]:
    """Return one person's features, row by row; costs are multiples of 1/4, so that nothing is rounded."""
    low, high = dt.date(2010, 1, 1), dt.date(2020, 12, 31)
    own = []
    for name, cost, ward, day in rows:
        if name != person or day is None or admitted is None or not (low <= day <= high and low <= admitted <= high):
            continue
        if admitted - dt.timedelta(days=365) <= day < admitted:
            own.append((None if cost is None else min(max(cost, -100.0), 500.0), ward, day))
    costs = [cost for cost, _, _ in own if cost is not None]
    wards = [ward for _, ward, _ in own if ward is not None]
    days = [day for _, _, day in own]
    priced = sorted((day, cost) for cost, _, day in own if cost is not None)
    warded = sorted((day, WARDS.index(ward)) for _, ward, day in own if ward is not None)
    total = sum(map(Fraction, costs), Fraction(0))
    return {
        "n": len(own),
        "n with a cost": len(costs),
        "n of heart": wards.count("heart"),
        "any": float(bool(own)),
        "any of skin": float("skin" in wards),
        "share of lung": wards.count("lung") / len(wards) if wards else None,
        "wards": len(set(wards)),
        "costs": len(set(costs)),
        "mean cost": float(total) / len(costs) if costs else None,
        "least cost": min(costs, default=None),
        "largest cost": max(costs, default=None),
        "all costs": float(total),
        "last cost": priced[-1][1] if priced else None,
        "first cost": priced[0][1] if priced else None,
        "span of costs": max(costs) - min(costs) if costs else None,
        "days": float((max(days) - min(days)).days) if days else None,
        "last ward": WARDS[warded[-1][1]] if warded else None,
        "ever": bool(own),
        "first day": dt.datetime.combine(min(days), dt.time()) if days else None,
    }
