"""The messy table is as messy as it says."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from harness.messy_tables import CODES, DOSES, HOSTILE, N_DRUGS, PERSON, QUOTED, messy_table
from tacit.schema import Schema
from tacit.table import Table


@pytest.fixture(scope="module")
def messy():
    return messy_table(20_000, seed=3)


def test_the_schema_reads_every_row_and_survives_a_file(messy):
    table = Table.from_frame(messy.frame, messy.labels, messy.schema)
    assert table.n_persons == messy.frame[PERSON].n_unique() < len(messy.frame)
    assert Schema.from_toml(messy.schema.to_toml()) == messy.schema


def test_it_has_rare_positives_repeated_persons_codes_and_columns_alike(messy):
    assert (messy.labels == "yes").mean() == pytest.approx(0.095, abs=0.01)
    rows = messy.frame[PERSON].value_counts()["count"]
    assert rows.max() == 20 and (rows == 1).mean() > 0.5
    assert sum(set(column) == set(DOSES) for column in messy.frame.select(pl.col("^drug.*$")).iter_columns()) == N_DRUGS
    assert set(messy.frame["code"]) - set(CODES) == {"V99", "Q17"}
    assert messy.frame["site"].n_unique() == messy.frame["always one"].n_unique() == 1
    assert (messy.frame["lab value"] == -99).mean() == pytest.approx(0.15, abs=0.01)
    assert set(HOSTILE) - set(messy.frame[QUOTED]) == {HOSTILE[4]}


def test_only_the_informative_columns_say_something(messy):
    ill = (messy.labels == "yes").to_numpy()
    largest = {}
    for name in messy.frame.columns[1:]:
        cells = messy.frame[name].to_numpy()
        cells = (
            cells
            if cells.dtype == object
            else np.digitize(cells, np.unique(np.quantile(cells, [0.1, 0.3, 0.5, 0.7, 0.9])))
        )
        groups = [ill[cells == cell] for cell in set(cells.tolist()) if (cells == cell).sum() > 100]
        largest[name] = max(abs(group.mean() - 0.095) / np.sqrt(0.086 / len(group)) for group in groups)
    assert {name for name, far in largest.items() if far > 4} == set(messy.informative)


def test_a_seed_gives_the_same_rows():
    one, other, third = messy_table(500, 1), messy_table(500, 1), messy_table(500, 2)
    assert one.frame.equals(other.frame) and one.labels.equals(other.labels)
    assert not one.frame.equals(third.frame)
