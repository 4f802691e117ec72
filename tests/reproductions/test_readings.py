"""Second readings: how published numbers are counted, and the rows and cells that hit them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reproductions.framework.apart import AGAIN, NO_FILE, OTHER_FORM, SETTING, reason
from reproductions.framework.artefact import compared
from reproductions.framework.catalog import find
from reproductions.framework.readings import Reached, beside, in_all, is_near, reached, second
from reproductions.lopuhaa2021.second_readings import (
    SECOND,
    in_order_of_appearance,
    labels_one_and_zero,
    last_column_as_class,
    second_reading,
    shifted_column,
)
from reproductions.lopuhaa2021.settings import published
from reproductions.shen2022.file_order import first_of_each, first_rows
from tacit.datasets import load
from tacit.errors import DatasetUnavailable
from tacit.study.run import Task
from tacit.study.run.tables import Tables


def needs(name: str) -> None:
    try:
        load(name, downloads="never")
    except DatasetUnavailable as error:
        pytest.skip(str(error))


def test_each_published_number_counts_once_for_the_reading_that_reaches_it():
    other = second("a", "as run")
    rows = [
        {"series": "a", "x": 1.0, "ours": 0.705, "published": 0.70},  # the right one
        {"series": other, "x": 1.0, "ours": 0.70, "published": 0.70},
        {"series": "a", "x": 2.0, "ours": 0.60, "published": 0.70},  # the second one alone
        {"series": other, "x": 2.0, "ours": 0.69, "published": 0.70},
        {"series": "a", "x": 3.0, "ours": None, "published": 0.70},  # open
        {"series": "b", "x": 3.0, "ours": 0.7, "published": None},
    ]
    found = reached(compared(rows))
    assert found == Reached(published=3, right=1, second=1)
    assert found.open == 1
    assert in_all([found, found]) == Reached(6, 2, 2)


def test_numbers_that_no_run_could_reach_are_counted_apart_even_where_ours_is_near_by_chance():
    rows = [
        {"panel": "rounds", "series": "a", "x": 1.0, "ours": 5.0, "published": 5.0},
        {
            "panel": "accuracy",
            "series": "a",
            "x": 1.0,
            "ours": None,
            "published": 0.7,
            "note": "not run: file not at hand",
        },
        {
            "panel": "accuracy",
            "series": "a",
            "x": 2.0,
            "ours": 0.7,
            "published": 0.7,
            "note": "published for the other",
        },
        {"panel": "accuracy", "series": "a", "x": 3.0, "ours": 0.5, "published": 0.7},
    ]
    found = reached(compared(rows), lambda row: SETTING if row["panel"] == "rounds" else reason(row))
    assert found.apart == {SETTING: 1, NO_FILE: 1, OTHER_FORM: 1}
    assert (found.published, found.right, found.second, found.open) == (4, 0, 0, 1)
    assert in_all([found, found]).apart == {SETTING: 2, NO_FILE: 2, OTHER_FORM: 2}


def test_lines_of_an_earlier_figure_and_a_test_at_another_cost_or_in_the_other_order_are_counted_once():
    again = find("shen2022-figure3b")[0].apart
    assert again({"series": "no privacy, all columns", "note": "", "ours": 0.7}) == AGAIN
    assert again({"series": "BRC", "note": "", "ours": 0.7}) == ""
    test = find("lopuhaa2021-figure4")[0].apart
    pairs = [("published cost", "SVM", "naive Bayes"), ("published cost", "naive Bayes", "SVM")]
    assert [test({"panel": panel, "series": one, "x": other}) for panel, one, other in pairs] == ["", AGAIN]
    assert test({"panel": "corrected cost", "series": "SVM", "x": "naive Bayes"}) == OTHER_FORM


@pytest.mark.parametrize(
    ("panel", "ours", "theirs", "near"),
    [
        ("accuracy", 0.8111, 0.80, False),
        ("features used", 11.1, 10.0, False),
        ("features used", 9.0, 10.0, True),
        ("test error, %", 23.9, 23.0, True),
        ("test error, %", 25.2, 23.0, False),
    ],
)
def test_near_is_a_point_or_a_tenth(panel, ours, theirs, near):
    assert is_near(panel, ours, theirs) is near


def test_a_number_stands_beside_its_second_reading_too():
    other = second("a", "as run")
    assert beside({("", "a", 1): 0.7, ("", "b", 1): 0.8}, [other])[("", other, 1)] == 0.7


def test_the_first_rows_of_each_class_are_kept():
    assert first_of_each(np.asarray([2, 2, 1, 2, 1, 2])).tolist() == [0, 1, 2, 4]


def test_credit_has_its_row_number_among_the_private_columns():
    needs("credit-default")
    inputs = {"data": "credit-default", "file": None, "privacy": "as-declared", "seed": 0}
    split = {"kind": "shuffle", "test_share": 0.1, "repeat": 0}
    found = first_rows(Task("shen2022-first-rows", inputs | {"split": split}), Tables())
    assert "ID" in found.schema.private_columns
    assert (found.train.columns["ID"] == found.train_index + 1).all()
    assert len(found.train_index) + len(found.test_index) == 2 * 6636
    ones = np.concatenate([found.train_labels, found.test_labels]).sum()
    assert ones == 6636


def test_the_shifted_column_makes_the_first_vote_the_class():
    frame = pl.DataFrame({"a": ["y", "n", "y"], "b": ["n", "y", None], "c": ["y", "y", "n"]})
    features, labels = shifted_column(frame, pl.Series(["r", "d", "d"]))
    assert labels.tolist() == [1, 0]
    assert features.tolist() == [[0, 1], [1, 1]]


def test_codes_follow_the_order_of_appearance_in_complete_rows():
    frame = pl.DataFrame({"a": ["z", "y", "x", "z"], "b": ["p", "q", "p", "q"], "c": ["m", "m", "?", "n"]})
    features, labels = in_order_of_appearance(frame, pl.Series(["e", "p", "e", "p"]))
    assert features.tolist() == [[0, 0, 0], [1, 1, 0], [0, 1, 1]]
    assert labels.tolist() == [0, 1, 1]


def test_the_last_column_becomes_the_class_and_the_class_a_feature():
    frame = pl.DataFrame({"F1": [0, 1], "F2": [1, 0]})
    features, labels = last_column_as_class(frame, pl.Series([1, 0]))
    assert features.tolist() == [[1, 0], [0, 1]]
    assert labels.tolist() == [1, 0]


def test_with_labels_one_and_zero_every_row_of_zero_is_wrong():
    features = np.asarray([[1.0], [1.0], [1.0]])
    said = labels_one_and_zero(features, np.asarray([1, 0, 0]), features)
    assert np.mean(said == [1, 0, 0]) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("learner", "data", "folds"),
    [
        ("svm", "nursery", 1),
        ("svm", "house-votes-84", 10),
        ("svm", "spect", 10),
        ("naive-bayes", "spect", 10),
        ("naive-bayes", "mushroom", 10),
    ],
)
def test_a_second_reading_gives_its_cell(learner, data, folds):
    needs(data)
    tables, accuracies = Tables(), []
    for fold in range(folds):
        split = {"kind": "fold", "folds": 10, "fold": fold, "repeat": 0}
        inputs = {"data": data, "file": None, "learner": learner, "depth": None, "split": split, "repeat": 0}
        task = Task("lopuhaa2021-second-reading", inputs | {"fold": fold})
        accuracies.append(second_reading(task, tables)["accuracy"])
    assert (learner, data) in SECOND
    assert np.mean(accuracies) == pytest.approx(published(data, learner, "accuracy"), abs=0.01)
