"""DP-Bag: how far votes move, what a fit releases, and that the published number of questions tells of the rows."""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl
import pytest

from reproductions.salamatian2021 import logistic_search
from reproductions.salamatian2021.bagged import EPSILONS, SERIES, bagged, each_alone
from reproductions.salamatian2021.dpbag import (
    DPBag,
    agreements,
    counts,
    majority,
    paid_questions,
    personal_epsilons,
    unit_of,
)
from reproductions.salamatian2021.logistic_search import DEFAULT, SEARCHED, logistic_tasks, searched
from reproductions.salamatian2021.teachers import Ensemble, taught
from tacit.audit.mutants import half_noise
from tacit.audit.neighbors import Pair
from tacit.audit.replay import press, replay_pair
from tacit.errors import ParameterError
from tacit.schema import Label, Numeric, Schema
from tacit.table import read_rows

SCHEMA = Schema([Numeric("a", -1, 1), Numeric("b", -1, 1)], label=Label("y", [0, 1]))
ASKED = np.random.default_rng(1).uniform(-1, 1, (12, 2)).tolist()


def rows_of(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).uniform(-1, 1, (n_rows, 2))
    return X, (X[:, 0] > 0).astype(int)


def one_each() -> Pair:
    """Six rows of one label for six teachers; one of them has the other label on the neighbor."""
    rest = [(0.1 * at, 0.0, 1) for at in range(5)]
    return Pair(SCHEMA, ((0.3, 0.0, 0), *rest), ((0.3, 0.0, 1), *rest))


def make(**settings: float) -> DPBag:
    return DPBag(SCHEMA, ASKED, **{"epsilon": 0.4, "partitions": 3, "teachers": 6, **settings})


def test_a_row_turns_one_vote_of_each_partition_and_the_fit_leaves_nothing_else():
    found = replay_pair(make, one_each())
    assert [step.line.query for step in found.steps] == ["majority of teachers"] * 10
    assert found.steps[0].line.sensitivity == 2 * 3
    assert found.differences == ()
    assert not found.refuted
    # 3 of 18 votes turn on each question: the range is attained, and with two labels the loss nearly.
    assert found.steps[0].reached > 0.5
    assert press(found, make).epsilon <= 0.4 + 1e-9


def test_the_student_follows_from_the_answers_alone():
    made = []
    replay_pair(lambda: made.append(make()) or made[-1], one_each())
    one, its = (each.student_ for each in made)
    assert one.tolist() == its.tolist()
    assert np.abs(one[:-1]).min() > 0


def test_the_replay_sees_half_of_the_noise_where_votes_are_even():
    # Three rows of each label, and the seventh decides: half of the range on either side of a tie.
    rest = [(0.1 * at, 0.0, at % 2) for at in range(6)]
    pair = Pair(SCHEMA, ((0.3, 0.0, 0), *rest), ((0.3, 0.0, 1), *rest))
    even = partial(make, teachers=7)
    intact, broken = (replay_pair(even, pair, mutant=mutant) for mutant in (None, half_noise))
    assert 0.9 < max(step.reached for step in intact.steps) <= 1
    assert broken.refuted


def test_a_delta_buys_more_questions_and_a_fit_stays_within_the_budget():
    assert [paid_questions(epsilon, 0.0) for epsilon in (0.01, 1.0, 5.0)] == [1, 25, 125]
    assert paid_questions(1.0, 1e-5) > 100  # rho 0.030, at 0.04^2/8 each
    found = replay_pair(partial(make, epsilon=0.5, delta=1e-5), one_each(), delta=1e-5)
    assert not found.refuted
    assert found.epsilon <= 0.5 + 1e-9


def test_no_replaced_row_moves_the_majority_by_more_than_its_range():
    X, y = rows_of(40)
    most = 0.0
    for trial in range(10):
        other, labels = X.copy(), y.copy()
        other[trial], labels[trial] = -X[trial], 1 - y[trial]
        ensembles = [taught(*rows, 4, 5, np.random.default_rng(trial)) for rows in ((X, y), (other, labels))]
        changed = (ensembles[0].weights != ensembles[1].weights).any(axis=2)
        # Its own teacher of each partition, and no other: partitions read no row.
        rows = zip(changed, ensembles[0].owners, strict=True)
        assert all(np.flatnonzero(of).tolist() in ([], [own[trial]]) for of, own in rows)
        one, its = (counts(each, np.asarray(ASKED)) for each in ensembles)
        moved = np.ptp(one - its, axis=1).max()
        assert moved <= majority(one[0], 4, unit_of(SCHEMA)).range
        most = max(most, moved)
    assert most > 0


def test_votes_and_agreements_of_teachers_given_by_hand():
    # Teachers of two partitions vote by the first feature, or always for label 1.
    weights = np.asarray([[[1.0, 0, 0], [0, 0, 1.0]], [[0, 0, 1.0], [1.0, 0, 0]]])
    owners = np.asarray([[0, 1, 1], [1, 1, 0]])
    ensemble, asked = Ensemble(owners, weights), np.asarray([[1.0, 0.0], [-1.0, 0.0]])
    assert counts(ensemble, asked).tolist() == [[0, 4], [2, 2]]
    assert agreements(ensemble, asked).tolist() == [[1, 1], [1, 0.5], [1, 1]]


def test_the_published_number_of_questions_tells_neighbors_from_each_other():
    # All rows but one are disagreed about by their own teachers, on one of the tables alone.
    contested, agreed = np.full((5, 400), 0.5), np.full((5, 400), 0.5)
    agreed[0] = 1.0
    stops = [int(np.sum(personal_epsilons(each, 1e-3) < 1)) for each in (contested, agreed)]
    assert stops == [168, 42]


def test_the_corrected_one_learns_where_noise_is_small_and_refuses_three_classes():
    X, y = rows_of(600)
    model = DPBag(SCHEMA, X[:200], 400.0, partitions=4, teachers=5).fit(X[200:], y[200:])
    assert np.mean((model.decision(read_rows(X, SCHEMA)) > 0) == y) > 0.9
    assert model.privacy_.status == "simulated"
    three = Schema([Numeric("a", -1, 1), Numeric("b", -1, 1)], label=Label("y", [0, 1, 2]))
    with pytest.raises(ParameterError, match="two classes"):
        DPBag(three, ASKED, 1.0).fit(X, y)


def test_a_repetition_becomes_a_row_for_each_series_and_epsilon():
    count = len(SERIES) * len(EPSILONS)
    assert len({task.key for task in bagged()}) == 5
    rows = pl.DataFrame(
        {
            "series": ["DP-Bag", "one-rules"],
            "x": [None, 0.1],
            "accuracies": [str([at / count for at in range(count)]), None],
            "accuracy": [None, 0.8],
        }
    )
    found = each_alone(rows)
    assert found.height == 1 + count
    last = found.filter(pl.col("series") == SERIES["corrected", 1e-5], pl.col("x") == 5.0)
    assert last["accuracy"].to_list() == [(count - 1) / count]


def test_the_search_shows_the_setting_that_folds_choose_and_not_the_best_shown():
    def row(role, c, accuracy, panel="adult"):
        series = DEFAULT if (c, role) == (1.0, "shown") else SEARCHED
        return {"panel": panel, "series": series, "x": 1.0, "c": c, "role": role, "accuracy": accuracy}

    rows = [row("shown", 1.0, 0.9), row("shown", 0.1, 0.7), row("choosing", 1.0, 0.5), row("choosing", 0.1, 0.6)]
    rows += [row("shown", 1.0, 0.5, "mushroom"), row("shown", 0.1, 0.8, "mushroom")]
    others = [{**row("shown", None, 0.4), "series": "one-rules", "role": None}]
    found = searched(pl.DataFrame([*rows, *others], infer_schema_length=None))
    best = found.filter(pl.col("series") == SEARCHED)
    assert dict(zip(best["panel"], best["accuracy"], strict=True)) == {"adult": 0.7, "mushroom": 0.8}
    assert found.filter(pl.col("series") == DEFAULT)["accuracy"].to_list() == [0.9, 0.5]
    assert found.height == 5


def test_the_search_has_a_fit_for_each_setting_and_adult_some_that_choose():
    tasks = list(logistic_tasks(1))
    assert len(tasks) == len({task.key for task in tasks}) == 13 * len(logistic_search.GRID) * 4
