"""Audits by one fit: the binomial bound by hand and by enumeration, and coverage on randomized response."""

from __future__ import annotations

from itertools import product
from math import exp

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from tacit.audit import Claim
from tacit.audit.one_run import Canaries, audit_in_one_run, guessing_epsilon, guessing_p_value, membership_scores
from tacit.errors import ParameterError


@pytest.mark.parametrize(("canaries", "bound"), [(100, 0.48), (1_000, 0.84), (10_000, 0.95)])
def test_the_best_guesses_of_randomized_response(canaries, bound):
    """At epsilon 1, and a quarter of an error of 5 %."""
    right = round(canaries / (1 + exp(-1)))
    assert guessing_epsilon(right, canaries, canaries, error=0.05 / 4) == pytest.approx(bound, abs=0.005)


def test_all_right_by_hand():
    """P(Bin(r, q) = r) = q^r: of 100 right guesses q is at least 0.05^(1/100)."""
    rate = 0.05 ** (1 / 100)
    assert guessing_epsilon(100, 100, 100) == pytest.approx(np.log(rate / (1 - rate)))
    assert guessing_epsilon(50, 100, 100) == 0
    assert guessing_epsilon(0, 1, 10) == 0


def test_delta_adds_the_steepest_part_of_the_tail():
    r, v, m, epsilon, delta = 10, 8, 40, 0.7, 1e-3
    distribution = binom(r, 1 / (1 + exp(-epsilon)))
    steepest = max((distribution.sf(v - i - 1) - distribution.sf(v - 1)) / i for i in range(1, m + 1))
    assert guessing_p_value(v, r, m, epsilon, delta) == pytest.approx(distribution.sf(v - 1) + 2 * m * delta * steepest)
    assert guessing_epsilon(95, 100, 100, delta=1e-3) < guessing_epsilon(95, 100, 100)


def test_no_guesser_of_randomized_response_beats_the_binomial_tail():
    """All guessers of three coins from three answers, with abstentions: exact, by enumeration."""
    epsilon, coins = 0.9, list(product([0, 1], repeat=3))
    q = 1 / (1 + exp(-epsilon))
    for guess in product([-1, 0, 1], repeat=2):  # what each answer is taken for
        distributions = {}
        for told in coins:
            taken = [guess[each] for each in told]
            r = sum(each != 0 for each in taken)
            for truth in coins:
                p = np.prod([q if a == b else 1 - q for a, b in zip(told, truth, strict=True)]) / 8
                right = sum(t == 2 * s - 1 for t, s in zip(taken, truth, strict=True))
                distributions.setdefault(r, np.zeros(4))[right] += p
        for r, distribution in distributions.items():
            for v in range(r + 1):
                assert distribution[v:].sum() / distribution.sum() <= guessing_p_value(v, r, 3, epsilon) + 1e-12


def test_randomized_response_is_above_its_epsilon_no_more_often_than_stated():
    generator, m, epsilon = np.random.default_rng(0), 400, 1.0
    rights = generator.binomial(m, 1 / (1 + exp(-epsilon)), 3000)
    bounds = np.asarray([guessing_epsilon(v, m, m, error=0.1) for v in range(m + 1)])[rights]
    assert 0.07 < (bounds > epsilon).mean() <= 0.1 + 0.015
    assert np.median(bounds) > 0.8 * epsilon


def noisy_labels(epsilon=1.0):
    """Each label is told by randomized response, for replace-one; the tree learns what was told by heart."""
    return ToldLabels(1 / (1 + exp(-epsilon)))


class ToldLabels:
    def __init__(self, rate):
        self.rate = rate

    def fit(self, X, y):
        told = np.where(np.random.default_rng(5).random(len(y)) < self.rate, y, 1 - y)
        self.tree = DecisionTreeClassifier().fit(X, told)
        self.classes_ = np.asarray([0, 1])
        return self

    def predict_proba(self, X):
        return self.tree.predict_proba(X)


def planted(n=1000):
    generator = np.random.default_rng(1)
    table = (generator.normal(size=(50, 1)), np.arange(50) % 2)
    y = generator.integers(0, 2, n)
    return table, Canaries(generator.normal(size=(n, 1)), y, 1 - y)


def test_a_mechanism_of_known_epsilon_is_found_by_one_fit():
    finding = audit_in_one_run(noisy_labels, Claim(1.0), *planted())
    assert 0.6 < finding.bound <= 1 < finding.half_noise <= 2
    assert finding.verdict == "not refuted"
    assert [control.caught for control in finding.controls] == [False, True]


def test_a_model_that_learns_by_heart_is_refuted():
    finding = audit_in_one_run(DecisionTreeClassifier, Claim(1.0), *planted())
    assert finding.verdict == "refuted"
    assert finding.bound > 4


def test_rows_that_are_left_out_are_guessed_as_well():
    table, canaries = planted(300)
    finding = audit_in_one_run(
        DecisionTreeClassifier, Claim(1.0, relation="add-remove"), table, Canaries(canaries.X, canaries.y)
    )
    assert 0 <= finding.bound < 10
    assert finding.claim.relation == "add-remove"


def test_canaries_must_fit_the_relation():
    table, canaries = planted(10)
    with pytest.raises(ParameterError, match="got relation='add-remove'"):
        audit_in_one_run(DecisionTreeClassifier, Claim(1.0, relation="add-remove"), table, canaries)


def test_scores_are_of_the_canarys_own_label():
    model = LogisticRegression().fit([[0.0], [1.0]], ["a", "b"])
    own = membership_scores(model, Canaries([[3.0], [3.0]], ["b", "a"]))
    assert own[0] == -own[1] > 0
    assert membership_scores(model, Canaries([[3.0]], ["b"], ["a"]))[0] == pytest.approx(2 * own[0])
