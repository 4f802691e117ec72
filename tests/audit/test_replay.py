"""Replay finds what releases cost, wrong scales, wrong densities and exact leaks."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from tacit import BRCClassifier, Label, NaiveBayesClassifier, Numeric, PaidSearch, Schema, TreeClassifier
from tacit.audit import Claim, Pair, random_pairs, replay, replay_pair
from tacit.errors import ParameterError
from tacit.estimators.search import price
from tacit.privacy import interposing

SCHEMA = Schema([Numeric("age", 0, 90)], label=Label("income", ["high", "low"]))


def naive_bayes(**parameters):
    return lambda: NaiveBayesClassifier(SCHEMA, epsilon=1.0, calibration=0, **parameters)


@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_every_release_is_within_its_share_and_half_the_noise_is_not(delta):
    found = replay(naive_bayes(delta=delta), islice(random_pairs(SCHEMA), 20), claim=Claim(1.0, delta))
    assert found.verdict == "not refuted"
    assert all(0.9 < release.reached <= 1 + 1e-9 for release in found.releases)
    assert len(found.controls) == 2 + 2 * len(found.releases) + 2
    assert [control.name for control in found.controls if control.caught != control.broken] == []


def test_a_certificate_of_forced_answers_is_void():
    (X, y), _ = next(random_pairs(SCHEMA)).inputs()
    with interposing(lambda pending: pending.draw()):
        model = naive_bayes()().fit(X, y)
    assert model.privacy_.status == "void" and "forced" in model.privacy_.reasons[-1]
    assert naive_bayes()().fit(X, y).privacy_.status == "private"


class Leaky(NaiveBayesClassifier):
    """Prints a private cell."""

    _learner = "leaky"

    def fit(self, X, y):
        print(float(X["age"][0]))
        return super().fit(X, y)


def test_a_printed_cell_is_a_difference():
    pair = Pair(SCHEMA, ((1.0, "high"), (2.0, "low")), ((90.0, "high"), (2.0, "low")))
    assert replay_pair(lambda: Leaky(SCHEMA, epsilon=1.0), pair).differences == ("the printed text",)
    assert replay_pair(naive_bayes(), pair).differences == ()


class Choosy(NaiveBayesClassifier):
    """Makes its noise depend on a private cell, through the budget."""

    _learner = "choosy"

    def fit(self, X, y):
        self.epsilon = 1.0 if X["age"][0] < 45 else 0.5
        return super().fit(X, y)


def test_a_scale_that_depends_on_a_cell_is_a_difference():
    pair = Pair(SCHEMA, ((1.0, "high"), (2.0, "low")), ((90.0, "high"), (2.0, "low")))
    found = replay_pair(lambda: Choosy(SCHEMA, epsilon=1.0), pair)
    assert any(each.startswith("the sensitivity, scale or name of") for each in found.differences)
    assert "the model" in found.differences and found.refuted


def test_public_draws_are_the_same_in_both_fits():
    schema = Schema([Numeric("a", -1, 1), Numeric("b", -1, 1)], label=Label("y", ["no", "yes"]))
    found = replay_pair(lambda: BRCClassifier(schema, epsilon=1.0, rounds=4), next(random_pairs(schema)), seed=3)
    assert found.differences == () and len(found.steps) == 5  # and what calibrates


def test_secret_draws_that_are_no_releases_are_the_same_in_both_fits(monkeypatch):
    for name, least in (("MIN_ROWS", 1), ("MIN_SIGNAL_OF_RUN", 1e-6)):  # so that few rows are worth a search
        monkeypatch.setattr(price, name, least)
    grid = {"n_bins": [2, 4, 6]}

    def search():
        return PaidSearch(NaiveBayesClassifier(SCHEMA), grid, epsilon=1.0, rows=0.5, pay="epsilon")

    searches = [replay_pair(search, pair, seed=seed) for seed, pair in enumerate(islice(random_pairs(SCHEMA), 6))]
    assert [found.differences for found in searches] == [()] * 6
    assert len({len(found.steps) for found in searches}) > 1  # numbers of runs, which are secret
    assert max(step.reached for found in searches for step in found.steps) <= 1 + 1e-9


@pytest.mark.parametrize("answer", [np.zeros((1, 8), dtype=int), np.zeros(9), 10**6])
def test_an_answer_that_a_selection_cannot_have_is_drawn_again(answer):
    """After another answer before, as many candidates need not be asked, nor one in place of several."""
    pair = Pair(SCHEMA, ((90.0, "high"), (1.0, "low")), ((0.0, "high"), (1.0, "low")))
    found = replay_pair(lambda: TreeClassifier(SCHEMA, epsilon=1.0, max_splits=1), pair, answers=[answer])
    assert np.ndim(found.answers[0]) == 0 and not found.refuted


def test_settings_that_are_refused_are_no_audit():
    with pytest.raises(ParameterError):
        replay_pair(lambda: NaiveBayesClassifier(SCHEMA, epsilon=-1.0), next(random_pairs(SCHEMA)))
