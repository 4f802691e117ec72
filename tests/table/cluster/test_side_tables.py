"""Side tables on a cluster: the joined table is written once, and read by workers as any other."""

from __future__ import annotations

import os

import numpy as np
import polars as pl
import pytest

from tacit import Feature, Label, NaiveBayesClassifier, Numeric, Schema, SideTable
from tacit.models import to_json

SCHEMA = Schema(
    [
        Numeric("age", 0, 90),
        Numeric("visits", 0, 50, whole=True, from_table=Feature("visits", "count")),
        *(
            Numeric(take, 0, 10_000, missing=0, from_table=Feature("visits", take, "cost"))
            for take in ("mean", "sum", "latest", "first", "distinct")
        ),
    ],
    label=Label("y", ["no", "yes"]),
    tables=[
        SideTable(
            "visits", [Numeric("cost", 0, 100), Numeric("day", "2020-01-01", "2020-01-09")], key="person", date="day"
        )
    ],
)


@pytest.fixture
def folder(tmp_path):
    draws = np.random.default_rng(1)
    persons = {"person": np.arange(3000), "age": draws.integers(0, 90, 3000), "y": draws.choice(["no", "yes"], 3000)}
    visits = {"person": draws.integers(0, 3100, 9000), "cost": draws.uniform(0, 120, 9000)}
    days = pl.Series(draws.integers(18262, 18266, 9000)).cast(pl.Int32).cast(pl.Date)
    pl.DataFrame(persons).write_csv(tmp_path / "persons.csv")
    pl.DataFrame(visits).with_columns(day=days).write_parquet(tmp_path / "visits.parquet")
    return tmp_path


@pytest.mark.filterwarnings("ignore::tacit.PrivacyWarning")
def test_a_cluster_gives_the_model_of_memory_and_of_disk(client, folder, monkeypatch):
    scratch = folder / "scratch"
    monkeypatch.setenv("TACIT_SCRATCH", str(scratch))

    def fitted(**given):
        fit = NaiveBayesClassifier(SCHEMA, epsilon=1.0, random_state=5, ledger="none")
        fit.fit(folder / "persons.csv", tables={"visits": folder / "visits.parquet"}, **given)
        return to_json(fit.model_, allow="simulated")

    on_cluster = fitted(client=client)
    assert on_cluster == fitted(storage="memory") == fitted(storage="disk")
    assert os.listdir(scratch) == []  # what was written for the workers is gone
