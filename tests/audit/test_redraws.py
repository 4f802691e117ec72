"""Redraws find a sampler that draws from another distribution than its mechanism states, which replay does not."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

import tacit.audit.redraws as module
import tacit.audit.release_sampler as release_sampler
from tacit import Categorical, Label, LogisticClassifier, NaiveBayesClassifier, Numeric, Schema, TreeClassifier
from tacit.audit import Auditor, Claim, Effort, random_pairs, redraw, replay
from tacit.audit.directed import directed_pairs
from tacit.audit.verdict import verdict_words
from tacit.errors import ParameterError
from tacit.mechanisms import noise_source

COLUMNS = [Numeric("a", -1, 1, cuts=(0.0,)), Categorical("c", ["x", "y"])]
SCHEMA = Schema(COLUMNS, label=Label("y", ["no", "yes"]))
EFFORT = Effort(minutes=5, most=3_900, confidence=0.999)

# A selection and Laplace noise; Gaussian noise.
MAKERS = {
    Claim(4.0): lambda: TreeClassifier(SCHEMA, epsilon=4.0, max_splits=1),
    Claim(6.0, 1e-2): lambda: NaiveBayesClassifier(SCHEMA, epsilon=6.0, delta=1e-2, calibration=0),
}
CLAIMS = pytest.mark.parametrize("claim", MAKERS)


class Halved:
    """Secure noise of half the scale that it is asked for."""

    def __init__(self):
        self._secure = noise_source(None)

    def laplace(self, values, scale):
        return self._secure.laplace(values, scale / 2)

    def gaussian(self, values, deviation):
        return self._secure.gaussian(values, deviation / 2)

    def permute_and_flip(self, scores, scale):
        return self._secure.permute_and_flip(scores, scale / 2)

    def exponential_mechanism(self, scores, scale):
        return self._secure.exponential_mechanism(scores, scale / 2)


def redrawn(claim):
    return redraw(MAKERS[claim], islice(directed_pairs(SCHEMA, n_rows=24), 8), claim=claim, effort=EFFORT)


@CLAIMS
def test_exact_samplers_are_not_refuted_and_half_the_noise_is_seen(claim):
    found = redrawn(claim)
    assert found.method == "sampling" and found.verdict == "not refuted"
    # Vectors of whole numbers are drawn by the sampler of a few numbers and by that of many.
    assert sum("by the thousand" in release.query for release in found.releases) == 1
    assert len(found.releases) == len(found.controls) == (2 if claim.delta else 3)
    assert all(control.caught for control in found.controls) and found.half_noise > claim.epsilon
    assert all(0 < release.reached <= 1 for release in found.releases)


@CLAIMS
def test_a_sampler_of_half_the_scale_is_refuted_although_replay_sees_nothing(claim, monkeypatch):
    monkeypatch.setattr(release_sampler, "noise_source", lambda _: Halved())
    found = redrawn(claim)
    assert found.verdict == "refuted" and "of its share" in verdict_words(found)
    assert all(release.is_violated for release in found.releases)
    assert replay(MAKERS[claim], islice(random_pairs(SCHEMA), 2), claim=claim).verdict != "refuted"


def test_masked_noise_is_drawn_with_half_its_scale():
    claim, pairs = Claim(3.0), islice(directed_pairs(SCHEMA, n_rows=2), 1)
    found = redraw(
        lambda: LogisticClassifier(SCHEMA, epsilon=3.0, method="mean-operator", calibration=0),
        pairs,
        claim=claim,
        effort=EFFORT,
    )
    assert [release.mechanism for release in found.releases] == ["K-norm"]
    assert found.verdict == "not refuted"


@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_ratios_of_many_vectors_are_those_of_the_stated_distribution(delta):
    def naive_bayes():
        return NaiveBayesClassifier(SCHEMA, epsilon=2.0, delta=delta)

    for samplers in module._by_release(naive_bayes, islice(random_pairs(SCHEMA), 2), 0).values():
        for sampler in samplers:
            zero, one = sampler.sides
            answers = np.stack([zero.draw() for _ in range(5)])
            distributions = [
                [side.mechanism.log_density(side.statistic, answer) for answer in answers] for side in (zero, one)
            ]
            assert np.allclose(sampler._ratios(answers), np.subtract(distributions[1], distributions[0]))


def test_a_schema_that_protects_nothing_is_refused():
    with pytest.raises(ParameterError, match="protected column or label"):
        Auditor(Claim(1.0), SCHEMA.with_private([], label=False)).redraw(MAKERS[Claim(4.0)])
