"""Rados of the tables of 2015: windows hold, errors by hand, noise of zero changes nothing."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reproductions.framework.catalog import find
from reproductions.nock2015.measures import EMPTY, window_fold
from reproductions.nock2015.protected import most_balanced_binary, noisy_errors, windowed_error, windowed_rados
from reproductions.nock2015.settings import Fold, folds, outlier_features, table1_errors
from reproductions.nock2015.table1 import ERROR, OUTLIER, TEST
from tacit.datasets import load
from tacit.errors import DatasetUnavailable, ParameterError
from tacit.mechanisms.rado_signatures import RandomBits
from tacit.privacy.marginal import Window
from tacit.study.run import Task
from tacit.study.run.tables import Tables


def needs(name: str) -> None:
    try:
        load(name, downloads="never")
    except DatasetUnavailable as error:
        pytest.skip(str(error))


def drawn(n_rows: int = 400, n_features: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    features = generator.normal(size=(n_rows, n_features))
    features[:, 1] = generator.integers(0, 2, n_rows)
    labels = np.where(features[:, 0] + 0.5 * features[:, 2] > 0, 1.0, -1.0)
    return features, labels


def test_a_fold_is_standardized_on_its_training_rows_and_multiplied_by_labels():
    features, labels = drawn()
    first = next(folds(features, labels))
    assert len(first.train) == 360
    assert len(first.test) == 40
    assert np.mean(first.train[:, 0] ** 2) == pytest.approx(1.0)  # labels do not change squares
    assert np.mean(first.train[:, 0]) > 0.5  # nor is their mean zero: the first feature tells the label
    assert first.n_rados == 180


def test_the_protected_feature_is_coded_by_signs():
    features, labels = drawn()
    first = next(folds(features, labels, binary=1))
    assert set(np.unique(first.train[:, 1])) == {-1.0, 1.0}


def test_a_tie_counts_as_an_error():
    fold = Fold(train=np.ones((4, 1)), test=np.array([[1.0], [0.0], [-1.0], [2.0]]))
    assert fold.error(np.array([1.0])) == 50.0


def test_windowed_rados_stay_within_the_window_and_follow_its_distribution():
    edges = np.random.default_rng(1).choice([-1.0, 1.0], size=(200, 2))
    window = Window(200, 0.3)
    rados = windowed_rados(edges, 0, 0.3, 4000, RandomBits(0))
    agree = rados[:, 0] + np.sum(edges[:, 0] < 0)
    assert agree.min() >= window.low
    assert agree.max() <= window.high
    distribution = np.exp(window.log_distribution)
    counts = np.bincount(np.rint(agree).astype(int) - window.low, minlength=len(distribution)) / 4000
    assert np.abs(counts - distribution).max() < 4 * np.sqrt(distribution.max() / 4000)
    # The other feature's entries are those of uniform subsets: mean half of its sum.
    assert rados[:, 1].mean() == pytest.approx(edges[:, 1].sum() / 2, abs=4 * np.sqrt(200) / 2 / np.sqrt(4000) + 1)


def test_dp_feat_learns_almost_as_well_as_plain_rados_and_refuses_an_empty_window():
    fold = next(folds(*drawn(2000), binary=1))
    assert windowed_error(fold, 1, 5.0, rounds=200) < table1_errors(fold, rounds=200)["radoboost"] + 5
    with pytest.raises(ParameterError, match="window of DP-Feat is empty"):
        windowed_error(next(folds(*drawn(40), binary=1)), 1, 0.1)


def test_noise_of_zero_is_no_noise():
    fold = next(folds(*drawn()))
    errors = noisy_errors(fold, 0.0, supports=(0.5, 0.25), rounds=50)
    assert errors["adaboost"] == table1_errors(fold, rounds=50)["adaboost"]
    assert set(errors) == {"adaboost", "radoboost", "fixed 0.5", "prudential 0.5", "fixed 0.25", "prudential 0.25"}
    much = noisy_errors(fold, 50.0, rounds=50)
    assert much["adaboost"] > errors["adaboost"] + 10


def test_outliers_are_counted_by_feature():
    features = np.zeros((20_000, 3))
    features[0] = 1.0  # 141 deviations from the mean
    features[:, 2] = np.linspace(-1, 1, 20_000)
    assert outlier_features(features) == 2


def test_the_most_balanced_column_of_two_values():
    needs("german-credit")
    place, name = most_balanced_binary("german-credit")
    assert name == "telephone"
    assert load("german-credit").schema.names[place] == name
    with pytest.raises(ParameterError, match="column of two values"):
        most_balanced_binary("haberman")


def test_an_empty_window_is_a_row_and_no_failure():
    needs("fertility")
    task = Task("nock2015-window", {"data": "fertility", "fold": 0, "folds": 10, "rounds": 10, "epsilon": 0.02})
    told = window_fold(task, Tables())
    assert told == {"radoboost": None, "column": "surgical intervention", "reason": EMPTY}


def test_table_1_compares_learners_over_the_same_folds():
    """Differences of 1, 1, 2 have t = 4 on two degrees of freedom: p = 0.0572."""
    [artefact] = find("nock2015-table1")
    rows = [
        {"panel": ERROR, "series": series, "x": "abalone", "value": value, "status": "done", "fold": fold, **errors}
        for series, value in (("AdaBoost", "adaboost"), ("AdaBoost(n)", "adaboost(n)"), ("RadoBoost", "radoboost"))
        for fold, errors in enumerate(
            {"adaboost": float(a), "adaboost(n)": 20.0, "radoboost": 22.0} for a in (21, 21, 20)
        )
    ]
    rows.append({"panel": OUTLIER, "series": "features", "x": "wine-white", "features": 1, "status": "done"})
    told = artefact.compare(pl.DataFrame(rows, infer_schema_length=None))
    by_place = {(row["panel"], row["series"], row["x"]): row for row in told.iter_rows(named=True)}
    assert by_place[ERROR, "RadoBoost", "abalone"]["ours"] == 22.0
    assert by_place[ERROR, "RadoBoost", "abalone"]["published"] == 25.14
    assert by_place[TEST, "AdaBoost", "abalone"]["ours"] == pytest.approx(0.0572, abs=1e-4)
    assert by_place[TEST, "AdaBoost", "abalone"]["note"] == "published as below 0.01"
    assert by_place[TEST, "AdaBoost(n)", "eeg-eye-state"]["published"] == 0.86
    assert by_place[OUTLIER, "features", "wine-white"]["published"] == 1.0
    assert by_place[OUTLIER, "features", "wine-white"]["ours"] == 1.0
    assert by_place[ERROR, "RadoBoost", "twitter"]["ours"] is None
    assert by_place[ERROR, "RadoBoost", "twitter"]["published"] == 6.0
    assert "not run: file not at hand" in by_place[ERROR, "RadoBoost", "twitter"]["note"]
    assert "not run" not in by_place[ERROR, "RadoBoost", "wine-white"]["note"]


def test_the_sample_of_higgs_is_called_a_sample_and_hits_no_published_number():
    [artefact] = find("nock2015-table1-sample")
    assert "a sample" in artefact.setting
    rows = [{**task.labels, "status": "done", str(task.labels["value"]): 40.0} for task in artefact.tasks(True)]
    told = artefact.compare(pl.DataFrame(rows, infer_schema_length=None))
    assert told["published"].null_count() == len(told) == 3
    assert told["ours"].to_list() == [40.0] * 3
    assert told["note"].str.contains("of all 11,000,000 rows").all()


def test_the_sample_of_higgs_has_its_class_last():
    needs("higgs-sample")
    data = load("higgs-sample")
    assert data.frame.shape == (10_984, 28)
    assert data.target.sum() == 5821
