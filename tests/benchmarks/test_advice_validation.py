"""Leave-one-source-out validation of advice."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from benchmarks.advice.validation import auto_losses, by_strength, summary, validated
from study.advice.hand_made import past_studies
from tacit.study.advice import PastStudies

# "good" loses 0.1, 0.2, 0.4 and "poor" 0.4, 0.3, 0.2.
THREE = past_studies(
    {"table": "a", "source": "a", "good": 0.8, "poor": 0.5},
    {"table": "b", "source": "b", "good": 0.7, "poor": 0.6},
    {"table": "c", "source": "c", "good": 0.5, "poor": 0.7},
)


def test_validation_leaves_the_whole_source_out():
    checked = validated(THREE)
    assert checked["advised"].to_list() == ["poor", "good", "good"]
    assert checked["loss"].to_list() == pytest.approx([0.4, 0.2, 0.4])
    assert checked["regret"].to_list() == pytest.approx([0.3, 0.0, 0.2])
    assert checked["regret of good"].to_list() == pytest.approx([0, 0, 0.2])
    # Without a: poor is expected to lose 0.25, b alone expects 0.3 of c's poor and 0.2 of b's, chosen by it.
    changed = THREE.frame.with_columns(
        good=pl.when(pl.col("source") == "a").then(0.0).otherwise("good").cast(pl.Float32)
    )
    again = validated(PastStudies(changed))
    assert again["predicted"][0] == checked["predicted"][0]
    assert (again["low"][0], again["high"][0]) == (checked["low"][0], checked["high"][0])
    assert again["predicted"][2] != checked["predicted"][2]


def test_auto_loses_what_the_learner_of_its_choice_lost():
    setting = {"table": "haberman", "source": "a", "rows": 200, "epsilon": 0.1, "tree": 0.7, "logistic": 0.8}
    past = past_studies(
        setting | {"boosted-trees": 0.6, "delta": 0.0},  # 6.7 rows times epsilon a column
        setting | {"boosted-trees": 0.6, "delta": 1e-5, "tree": 0.1},
        setting | {"boosted-trees": 0.6, "delta": 0.0, "epsilon": 0.01},
        setting | {"boosted-trees": 0.6, "delta": 1e-5, "epsilon": 0.01, "tree": 0.1},
        setting | {"boosted-trees": 0.6, "delta": 1e-5, "epsilon": 10.0},
    )
    # At 0.7 rows times epsilon a column a tree is taken, whether it was good or not.
    assert auto_losses(past) == pytest.approx([0.1, 0.1, 0.2, 0.8, 0.3])
    assert auto_losses(THREE) is None
    assert "regret of auto" not in validated(THREE).columns


def test_summary_counts_every_source_the_same():
    checked = pl.DataFrame(
        {"source": ["a", "a", "a", "b"], "covered": [True, True, True, False], "regret": [0.0, 0, 0, 1]}
    )
    assert summary(checked) == {"covered": 0.5, "regret": 0.5}


def test_strengths_are_powers_of_ten_with_open_ends():
    at = [
        {"source": f"s{each}", "epsilon": epsilon, "good": 0.8}
        for each, epsilon in enumerate((1e-4, 0.05, 0.5, 1.0, 1e6))
    ]
    checked = validated(past_studies(*at))  # 1,000 rows and 10 columns: strengths of 0.01, 5, 50, 100 and 1e8
    found = by_strength(checked)
    assert found["power"].to_list() == [-1, 0, 1, 2, 3]
    assert found["loss"].to_list() == pytest.approx([0.1] * 5, abs=1e-6)
    assert found["regret of poor"].to_list() == pytest.approx([0.3] * 5, abs=1e-6)


def test_packaged_intervals_hold_for_tables_left_out():
    """A third of the sources, each left out: the promise of the intervals, on what ships."""
    packaged = PastStudies.packaged()
    some = np.unique(packaged.sources)[::3]
    known = packaged.frame.filter(pl.col("delta") == 0)
    checked = validated(PastStudies(known.filter(pl.col("source").is_in(some.tolist()))))
    assert summary(checked)["covered"] > 0.6
