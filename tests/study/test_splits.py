"""Splits: who is tested, decided by the study's seed and the repetition."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.errors import ParameterError
from tacit.study.splits import split_rows

LABELS = np.array([0] * 30 + [1] * 10)
SHUFFLE = {"kind": "shuffle", "test_share": 0.25, "repeat": 0}


def rows(split, seed=0, official=None, labels=LABELS):
    train, test = split_rows(split, labels, official, seed)
    assert (np.diff(train) > 0).all()
    assert (np.diff(test) > 0).all()
    assert not set(train) & set(test)
    return train, test


def test_a_share_of_the_rows_is_tested_and_the_others_are_learned_from():
    train, test = rows(SHUFFLE)
    assert (len(train), len(test)) == (30, 10)


def test_seed_and_repetition_decide_and_nothing_else():
    same = rows(SHUFFLE, labels=1 - LABELS)[1]
    assert (rows(SHUFFLE)[1] == same).all()
    others = [rows(SHUFFLE, seed=1)[1], rows(SHUFFLE | {"repeat": 1})[1], same]
    assert len({tuple(each) for each in others}) == 3


def test_folds_partition_the_rows_and_repetitions_split_again():
    folds = [{"kind": "fold", "folds": 3, "fold": fold, "repeat": 2} for fold in range(3)]
    parts = [rows(fold)[1] for fold in folds]
    assert [len(part) for part in parts] == [14, 13, 13]
    assert sorted(np.concatenate(parts)) == list(range(40))
    assert set(rows(folds[0] | {"repeat": 3})[1]) != set(parts[0])


def test_the_official_split_is_the_data_sets_own():
    official = np.array(["train"] * 25 + ["test"] * 15)
    train, test = rows({"kind": "official"}, official=official)
    assert (train.tolist(), test.tolist()) == (list(range(25)), list(range(25, 40)))
    train, test = rows({"kind": "official", "first": 27}, official=official)
    assert (len(train), len(test)) == (25, 2)


@pytest.mark.parametrize("split", [SHUFFLE, {"kind": "fold", "folds": 4, "fold": 2, "repeat": 0}])
def test_balanced_rows_have_as_many_of_each_class(split):
    used = np.concatenate(rows(split | {"balanced": True}))
    assert np.bincount(LABELS[used]).tolist() == [10, 10]
    assert set(used) != set(np.concatenate(rows(split | {"balanced": True}, seed=5)))
    used = np.concatenate(rows(split | {"balanced": True, "first": 34}))
    assert np.bincount(LABELS[used]).tolist() == [4, 4]
    assert used.max() < 34


@pytest.mark.parametrize(
    ("split", "words"),
    [
        ({"kind": "official"}, "official split"),
        ({"kind": "thirds"}, "'thirds'"),
        ({"kind": "fold", "folds": 3, "fold": 3, "repeat": 0}, "fold=3"),
        (SHUFFLE | {"first": 1}, "empty part"),
    ],
)
def test_splits_that_cannot_be(split, words):
    with pytest.raises(ParameterError, match=words):
        rows(split)


PERSONS = np.repeat(np.arange(14), [1, 5, 2, 3, 1, 1, 9, 1, 4, 2, 3, 1, 5, 2])[np.random.default_rng(0).permutation(40)]


@pytest.mark.parametrize("split", [SHUFFLE, *({"kind": "fold", "folds": 3, "fold": f, "repeat": 1} for f in range(3))])
def test_no_person_is_in_both_parts(split):
    train, test = split_rows(split, LABELS, None, 0, PERSONS)
    assert not set(PERSONS[train]) & set(PERSONS[test])
    assert sorted([*train, *test]) == list(range(40))
    assert (np.diff(train) > 0).all() and (np.diff(test) > 0).all()


def test_folds_of_persons_are_those_of_group_k_fold():
    """Each person is tested in exactly one fold, and folds are of equally many persons."""
    folds = [{"kind": "fold", "folds": 4, "fold": fold, "repeat": 0} for fold in range(4)]
    tested = [set(PERSONS[split_rows(fold, LABELS, None, 0, PERSONS)[1]]) for fold in folds]
    assert [len(each) for each in tested] == [4, 4, 3, 3]
    assert set().union(*tested) == set(range(14))


def test_a_share_is_of_persons():
    _, test = split_rows(SHUFFLE | {"test_share": 0.5}, LABELS, None, 0, PERSONS)
    assert len(set(PERSONS[test])) == 7


def test_an_official_split_through_a_person_is_refused():
    official = np.array(["train"] * 25 + ["test"] * 15)
    with pytest.raises(ParameterError, match="by person"):
        split_rows({"kind": "official"}, LABELS, official, 0, PERSONS)
    train, test = split_rows({"kind": "official"}, LABELS, official, 0, np.arange(40))
    assert (len(train), len(test)) == (25, 15)
