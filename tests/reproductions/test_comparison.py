"""From rows to comparisons: means by hand, and what is missing is said."""

from __future__ import annotations

import polars as pl
import pytest

from reproductions.framework import COMPARISON, compared
from reproductions.framework.comparison import averaged, single
from reproductions.framework.pivot import panels
from tacit.errors import ParameterError


def rows(*given) -> pl.DataFrame:
    return pl.DataFrame([{"panel": "p", "status": "done", **each} for each in given], infer_schema_length=None)


def test_a_place_gets_mean_deviation_and_number_of_runs():
    told = averaged(
        rows(*({"series": "brc", "x": 0.1, "accuracy": each} for each in (0.6, 0.7, 0.8))),
        published={("p", "brc", 0.1): 0.73},
        notes={("p", "brc", 0.1): "published as a rough value"},
    )
    [row] = told.iter_rows(named=True)
    assert row["ours"] == pytest.approx(0.7)
    assert row["deviation"] == pytest.approx(0.1)
    assert (row["runs"], row["published"], row["note"]) == (3, 0.73, "published as a rough value")


def test_one_run_has_no_deviation():
    assert averaged(rows({"series": "s", "x": 1.0, "accuracy": 0.5}))["deviation"].to_list() == [None]


def test_a_label_chooses_among_several_measured_values():
    told = averaged(
        rows(
            {"series": "a", "x": "t", "value": "first", "first": 1.0, "second": 3.0},
            {"series": "b", "x": "t", "value": "second", "first": 1.0, "second": 3.0},
        )
    )
    assert told["ours"].to_list() == [1.0, 3.0]
    assert told["x"].to_list() == ["t", "t"]


def test_what_failed_or_was_not_run_is_counted_and_explained():
    told = averaged(
        rows(
            {"series": "a", "x": 1.0, "accuracy": 0.5},
            {"series": "a", "x": 1.0, "accuracy": None, "status": "failed", "message": "Expected more."},
            {"series": "b", "x": 1.0, "accuracy": None, "status": "missing", "reason": "not run: no data"},
            {"series": "c", "x": 1.0, "accuracy": None, "reason": "the window is empty"},
        )
    )
    assert told["ours"].to_list() == [0.5, None, None]
    assert told["runs"].to_list() == [1, 0, 0]
    assert told["note"].to_list() == ["1 of 2 are missing: Expected more.", "not run: no data", "the window is empty"]


def test_what_is_published_and_not_run_comes_last():
    told = averaged(rows({"series": "a", "x": 1.0, "accuracy": 0.5}), published={("q", "b", 2.0): 0.9})
    assert told["panel"].to_list() == ["p", "q"]
    assert told.row(1)[3:7] == (None, None, 0, 0.9)


def test_single_rows_are_not_averaged():
    told = single(rows(*({"series": "s", "x": 0.1, "accuracy": each} for each in (0.25, 0.75))))
    assert told["ours"].to_list() == [0.25, 0.75]


def test_a_comparison_has_no_other_columns():
    with pytest.raises(ParameterError, match="'theirs'"):
        compared([{"theirs": 1.0}])
    assert compared([]).columns == list(COMPARISON)


def test_few_places_stand_beside_each_other_with_the_published_number_in_brackets():
    told = compared(
        [
            {"panel": "p", "series": "a", "x": 0.1, "ours": 0.5, "deviation": 0.025, "published": 0.51},
            {"panel": "p", "series": "a", "x": None, "ours": 0.6, "note": "published below 1; not run"},
            {"panel": "p", "series": "b", "x": 0.1, "published": 0.7, "note": "not run"},
        ]
    )
    [(name, table)] = panels(told, "epsilon")
    assert name == "p"
    assert table.splitlines() == [
        "| epsilon | 0.1 | any |",
        "|---|---|---|",
        "| a | 0.5 ± 0.025 (0.51) | 0.6 (below 1) |",
        "| b | - (0.7) |  |",
        "",
        "- a, b: not run",
    ]


def test_many_places_stand_below_each_other_and_runs_of_one_place_are_averaged():
    told = compared({"series": "a", "x": float(at), "ours": 0.2 + 0.2 * run} for at in range(9) for run in (0, 1))
    [(_, table)] = panels(told, "round")
    assert table.splitlines()[:3] == ["| round | a |", "|---|---|", "| 0 | 0.3 ± 0.14 |"]


def test_remarks_name_places_that_have_names():
    told = compared({"series": series, "x": x, "note": "no data"} for series in "ab" for x in ("adult", "susy"))
    [(_, table)] = panels(told, "data set")
    assert table.splitlines()[-1] == "- adult, susy: no data"
