"""Which measure is read first."""

from __future__ import annotations

import polars as pl
import pytest

from tacit.study.summary import leading_measure, majority_share


def results(majority, auc=0.7, balanced=0.6, status="done"):
    return {"status": status, "majority": majority, "auc": auc, "balanced_accuracy": balanced}


@pytest.mark.parametrize(("majority", "lead"), [(0.79, "accuracy"), (0.8, "auc"), (0.99, "auc")])
def test_a_class_of_four_fifths_makes_auc_lead(majority, lead):
    assert leading_measure(pl.DataFrame([results(majority)] * 2)) == lead


def test_a_measure_that_some_lack_orders_nothing():
    assert leading_measure(pl.DataFrame([results(0.9), results(0.9, auc=None)])) == "balanced_accuracy"
    assert leading_measure(pl.DataFrame([results(0.9, None, None), results(0.9)])) == "accuracy"


def test_failed_fits_say_nothing():
    frame = pl.DataFrame([results(0.9), results(0.1, None, status="failed")])
    assert (leading_measure(frame), majority_share(frame)) == ("auc", 0.9)
    assert majority_share(frame.clear()) is None and leading_measure(frame.clear()) == "accuracy"


def test_results_of_earlier_versions_lead_with_accuracy():
    assert leading_measure(pl.DataFrame({"status": ["done"], "auc": [0.7]})) == "accuracy"
