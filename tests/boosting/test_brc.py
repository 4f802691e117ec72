"""One round of BRC after the other, without rows: who is taken, and whose weights move."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from tacit.boosting.brc import CappedWeights, boost
from tacit.boosting.public_models import PublicBooster
from tacit.models import LinearRule

RULE = LinearRule((1.0,), 0.0)
LAW = CappedWeights(2.0, 2.0)


class Exact:
    """Releases without noise."""

    def noisy(self, error):
        return SimpleNamespace(value=error, deviation=0.0)


class Private:
    def __init__(self, edges):
        self.edges, self.levels = iter(edges), []

    def draw(self, releases):
        return RULE

    def error(self):
        return 0.5 - next(self.edges)

    def reweigh(self, after_mistake):
        self.levels.append(after_mistake)


class Public:
    rule = RULE

    def __init__(self, edge):
        self.edge, self.reweighed = edge, 0

    def reweigh(self):
        self.reweighed += 1


def test_the_classifier_further_from_guessing_is_taken_and_its_weights_alone_move():
    private, public = Private([-0.25, 0.0625, 0.5]), Public(0.125)
    votes = [vote for vote, _ in boost(3, LAW, private, public, Exact())]
    assert [vote.source for vote in votes] == ["private", "public", "private"]
    assert [vote.coefficient for vote in votes] == [-0.25, 0.125, 0.5]
    for levels, alpha in zip(private.levels, [-0.25, 0.0, 0.5], strict=True):
        assert (levels == LAW.after_mistake(alpha)).all()
    assert private.levels[1].tolist() == list(range(len(LAW.weights)))  # the public one was taken: nothing moves
    assert public.reweighed == 1


def test_a_public_classifier_worse_than_guessing_is_turned_around():
    assert [vote.coefficient for vote, _ in boost(1, LAW, Private([0.25]), Public(-0.375), Exact())] == [-0.375]


class Remembering:
    """A linear classifier that is always wrong about the first row, and keeps the weights that it was given."""

    def __init__(self, seen):
        self._seen = seen

    def fit(self, features, labels, sample_weight):
        self._seen.append(sample_weight.copy())
        self.coef_, self.intercept_ = np.ones((1, 1)), np.zeros(1)

    def predict(self, features):
        return (features[:, 0] > 0).astype(int)


def test_public_mistakes_weigh_more_by_the_exponential_of_the_edge():
    seen: list[np.ndarray] = []
    features = np.asarray([[0.5], [0.5], [-0.5], [-0.5]], dtype=np.float32)
    booster = PublicBooster(lambda: Remembering(seen), features, np.asarray([0, 1, 0, 0]), np.asarray([0]), 1)
    assert booster.edge == 0.25
    booster.reweigh()
    raw = np.asarray([np.exp(0.25), 1, 1, 1])
    assert seen[0].tolist() == [1.0] * 4
    assert seen[1] == pytest.approx(raw / raw.mean())
    assert booster.edge == pytest.approx(0.5 - raw[0] / raw.sum())


def test_a_perfect_public_classifier_is_taken_whatever_the_noise_says():
    from tacit.boosting.brc import _outdoes

    assert _outdoes(0.5, 3.0)
    assert _outdoes(-0.5, 0.5)
    assert not _outdoes(0.49, 3.0)
    assert not _outdoes(0.2, -0.3)
    assert _outdoes(-0.3, 0.2)
