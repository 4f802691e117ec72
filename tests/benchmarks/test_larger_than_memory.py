"""The benchmark of tables on disk: its pieces run on a small table, so that a change of what they call is noticed."""

from __future__ import annotations

import polars as pl
import pytest

from benchmarks.larger_than_memory import TASKS, make

ROWS = 3000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    make(folder, ROWS)
    TASKS["fit"](folder / "parquet", "logistic", "disk")
    return folder


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_the_same_rows_are_scanned_and_read(folder, kind):
    for task in ("scan", "read"):
        TASKS[task](folder / kind, *(["disk"] if task == "read" else []))


def test_a_file_of_one_prediction_for_each_row_is_written(folder):
    TASKS["predict"](folder / "parquet", "logistic")
    TASKS["copy"](folder / "parquet")
    for name in ("out", "copy"):
        assert pl.read_parquet(folder / f"{name}.parquet").shape == (ROWS, 1)


def test_seconds_are_told_of_rounds_and_of_both_predictors(folder):
    found = {**TASKS["rounds"](folder / "parquet", "memory"), **TASKS["frame"](folder / "parquet")}
    assert set(found) == {"rounds", "reading", "ours", "theirs"}
    assert min(found["ours"], found["theirs"]) > 0
