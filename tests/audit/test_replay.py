"""Replay finds what releases cost, wrong scales, wrong densities and exact leaks."""

from __future__ import annotations

from itertools import islice

import pytest

from tacit import Label, NaiveBayesClassifier, Numeric, Schema
from tacit.audit import Claim, Pair, random_pairs, replay, replay_pair
from tacit.privacy import interposing

SCHEMA = Schema([Numeric("age", 0, 90)], label=Label("income", ["high", "low"]))


def naive_bayes(**parameters):
    return lambda: NaiveBayesClassifier(SCHEMA, epsilon=1.0, **parameters)


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
