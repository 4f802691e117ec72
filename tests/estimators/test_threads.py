"""Small fits use one thread of linear algebra, large ones as many as the libraries start."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from tacit import Label, NaiveBayesClassifier, Numeric, Schema
from tacit.estimators import training
from tacit.learners.naive_bayes import NaiveBayes

SCHEMA = Schema([Numeric("x", -1, 1)], label=Label("y", [0, 1]))
X = np.random.default_rng(0).uniform(-1, 1, (100, 1))


@pytest.mark.parametrize(("most", "threads"), [(100, 1), (99, 2)])
def test_threads_of_a_fit(monkeypatch, most, threads):
    seen = []
    train = NaiveBayes.train

    def watched(self, *given):
        seen.extend(each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas")
        return train(self, *given)

    monkeypatch.setattr(NaiveBayes, "train", watched)
    monkeypatch.setattr(training, "MAX_CELLS", most)
    with threadpool_limits(limits=2, user_api="blas"):
        NaiveBayesClassifier(SCHEMA, epsilon=1.0).fit(X, X[:, 0] > 0)
        after = [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]
    assert set(seen) == {threads} and set(after) == {2}
