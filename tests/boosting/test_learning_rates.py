"""Rates of boosted trees: by hand, and that they follow from what is explained, whatever rows count."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import tacit
from tacit import BoostedTreesClassifier, Identifier, Label, Numeric, Schema
from tacit.boosting.learning_rates import LearningRates
from tacit.mechanisms import ReleasedValue
from tacit.queries.leaf_sums import STEPS

N = 20_000
GENERATOR = np.random.default_rng(5)
FRAME = pl.DataFrame({name: GENERATOR.uniform(-1, 1, N) for name in "ab"})
SCHEMA = Schema([Numeric("a", -1, 1), Numeric("b", -1, 1)], label=Label("y", [0, 1]))


def released(sums, deviation=0.0):
    return ReleasedValue(STEPS * np.asarray(sums, dtype=float), STEPS * deviation, "Gaussian")


def test_by_hand_without_noise():
    rates, both = LearningRates(None, variance=200.0), np.asarray([0, 1])
    # Half is explained, then in the mean of both trees three quarters.
    assert rates.after(released([[40.0, 60.0]]), both) == pytest.approx(0.3)  # a quarter would be less
    assert rates.after(released([[-10.0, 10.0]]), both) == pytest.approx(0.75**2)


def test_more_than_there_was_or_less_than_none_is_all_or_nothing():
    leaf = np.asarray([0])
    assert LearningRates(None, 10.0).after(released([[30.0]]), leaf) == 0.3
    assert LearningRates(None, 10.0).after(released([[-30.0]]), leaf) == 1.0


def test_noise_counts_as_not_explained_and_makes_the_rest_count_less():
    rates, four = LearningRates(None, variance=100.0), np.asarray([0, 2, 3, 5])
    sums = [[5.0, 1e9, 5.0, 5.0, 1e9, 5.0]]  # leaves 1 and 4 are not reached
    # Of four sums of deviation 5: 10 in 100, then over two trees 5 sqrt(8) / 2.
    assert rates.after(released(sums, 5.0), four) == pytest.approx(((1 - 0.2 - 0.2) / (1 + 0.2**2)) ** 2)
    unsure = 2 * 5 * 8**0.5 / 2 / 100
    assert rates.after(released(sums, 5.0), four) == pytest.approx(((1 - 0.2 - unsure) / (1 + unsure**2)) ** 2)


@pytest.mark.parametrize("deviation", [3.0, 10.0, 30.0, 300.0, 1e16])
def test_noise_alone_next_to_never_makes_steps_longer(deviation):
    draw, leaves, largest = np.random.default_rng(0), np.arange(16), []
    for _ in range(200):
        rates = LearningRates(None, variance=100.0)
        sums = [[100 / 16 + deviation * draw.normal(size=16)] for _ in range(40)]
        largest.append(max(rates.after(released(each, deviation), leaves) for each in sums))
    assert np.mean(np.asarray(largest) > 0.31) < 0.02


def test_a_rate_that_is_given_stays():
    rates = LearningRates(0.2, 100.0)
    assert [rates.after(released([[each]]), np.asarray([0])) for each in (100.0, 0.0)] == [0.2, 0.2]


CLEAR = ((FRAME["a"] > 0) & (FRAME["b"] > -0.5)).to_numpy().astype(int)
RARE = (FRAME["a"] > 0.8).to_numpy().astype(int)
COINS = GENERATOR.integers(0, 2, N)
COINS_OF_MANY = GENERATOR.choice(4, N, p=[0.6, 0.2, 0.1, 0.1])


def taken(monkeypatch, schema, frame, labels, **given):
    """The rates of all trees of a fit."""
    found, after = [], LearningRates.after

    def noting(self, *sums):
        found.append(after(self, *sums))
        return found[-1]

    monkeypatch.setattr(LearningRates, "after", noting)
    settings = {"epsilon": 4.0, "delta": 1e-6, "n_trees": 20} | given
    BoostedTreesClassifier(schema, **settings, depth=3, random_state=0).fit(frame, labels)
    assert len(found) == settings["n_trees"]
    return found


MANY = Schema(SCHEMA.columns, label=Label("y", [0, 1, 2, 3]))
KINDS = {
    "two classes": (SCHEMA, CLEAR, COINS, {}),
    "pure": (SCHEMA, CLEAR, COINS, {"delta": 0.0, "epsilon": 60.0, "n_trees": 60}),
    "uneven": (SCHEMA, RARE, (GENERATOR.random(N) < 0.1).astype(int), {}),
    "weighed classes": (SCHEMA, RARE, (GENERATOR.random(N) < 0.1).astype(int), {"class_weight": "balanced"}),
    "given weights": (SCHEMA, RARE, (GENERATOR.random(N) < 0.05).astype(int), {"class_weight": {1: 19.0, 0: 1.0}}),
    "four classes": (MANY, CLEAR + 2 * (FRAME["b"] > 0).to_numpy(), COINS_OF_MANY, {}),
    "public label": (SCHEMA.with_private(["a", "b"], label=False), CLEAR, COINS, {}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_rates_rise_where_classes_follow_from_columns_alone(kind, monkeypatch):
    schema, clear, coins, given = KINDS[kind]
    # The noise of the first sums is large beside what is explained; coins explain nothing.
    assert taken(monkeypatch, schema, FRAME, clear, **given)[-1] > 0.36
    monkeypatch.undo()
    assert max(taken(monkeypatch, schema, FRAME, coins, **given)) < 0.33


@pytest.mark.parametrize("rows", ["mean", 4])
def test_rows_of_persons_count_as_they_do_in_other_sums(rows, monkeypatch):
    schema = Schema(SCHEMA.columns, label=SCHEMA.label, identifier=Identifier("id", rows=rows))
    frame = FRAME.with_columns(pl.Series("id", np.arange(N) // 4))
    assert taken(monkeypatch, schema, frame, CLEAR, epsilon=100.0)[-1] > 0.4
    monkeypatch.undo()
    assert max(taken(monkeypatch, schema, frame, COINS, epsilon=100.0)) < 0.33


def test_what_is_given_is_taken_for_all_trees(monkeypatch):
    assert set(taken(monkeypatch, SCHEMA, FRAME, CLEAR, learning_rate=0.25)) == {0.25}
    assert tacit.BoostedTreesClassifier(SCHEMA, epsilon=1.0).learning_rate == "auto"
